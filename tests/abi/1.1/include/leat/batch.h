/* batch.h -- what flows between stages.
 *
 * A batch has two row spaces.
 *
 *   records   what arrived: raw bytes, columns, label, status. Positions, rejections and dead
 *             letters belong to records.
 *   examples  what is learned from: sparse rows (CSR) of 64-bit feature ids and float values with a
 *             label, a weight and a score. Each names its record, in any order of these. A
 *             record usually makes one example; `explode` makes one of every attribute.
 *
 * All text lies once in `bytes`; everything else points there with a struct leat_str. Nothing
 * copies a record to make an example.
 *
 *   bytes      3,red,9\n4,blue,\n?,red,5\n             text of all records
 *   raw        [0, 7)   [8, 15)  [16, 23)             where each record lies in it
 *   column[1]  red      blue     red                  slices of bytes, numbers, …
 *   label      3        4        NaN
 *   status     OK       OK       REJECTED
 *   sel        0        1                             the records that the next stage sees
 *
 *   ex_record  0        1                             an example, the record it comes from,
 *   ex_start   0        2        3                    and where its entries begin
 *   id         i0  i1   i2                            entries: feature id,
 *   value      1   9    1                             value,
 *   name       n0  n1   n2                            and name, up to three of `part`
 *   ex_sel     0        1                             the examples that the next stage sees
 *
 * Selection. sel[0 .. n_sel) are the records that are still valid, ascending; ex_sel[0 .. n_ex_sel)
 * the examples. Loop over these lists and never over 0 .. n: rows that were filtered or rejected
 * keep their index and may hold anything. To filter a record call leat_filter(); to reject one, the
 * host's reject(). Both take effect for the next stage: during the call the lists do not change.
 *
 * Names. A feature's id is a number; its name travels as up to three parts (field = value) and
 * becomes text only when somebody shows it (leat_name_text).
 *
 * Ownership: the host's. A batch is lent for one call; to keep something, copy it. The arrays hold
 * cap, cap_extents, cap_examples, cap_entries, cap_parts and cap_bytes elements. The host computes
 * these before the start from what each stage declares (struct leat_schema), so a stage that keeps
 * to its declaration never runs out of space; the leat_add_* functions check it nevertheless.
 *
 * Threads: a batch belongs to one thread at a time.
 * Layout: fields are appended, never moved. `size` is the host's sizeof.
 */
#ifndef LEAT_BATCH_H
#define LEAT_BATCH_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <leat/status.h>

struct leat_str {
    uint32_t off; /* into leat_batch.bytes                */
    uint32_t len; /* bytes; LEAT_NULL: there is no value  */
};
#define LEAT_NULL     UINT32_MAX
#define LEAT_NO_FIELD UINT32_MAX

/* What a column holds: a cell a record. A stage reads only columns that it has asked for, and gets
 * only types that it takes (leat_negotiation.column). */
enum leat_column_type {
    LEAT_TEXT = 1,    /* text: struct leat_str. UTF-8 is expected, and not checked */
    LEAT_NUMBER = 2,  /* number: double, NaN where there is none; it may be infinite */
    LEAT_INT64 = 3,   /* int64: int64_t, LEAT_NO_INT64 where there is none         */
    LEAT_BYTES = 4,   /* text: struct leat_str. Any bytes                          */
    LEAT_BOOLEAN = 5, /* boolean: uint8_t 0 or 1, LEAT_NO_BOOLEAN where there is none */
    LEAT_TIME = 6     /* int64: ns since 1970 in UTC, LEAT_NO_TIME: none           */
};
#define LEAT_NO_INT64   INT64_MIN
#define LEAT_NO_TIME    INT64_MIN
#define LEAT_NO_BOOLEAN 2

union leat_cells {
    struct leat_str *text; /* TEXT, BYTES  */
    double *number;        /* NUMBER       */
    int64_t *int64;        /* INT64, TIME  */
    uint8_t *boolean;      /* BOOLEAN      */
};

enum leat_row_status { LEAT_ROW_OK = 0, LEAT_ROW_FILTERED = 1, LEAT_ROW_REJECTED = 2 };

/* Where consecutive records came from: records [first, first + n) follow each other in one input.
 * `line` tells a file from a topic. In a file it is 1 or more: byte number `offset` (from 0) of
 * the input, which is in that line, lies at `bytes_off` in leat_batch.bytes, with the bytes of the
 * input after it as they are, line ends too; the offset and line of each record are computed from
 * that only when somebody asks (leat_host.where). In a topic it is 0: the records have numbers,
 * and `offset` is that of the first. leat_add_record_at keeps them. */
struct leat_extent {
    uint32_t first, n;
    uint32_t input; /* which of the source's inputs (file, topic and partition) */
    uint32_t bytes_off;
    uint64_t offset;
    uint64_t line; /* 0: inputs without lines */
};

/* One part of a feature's name: field "=" value, only a value (field = LEAT_NO_FIELD), or only a
 * field (value.len = LEAT_NULL: a numeric feature). */
