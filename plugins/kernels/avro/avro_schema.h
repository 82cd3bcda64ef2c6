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
 * A name that occurs again denotes the same type, so the tree of a recursive schema has cycles. A
 * record that would contain itself without end is refused. A logical type that does not fit its
 * type is ignored, as the specification demands. Defaults, aliases and orders are dropped: they
 * matter only to a reader that has its own schema. */
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
    AVRO_DECIMAL,        /* bytes or fixed: an integer with `scale` digits after the point       */
    AVRO_UUID,           /* fixed                                                                */
    AVRO_DATE,           /* days since 1970-01-01                                                */
    AVRO_TIME,           /* since midnight, in units of 10^-digits s                             */
    AVRO_TIMESTAMP,      /* since 1970-01-01 UTC, in units of 10^-digits s                       */
    AVRO_LOCAL_TIMESTAMP /* since 1970-01-01 without a time zone, same units                     */
};

struct avro_type;

struct avro_member {
    const char *name; /* name of a field, else NULL */
    const struct avro_type *type;
};

struct avro_type {
    enum avro_kind kind;
    enum avro_logical logical;
    bool empty;            /* values have no bytes                                               */
    uint8_t digits;        /* times: 3, 6 or 9                                                   */
    uint32_t scale;        /* AVRO_DECIMAL                                                       */
    uint32_t n;            /* fields of RECORD, branches of UNION, symbols of ENUM, bytes of FIXED;
                              1 of ARRAY and MAP                                                 */
    uint32_t first_symbol; /* ENUM: number of its first symbol among all of the schema           */
    const char *name;      /* RECORD, ENUM, FIXED: with its namespace                            */
    struct avro_member *member; /* n members of RECORD, UNION, ARRAY, MAP                        */
    const char **symbol;        /* n symbols of ENUM                                             */
    struct avro_type *next;     /* next of all types of the schema                               */
    int visit;                  /* mark for the search for self-containing records               */
};

struct avro_schema;

/* Reads a schema. Returns NULL if it is wrong; `why` then holds the reason. */
struct avro_schema *avro_schema_read(const char *text, size_t n, char *why, size_t cap);
void avro_schema_free(struct avro_schema *);

const struct avro_type *avro_schema_root(const struct avro_schema *);
/* Returns the number of symbols of all enums. */
uint32_t avro_schema_symbols(const struct avro_schema *);

#endif
