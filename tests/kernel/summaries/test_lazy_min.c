/* test_lazy_min.c -- the smallest of many keys by bounds, against looking at all keys.
 *
 * It tests few keys, and so many that bounds have bounds. */
#include "support/suite.h"
#include "core/mix64.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>

#include "kernels/summaries/lazy_min.h"

struct keys {
    uint32_t n, padded;
    float *v;
    int32_t *bound;
    struct lazy_min l;
};

static void make(struct keys *k, uint32_t n, uint64_t *s)
{
    k->n = n;
    k->padded = lazy_min_padded(n);
    k->v = malloc(k->padded * sizeof *k->v);
    k->bound = malloc(lazy_min_bounds(k->padded) * sizeof *k->bound);
    lazy_min_init(&k->l, k->padded, k->bound, lazy_min_bits(FLT_MAX));
    k->l.key = k->v;
    k->l.times = NULL;
    for (uint32_t i = 0; i < k->padded; i++)
        k->v[i] = FLT_MAX;
    for (uint32_t i = 0; i < n; i++) {
        k->v[i] = (float)(mix64_next(s) % 1000) - 500.5f; /* many are equal, signs do not matter */
        lazy_min_lower(&k->l, i, lazy_min_bits(k->v[i]));
    }
}

static void done(struct keys *k)
{
    free(k->v);
    free(k->bound);
}

static uint32_t first_smallest(const struct keys *k)
{
    uint32_t at = 0;
    for (uint32_t i = 1; i < k->n; i++)
        if (lazy_min_bits(k->v[i]) < lazy_min_bits(k->v[at])) at = i;
    return at;
}

static void check_bounds(const struct keys *k)
{
    for (uint32_t i = 0; i < k->n; i++)
        ck_assert(!lazy_min_breaks(&k->l, i, lazy_min_bits(k->v[i])));
}

static void change(struct keys *k, uint32_t i, float v)
{
    k->v[i] = v;
    lazy_min_lower(&k->l, i, lazy_min_bits(v));
}

static void found_among(uint32_t n, uint32_t levels, int searches, int changes)
{
    struct keys k;
    uint64_t s = n;
    make(&k, n, &s);
    ck_assert_uint_eq(k.l.levels, levels);
    for (int t = 0; t < searches; t++) {
        int32_t key;
        uint32_t i = lazy_min_find(&k.l, &key);
        ck_assert_uint_eq(i, first_smallest(&k));
        ck_assert_int_eq(key, lazy_min_bits(k.v[i]));
        change(&k, i, k.v[i] * 3 + 1); /* like a replacement */
        for (int c = 0; c < changes; c++)
            change(&k, (uint32_t)(mix64_next(&s) % n), (float)(mix64_next(&s) % 3000) / 7);
        if (t % 64 == 40) lazy_min_forget(&k.l);
        if (t % 64 == 50) {
            for (uint32_t m = 0; m < n; m++)
                k.v[m] *= 0.37f;
            lazy_min_scale(&k.l, 0.37f);
        }
        if (t % 32 == 0) check_bounds(&k);
    }
    check_bounds(&k);
    done(&k);
}

/* ---- upper halves ---- */

static float whole(uint16_t half) { return float_of_bits((uint32_t)half << 16); }

/* Searches the same keys twice, as the upper two bytes of floats and as these floats. Both find the
 * same one. */
static void halves_found_among(uint32_t n, int searches, int changes)
{
    struct keys k;
    uint64_t s = n;
    make(&k, n, &s);
    uint16_t *half = malloc(k.padded * sizeof *half);
    lazy_min_init(&k.l, k.padded, k.bound, lazy_min_bits(FLT_MAX));
    k.l.key = half;
    k.l.upper_halves = true;
    for (uint32_t i = 0; i < k.padded; i++) {
        half[i] = (uint16_t)(i < n ? mix64_next(&s) % 3 << 15 | mix64_next(&s) % 0x7f00 : 0x7f7f);
        k.v[i] = whole(half[i]);
        if (i < n) lazy_min_lower(&k.l, i, lazy_min_bits(k.v[i]));
    }
    for (int t = 0; t < searches; t++) {
        int32_t key;
        uint32_t i = lazy_min_find(&k.l, &key);
        ck_assert_uint_eq(i, first_smallest(&k));
        ck_assert_int_eq(key, lazy_min_bits(k.v[i]));
        for (int c = 0; c <= changes; c++) { /* the minimum, then others; some are equal */
            uint32_t j = c ? (uint32_t)(mix64_next(&s) % n) : i;
            half[j] = (uint16_t)(0x3f00 + mix64_next(&s) % 512 + mix64_next(&s) % 2 * 0x8000);
            change(&k, j, whole(half[j]));
        }
        if (t % 64 == 40) lazy_min_forget(&k.l);
        if (t % 32 == 0) check_bounds(&k);
    }
    free(half);
    done(&k);
}

