/* batch.h -- the batch: the unit of data that passes from stage to stage.
 *
 * A batch has two row spaces.
 *
 *   records   the input as it arrived: raw bytes, columns, label, status. Positions in the input,
 *             rejections and dead letters belong to records.
 *   examples  the input of learners: sparse rows (CSR) of 64-bit feature ids and float values with
 *             a label, a weight and a score. Each example names its record. The order of examples
 *             may differ from the order of records. A record usually makes one example; `explode`
 *             makes one for each attribute.
 *
 * All text is in `bytes`. Every struct leat_str is a slice of `bytes`, so an example never copies
 * its record.
 *
 *   bytes      3,red,9\n4,blue,\n?,red,5\n             text of all records
 *   raw        [0, 7)   [8, 15)  [16, 23)             place of each record in `bytes`
 *   column[1]  red      blue     red                  slices of bytes, numbers, …
 *   label      3        4        NaN
 *   status     OK       OK       REJECTED
 *   sel        0        1                             records that the next stage sees
 *
 *   ex_record  0        1                             record of each example
 *   ex_start   0        2        3                    first entry of each example
 *   id         i0  i1   i2                            feature id of each entry
 *   value      1   9    1                             value of each entry
 *   name       n0  n1   n2                            name of each entry: up to three parts
 *   ex_sel     0        1                             examples that the next stage sees
 *
 * Selection. sel[0 .. n_sel) lists the records that are still valid, in ascending order; ex_sel[0
 * .. n_ex_sel) lists the valid examples. Loop over these lists, never over 0 .. n: a filtered or
 * rejected row keeps its index and may hold anything. Call leat_filter() to filter a record,
 * host->reject() to reject one. The lists do not change during the stage's call; the host updates
 * them before the next stage.
 *
 * Names. A feature's id is a number. Its name is stored as up to three parts (field = value).
 * leat_name_text() makes the text when the name is displayed.
 *
 * Ownership. The host owns the batch, and its pointers are valid during one call. Copy anything
 * that you need later. The arrays hold cap, cap_extents, cap_examples, cap_entries, cap_parts and
 * cap_bytes elements. The host computes these before the start from the declarations of all stages
 * (struct leat_schema). A stage that adds no more than it declared always has enough space. The
 * leat_add_* functions check the space all the same.
 *
 * Threads: a batch belongs to one thread at a time. Layout: new versions append members and never
 * move existing ones. `size` is the host's sizeof.
 */
#ifndef LEAT_BATCH_H
#define LEAT_BATCH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <leat/status.h>

struct leat_str {
    uint32_t off; /* offset into leat_batch.bytes         */
    uint32_t len; /* length in bytes; LEAT_NULL: no value */
};
#define LEAT_NULL     UINT32_MAX
#define LEAT_NO_FIELD UINT32_MAX

/* Type of a column's cells; a column has one cell for each record. A stage may read only the
 * columns that it asked for, in one of the types that it accepts (leat_negotiation.column). */
enum leat_column_type {
    LEAT_TEXT = 1,    /* member `text`; UTF-8 is expected but not checked              */
    LEAT_NUMBER = 2,  /* member `number`; NaN if missing; may be infinite              */
    LEAT_INT64 = 3,   /* member `int64`; LEAT_NO_INT64 if missing                      */
    LEAT_BYTES = 4,   /* member `text`; any bytes                                      */
    LEAT_BOOLEAN = 5, /* member `boolean`: 0 or 1; LEAT_NO_BOOLEAN if missing          */
    LEAT_TIME = 6     /* member `int64`: ns since 1970 in UTC; LEAT_NO_TIME if missing */
};
#define LEAT_NO_INT64   INT64_MIN
#define LEAT_NO_TIME    INT64_MIN
#define LEAT_NO_BOOLEAN 2

union leat_cells {
    struct leat_str *text; /* cells of type LEAT_TEXT or LEAT_BYTES */
    double *number;        /* LEAT_NUMBER                           */
    int64_t *int64;        /* LEAT_INT64 or LEAT_TIME               */
    uint8_t *boolean;      /* LEAT_BOOLEAN                          */
};

