/* feature_id.h -- 64-bit ids of named features and of their conjunctions.
 *
 * id("field=value") = XXH3_64(value, seed = XXH3_64(field)). The seed separates field and value,
 * so "ab"="c" and "a"="bc" get different ids without joining strings. The id of a conjunction of
 * two or three features is
 *
 *     mix(part(a) + part(b) + ORDER_2),     mix(part(a) + part(b) + part(c) + ORDER_3)
 *
 * where part(a) = mix(a + ORDER_1), and mix is mix64(), a bijection of 64 bits without visible
 * structure. Sums commute, so the order of the parts does not matter. The ORDER constants
 * separate single features, pairs and triples. Each id is mixed before the sum, because small ids
 * (libsvm indices) would collide otherwise: 1 + 4 = 2 + 3. Two different features share an id
 * with probability 2^-64.
 *
 * Example. id("colour=red") = 0xeefea3f9f6513e35. The conjunction of the features 1 and 4, in
 * either order, is 0xacd3426e1e0bfcb8. The features 2 and 3, whose ids have the same sum,
 * have 0x00cadd205f303c0c.
 *
 * Ids are part of saved models, so the results of these functions must never change.
 * test_feature_id.c compares them with fixed values.
 *
 * Out of scope: names as text, batches (see the featurizers).
 *
 * Source: XXH3, Y. Collet, xxHash 0.8 specification, 2020.
 */
#ifndef LEAT_KERNELS_BASE_FEATURE_ID_H
#define LEAT_KERNELS_BASE_FEATURE_ID_H

#include <stddef.h>
#include <stdint.h>

#include "core/mix64.h"

/* Odd numbers: the first bits of the golden ratio, of sqrt 2 and of sqrt 3. */
#define FEATURE_ORDER_1 MIX64_GOLDEN
#define FEATURE_ORDER_2 0x6a09e667f3bcc909u
#define FEATURE_ORDER_3 0xbb67ae8584caa73bu

/* Returns the id of a feature that has only a name. It is also the argument `field` of
 * feature_id_value(). name may be NULL if len is 0. */
uint64_t feature_id_name(const char *name, size_t len);

/* Returns the id of the feature field = value. field: feature_id_name() of the field's name. */
uint64_t feature_id_value(uint64_t field, const char *value, size_t len);

/* Returns the part of a feature: its mixed id, from which the functions below make the ids of
 * conjunctions. Compute it once for each feature. */
static inline uint64_t feature_id_part(uint64_t id) { return mix64(id + FEATURE_ORDER_1); }

/* Return the ids of the conjunctions "a & b" and "a & b & c". The arguments are parts
 * (feature_id_part()), in any order. */
static inline uint64_t feature_id_and2(uint64_t a, uint64_t b)
{
    return mix64(a + b + FEATURE_ORDER_2);
}
static inline uint64_t feature_id_and3(uint64_t a, uint64_t b, uint64_t c)
{
    return mix64(a + b + c + FEATURE_ORDER_3);
}

/* Returns the id of the pair of a feature with the part u and a later feature with the part v. If
 * `ordered`, the pair (v, u) has another id: v is mixed once more, so the sum is not symmetric. */
static inline uint64_t feature_id_pair(uint64_t u, uint64_t v, int ordered)
{
    return feature_id_and2(u, ordered ? feature_id_part(v) : v);
}

/* Folds an id to `bits` bits (1 .. 64) for feature hashing. Returns the low bits of a mix
 * of id and seed. feature_id_sign() uses the top bit of the same mix, so both are
 * independent if bits < 64. */
static inline uint64_t feature_id_fold(uint64_t id, uint64_t seed, unsigned bits)
{
    return mix64(id ^ feature_id_part(seed)) & (UINT64_MAX >> (64 - bits));
}
static inline int feature_id_sign(uint64_t id, uint64_t seed)
{
    return mix64(id ^ feature_id_part(seed)) >> 63 ? 1 : -1;
}

/* Error message if the field `ids` of a saved state has an id twice. */
#define FEATURE_ID_TWICE "ids has an id twice"

#endif
