/* schema.h -- the content of a batch between two stages, negotiated before a byte is read.
 *
 * Each stage gets the incoming schema and turns it into the outgoing one (negotiate). The host
 * negotiates once for `leat check`, without opening anything. It negotiates again once the inputs
 * are open and a header may be known. The bounds in the schema determine the sizes of the
 * batches.
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
    LEAT_HAS_NAMES = 64, /* entries carry name parts */
    LEAT_HAS_SCORE = 128,
    LEAT_HAS_HEADERS = 256 /* of messages: leat_batch.headers */
};

/* Kind of a score; it decides which losses are measured. */
enum leat_score {
    LEAT_SCORE_NONE = 0,
    LEAT_SCORE_MARGIN = 1, /* log odds of label +1; decides for +1 if >= 0            */
    LEAT_SCORE_VALUE = 2,  /* an estimate of the label itself                         */
    LEAT_SCORE_CLASS = 3,  /* number of the predicted class; labels are class numbers */
    /* A margin other than log odds, for instance of a perceptron or an SVM. It decides for label +1
     * if >= 0 and ranks examples; its size means nothing else. */
    LEAT_SCORE_DECISION = 4
};

/* Most columns of a batch. Each takes 8 bytes a record of each batch. */
#define LEAT_MAX_COLUMNS 65536

struct leat_column {
    const char *name;
    uint32_t type; /* enum leat_column_type; 0: the stage has not asked for it */
    /* TEXT: format of numbers in the text: the decimal mark and the mark between thousands, as in
     * parse.csv. 0: a decimal point, no grouping. A stage that reads numbers from text asks for
     * NUMBER, so that the host parses them, or heeds these two. */
    char decimal;   /* '.', ',' or LEAT_DECIMAL_UNSURE */
    char thousands; /* '.', ',', '\'' or ' '           */
    uint16_t reserved;
};
/* Parsers before a merge differ: only a text of digits alone is certainly a number. */
#define LEAT_DECIMAL_UNSURE '\x7f'

/* Types that a stage accepts, or-ed: `LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER`. LEAT_TAKES_ANY means
 * all types of these headers, so a plugin never meets a type newer than itself. */
enum leat_takes {
    LEAT_TAKES_TEXT = 1 << LEAT_TEXT,
    LEAT_TAKES_NUMBER = 1 << LEAT_NUMBER,
    LEAT_TAKES_INT64 = 1 << LEAT_INT64,
    LEAT_TAKES_BYTES = 1 << LEAT_BYTES,
    LEAT_TAKES_BOOLEAN = 1 << LEAT_BOOLEAN,
    LEAT_TAKES_TIME = 1 << LEAT_TIME,
    LEAT_TAKES_ANY = 0x7e
};

struct leat_schema {
    uint32_t size;
    uint32_t has;   /* enum leat_has, or-ed                                           */
    uint32_t score; /* enum leat_score                                                */
    uint32_t open;  /* 1: the input has columns, but only the input itself names them */
    uint32_t n_columns;
    uint32_t n_fields;
    const struct leat_column *column;
    const char *const *fields; /* field names of struct leat_part */

    /* Upper bounds; stages raise them with leat_negotiation.add_bounds. Text here is the source's
     * text. add_bounds converts text that stages append into entries of records. */
    uint32_t examples_per_record;
    uint32_t entries_per_record;
    uint32_t entries_per_256_bytes;
    uint32_t parts_per_record; /* beyond one for each entry of text */
    uint32_t added_bytes_per_record;
    uint32_t max_record_bytes; /* longest record, declared by the source; 0: batch_bytes */

    /* The input's first record, once the input is open, if framing.header requests it; otherwise
     * NULL. */
    const char *header;
    uint32_t header_len;
    uint32_t copies_text, added_names; /* bounds of struct leat_bounds      */
    uint32_t extents;                  /* of a batch; at least LEAT_EXTENTS */

    /* Names of classes if labels are class numbers, 0 .. n_classes - 1; n_classes 0: labels have no
     * names. */
    uint32_t n_classes;
    const char *const *classes;

    /* 1: a stage invented the examples of label -1 for comparison, so their number means
     * nothing. */
    uint32_t made_labels;
    /* 1: a stage made the records from others (expand). Their raw bytes are those of their source
     * records, or none. */
    uint32_t derived;
};
#define LEAT_ADDED_NAME 64
#define LEAT_EXTENTS    16

/* How a source cuts bytes into records. The first parser downstream decides. */
enum leat_framing_kind {
    LEAT_LINES = 0, /* \n or \r\n ends a record                                 */
    LEAT_CSV = 1,   /* RFC 4180: a line end outside quoted fields ends a record */
    /* Reserved: this version does not cut them. */
    LEAT_NUL_ENDED = 2,       /* a zero byte ends a record          */
    LEAT_LENGTH_PREFIXED = 3, /* the length of a record precedes it */
    LEAT_CHUNKS = 4           /* any piece of the input is a record */
};
/* Bit of a framing kind in leat_source.framings, the kinds that a source honours. */
#define LEAT_FRAMING(KIND) (1u << (KIND))
/* Kinds that leat_host.cut supports. */
#define LEAT_FRAMINGS_OF_TEXT (LEAT_FRAMING(LEAT_LINES) | LEAT_FRAMING(LEAT_CSV))
/* For a source of messages: each message is a record, whatever the framing. */
#define LEAT_FRAMINGS_OF_MESSAGES UINT32_MAX
struct leat_framing {
    uint32_t kind; /* enum leat_framing_kind */
    char delimiter, quote;
    uint8_t header; /* 1: the first record of each file is a header, the same in all files */
    uint8_t reserved;
};