enum leat_row_status { LEAT_ROW_OK = 0, LEAT_ROW_FILTERED = 1, LEAT_ROW_REJECTED = 2 };

/* Origin of consecutive records: records [first, first + n) follow each other in one input.
 * leat_add_record_at maintains the extents.
 *
 * If `line` > 0, the input is a file. Byte `offset` of the file (from 0) is in line `line` of the
 * file, and is at leat_batch.bytes[bytes_off]. The file's next bytes follow unchanged, line ends
 * included. From this the host computes a record's offset and line on demand (leat_host.where).
 *
 * If `line` = 0, the input is a partition of a topic, whose records are numbered. `offset` is the
 * number of record `first`. */
struct leat_extent {
    uint32_t first, n;
    uint32_t input; /* index of the input (file, topic and partition) in its source */
    uint32_t bytes_off;
    uint64_t offset;
    uint64_t line; /* 0: the input has no lines */
};

/* One part of a feature's name: field "=" value; a value alone (field = LEAT_NO_FIELD); or a field
 * alone (value.len = LEAT_NULL, a numeric feature). */
struct leat_part {
    uint32_t field; /* index into leat_batch.fields */
    struct leat_str value;
};

/* A feature's name: up to three parts. part[j] - 1 is an index into leat_batch.part; part[j] = 0
 * means no part. If all three are 0, the name is the id in decimal. */
struct leat_name {
    uint32_t part[3];
};

enum leat_batch_kind {
    LEAT_BATCH_DATA = 0,
    LEAT_BATCH_END = 1,    /* last batch of a stream: only `expand` gets it; may hold records */
    LEAT_BATCH_BARRIER = 2 /* the host takes a snapshot here; stages never get this batch     */
};

struct leat_batch {
    uint32_t size; /* sizeof(struct leat_batch) of the host           */
    uint32_t kind; /* enum leat_batch_kind                            */
    uint64_t seq;  /* number of the batch: 0, 1, 2, … for each source */

    /* text */
    char *bytes;
    uint32_t n_bytes, cap_bytes;
    uint32_t fill_bytes; /* a source adds no more records once n_bytes reaches this */

    /* records; each array has `cap` elements */
    uint32_t n, cap;
    uint32_t n_sel;
    uint32_t touched; /* 1: some status has changed, so the host must update the lists */
    uint32_t *sel;
    uint8_t *status;          /* enum leat_row_status                                             */
    uint16_t *reason;         /* enum leat_reason, or LEAT_R_OWN(i) of the rejecting stage        */
    struct leat_str *raw;     /* raw bytes as they arrived, no line end; see leat_is_tombstone    */
    struct leat_str *key;     /* NULL unless LEAT_HAS_KEY (leat_schema.has)                       */
    int64_t *timestamp;       /* ns since 1970; negative: no time; NULL unless LEAT_HAS_TIMESTAMP */
    float *label;             /* NaN: no label; may be infinite                                   */
    float *weight;            /* importance; 1 unless a stage sets it                             */
    union leat_cells *column; /* n_columns columns, then the columns that the host converted for the
                               * stage (leat_negotiation.column) */
    uint32_t n_columns;
    uint32_t n_extents, cap_extents;
    uint32_t reserved;
    struct leat_extent *extent;

    /* examples; the arrays have cap_examples (ex_start: + 1), cap_entries or cap_parts elements */
    uint32_t n_examples, cap_examples;
    uint32_t n_entries, cap_entries;
    uint32_t n_parts, cap_parts;
    uint32_t n_ex_sel, n_fields;
    uint32_t *ex_sel;
    uint32_t *ex_start;  /* entries of example e: ex_start[e] .. ex_start[e + 1) */
    uint32_t *ex_record; /* record of the example */
    float *ex_label;
    float *ex_weight;
    /* A learner's prediction, made before it learns the example; its kind is leat_schema.score. */
    float *score;
    uint64_t *id;
    float *value;           /* always finite                             */
    struct leat_name *name; /* NULL unless the schema has LEAT_HAS_NAMES */
    struct leat_part *part;
    const char *const *fields; /* static names of fields, indexed by leat_part.field */

