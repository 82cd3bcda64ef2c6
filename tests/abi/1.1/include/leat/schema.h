/* schema.h -- the content of a batch between two stages, negotiated before a byte is read.
 *
 * The host calls the stages' `negotiate` in the order of the pipeline. Each stage gets the schema
 * of its input and makes the schema of its output. The host negotiates first for `leat check`,
 * without opening anything, and again when the inputs are open and their header is known. The
 * bounds in the schema determine the sizes of the batches.
 */
#ifndef LEAT_SCHEMA_H
#define LEAT_SCHEMA_H

#include <stdint.h>

#include <leat/batch.h>

enum leat_has {
    LEAT_HAS_RECORDS = 1,
    LEAT_HAS_COLUMNS = 2,
    LEAT_HAS_KEY = 4,
    LEAT_HAS_TIMESTAMP = 8,
    LEAT_HAS_LABEL = 16,
    LEAT_HAS_EXAMPLES = 32,
    LEAT_HAS_NAMES = 64, /* entries have names (leat_batch.name, part) */
    LEAT_HAS_SCORE = 128,
    LEAT_HAS_HEADERS = 256 /* records have headers of messages (leat_batch.headers) */
};

/* Kind of prediction in leat_batch.score. It determines which losses the host measures. */
enum leat_score {
    LEAT_SCORE_NONE = 0,
    LEAT_SCORE_MARGIN = 1, /* log odds of label +1; predicts +1 if >= 0               */
    LEAT_SCORE_VALUE = 2,  /* an estimate of the label itself                         */
    LEAT_SCORE_CLASS = 3,  /* number of the predicted class; labels are class numbers */
    /* A margin that is not log odds, for instance of a perceptron or an SVM. Predicts label +1 if
     * >= 0, and ranks examples. Its size has no other meaning. */
    LEAT_SCORE_DECISION = 4
};

/* Most columns of a batch. Each column takes 8 bytes for each record of a batch. */
#define LEAT_MAX_COLUMNS 65536

struct leat_column {
    const char *name;
    uint32_t type; /* enum leat_column_type; 0: this stage has not asked for the column */
    /* For TEXT: how numbers are written in the text, as in parse.csv: the decimal mark, and the
     * mark between thousands. 0: a decimal point, no mark between thousands. A stage that needs
     * numbers asks for the column as NUMBER, so that the host parses the text. If it parses the
     * text itself, it must heed these two members. */
    char decimal;   /* '.', ',' or LEAT_DECIMAL_UNSURE */
    char thousands; /* '.', ',', '\'' or ' '           */
    uint16_t reserved;
};
/* Decimal mark of a column whose parsers, before a merge, have different decimal marks. Only a text
 * that consists of digits is certainly a number. */
#define LEAT_DECIMAL_UNSURE '\x7f'

/* Types that a stage accepts, or-ed: `LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER`. LEAT_TAKES_ANY has the
 * types that exist in these headers, so a plugin never gets a type that is newer than the
 * plugin. */
enum leat_takes {
    LEAT_TAKES_TEXT = 1 << LEAT_TEXT,
    LEAT_TAKES_NUMBER = 1 << LEAT_NUMBER,
    LEAT_TAKES_INT64 = 1 << LEAT_INT64,
    LEAT_TAKES_BYTES = 1 << LEAT_BYTES,
    LEAT_TAKES_BOOLEAN = 1 << LEAT_BOOLEAN,
    LEAT_TAKES_TIME = 1 << LEAT_TIME,
    LEAT_TAKES_ANY = 0x7e
};

/* Meanings of values. LEAT_MARK_NUMBER: a number of a column, also if it is 0; without an entry it
 * is missing. LEAT_MARK_CONSTANT: 1 in every example. */
enum leat_mark { LEAT_MARK_NONE = 0, LEAT_MARK_NUMBER = 1, LEAT_MARK_CONSTANT = 2 };

