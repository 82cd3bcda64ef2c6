/* feature_id.h -- the 64-bit ids of named features and of their conjunctions.
 *
 * What it is: id("field=value") = XXH3_64(value, seed = XXH3_64(field)); the seed keeps field and
 * value apart, so that "ab"="c" and "a"="bc" differ without joining strings. A conjunction's id is
 *
 *     mix(part(a) + part(b) + ORDER_2),     mix(part(a) + part(b) + part(c) + ORDER_3)
 *
 * with part(a) = mix(a + ORDER_1) and mix a bijection of 64 bits that leaves no structure (mix64).
 * Sums commute, so the order of the parts does not matter; the constants keep orders 1, 2, 3 apart;
 * and because every part is mixed first, small ids (libsvm indices) do not collide as 1 + 4 = 2 +
 * 3. Two different features share an id with chance 2^-64 a pair.
 *
 * Ids are part of a saved model: what these functions answer must never change (test_feature_id.c
 * pins values).
 * Not here: names as text, batches (featurizers). */
#ifndef LEAT_KERNELS_BASE_FEATURE_ID_H
#define LEAT_KERNELS_BASE_FEATURE_ID_H

#include <stddef.h>
#include <stdint.h>

#include "base/mix64.h"

/* Odd numbers from the bits of the golden ratio, of sqrt 2 and of sqrt 3. */
#define FEATURE_ORDER_1 MIX64_GOLDEN
#define FEATURE_ORDER_2 0x6a09e667f3bcc909u
#define FEATURE_ORDER_3 0xbb67ae8584caa73bu

/* The seed of a field, or the id of a bare name. name may be NULL when len is 0. */
uint64_t feature_id_name(const char *name, size_t len);

/* The id of field = value, given the field's seed. */
uint64_t feature_id_value(uint64_t field, const char *value, size_t len);

/* What a feature brings into a conjunction. Work it out once a feature. */
static inline uint64_t feature_id_part(uint64_t id) { return mix64(id + FEATURE_ORDER_1); }

/* The id of "a & b" from two parts, of "a & b & c" from three; in any order. */
static inline uint64_t feature_id_and2(uint64_t a, uint64_t b)
{
    return mix64(a + b + FEATURE_ORDER_2);
}
static inline uint64_t feature_id_and3(uint64_t a, uint64_t b, uint64_t c)
{
    return mix64(a + b + c + FEATURE_ORDER_3);
}

/* An id folded into 2^bits (1 .. 64), by its low bits after mixing with the seed; and a sign that
 * does not depend on that (for bits < 64), as feature hashing wants it. */
static inline uint64_t feature_id_fold(uint64_t id, uint64_t seed, unsigned bits)
{
    return mix64(id ^ feature_id_part(seed)) & (UINT64_MAX >> (64 - bits));
}
static inline int feature_id_sign(uint64_t id, uint64_t seed)
{
    return mix64(id ^ feature_id_part(seed)) >> 63 ? 1 : -1;
}

#endif
