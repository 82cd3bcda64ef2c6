/* avro_schema.h -- an Avro schema as a tree of types (Apache Avro 1.11, "Schema Declaration").
 *
 *   schema  {"type": "record", "name": "Pay", "fields": [
 *             {"name": "user", "type": ["null", {"type": "record", "name": "User", …}]},
 *             {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", …}}]}
 *
 *   types   RECORD Pay - UNION - NULL
 *                |         `- - RECORD User …
 *                `- - - BYTES decimal
 *
 * A name that occurs again refers to the same type, so a recursive schema is a graph with cycles. A
 * record that would contain itself without end is rejected. A logical type that does not fit its
 * type is ignored, as the specification demands. A default is kept as JSON, for writers. Aliases
 * and orders are ignored, because they matter only to readers whose schema differs from the
 * writer's. */
#ifndef LEAT_KERNELS_AVRO_AVRO_SCHEMA_H
#define LEAT_KERNELS_AVRO_AVRO_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum avro_kind {
    AVRO_NULL,
    AVRO_BOOLEAN,
    AVRO_INT,
    AVRO_LONG,
    AVRO_FLOAT,
    AVRO_DOUBLE,
    AVRO_BYTES,
    AVRO_STRING,
    AVRO_FIXED,
    AVRO_ENUM,
    AVRO_RECORD,
    AVRO_ARRAY,
    AVRO_MAP,
    AVRO_UNION
};

enum avro_logical {
    AVRO_PLAIN,
    AVRO_DECIMAL,        /* BYTES or FIXED: an integer with `scale` digits after the point */
    AVRO_BIG_DECIMAL,    /* BYTES: the bytes of an integer, and the number of its digits after the
                          * point */
    AVRO_DURATION,       /* FIXED of 12 bytes: months, days, milliseconds */
    AVRO_UUID,           /* FIXED of 16 bytes */
    AVRO_UUID_TEXT,      /* STRING: a UUID in the form of RFC 4122 */
    AVRO_DATE,           /* INT: days since 1970-01-01 */
    AVRO_TIME,           /* INT or LONG: time since midnight in units of 10^-digits s */
    AVRO_TIMESTAMP,      /* LONG: time since 1970-01-01 UTC in units of 10^-digits s */
    AVRO_LOCAL_TIMESTAMP /* LONG: like AVRO_TIMESTAMP, without a time zone */
};

struct avro_type;
struct json_t;

struct avro_member {
    const char *name; /* name of the field if the type is RECORD, else NULL */
    const struct avro_type *type;
    const struct json_t *def; /* default of the field; NULL if it has none */
};

struct avro_type {
    enum avro_kind kind;
    enum avro_logical logical;
    bool empty;         /* values of the type take no bytes */
    uint8_t digits;     /* AVRO_TIME and timestamps: 3, 6 or 9; see avro_logical */
    uint32_t scale;     /* AVRO_DECIMAL: digits after the point */
    uint32_t precision; /* AVRO_DECIMAL: digits in all */
    /* fields of RECORD, branches of UNION, symbols of ENUM, bytes of FIXED; 1 for ARRAY and MAP */
    uint32_t n;
    uint32_t first_symbol;      /* ENUM: number of symbols of all earlier enums */
    const char *name;           /* RECORD, ENUM, FIXED: name with its namespace */
    struct avro_member *member; /* array of n, for RECORD, UNION, ARRAY, MAP */
    const char **symbol;        /* array of n, for ENUM */
    struct avro_type *next;     /* next in the list of all types of the schema */
    int visit;                  /* state of the search for records that contain themselves */
    bool written;               /* the fingerprint has its definition */
};

struct avro_schema;

struct avro_schema_text {
    const char *text;
    size_t n; /* bytes */
};

/* Reads a schema from its last text. The n_texts - 1 texts before it declare types that later texts
 * name. If the schema is invalid, returns NULL and writes the reason to `why`, which has `cap`
 * bytes. */
struct avro_schema *avro_schema_read(const struct avro_schema_text *, uint32_t n_texts, char *why,
                                     size_t cap);
void avro_schema_free(struct avro_schema *);

/* Returns the type of a record: RECORD, or a UNION of records. */
const struct avro_type *avro_schema_root(const struct avro_schema *);
/* Returns the fingerprint that single-object encoding puts before a record. */
uint64_t avro_schema_fingerprint(const struct avro_schema *);
/* Computes it, once for a type. */
uint64_t avro_fingerprint(struct avro_type *root);
/* Number of symbols of all enums together. */
uint32_t avro_schema_symbols(const struct avro_schema *);

#endif
