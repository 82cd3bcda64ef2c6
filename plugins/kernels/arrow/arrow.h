/* arrow.h -- reads messages of Arrow IPC: schemas and batches, whose rows become JSON
 *
 *   schema   {id: int64, tags: list<utf8>}   fields 0 id | 1 tags | 2 its element
 *   batch    nodes    (rows, nulls) of each field, in this order
 *            buffers  id: validity, values | tags: validity, offsets | element: validity, offsets,
 *                     bytes
 *
 * A field's children follow it, so one walk over the fields takes nodes and buffers in their order.
 * arrow_bind() checks that each buffer is long enough for its rows. Offsets in the buffers are
 * checked when a row is written.
 *
 *   integer, float, decimal   a number; a float has the fewest digits that read back as the same
 *   NaN, infinities           NaN, Infinity, -Infinity, which are no JSON (json.h)
 *   utf8                      a string; binary and fixed-size binary: base64
 *   extension arrow.uuid      a string; of other extensions, the type that they are stored as
 *   date, time, timestamp     "2024-02-29", "23:59:59.999", "2024-02-29T23:59:59.999Z"; without Z
 *                             if the timestamp has no zone
 *   duration                  the number of its units
 *   list, fixed-size list     an array
 *   struct, map               an object
 *   dictionary                the value
 *
 * Source: the Arrow columnar format 1.5, Schema.fbs and Message.fbs. Refused by name: unions,
 * intervals, run-end encoding, list views, big-endian data. */
#ifndef LEAT_KERNELS_ARROW_ARROW_H
#define LEAT_KERNELS_ARROW_ARROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/report/text_out.h"
#include "flat.h"

enum { ARROW_FIELDS = 4096, ARROW_DEPTH = 64, ARROW_NAMES = 1 << 18, ARROW_VARIADIC = 4096 };

/* Types as in Schema.fbs. */
enum arrow_type {
    ARROW_NULL = 1,
    ARROW_INT,
    ARROW_FLOAT,
    ARROW_BINARY,
    ARROW_UTF8,
    ARROW_BOOL,
    ARROW_DECIMAL,
    ARROW_DATE,
    ARROW_TIME,
    ARROW_TIMESTAMP,
    ARROW_INTERVAL,
    ARROW_LIST,
    ARROW_STRUCT,
    ARROW_UNION,
    ARROW_FIXED,
    ARROW_FIXED_LIST,
    ARROW_MAP,
    ARROW_DURATION,
    ARROW_LARGE_BINARY,
    ARROW_LARGE_UTF8,
    ARROW_LARGE_LIST,
    ARROW_RUN_END,
    ARROW_BINARY_VIEW,
    ARROW_UTF8_VIEW,
    ARROW_LIST_VIEW,
    ARROW_LARGE_LIST_VIEW
};

struct arrow_field {
    enum arrow_type type;
    uint32_t name, n_name;    /* in the schema's names */
    uint32_t n_children, end; /* end: index of the first field behind its children */
    uint32_t width;           /* bytes of a value; of a fixed-size list, its elements */
    uint8_t unit;             /* of times: 0 s, 1 ms, 2 us, 3 ns; of a date: 0 days, 1 ms */
    bool is_signed, has_zone, is_uuid;
    bool is_coded; /* values are indices of a dictionary */
    int32_t scale;
    int64_t dictionary; /* its number */
    uint8_t index_width;
    bool index_signed;
};

struct arrow_schema {
    uint32_t n, n_names;
    struct arrow_field field[ARROW_FIELDS];
    char names[ARROW_NAMES];
};

/* Bytes of a buffer, not compressed. */
struct arrow_buffer {
    const uint8_t *p;
    uint64_t n;
};

/* Data of a field in a batch. */
struct arrow_column {
    uint64_t rows;
    bool is_values;                    /* values of a dictionary, not their indices */
    const uint8_t *valid;              /* a bit a row; NULL if all are there */
    struct arrow_buffer values, bytes; /* values or offsets or views; bytes of texts */
    uint32_t variadic, n_variadic;     /* buffers of views */
};

/* JSON of the values of a dictionary: value i is text[start[i], start[i + 1]). */
struct arrow_dictionary {
    int64_t id;
    const char *text;
    const uint64_t *start;
    uint64_t n;
};

struct arrow_batch {
    const struct arrow_schema *schema;
    uint64_t rows;
    struct arrow_column column[ARROW_FIELDS];
    struct arrow_buffer variadic[ARROW_VARIADIC];
    uint32_t n_variadic;
    const struct arrow_dictionary *dictionaries;
    uint32_t n_dictionaries;
};

/* Reads the schema in a message. Returns NULL, or what is wrong or not known. */
const char *arrow_read_schema(struct flat *f, uint64_t schema, struct arrow_schema *);

/* Buffers and rows that a message declares. */
struct arrow_layout {
    struct flat *f;
    uint64_t nodes, n_nodes, buffers, n_buffers, counts, n_counts; /* places and numbers */
    const struct arrow_buffer *buffer;                             /* n_buffers of them */
};

/* Binds the fields [from, to) to their rows and buffers. If `values`, the first field is the
 * dictionary's values and not their indices. Returns NULL, or what is wrong. */
const char *arrow_bind(struct arrow_batch *, const struct arrow_layout *, uint32_t from,
                       uint32_t to, bool values);

/* Write a row as an object, and the value of a field as JSON. Return NULL, or what is wrong. */
const char *arrow_write_row(const struct arrow_batch *, uint64_t row, struct text_out *);
const char *arrow_write_value(const struct arrow_batch *, uint32_t field, uint64_t row,
                              struct text_out *);

#endif