struct leat_schema {
    uint32_t size;
    uint32_t has;   /* enum leat_has, or-ed                                           */
    uint32_t score; /* enum leat_score                                                */
    /* 1: the input has columns, but their names are known only when it is open. */
    uint32_t open;
    uint32_t n_columns;
    uint32_t n_fields;
    const struct leat_column *column;
    const char *const *fields; /* names of fields (leat_part.field) */

    /* Upper bounds, which stages raise with leat_negotiation.add_bounds. "Text" means the text that
     * the source delivers. If a stage declares entries for text that earlier stages append,
     * add_bounds converts them into entries for each record. */
    uint32_t examples_per_record;
    uint32_t entries_per_record;
    uint32_t entries_per_256_bytes;
    /* Name parts, in addition to one part for each entry that entries_per_256_bytes allows. */
    uint32_t parts_per_record;
    uint32_t added_bytes_per_record;
    uint32_t max_record_bytes; /* longest record, set by the source; 0: option batch_bytes */

    /* Header record of the input, if framing.header is 1 and the input is open; otherwise NULL. */
    const char *header;
    uint32_t header_len;
    uint32_t copies_text, added_names; /* sums of these members of struct leat_bounds    */
    uint32_t extents;                  /* most extents of a batch; at least LEAT_EXTENTS */

    /* Names of the classes, if labels are the class numbers 0 .. n_classes - 1. n_classes is 0 if
     * labels have no names. */
    uint32_t n_classes;
    const char *const *classes;

    /* 1: a stage generated the examples of label -1 for comparison, so their number has no
     * meaning. */
    uint32_t made_labels;
    /* 1: a stage made the records from other records (expand). Their raw bytes are those of the
     * records that they were made from, or others that the stage has made, or empty. */
    uint32_t derived;
    uint32_t weighted; /* 1: a stage gives records importance weights other than 0 and 1 */
    uint32_t n_joints; /* fields with a joint; later ones do not join                    */
    /* joint[f]: which features the features of field f join, see leat_joins(). NULL: examples are
     * whole. Otherwise each example stands for its entries, for the pair of each two entries that
     * join, and for the other sides of ladders: learners with LEAT_PAIRS make these features. */
    const uint32_t *joint;
    /* mark[f]: what the values of entries mean whose name is field f alone (enum leat_mark). */
    const uint8_t *mark;
    uint32_t n_marks; /* fields of `mark`; later ones have none */
    uint32_t reserved;
};

/* A joint: 8 times the number of a group, such as a column, plus a side. Features of different
 * groups join. Two of one group join if both have no side, or if they are below and above.
 *
 * Fields of one group whose side is LEAT_RUNG or LEAT_CROSSED are a ladder: the side below and the
 * side above of each of some ascending edges of a number. Such an example has one entry of a
 * ladder: above the highest edge that the number reaches, or below the lowest edge. The entry
 * stands for the sides of all edges of the ladder. Those with LEAT_RUNG join no others. Those with
 * LEAT_CROSSED join features of other groups. Above an edge joins below a higher one. */
enum leat_side {
    LEAT_NO_SIDE = 0,
    LEAT_BELOW = 1,
    LEAT_ABOVE = 2,
    LEAT_PARENT = 4,
    LEAT_CROSSED = 6,
    LEAT_RUNG = 7
};
#define LEAT_JOINT(GROUP, SIDE) ((uint32_t)(GROUP)*8u + (uint32_t)(SIDE))
#define LEAT_ALONE              UINT32_MAX /* joint of features that never join, and are no rungs */
static inline int leat_joins(uint32_t a, uint32_t b)
{
    uint32_t sides = (a & 7) + (b & 7);
    if ((a & 7) == LEAT_RUNG || (b & 7) == LEAT_RUNG) return 0;
    return a >> 3 != b >> 3 || sides == LEAT_NO_SIDE || sides == LEAT_BELOW + LEAT_ABOVE;
}
#define LEAT_ADDED_NAME 64
#define LEAT_EXTENTS    16

