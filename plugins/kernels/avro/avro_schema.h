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
 * type is ignored, as the specification demands. Defaults, aliases and orders are ignored, because
 * they matter only to readers whose schema differs from the writer's. */
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
    AVRO_UUID,           /* FIXED of 16 bytes */
    AVRO_DATE,           /* INT: days since 1970-01-01 */
    AVRO_TIME,           /* INT or LONG: time since midnight in units of 10^-digits s */
    AVRO_TIMESTAMP,      /* LONG: time since 1970-01-01 UTC in units of 10^-digits s */
    AVRO_LOCAL_TIMESTAMP /* LONG: like AVRO_TIMESTAMP, without a time zone */
};

struct avro_type;

struct avro_member {
    const char *name; /* name of the field if the type is RECORD, else NULL */
    const struct avro_type *type;
};

struct avro_type {
    enum avro_kind kind;
    enum avro_logical logical;
    bool empty;     /* values of the type take no bytes */
    uint8_t digits; /* AVRO_TIME and timestamps: 3, 6 or 9; see avro_logical */
    uint32_t scale; /* AVRO_DECIMAL: digits after the point */
    /* fields of RECORD, branches of UNION, symbols of ENUM, bytes of FIXED; 1 for ARRAY and MAP */
    uint32_t n;
    uint32_t first_symbol;      /* ENUM: number of symbols of all earlier enums */
    const char *name;           /* RECORD, ENUM, FIXED: name with its namespace */
    struct avro_member *member; /* array of n, for RECORD, UNION, ARRAY, MAP */
    const char **symbol;        /* array of n, for ENUM */
    struct avro_type *next;     /* next in the list of all types of the schema */
    int visit;                  /* state of the search for records that contain themselves */
};

struct avro_schema;

/* Reads a schema from a text of n bytes. If the schema is invalid, returns NULL and writes the
 * reason to `why`, which has `cap` bytes. */
struct avro_schema *avro_schema_read(const char *text, size_t n, char *why, size_t cap);
void avro_schema_free(struct avro_schema *);

const struct avro_type *avro_schema_root(const struct avro_schema *);
/* Number of symbols of all enums together. */
uint32_t avro_schema_symbols(const struct avro_schema *);

#endif
