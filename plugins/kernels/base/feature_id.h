/* feature_id.h -- 64-bit ids of named features and of their conjunctions.
 *
 * id("field=value") = XXH3_64(value, seed = XXH3_64(field)). The seed separates field and value, so
 * "ab"="c" and "a"="bc" differ without joining strings. The id of a conjunction is
 *
 *     mix(part(a) + part(b) + ORDER_2),     mix(part(a) + part(b) + part(c) + ORDER_3)
 *
 * where part(a) = mix(a + ORDER_1), and mix is a bijection of 64 bits without visible structure
 * (mix64). Sums commute, so the order of the parts does not matter. The constants separate the
 * orders 1, 2 and 3. Each part is mixed before the sum, so small ids (libsvm indices) do not
 * collide as in 1 + 4 = 2 + 3. Two different features share an id with probability 2^-64.
 *
 * Example. id("colour=red") = 0xeefea3f9f6513e35. The features 1 and 4 have the conjunction
 * 0xacd3426e1e0bfcb8, in either order. The features 2 and 3, whose ids have the same sum, have
 * 0x00cadd205f303c0c.
 *
 * Ids are part of a saved model: the results of these functions must never change.
 * test_feature_id.c pins values.
 *
 * Not here: names as text, batches (featurizers).
 *
 * Source: XXH3, Y. Collet, xxHash 0.8 specification, 2020.
 */
#ifndef LEAT_KERNELS_BASE_FEATURE_ID_H
#define LEAT_KERNELS_BASE_FEATURE_ID_H

#include <stddef.h>
#include <stdint.h>

#include "core/mix64.h"

/* Odd numbers from the bits of the golden ratio, of sqrt 2 and of sqrt 3. */
#define FEATURE_ORDER_1 MIX64_GOLDEN
#define FEATURE_ORDER_2 0x6a09e667f3bcc909u
#define FEATURE_ORDER_3 0xbb67ae8584caa73bu

/* Seed of a field, or id of a bare name. name may be NULL if len is 0. */
uint64_t feature_id_name(const char *name, size_t len);

/* Id of field = value, from the field's seed. */
uint64_t feature_id_value(uint64_t field, const char *value, size_t len);

/* Part of a feature in conjunctions. Compute it once for each feature. */
static inline uint64_t feature_id_part(uint64_t id) { return mix64(id + FEATURE_ORDER_1); }

/* Ids of "a & b" and "a & b & c" from their parts, in any order. */
static inline uint64_t feature_id_and2(uint64_t a, uint64_t b)
{
    return mix64(a + b + FEATURE_ORDER_2);
}
static inline uint64_t feature_id_and3(uint64_t a, uint64_t b, uint64_t c)
{
    return mix64(a + b + c + FEATURE_ORDER_3);
}

/* Id of the pair "u & v" of features that occur one after the other, from their parts. With
 * `ordered`, "v & u" is another pair, so the second part is mixed once more to break the symmetry
 * of the sum. */
static inline uint64_t feature_id_pair(uint64_t u, uint64_t v, int ordered)
{
    return feature_id_and2(u, ordered ? feature_id_part(v) : v);
}

/* Id folded to `bits` bits, 1 .. 64: the low bits of its mix with the seed. The sign is the top bit
 * of this mix. Fold and sign are independent if bits < 64, as feature hashing needs. */
static inline uint64_t feature_id_fold(uint64_t id, uint64_t seed, unsigned bits)
{
    return mix64(id ^ feature_id_part(seed)) & (UINT64_MAX >> (64 - bits));
}
static inline int feature_id_sign(uint64_t id, uint64_t seed)
{
    return mix64(id ^ feature_id_part(seed)) >> 63 ? 1 : -1;
}

/* Error of a saved state in which two features have one id. */
#define FEATURE_ID_TWICE "ids has an id twice"

#endif