    /* further arrays with one element for each record */
    struct leat_str *headers; /* NULL unless LEAT_HAS_HEADERS; read with leat_next_header */
    uint32_t *from; /* set while `expand` fills the batch, otherwise NULL: the record of the
                     * incoming batch from which each record was made; LEAT_NULL if there is none */
};

/* A header of a message. A message may have several headers with the same name. */
struct leat_header {
    const char *name, *value; /* without a closing NUL */
    uint32_t n_name, n_value; /* n_value LEAT_NULL: no value */
};

/* Number of bytes that a header takes in `bytes`: two lengths, then name and value. */
static inline uint32_t leat_header_bytes(const struct leat_header *h)
{
    return 8 + h->n_name + (h->n_value == LEAT_NULL ? 0 : h->n_value);
}

/* Writes a header at `to`. Returns the address after it, where the next header goes. */
static inline char *leat_put_header(char *to, const struct leat_header *h)
{
    memcpy(to, &h->n_name, 4);
    memcpy(to + 4, &h->n_value, 4);
    if (h->n_name) memcpy(to + 8, h->name, h->n_name);
    if (leat_header_bytes(h) > 8 + h->n_name) memcpy(to + 8 + h->n_name, h->value, h->n_value);
    return to + leat_header_bytes(h);
}

/* Reads the first header of text[0 .. *n), and advances *text past it. Returns 1; 0 if no header is
 * left. */
static inline int leat_next_header(const char **text, uint32_t *n, struct leat_header *h)
{
    if (*n < 8) return 0;
    memcpy(&h->n_name, *text, 4);
    memcpy(&h->n_value, *text + 4, 4);
    h->name = *text + 8;
    h->value = h->n_value == LEAT_NULL ? NULL : h->name + h->n_name;
    *n -= leat_header_bytes(h);
    *text += leat_header_bytes(h);
    return 1;
}

/* Heads of loops over the selected records or examples. To loop over the records r of batch b,
 * write for (LEAT_EACH_RECORD(b, r)) { … }. */
#define LEAT_EACH_RECORD(b, r)                                                                     \
    uint32_t r##_k = 0, r = (b)->n_sel ? (b)->sel[0] : 0;                                          \
    r##_k < (b)->n_sel;                                                                            \
    r = ++r##_k < (b)->n_sel ? (b)->sel[r##_k] : 0
#define LEAT_EACH_EXAMPLE(b, e)                                                                    \
    uint32_t e##_k = 0, e = (b)->n_ex_sel ? (b)->ex_sel[0] : 0;                                    \
    e##_k < (b)->n_ex_sel;                                                                         \
    e = ++e##_k < (b)->n_ex_sel ? (b)->ex_sel[e##_k] : 0

/* Text of a slice, without a closing NUL. */
static inline const char *leat_text(const struct leat_batch *b, struct leat_str s)
{
    return b->bytes + s.off;
}

/* True if record r is a message without a value (a tombstone of a topic), which differs from an
 * empty value. In both cases raw[r] is empty, so most stages need not distinguish them. */
static inline int leat_is_tombstone(const struct leat_batch *b, uint32_t r)
{
    return b->raw[r].off == LEAT_NULL;
}

/* For sources: adds n records, whose places the caller has set in raw[b->n .. b->n + n). The batch
 * must have room for them. Does not change `extent`: the source must maintain it. */
static inline void leat_add_records(struct leat_batch *b, uint32_t n)
{
    const struct leat_str absent = {0, LEAT_NULL}, none = {0, 0};
    const uint32_t end = b->n + n;
    float *const label = b->label, *const weight = b->weight;
    uint32_t r;
    if (!n) return;
    memset(b->status + b->n, LEAT_ROW_OK, n);
    memset(b->reason + b->n, LEAT_R_NONE, n * sizeof *b->reason);
    for (r = b->n; r < end; r++) {
        label[r] = NAN;
        weight[r] = 1.0f;
    }
    for (r = b->n; b->key && r < end; r++)
        b->key[r] = absent;
    for (r = b->n; b->timestamp && r < end; r++)
        b->timestamp[r] = -1;
    for (r = b->n; b->headers && r < end; r++)
        b->headers[r] = none;
    for (r = b->n; b->from && r < end; r++)
        b->from[r] = LEAT_NULL;
    b->n = end;
}

