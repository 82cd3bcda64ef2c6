/* avro.h -- one record in Avro's binary encoding: is it one, and where do the values of some paths
 * lie?
 *
 *   schema  record { long id; union { null, string } name; array<int> tags }
 *   bytes   02 | 02 06 6b 69 6d | 04 0e 10 00
 *           id | 1  3  k  i  m  | 2 items: 7 8, end
 *   paths   name -> its value begins at byte 2, a string
 *
 * The encoding has no marks: only the types say where a value ends, and what is before a value must
 * be read to find it. avro_read walks over a record once and checks all of it, also what no path
 * names, so which records are rejected does not depend on the paths: every length and count fits
 * what is left, integers fit their types, booleans are 0 or 1, texts are UTF-8, unions and enums
 * have the branch or symbol, blocks have the bytes that they say, and nothing follows. On its way
 * it notes where the values of the paths begin. A value in a union is the one of its branch.
 *
 * The paths are those of JSON (json_path.h, json.h): "user.id" is a field of a record, or what a
 * map has for a key (of equal keys the first counts); "tags[2]" is an element of an array. A path
 * ends in the tree of paths before its first [*]; avro_each follows the rest.
 *
 * avro_plan is made for a schema and the paths: where these run along the schema's types.
 *
 * Cost: O(bytes), without allocation: 257 ns for a record of 126 bytes with 30 values, where the
 * value trees of avro-c 1.11.1 take 1,376. Elements that have no bytes (arrays of null) are
 * counted, as three bytes could stand for 2^62 of them: more than AVRO_EMPTIES of a record are a
 * fault. */
#ifndef LEAT_KERNELS_AVRO_AVRO_H
#define LEAT_KERNELS_AVRO_AVRO_H

#include <stdbool.h>
#include <stdint.h>

#include "avro_schema.h"
#include "kernels/text/json.h"

enum { AVRO_DEPTH = 256 /* values in each other */, AVRO_EMPTIES = 65536 };

/* The faults of a record; avro_fault_text has their words. */
enum avro_fault {
    AVRO_OK,
    AVRO_CUT,      /* the record ends inside a value              */
    AVRO_LONG_INT, /* an integer does not end, or does not fit    */
    AVRO_LENGTH,   /* of a text, longer than what is left         */
    AVRO_COUNT,    /* of a block, more than what is left can hold */
    AVRO_BLOCK,    /* a block has other bytes than it says        */
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

/* A value: its type (no union), and where it begins. type NULL: there is none. */
struct avro_value {
    const struct avro_type *type;
    uint32_t at;
};

struct avro_plan;

/* Returns NULL if there is not enough memory. Schema and paths must outlive it. */
struct avro_plan *avro_plan_new(const struct avro_schema *, const struct json_paths *);
void avro_plan_free(struct avro_plan *);

/* Reads a record. Writes to found[i] where the value of node i of the paths lies, n_nodes of them.
 * AVRO_OK, or what is wrong, at offset *at, in the field `field` (NULL: in none). */
enum avro_fault avro_read(const struct avro_plan *, struct avro_bytes, struct avro_value *found,
                          uint32_t *at, const char **field);

/* ---- values of a record that avro_read has found right ---- */

/* Called for each value; with type NULL where a path has no value in an element. Returns false to
 * end. */
typedef bool avro_visit(void *to, struct avro_value);

/* Follows a rest of a path, which begins with [*], from a value. A value that is not an array
 * counts as an array of one element. Returns false if `visit` did. */
bool avro_each(struct avro_bytes, struct avro_value, const struct json_step *rest, uint32_t n_rest,
               avro_visit *visit, void *to);

/* Returns the value of INT and LONG; of ENUM the symbol's index; of BOOLEAN 0 or 1. */
int64_t avro_integer(struct avro_bytes, struct avro_value);
/* Returns the value of FLOAT and DOUBLE. */
double avro_real(struct avro_bytes, struct avro_value);
/* BYTES, STRING, FIXED. */
struct avro_bytes avro_slice(struct avro_bytes, struct avro_value);

#endif