/* ---- products ---- */

/* Keys that are products of two arrays; both are whole numbers of eighths, so products are
 * exact. */
static void products_found_among(uint32_t n, int searches)
{
    struct keys k;
    uint64_t s = n;
    make(&k, n, &s);
    float *own = malloc(k.padded * sizeof *own), *times = malloc(k.padded * sizeof *times);
    lazy_min_init(&k.l, k.padded, k.bound, lazy_min_bits(FLT_MAX));
    k.l.key = own;
    k.l.times = times;
    for (uint32_t i = 0; i < k.padded; i++) {
        own[i] = i < n ? (float)(1 + mix64_next(&s) % 900) / 8 : FLT_MAX;
        times[i] = i < n ? (float)(1 + mix64_next(&s) % 900) / 8 : 1;
        if (i < n) change(&k, i, own[i] * times[i]);
    }
    for (int t = 0; t < searches; t++) {
        int32_t key;
        uint32_t i = lazy_min_find(&k.l, &key);
        ck_assert_uint_eq(i, first_smallest(&k));
        ck_assert_int_eq(key, lazy_min_bits(k.v[i]));
        own[i] = (float)(mix64_next(&s) % 1800) / 8 - 112; /* signs do not matter */
        times[i] = (float)(1 + mix64_next(&s) % 900) / 8;
        change(&k, i, own[i] * times[i]);
        if (t % 64 == 40) lazy_min_forget(&k.l);
        if (t % 32 == 0) check_bounds(&k);
    }
    free(own);
    free(times);
    done(&k);
}

START_TEST(among_products)
{
    static const uint32_t n[] = {1, 2, 63, 64, 65, 1000, 4097};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        products_found_among(n[i], 300);
}
END_TEST

START_TEST(among_upper_halves)
{
    static const uint32_t n[] = {1, 2, 63, 64, 65, 1000, 4097};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        halves_found_among(n[i], 1000, 5);
    halves_found_among(64 * 512 + 1, 300, 20);
}
END_TEST

START_TEST(among_few_keys)
{
    static const uint32_t n[] = {1, 2, 63, 64, 65, 1000, 1024, 4097, 64 * 512};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        found_among(n[i], 1, 300, 5);
}
END_TEST

START_TEST(among_so_many_that_bounds_have_bounds)
{
    found_among(64 * 512 + 1, 2, 1000, 20);
    found_among(100001, 2, 500, 100);
    found_among(64 * 64 * 512, 2, 40, 1000);
    found_among(64 * 64 * 512 + 1, 3, 40, 1000);
}
END_TEST

static void levels_fit(uint32_t n)
{
    struct lazy_min l;
    size_t all = 0;
    int32_t *bound = malloc(lazy_min_bounds(n) * sizeof *bound);
    lazy_min_init(&l, n, bound, 7);
    ck_assert_uint_le(l.levels, LAZY_MIN_LEVELS);
    for (uint32_t k = 0; k < l.levels; k++)
        all += l.n[k];
    ck_assert_uint_eq(all, lazy_min_bounds(n));
    free(bound);
}

START_TEST(all_levels_are_within_their_memory)
{
    levels_fit(64 * 512); /* fills all bounds of one level, then one more */
    levels_fit(64 * 512 + 64);
    for (uint64_t n = 64; n < 1u << 31; n += n / 3 / 64 * 64 + 64)
        if (n > 1 << 24) /* too large to fill here: the count alone */
            ck_assert_uint_lt(lazy_min_bounds((uint32_t)n), n / 63 + 4);
        else
            levels_fit((uint32_t)n);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    int32_t key[LAZY_MIN_BLOCK] = {5, 3, 9}, bound[8], smallest;
    struct lazy_min l;
    for (int i = 3; i < LAZY_MIN_BLOCK; i++)
        key[i] = INT32_MAX;
    ck_assert(lazy_min_bounds(LAZY_MIN_BLOCK) <= 8);
    lazy_min_init(&l, LAZY_MIN_BLOCK, bound, 0);
    l.key = key;
    ck_assert(lazy_min_find(&l, &smallest) == 1 && smallest == 3 && l.bound[0][0] == 3);
    key[1] = 7;
    ck_assert(lazy_min_find(&l, &smallest) == 0 && smallest == 5);
}
END_TEST

LEAT_SUITE("lowest", among_products, among_few_keys, among_so_many_that_bounds_have_bounds,
           among_upper_halves, all_levels_are_within_their_memory,
           the_example_of_the_header_is_what_happens)