/* How a source cuts bytes into records. The first parser after the source decides. */
enum leat_framing_kind {
    LEAT_LINES = 0, /* \n or \r\n ends a record                                 */
    LEAT_CSV = 1,   /* RFC 4180: a line end outside quoted fields ends a record */
    /* Reserved: this version supports none of the following. */
    LEAT_NUL_ENDED = 2,       /* a zero byte ends a record                            */
    LEAT_LENGTH_PREFIXED = 3, /* the length of a record precedes it                   */
    LEAT_CHUNKS = 4           /* any piece of the input is a record, wherever it ends */
};
/* Bit of a framing kind in leat_source.framings. */
#define LEAT_FRAMING(KIND) (1u << (KIND))
/* Framing kinds that leat_host.cut supports. */
#define LEAT_FRAMINGS_OF_TEXT (LEAT_FRAMING(LEAT_LINES) | LEAT_FRAMING(LEAT_CSV))
/* Framing kinds of a source of messages: all, because each message is a record. */
#define LEAT_FRAMINGS_OF_MESSAGES UINT32_MAX
enum leat_framing_flags {
    LEAT_ESCAPES = 1, /* LEAT_CSV: in a quoted field a backslash before a quote or a backslash makes
                       * it text */
    LEAT_PIECES = 2   /* a record may end within a character: the parser, and not the source, looks
                       * whether the text is UTF-8 */
};
struct leat_framing {
    uint32_t kind; /* enum leat_framing_kind */
    char delimiter, quote;
    uint8_t header; /* 1: the first record of each file is a header, equal in all files */
    uint8_t flags;  /* bits of enum leat_framing_flags. Since 1.1; hosts of 1.0 ignore them. */
};

/* Upper bounds on what a stage adds to a batch; members that are not set are 0. The host sizes
 * batches by the sum over all stages, so a batch is large enough for every stage. A stage that
 * finds no room (LEAT_EFULL) has added more than it declared. */
struct leat_bounds {
    uint32_t examples_per_record;
    uint32_t entries_per_record;
    uint32_t parts_per_record;
    /* Entries, each with one name part, for every 256 bytes of text that the stage reads, including
     * text that earlier stages append. For example 128, if each entry needs at least 2 bytes. If
     * the last entry of a record needs no separator after it, also set entries_per_record to 1.
     * Text that several records share counts once. A stage that reads it once for each record must
     * be ready for LEAT_EFULL. */
    uint32_t entries_per_256_bytes;
    uint32_t copies_entries;         /* most copies of the incoming entries that it adds */
    uint32_t added_bytes_per_record; /* text that it appends, as an average over a batch */
    uint32_t copies_text;            /* most copies of the source's text that it appends */
    /* Name parts that the stage adds to each batch, independent of the number of records. Each has
     * its own text of at most LEAT_ADDED_NAME bytes. */
    uint32_t added_names;
    /* For sources: extents (batch.h) of a batch in addition to LEAT_EXTENTS. The option batch_rows,
     * the most records of a batch, always suffices. */
    uint32_t extents;
    uint32_t reserved[7];
};

struct leat_diag;

/* Argument of a stage's negotiate. `out` starts as a copy of `in`, and the stage changes it. The
 * stage adds columns and fields with the functions here, so that the host owns the memory. Valid
 * only during the call, on the thread of the call. The functions do not block. */
struct leat_negotiation {
    uint32_t size;
    uint32_t reserved;
    const struct leat_schema *in;
    struct leat_schema *out;
    struct leat_diag *diag;