/* For sources: adds the record at bytes[off .. off + len). Does not change `extent`: the source
 * must maintain it. Returns the record's index, or LEAT_EFULL. */
static inline int leat_add_record(struct leat_batch *b, uint32_t off, uint32_t len)
{
    if (b->n == b->cap) return LEAT_EFULL;
    b->raw[b->n].off = off;
    b->raw[b->n].len = len;
    leat_add_records(b, 1);
    return (int)b->n - 1;
}

/* True if a record at this place directly follows the last extent's records. */
static inline int leat_continues(const struct leat_batch *b, uint32_t off, uint32_t input,
                                 uint64_t offset, uint64_t line)
{
    const struct leat_extent *x = b->n_extents ? &b->extent[b->n_extents - 1] : NULL;
    if (!x || x->input != input || !x->line != !line || x->first + x->n != b->n) return 0;
    return offset == x->offset + (line ? (uint64_t)off - x->bytes_off : x->n) &&
           off >= x->bytes_off;
}

/* For sources: adds the record at bytes[off .. off + len), which is at `offset` in input number
 * `input`. `line` is its line, or 0 if offsets count records, as in a topic. If the record directly
 * follows the last extent's records, it is added to that extent; otherwise it begins a new extent.
 * Returns the record's index, or LEAT_EFULL if the batch has no room for a record or an extent. A
 * source whose records rarely follow each other declares more extents (struct leat_bounds). */
static inline int leat_add_record_at(struct leat_batch *b, uint32_t off, uint32_t len,
                                     uint32_t input, uint64_t offset, uint64_t line)
{
    const int goes_on = leat_continues(b, off, input, offset, line);
    if (b->n == b->cap || (!goes_on && b->n_extents == b->cap_extents)) return LEAT_EFULL;
    if (!goes_on) {
        struct leat_extent *x = &b->extent[b->n_extents++];
        x->first = b->n;
        x->n = 0;
        x->input = input;
        x->bytes_off = off;
        x->offset = offset;
        x->line = line;
    }
    b->extent[b->n_extents - 1].n++;
    return leat_add_record(b, off, len);
}

/* True if n more bytes fit into the batch. */
static inline int leat_has_space(const struct leat_batch *b, uint32_t n)
{
    return n <= b->cap_bytes - b->n_bytes;
}

/* Appends a copy of slice s of batch `in` to the text of b, and returns the slice of the copy. The
 * caller has checked leat_has_space(). */
static inline struct leat_str leat_copy_text(struct leat_batch *b, const struct leat_batch *in,
                                             struct leat_str s)
{
    struct leat_str copy = {b->n_bytes, s.len};
    if (s.off == LEAT_NULL || s.len == LEAT_NULL) return s;
    if (s.len) memcpy(b->bytes + b->n_bytes, in->bytes + s.off, s.len);
    b->n_bytes += s.len;
    return copy;
}

/* For expand: adds a record that was made from record `from` of `in`, and copies raw bytes, key and
 * timestamp of that record. The stage sets columns, label and weight. Consecutive records made from
 * the same record share one copy of its bytes. If `from` is LEAT_NULL, the record has no bytes, key
 * or timestamp. Returns the record's index, or LEAT_EFULL. */
static inline int leat_add_from(struct leat_batch *b, const struct leat_batch *in, uint32_t from)
{
    int again = from != LEAT_NULL && b->n && b->from[b->n - 1] == from;
    struct leat_str raw = {0, 0}, key = {0, LEAT_NULL};
    if (b->n == b->cap) return LEAT_EFULL;
    if (again) {
        raw = b->raw[b->n - 1];
        if (b->key) key = b->key[b->n - 1];
    } else if (from != LEAT_NULL) {
        raw = in->raw[from];
        if (b->key && in->key) key = in->key[from];
        if (!leat_has_space(b, raw.len + (key.len == LEAT_NULL ? 0 : key.len))) return LEAT_EFULL;
        raw = leat_copy_text(b, in, raw);
        key = leat_copy_text(b, in, key);
    }
    int r = leat_add_record(b, raw.off, raw.len);
    b->from[r] = from;
    if (b->key) b->key[r] = key;
    if (b->timestamp)
        b->timestamp[r] = from == LEAT_NULL || !in->timestamp ? -1 : in->timestamp[from];
    return r;
}

