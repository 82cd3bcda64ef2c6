/* schema.h -- what a batch holds between two stages, negotiated before a byte is read.
 *
 * Each stage gets the schema that arrives and turns it into the one that leaves (negotiate). The
 * host negotiates once for `leat check`, without opening anything, and again when the inputs are
 * open and a header may be known. It sizes the batches from the bounds in the schema.
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

/* What a score is, and so which losses are measured on it. */
enum leat_score {
    LEAT_SCORE_NONE = 0,
    LEAT_SCORE_MARGIN = 1, /* log odds of label +1; decision >= 0 */
    LEAT_SCORE_VALUE = 2,  /* an estimate of the label itself     */
    LEAT_SCORE_CLASS = 3,  /* the number of the predicted class; labels are numbers of classes */
    /* A margin that is no log odds, as of a perceptron or an SVM: decision >= 0 for label +1, a
     * larger one comes before a smaller one, and its size means nothing else. */
    LEAT_SCORE_DECISION = 4
};

/* Columns of a batch at most. Each takes 8 bytes a record of each batch. */
#define LEAT_MAX_COLUMNS 65536

struct leat_column {
    const char *name;
    uint32_t type; /* enum leat_column_type; 0: the stage has not asked for it */
    /* TEXT: how a number in it is written, by what is before its fraction and between thousands, as
     * parse.csv has it; 0: with a point, and in no groups. Who reads numbers out of text asks for
     * NUMBER and leaves it to the host, or reads these. */
    char decimal;   /* '.', ',' or LEAT_DECIMAL_UNSURE */
    char thousands; /* '.', ',', '\'' or ' '           */
    uint16_t reserved;
};
/* Parsers before a merge differ: only digits alone are a number for sure. */
#define LEAT_DECIMAL_UNSURE '\x7f'

/* Types that a stage takes, or-ed: `LEAT_TAKES_TEXT | LEAT_TAKES_NUMBER`. LEAT_TAKES_ANY is what
 * these headers know, so that a plugin is never shown a type that is younger than it is. */
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
    uint32_t has;   /* enum leat_has, or-ed   */
    uint32_t score; /* enum leat_score        */
    uint32_t open;  /* 1: the input has columns, but only the input itself names them */
    uint32_t n_columns;
    uint32_t n_fields;
    const struct leat_column *column;
    const char *const *fields; /* field names of struct leat_part */

    /* Upper bounds: stages add to them by leat_negotiation.add_bounds. Text is that of the source;
     * what stages append to it, add_bounds has turned into entries of records. */
    uint32_t examples_per_record;
    uint32_t entries_per_record;
    uint32_t entries_per_256_bytes;
    uint32_t parts_per_record; /* and one for each entry of text */
    uint32_t added_bytes_per_record;
    uint32_t max_record_bytes; /* longest record, as the source declares it; 0: batch_bytes */

    /* The input's first record, once the input is open, if framing.header asked for it; else
     * NULL. */
    const char *header;
    uint32_t header_len;
    uint32_t copies_text, added_names; /* bounds, too */
    uint32_t extents;                  /* of a batch; at least LEAT_EXTENTS                 */

    /* Labels that are numbers of named classes, 0 .. n_classes - 1; 0: labels have no names. */
    uint32_t n_classes;
    const char *const *classes;

    /* 1: a stage made the examples of label -1 up, for comparison: how many there are says
     * nothing. */
    uint32_t made_labels;
    /* 1: a stage made the records of others (expand): their raw bytes are those of the record that
     * each comes from, or none. */
    uint32_t derived;
};
#define LEAT_ADDED_NAME 64
#define LEAT_EXTENTS    16

/* How a source cuts bytes into records. The first parser downstream decides. */
enum leat_framing_kind {
    LEAT_LINES = 0, /* \n or \r\n ends a record                                     */
    LEAT_CSV = 1,   /* RFC 4180: so does a line end, but not inside a quoted field  */
    /* Reserved: nothing in this version cuts them. */
    LEAT_NUL_ENDED = 2,       /* a zero byte ends a record                             */
    LEAT_LENGTH_PREFIXED = 3, /* a record has its length before it                     */
    LEAT_CHUNKS = 4           /* any piece of the input is a record                    */
};
/* Which kinds a source honours (leat_source.framings): a bit for each. */
#define LEAT_FRAMING(KIND) (1u << (KIND))
/* What leat_host.cut does. */
#define LEAT_FRAMINGS_OF_TEXT (LEAT_FRAMING(LEAT_LINES) | LEAT_FRAMING(LEAT_CSV))
/* A source of messages: each is a record, whatever ends it elsewhere. */
#define LEAT_FRAMINGS_OF_MESSAGES UINT32_MAX
struct leat_framing {
    uint32_t kind; /* enum leat_framing_kind */
    char delimiter, quote;
    uint8_t header; /* 1: the first record of each file is a header, the same in all files */
    uint8_t reserved;
};

