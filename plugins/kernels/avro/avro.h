/* avro.h -- checks one record in Avro's binary encoding, and locates the values of some paths
 *
 *   schema  record { long id; union { null, string } name; array<int> tags }
 *   bytes   02 | 02 06 6b 69 6d | 04 0e 10 00
 *           id | 1  3  k  i  m  | 2 items: 7 8, end
 *   paths   name -> its value begins at byte 2, a string
 *
 * The encoding has no marks. Only the types determine where a value ends, so all bytes before a
 * value must be read to find it. avro_read walks over a record once and checks all of it, including
 * parts that no path names. Which records are rejected therefore does not depend on the paths.
 * Every length and count must fit the remaining bytes, and integers must fit their types. Booleans
 * are 0 or 1, texts are UTF-8, unions and enums have the branch or symbol, and blocks have the size
 * that they state. Nothing may follow the record. On its way avro_read notes where the values of
 * the paths begin. A value in a union is the value of its branch.
 *
 * The paths have the form of JSON paths (json_path.h, json.h). "user.id" is a field of a record,
 * or the value of a key in a map (of equal keys the first counts). "tags[2]" is an element of an
 * array. In the tree of paths a path ends before its first [*]; avro_each follows the rest.
 *
 * avro_plan is made from a schema and the paths. It holds the way of the paths along the schema's
 * types.
 *
 * Cost: O(bytes), without allocation. A record of 126 bytes with 30 values takes 257 ns, where the
 * value trees of avro-c 1.11.1 take 1,376. Elements without bytes (arrays of null) are counted,
 * because three bytes could stand for 2^62 of them. More than AVRO_EMPTIES in a record
 * are a fault. */
#ifndef LEAT_KERNELS_AVRO_AVRO_H
#define LEAT_KERNELS_AVRO_AVRO_H

#include <stdbool.h>
#include <stdint.h>

#include "avro_schema.h"
#include "kernels/text/json.h"

enum { AVRO_DEPTH = 256 /* nested values */, AVRO_EMPTIES = 65536 };

/* Faults of a record; avro_fault_text describes them. */
enum avro_fault {
    AVRO_OK,
    AVRO_CUT,      /* the record ends inside a value              */
    AVRO_LONG_INT, /* an integer does not end, or does not fit    */
    AVRO_LENGTH,   /* the length of a text exceeds the remaining bytes */
    AVRO_COUNT,    /* the count of a block exceeds the remaining bytes */
    AVRO_BLOCK,    /* a block does not have the size that it states */
    AVRO_NO_BOOLEAN,
    AVRO_NO_BRANCH,
    AVRO_NO_SYMBOL,
    AVRO_NO_UTF8,
    AVRO_DEEP,
    AVRO_TRAILING
};

const char *avro_fault_text(enum avro_fault);

struct avro_bytes {
    const uint8_t *at;
    uint32_t n;
};

/* A value: its type (never a union), and its offset. type NULL means no value. */
struct avro_value {
    const struct avro_type *type;
    uint32_t at;
};

struct avro_plan;

/* Returns NULL if there is not enough memory. Schema and paths must outlive the plan. */
struct avro_plan *avro_plan_new(const struct avro_schema *, const struct json_paths *);
void avro_plan_free(struct avro_plan *);

/* Reads a record. Writes the place of the value of node i of the paths to found[i], which has
 * n_nodes elements. Returns AVRO_OK, or the fault at offset *at, in the field `field` (NULL outside
 * a field). */
enum avro_fault avro_read(const struct avro_plan *, struct avro_bytes, struct avro_value *found,
                          uint32_t *at, const char **field);

/* ---- values of a record that avro_read has accepted ---- */

/* Called for each value. type is NULL if an element has no value for the path. Returns false to
 * stop. */
typedef bool avro_visit(void *to, struct avro_value);

/* Follows the rest of a path, which begins with [*], from a value. A value that is not an array
 * counts as an array of one element. Returns false if `visit` did. */
bool avro_each(struct avro_bytes, struct avro_value, const struct json_step *rest, uint32_t n_rest,
               avro_visit *visit, void *to);

/* Returns the value of INT and LONG, the symbol's index of ENUM, or 0 or 1 for BOOLEAN. */
int64_t avro_integer(struct avro_bytes, struct avro_value);
/* Returns the value of FLOAT and DOUBLE. */
double avro_real(struct avro_bytes, struct avro_value);
/* Returns the bytes of BYTES, STRING, FIXED. */
struct avro_bytes avro_slice(struct avro_bytes, struct avro_value);

#endif