/* Filters record r out: later stages do not see it, and it counts as filtered, not as rejected. */
static inline void leat_filter(struct leat_batch *b, uint32_t r)
{
    if (b->status[r] == LEAT_ROW_OK) {
        b->status[r] = LEAT_ROW_FILTERED;
        b->touched = 1;
    }
}

/* Begins an example of record r with the record's label and weight; leat_add_entry then adds
 * entries to it. Returns the example's index, or LEAT_EFULL. */
static inline int leat_add_example(struct leat_batch *b, uint32_t r)
{
    if (b->n_examples == b->cap_examples) return LEAT_EFULL;
    uint32_t e = b->n_examples++;
    b->ex_record[e] = r;
    b->ex_label[e] = b->label[r];
    b->ex_weight[e] = b->weight[r];
    b->ex_start[e] = b->ex_start[e + 1] = b->n_entries;
    return (int)e;
}

/* Adds an entry to the last example. Returns the entry's index, or LEAT_EFULL. */
static inline int leat_add_entry(struct leat_batch *b, uint64_t id, float value)
{
    if (b->n_entries == b->cap_entries) return LEAT_EFULL;
    uint32_t i = b->n_entries++;
    b->id[i] = id;
    b->value[i] = value;
    b->ex_start[b->n_examples] = b->n_entries;
    return (int)i;
}

/* Adds a part of a feature's name. Returns its index + 1, the form that struct leat_name stores; 0
 * if the batch is full. */
static inline uint32_t leat_add_part(struct leat_batch *b, uint32_t field, struct leat_str value)
{
    if (b->n_parts == b->cap_parts) return 0;
    b->part[b->n_parts].field = field;
    b->part[b->n_parts].value = value;
    return ++b->n_parts;
}

/* Reserves len bytes at the end of `bytes`. Returns their offset, or LEAT_NULL if the batch is
 * full. */
static inline uint32_t leat_add_bytes(struct leat_batch *b, uint32_t len)
{
    if (len > b->cap_bytes - b->n_bytes) return LEAT_NULL;
    uint32_t off = b->n_bytes;
    b->n_bytes += len;
    return off;
}

/* Writes the name of entry i as text: "payee=VERIZON & office=SERGEANT AT ARMS", or the id in
 * decimal. Writes at most cap bytes and no NUL. Returns the full length; if that exceeds cap, the
 * text was cut. */
static inline size_t leat_name_text(const struct leat_batch *b, uint32_t i, char *out, size_t cap)
{
    size_t n = 0;
#define LEAT_PUT(p, m)                                                                             \
    do {                                                                                           \
        size_t m_ = (m);                                                                           \
        if (n < cap) memcpy(out + n, (p), m_ < cap - n ? m_ : cap - n);                            \
        n += m_;                                                                                   \
    } while (0)
    const struct leat_name *name = b->name ? &b->name[i] : NULL;
    if (!name || !name->part[0]) {
        char digits[20];
        size_t k = sizeof digits;
        uint64_t id = b->id[i];
        do
            digits[--k] = (char)('0' + id % 10);
        while (id /= 10);
        LEAT_PUT(digits + k, sizeof digits - k);
        return n;
    }
    for (int j = 0; j < 3 && name->part[j]; j++) {
        const struct leat_part *p = &b->part[name->part[j] - 1];
        if (j) LEAT_PUT(" & ", 3);
        if (p->field != LEAT_NO_FIELD) {
            LEAT_PUT(b->fields[p->field], strlen(b->fields[p->field]));
            if (p->value.len != LEAT_NULL) LEAT_PUT("=", 1);
        }
        if (p->value.len != LEAT_NULL) LEAT_PUT(b->bytes + p->value.off, p->value.len);
    }
#undef LEAT_PUT
    return n;
}

#endif
