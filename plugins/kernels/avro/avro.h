/* avro.h -- checks a record in Avro's binary encoding, and finds the values of some paths in it
 *
 *   schema  record { long id; union { null, string } name; array<int> tags }
 *   bytes   02 | 02 06 6b 69 6d | 04 0e 10 00
 *           id | 1  3  k  i  m  | 2 items: 7 8, end
 *   paths   name -> its value begins at byte 2, a string
 *
 * The encoding has no separators. Only the types show where a value ends, so avro_read() must read
 * all bytes before a value to find it. It reads the record once and checks all of it, including
 * parts that no path needs. So the choice of paths does not affect which records are rejected.
 * Every length and count must fit the remaining bytes, and integers must fit their types. Booleans
 * must be 0 or 1, and texts UTF-8. The branch of a union and the symbol of an enum must exist. A
 * block must have the size that it states. No bytes may follow the record. avro_read() also notes
 * where the values of the paths begin. The value of a union is the value of its branch.
 *
 * Paths have the form of JSON paths (json_path.h, json.h). "user.id" is a field of a record, or
 * the value of a key in a map; if a key occurs twice, the first one counts. "tags[2]" is an
 * element of an array. The tree of paths contains a path only up to its first [*]. avro_each()
 * follows the rest.
 *
 * An avro_plan is made once from a schema and the paths. It maps the paths to the types
 * of the schema.
 *
 * Cost: O(bytes), without allocation. A record of 126 bytes with 30 values takes 257 ns; the value
 * trees of avro-c 1.11.1 take 1,376 ns. Array elements that take no bytes, such as null, are
 * counted, because three bytes could encode 2^62 of them. A record with more than AVRO_EMPTIES of
 * them is rejected. */
#ifndef LEAT_KERNELS_AVRO_AVRO_H
#define LEAT_KERNELS_AVRO_AVRO_H

#include <stdbool.h>
#include <stdint.h>

#include "avro_schema.h"
#include "kernels/text/json.h"

enum { AVRO_DEPTH = 256 /* limit of nested values */, AVRO_EMPTIES = 65536 };

/* Reasons to reject a record; see avro_fault_text(). */
enum avro_fault {
    AVRO_OK,
    AVRO_CUT,      /* the record ends inside a value */
    AVRO_LONG_INT, /* an integer does not end, or does not fit its type */
    AVRO_LENGTH,   /* a length is negative or exceeds the remaining bytes */
    AVRO_COUNT,    /* a block has more items than the remaining bytes can hold */
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

/* Value in a record: its type (never a union) and the offset of its bytes. If type is NULL,
 * there is no value. */
struct avro_value {
    const struct avro_type *type;
    uint32_t at;
};

struct avro_plan;

/* Makes a plan. Returns NULL if there is not enough memory. The schema and the paths must
 * outlive the plan. */
struct avro_plan *avro_plan_new(const struct avro_schema *, const struct json_paths *);
void avro_plan_free(struct avro_plan *);

/* Reads and checks a record. Sets found[i] to the value at node i of the tree of paths; `found` has
 * n_nodes elements. Returns AVRO_OK or a fault. After a fault, *at is its offset, and *field is the
 * name of the innermost field around it, or NULL if no field contains it. */
enum avro_fault avro_read(const struct avro_plan *, struct avro_bytes, struct avro_value *found,
                          uint32_t *at, const char **field);

/* ---- all values of a record, in their order ---- */

enum avro_event {
    AVRO_BEGIN,  /* a record, array or map begins */
    AVRO_KEY,    /* name of a field or key, key[0, n) */
    AVRO_SINGLE, /* a single value */
    AVRO_END     /* the record, array or map ends */
};
/* Called for each event; `v` is the value, except of AVRO_KEY. */
typedef void avro_tell(void *to, enum avro_event, struct avro_value v, const char *key, size_t n);

/* Reads and checks a value of this type at the beginning of the bytes, and tells its events. Bytes
 * may follow it. Returns as avro_read() does. Without a fault, *at is its length. After a fault,
 * the events before it have been told. */
enum avro_fault avro_tell_all(const struct avro_type *t, struct avro_bytes b, avro_tell *tell,
                              void *to, uint32_t *at, const char **field);

/* ---- values of a record that avro_read() has accepted ---- */

/* Called by avro_each() for each value. type is NULL if an element has no value for the path.
 * Returns false to stop. */
typedef bool avro_visit(void *to, struct avro_value);

/* Follows the rest of a path, which begins with [*], from a value. Calls visit() for each value
 * that the path reaches. A value that is not an array is treated as an array of one element.
 * Returns false if visit() returned false. */
bool avro_each(struct avro_bytes, struct avro_value, const struct json_step *rest, uint32_t n_rest,
               avro_visit *visit, void *to);

/* Returns the value of an INT or LONG, the index of the symbol of an ENUM, or 0 or 1
 * for a BOOLEAN. */
int64_t avro_integer(struct avro_bytes, struct avro_value);
/* Returns the value of a FLOAT or DOUBLE. */
double avro_real(struct avro_bytes, struct avro_value);
/* Returns the bytes of a BYTES, STRING or FIXED. */
struct avro_bytes avro_slice(struct avro_bytes, struct avro_value);
/* Reads the slice of a big-decimal: the bytes of an integer, and how many of its digits stand after
 * the point. Returns false if the slice has another form. */
bool avro_big_decimal(struct avro_bytes slice, struct avro_bytes *integer, int64_t *scale);

#endif