/* What a stage makes of the batches that reach it, at most; what is not set is 0. The host sizes
 * batches by the sum of all stages: a batch is then large enough for each, and the stage that finds
 * no room (LEAT_EFULL) has made more than it said. */
struct leat_bounds {
    uint32_t examples_per_record;
    uint32_t entries_per_record;
    uint32_t parts_per_record;
    /* Entries, each with a name part of its own, of 256 bytes of the text that reaches the stage,
     * with what earlier stages have appended to it: 128 if an entry takes 2 bytes at least. Add one
     * entry a record where the last one needs no byte after it. Text that several records share
     * counts once: a stage that reads it for each must be ready for LEAT_EFULL. */
    uint32_t entries_per_256_bytes;
    uint32_t copies_entries;         /* how often it may add again the entries that reach it */
    uint32_t added_bytes_per_record; /* text that it appends, on average over a batch */
    uint32_t copies_text; /* how often it may append again the text that the source delivered */
    /* Name parts that it appends to each batch, whatever its number of records, each with a text of
     * its own of at most LEAT_ADDED_NAME bytes. */
    uint32_t added_names;
    /* Source: extents (batch.h) of a batch besides LEAT_EXTENTS: as many as a batch has records at
     * most (option batch_rows) are enough for any. */
    uint32_t extents;
    uint32_t reserved[7];
};

struct leat_diag;

/* What a stage's negotiate gets. `out` starts as a copy of `in`; the stage changes it. It adds
 * columns and fields by the functions here, so that the memory is the host's. It is lent for the
 * call, and for its thread; the functions do not block. */
struct leat_negotiation {
    uint32_t size;
    uint32_t reserved;
    const struct leat_schema *in;
    struct leat_schema *out;
    struct leat_diag *diag;

    /* Asks for input column `name`, as one of `types` (enum leat_takes, or-ed). A stage asks for
     * every column that it reads, also one that takes them all: in->column[i].type is 0 until then,
     * and the cells of others are not to be read. Returns LEAT_OK; LEAT_LATER when the schema is
     * open and may have it; LEAT_EARG after reporting for parameter `param` that the column does
     * not exist, or that it cannot be one of `types`.
     *
     * *index is the column itself where its type is among them. Else the host converts it before
     * each call of process or expand, and *index is that of the converted column, n_columns or
     * more: in->column[*index] and the cells of b->column[*index] are there for the stage alone,
     * and only during its calls. What converts to what, the first that the stage takes:
     *
     *   INT64    NUMBER (beyond 2^53 the nearest), TEXT
     *   BOOLEAN  TEXT ("true", "false"), NUMBER (0, 1), INT64
     *   TIME     TEXT (ISO 8601 in UTC), INT64 (ns), NUMBER (seconds)
     *   NUMBER   TEXT (the shortest that reads back), INT64 (whole, up to 2^53)
     *   TEXT     NUMBER (decimal, written as the column says), INT64 (whole)
     *   BYTES    nothing
     *
     * A value that cannot be converted rejects its record; no value stays none, and so does an
     * empty text as a number. */
    int (*column)(struct leat_negotiation *, const char *param, const char *name, uint32_t types,
                  uint32_t *index);
    /* Appends a column to `out`; a name that exists already is reported and refused, and so is a
     * column after LEAT_MAX_COLUMNS. The host copies the `len` bytes of the name. *index, unless
     * NULL: where its cells are. */
    int (*add_column)(struct leat_negotiation *, const char *name, size_t len, uint32_t type,
                      uint32_t *index);
    /* Appends a field name to `out`. Returns its index (for struct leat_part.field), or
     * LEAT_ENOMEM. */
    int (*add_field)(struct leat_negotiation *, const char *name);

    /* Stage with LEAT_NAMED_LATER that has left its schema open: the names of the columns that
     * later stages look up, ascending. 0: none does, or they have not been asked yet. */
    const char *const *asked;
    uint32_t n_asked;
    uint32_t reserved_2;

    /* Stage with `ask`: the names of the columns that answers may have, in their order; those at
     * the end may be missing in some. Returns LEAT_OK; LEAT_LATER: no learner is known, which is
     * reported; LEAT_EARG after reporting that the learner does not say. */
    int (*answer)(struct leat_negotiation *, const char *const **names, uint32_t *n);

    /* Source: how the first parser downstream wants the input cut; NULL: not known. */
    const struct leat_framing *framing;

    /* Adds to the bounds of `out`, which stay at the largest number where a sum is larger. A stage
     * may call it several times. */
    void (*add_bounds)(struct leat_negotiation *, const struct leat_bounds *);

    /* Says of TEXT column `index` of `out` how a number in it is written (struct leat_column): who
     * parses such text, who copies such a column to one of its own, and, with 0 and 0, who writes
     * another text into one that came. */
    void (*number_form)(struct leat_negotiation *, uint32_t index, char decimal, char thousands);
};

#endif