struct leat_part {
    uint32_t field; /* into leat_batch.fields */
    struct leat_str value;
};

/* A feature's name: up to three parts, as index + 1 into leat_batch.part; 0: no part.
 * All three 0: the name is the id in decimal. */
struct leat_name {
    uint32_t part[3];
};

enum leat_batch_kind {
    LEAT_BATCH_DATA = 0,
    LEAT_BATCH_END = 1,    /* the last of a stream: only `expand` sees it; may hold records */
    LEAT_BATCH_BARRIER = 2 /* the host's: a snapshot is taken here; stages never see it */
};

struct leat_batch {
    uint32_t size; /* sizeof(struct leat_batch) of the host */
    uint32_t kind; /* enum leat_batch_kind */
    uint64_t seq;  /* 0, 1, 2, … from each source */

    /* text */
    char *bytes;
    uint32_t n_bytes, cap_bytes;
    uint32_t fill_bytes; /* from here on a source adds no more records; it always adds one */

    /* records: arrays of cap */
    uint32_t n, cap;
    uint32_t n_sel;
    uint32_t touched; /* set by leat_filter and reject: the host brings the selections up to date */
    uint32_t *sel;
    uint8_t *status;          /* enum leat_row_status */
    uint16_t *reason;         /* enum leat_reason, or LEAT_R_OWN(i) of the stage that rejected it */
    struct leat_str *raw;     /* as it arrived, without its line end; leat_is_tombstone */
    struct leat_str *key;     /* NULL unless the schema has LEAT_HAS_KEY              */
    int64_t *timestamp;       /* ns since 1970, negative: none; NULL unless LEAT_HAS_TIMESTAMP */
    float *label;             /* NaN: none; it may be infinite                        */
    float *weight;            /* importance; 1 unless a stage sets it                 */
    union leat_cells *column; /* n_columns, and those converted for the stage; meaning in the
                                 schema */
    uint32_t n_columns;
    uint32_t n_extents, cap_extents;
    uint32_t reserved;
    struct leat_extent *extent;

    /* examples: arrays of cap_examples (+ 1 for ex_start), cap_entries, cap_parts */
    uint32_t n_examples, cap_examples;
    uint32_t n_entries, cap_entries;
    uint32_t n_parts, cap_parts;
    uint32_t n_ex_sel, n_fields;
    uint32_t *ex_sel;
    uint32_t *ex_start;  /* entries of example e: ex_start[e] .. ex_start[e + 1) */
    uint32_t *ex_record; /* the record it comes from */
    float *ex_label;
    float *ex_weight;
    float *score; /* a learner's prediction before it updates; meaning in the schema */
    uint64_t *id;
    float *value;           /* finite */
    struct leat_name *name; /* NULL unless the schema has LEAT_HAS_NAMES */
    struct leat_part *part;
    const char *const *fields; /* static field names of struct leat_part */

    /* records, again */
    struct leat_str *headers; /* leat_next_header; NULL unless the schema has LEAT_HAS_HEADERS */
    uint32_t *from; /* while a stage's expand fills the batch: the record of the batch before that
                     * each comes from, LEAT_NULL for none in particular; else NULL */
};

/* A header of a message. Of several with the same name each counts. */
struct leat_header {
    const char *name, *value; /* not ended by a NUL */
    uint32_t n_name, n_value; /* n_value LEAT_NULL: it has no value */
};

/* How many bytes a header takes in `bytes`: two lengths, then name and value. */
static inline uint32_t leat_header_bytes(const struct leat_header *h)
{
    return 8 + h->n_name + (h->n_value == LEAT_NULL ? 0 : h->n_value);
}

/* Writes a header; returns where the next one goes. */
static inline char *leat_put_header(char *to, const struct leat_header *h)
{
    memcpy(to, &h->n_name, 4);
    memcpy(to + 4, &h->n_value, 4);
    if (h->n_name) memcpy(to + 8, h->name, h->n_name);
    if (leat_header_bytes(h) > 8 + h->n_name) memcpy(to + 8 + h->n_name, h->value, h->n_value);
    return to + leat_header_bytes(h);
}

/* The first header of text[0 .. *n), which moves past it; 0: there is none. */
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

/* The selected records, the selected examples: for (LEAT_EACH_RECORD(b, r)) { … r … } */
#define LEAT_EACH_RECORD(b, r)                                                                     \
    uint32_t r##_k = 0, r = (b)->n_sel ? (b)->sel[0] : 0;                                          \
    r##_k < (b)->n_sel;                                                                            \
    r = ++r##_k < (b)->n_sel ? (b)->sel[r##_k] : 0
#define LEAT_EACH_EXAMPLE(b, e)                                                                    \
    uint32_t e##_k = 0, e = (b)->n_ex_sel ? (b)->ex_sel[0] : 0;                                    \
    e##_k < (b)->n_ex_sel;                                                                         \
    e = ++e##_k < (b)->n_ex_sel ? (b)->ex_sel[e##_k] : 0