/* Upper bounds on a stage's output for the batches that reach it; members not set are 0. The host
 * sizes batches by the sum over all stages, so a batch is large enough for every stage. A stage
 * that finds no room (LEAT_EFULL) has made more than it declared. */
struct leat_bounds {
    uint32_t examples_per_record;
    uint32_t entries_per_record;
    uint32_t parts_per_record;
    /* Entries for 256 bytes of the text that reaches the stage, each with one name part. That text
     * includes what earlier stages have appended. 128 if an entry takes at least 2 bytes. Add one
     * entry a record if the last entry needs no byte after it. Text that several records share
     * counts once: a stage that reads it for each record must be ready for LEAT_EFULL. */
    uint32_t entries_per_256_bytes;
    uint32_t copies_entries;         /* how often it may add the incoming entries again */
    uint32_t added_bytes_per_record; /* text that it appends, on average over a batch */
    uint32_t copies_text;            /* how often it may append the source's text again */
    /* Name parts that it appends to each batch, independent of the number of records. Each has its
     * own text of at most LEAT_ADDED_NAME bytes. */
    uint32_t added_names;
    /* For sources: extents (batch.h) of a batch beyond LEAT_EXTENTS. The most records of a batch
     * (option batch_rows) always suffice. */
    uint32_t extents;
    uint32_t reserved[7];
};

struct leat_diag;

/* Argument of a stage's negotiate. `out` starts as a copy of `in`; the stage changes it. The stage
 * adds columns and fields by the functions here, so the host owns the memory. Lent for the call and
 * its thread; the functions do not block. */
struct leat_negotiation {
    uint32_t size;
    uint32_t reserved;
    const struct leat_schema *in;
    struct leat_schema *out;
    struct leat_diag *diag;

    /* Asks for input column `name`, as one of `types` (enum leat_takes, or-ed). A stage must ask
     * for every column that it reads, even if it reads them all. Until then in->column[i].type is 0
     * and the column's cells must not be read. Returns LEAT_OK; LEAT_LATER if the schema is open
     * and may have the column; LEAT_EARG if the column does not exist or cannot be one of `types`,
     * after reporting that for parameter `param`.
     *
     * If the column's type is among `types`, *index is the column itself. Otherwise the host
     * converts it before each call of process or expand. *index is then n_columns or more:
     * in->column[*index] and b->column[*index] exist for this stage alone, and only during its
     * calls. The conversions, of which the host uses the first that the stage accepts:
     *
     *     INT64    NUMBER (beyond 2^53 the nearest), TEXT
     *     BOOLEAN  TEXT ("true", "false"), NUMBER (0, 1), INT64
     *     TIME     TEXT (ISO 8601 in UTC), INT64 (ns), NUMBER (seconds)
     *     NUMBER   TEXT (the shortest that reads back), INT64 (whole, up to 2^53)
     *     TEXT     NUMBER (decimal, in the column's number format), INT64 (whole)
     *     BYTES    nothing
     *
     * A value that cannot be converted rejects its record. A missing value stays missing; an empty
     * text becomes a missing number. */
    int (*column)(struct leat_negotiation *, const char *param, const char *name, uint32_t types,
                  uint32_t *index);
    /* Appends a column to `out`. Reports and refuses a name that exists already, or more than
     * LEAT_MAX_COLUMNS columns. The host copies the `len` bytes of the name. *index, unless index
     * is NULL, is where its cells are. */
    int (*add_column)(struct leat_negotiation *, const char *name, size_t len, uint32_t type,
                      uint32_t *index);
    /* Appends a field name to `out`. Returns its index (for struct leat_part.field), or
     * LEAT_ENOMEM. */
    int (*add_field)(struct leat_negotiation *, const char *name);

    /* For a stage with LEAT_NAMED_LATER that has left its schema open: the names of the columns
     * that later stages look up, in ascending order. n_asked is 0 if they look up none, or if
     * the host has not asked those stages yet. */
    const char *const *asked;
    uint32_t n_asked;
    uint32_t reserved_2;

    /* For a stage with `ask`: returns the names of the columns that answers may have, in their
     * order; some answers may lack columns at the end. Returns LEAT_OK; LEAT_LATER if no learner is
     * known, which is reported; LEAT_EARG, after reporting it, if the learner does not name
     * them. */
    int (*answer)(struct leat_negotiation *, const char *const **names, uint32_t *n);

    /* For sources: framing that the first parser downstream wants; NULL: unknown. */
    const struct leat_framing *framing;

    /* Adds to the bounds of `out`, which saturate at the largest number. A stage may call it
     * several times. */
    void (*add_bounds)(struct leat_negotiation *, const struct leat_bounds *);

    /* Sets the format of numbers in TEXT column `index` of `out` (struct leat_column). Call it
     * after parsing such text, or after copying such a column to a new one. Call it with 0 and 0
     * after writing other text into an incoming column. */
    void (*number_form)(struct leat_negotiation *, uint32_t index, char decimal, char thousands);
};

#endif