    /* Asks for input column `name`, in one of `types` (enum leat_takes, or-ed). A stage must ask
     * for every column that it reads, even if it reads them all. Before that, in->column[i].type is
     * 0, and the column's cells must not be read. Returns LEAT_OK, or LEAT_LATER if the schema is
     * open and may have the column. Returns LEAT_EARG if the column does not exist or cannot be
     * converted to one of `types`; the host has then reported an error for parameter `param`.
     *
     * If the column's type is among `types`, *index is the index of the column. Otherwise the host
     * converts the column before each call of process or expand. *index is then n_columns or more,
     * and in->column[*index] and b->column[*index] exist only during this stage's calls. The table
     * has the types that each type is converted to, in the order in which the host tries them:
     *
     *     from     to
     *     INT64    NUMBER (beyond 2^53 the nearest double), TEXT
     *     BOOLEAN  TEXT ("true", "false"), NUMBER (0, 1), INT64
     *     TIME     TEXT (ISO 8601 in UTC), INT64 (ns), NUMBER (seconds)
     *     NUMBER   TEXT (shortest text of the same number), INT64 (whole numbers up to 2^53)
     *     TEXT     NUMBER (decimal, in the column's number format), INT64 (whole numbers)
     *     BYTES    no type
     *
     * A value that cannot be converted rejects its record. A missing value stays missing; an empty
     * text becomes a missing number. */
    int (*column)(struct leat_negotiation *, const char *param, const char *name, uint32_t types,
                  uint32_t *index);
    /* Appends a column to `out`. If the name exists already, or `out` has LEAT_MAX_COLUMNS columns,
     * reports an error and returns a failure. The host copies the `len` bytes of the name. Sets
     * *index, unless index is NULL, to the column's index in leat_batch.column. */
    int (*add_column)(struct leat_negotiation *, const char *name, size_t len, uint32_t type,
                      uint32_t *index);
    /* Appends a field name to `out`. Returns its index (for struct leat_part.field), or
     * LEAT_ENOMEM. */
    int (*add_field)(struct leat_negotiation *, const char *name);

    /* For a stage with LEAT_NAMED_LATER that has left its schema open: the names of the columns
     * that later stages look up, in ascending order. n_asked is 0 if they look up none, or if the
     * host has not negotiated with these stages yet. */
    const char *const *asked;
    uint32_t n_asked;
    uint32_t reserved_2;

    /* For a stage with `ask`: sets *names and *n to the columns that the learner's answers may
     * have, in order. An answer may lack columns at the end. Returns LEAT_OK. Returns LEAT_LATER if
     * there is no learner, or LEAT_EARG if the learner does not name its columns, after reporting
     * an error. */
    int (*answer)(struct leat_negotiation *, const char *const **names, uint32_t *n);

    /* For sources: the framing that the first parser after the source needs; NULL: unknown. */
    const struct leat_framing *framing;

    /* Adds to the bounds of `out`, which saturate at UINT32_MAX. May be called several times. */
    void (*add_bounds)(struct leat_negotiation *, const struct leat_bounds *);

    /* Sets the members `decimal` and `thousands` of TEXT column `index` of `out` (struct
     * leat_column). Call this after parsing such text, and after copying such a column to a new
     * one. If the stage writes other text into an incoming column, pass 0 and 0. */
    void (*number_form)(struct leat_negotiation *, uint32_t index, char decimal, char thousands);

    /* Offers to leave the pairs of features to later learners (leat_schema.joint). joint: one for
     * each field of `out`; the host copies them. Returns LEAT_OK if each later stage that takes
     * examples makes pairs: then the stage must not write them, and declares bounds without them.
     * Otherwise returns LEAT_LATER, and the stage writes them. */
    int (*leave_pairs)(struct leat_negotiation *, const uint32_t *joint);

    /* Marks field `field` of `out` (leat_schema.mark). A stage that changes values sets
     * out->n_marks to 0 instead. Returns LEAT_OK or LEAT_ENOMEM. */
    int (*mark)(struct leat_negotiation *, uint32_t field, enum leat_mark mark);
};

#endif