/* The text of a slice. Not ended by a NUL. */
static inline const char *leat_text(const struct leat_batch *b, struct leat_str s)
{
    return b->bytes + s.off;
}

/* Did record r arrive without a value (a tombstone of a topic)? An empty value is another thing.
 * Both have no raw bytes, so a stage for which the difference does not matter need not ask. */
static inline int leat_is_tombstone(const struct leat_batch *b, uint32_t r)
{
    return b->raw[r].off == LEAT_NULL;
}

/* Source: add the record that lies at bytes[off .. off + len), for which the source keeps `extent`
 * itself. Returns its index, or LEAT_EFULL. */
static inline int leat_add_record(struct leat_batch *b, uint32_t off, uint32_t len)
{
    if (b->n == b->cap) return LEAT_EFULL;
    uint32_t r = b->n++;
    b->raw[r].off = off;
    b->raw[r].len = len;
    b->status[r] = LEAT_ROW_OK;
    b->reason[r] = LEAT_R_NONE;
    b->label[r] = NAN;
    b->weight[r] = 1.0f;
    const struct leat_str absent = {0, LEAT_NULL}, none = {0, 0};
    if (b->key) b->key[r] = absent;
    if (b->timestamp) b->timestamp[r] = -1;
    if (b->headers) b->headers[r] = none;
    if (b->from) b->from[r] = LEAT_NULL;
    return (int)r;
}

/* Does a record that lies there continue the last extent? */
static inline int leat_continues(const struct leat_batch *b, uint32_t off, uint32_t input,
                                 uint64_t offset, uint64_t line)
{
    const struct leat_extent *x = b->n_extents ? &b->extent[b->n_extents - 1] : NULL;
    if (!x || x->input != input || !x->line != !line || x->first + x->n != b->n) return 0;
    return offset == x->offset + (line ? (uint64_t)off - x->bytes_off : x->n) &&
           off >= x->bytes_off;
}

/* Source: add the record that lies at bytes[off .. off + len) and in input number `input` at
 * `offset`, in line `line` (0: records are counted, as in a topic). It continues the last extent
 * where it follows from it, or begins another. Returns its index, or LEAT_EFULL: the batch has no
 * room for a record, or for an extent; a source whose records do not follow each other asks for
 * more of these (struct leat_bounds). */
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

/* Do n more bytes go into the batch? */
static inline int leat_has_space(const struct leat_batch *b, uint32_t n)
{
    return n <= b->cap_bytes - b->n_bytes;
}

/* Append a copy of a slice of `in`. The caller has seen to it that there is space. */
static inline struct leat_str leat_copy_text(struct leat_batch *b, const struct leat_batch *in,
                                             struct leat_str s)
{
    struct leat_str copy = {b->n_bytes, s.len};
    if (s.off == LEAT_NULL || s.len == LEAT_NULL) return s;
    if (s.len) memcpy(b->bytes + b->n_bytes, in->bytes + s.off, s.len);
    b->n_bytes += s.len;
    return copy;
}

/* In expand: add a record that comes from record `from` of `in`, with its raw bytes, key and
 * timestamp; columns, label and weight are the stage's to set. Records that follow each other from
 * the same one share the copy of its bytes. LEAT_NULL: from none, without any of these. Returns its
 * index, or LEAT_EFULL. */
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

/* Filter record r out: later stages do not see it, and it counts as filtered, not as lost. */
static inline void leat_filter(struct leat_batch *b, uint32_t r)
{
    if (b->status[r] == LEAT_ROW_OK) {
        b->status[r] = LEAT_ROW_FILTERED;
        b->touched = 1;
    }
}

/* Begin an example of record r, with the record's label and weight; leat_add_entry adds its
 * entries. Returns its index, or LEAT_EFULL. */
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

/* Add an entry to the example begun last. Returns its index, or LEAT_EFULL. */
static inline int leat_add_entry(struct leat_batch *b, uint64_t id, float value)
{
    if (b->n_entries == b->cap_entries) return LEAT_EFULL;
    uint32_t i = b->n_entries++;
    b->id[i] = id;
    b->value[i] = value;
    b->ex_start[b->n_examples] = b->n_entries;
    return (int)i;
}

/* Add a part of a name. Returns its index + 1, which struct leat_name holds, or 0 when the batch is
 * full. */
static inline uint32_t leat_add_part(struct leat_batch *b, uint32_t field, struct leat_str value)
{
    if (b->n_parts == b->cap_parts) return 0;
    b->part[b->n_parts].field = field;
    b->part[b->n_parts].value = value;
    return ++b->n_parts;
}

/* Reserve len bytes at the end of `bytes`. Returns their offset, or LEAT_NULL when the batch is
 * full. */
static inline uint32_t leat_add_bytes(struct leat_batch *b, uint32_t len)
{
    if (len > b->cap_bytes - b->n_bytes) return LEAT_NULL;
    uint32_t off = b->n_bytes;
    b->n_bytes += len;
    return off;
}

/* Write the name of entry i as text: "payee=VERIZON & office=SERGEANT AT ARMS", or the id in
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
