/* lazy_min.c -- implementation of lazy_min.h */
#include "lazy_min.h"

#include <assert.h>
#include <string.h>

/* Uses vectors, an extension of gcc and clang for all processors, because each replacement of a
 * member waits for this search. */
typedef int32_t lanes __attribute__((vector_size(16)));
typedef float float_lanes __attribute__((vector_size(16)));

static inline lanes smaller(lanes a, lanes v)
{
    lanes less = v < a;
    return (v & less) | (a & ~less);
}

static inline lanes lazy_min_load(const char *p)
{
    lanes v;
    memcpy(&v, p, sizeof v);
    return v & INT32_MAX;
}

static inline lanes load_product(const char *p, const char *q)
{
    float_lanes a, b;
    lanes v;
    memcpy(&a, p, sizeof a);
    memcpy(&b, q, sizeof b);
    a *= b;
    memcpy(&v, &a, sizeof v);
    return v & INT32_MAX;
}

static int32_t smallest_lane(lanes a)
{
    int32_t min = a[0];
    for (int k = 1; k < 4; k++)
        min = a[k] < min ? a[k] : min;
    return min;
}

/* Returns the smallest of n keys of four bytes. n is a multiple of 16. */
static int32_t smallest(const void *key, uint32_t n)
{
    lanes a = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, b = a, c = a, d = a;
    for (const char *p = key, *end = p + (size_t)n * 4; p < end; p += 64) {
        a = smaller(a, lazy_min_load(p));
        b = smaller(b, lazy_min_load(p + 16));
        c = smaller(c, lazy_min_load(p + 32));
        d = smaller(d, lazy_min_load(p + 48));
    }
    return smallest_lane(smaller(smaller(a, b), smaller(c, d)));
}

static int32_t smallest_product(const void *key, const float *times)
{
    lanes a = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, b = a;
    const char *p = key, *q = (const char *)times;
    for (size_t i = 0; i < LAZY_MIN_BLOCK * 4; i += 32) {
        a = smaller(a, load_product(p + i, q + i));
        b = smaller(b, load_product(p + i + 16, q + i + 16));
    }
    return smallest_lane(smaller(a, b));
}

/* Vector of two-byte keys. */
typedef int16_t half_lanes __attribute__((vector_size(16)));

static inline half_lanes load_halves(const uint16_t *p)
{
    half_lanes v;
    memcpy(&v, p, sizeof v);
    return v & INT16_MAX;
}

static inline half_lanes smaller_halves(half_lanes a, half_lanes v)
{
    half_lanes less = v < a;
    return (v & less) | (a & ~less);
}

static int32_t smallest_half(const uint16_t *key)
{
    half_lanes a = load_halves(key), b = load_halves(key + 8);
    for (size_t i = 16; i < LAZY_MIN_BLOCK; i += 16) {
        a = smaller_halves(a, load_halves(key + i));
        b = smaller_halves(b, load_halves(key + i + 8));
    }
    a = smaller_halves(a, b);
    int16_t min = a[0];
    for (int k = 1; k < 8; k++)
        min = a[k] < min ? a[k] : min;
    return (int32_t)((uint32_t)min << 16);
}

enum { STRIDE = 16 };

/* True if one of the STRIDE keys from index i on equals `key`. */
static bool lazy_min_has(const void *keys, uint32_t i, int32_t key)
{
    const char *p = (const char *)keys + (size_t)i * 4;
    lanes any = (lazy_min_load(p) == key) | (lazy_min_load(p + 16) == key) |
                (lazy_min_load(p + 32) == key) | (lazy_min_load(p + 48) == key);
    uint64_t half[2];
    memcpy(half, &any, sizeof half);
    return half[0] | half[1];
}

static int32_t key_at(const struct lazy_min *l, size_t i)
{
    if (l->upper_halves)
        return (int32_t)((uint32_t)(((const uint16_t *)l->key)[i] & INT16_MAX) << 16);
    const char *p = (const char *)l->key + 4 * i;
    int32_t bits;
    float v;
    memcpy(&bits, p, 4);
    memcpy(&v, p, 4);
    return l->times ? lazy_min_bits(v * l->times[i]) : bits & INT32_MAX;
}

/* Returns the index of the first of the lowest of n bounds. Compares few bounds without branches,
 * since these would be unpredictable. */
static uint32_t first_lowest(const int32_t *bound, uint32_t n)
{
    uint32_t b = 0;
    if (n < 16) {
        int32_t min = bound[0];
        for (uint32_t i = 1; i < n; i++) {
            uint32_t less = -(uint32_t)(bound[i] < min); /* all ones if bound[i] is less, else 0 */
            min = bound[i] < min ? bound[i] : min;
            b ^= (b ^ i) & less;
        }
        return b;
    }
    int32_t min = smallest(bound, n & ~15u);
    for (uint32_t i = n & ~15u; i < n; i++)
        if (bound[i] < min) min = bound[i];
    while (bound[b] != min)
        b++;
    return b;
}

static int32_t smallest_in(const struct lazy_min *l, uint32_t b)
{
    if (l->upper_halves)
        return smallest_half((const uint16_t *)l->key + (size_t)b * LAZY_MIN_BLOCK);
    const char *key = (const char *)l->key + (size_t)b * LAZY_MIN_BLOCK * 4;
    if (l->times) return smallest_product(key, l->times + (size_t)b * LAZY_MIN_BLOCK);
    return smallest(key, LAZY_MIN_BLOCK);
}

/* ---- levels ---- */

enum { TOP = 512 }; /* most bounds that a search reads one after the other */

static uint32_t groups_of(uint32_t n) { return (n + LAZY_MIN_BLOCK - 1) / LAZY_MIN_BLOCK; }

size_t lazy_min_bounds(uint32_t n)
{
    size_t all = 0;
    for (n = groups_of(n); n > TOP; n = groups_of(n))
        all += n;
    return all + n;
}

void lazy_min_init(struct lazy_min *l, uint32_t n, int32_t *bound, int32_t v)
{
    assert(n && n % LAZY_MIN_BLOCK == 0);
    l->levels = 0;
    l->upper_halves = false;
    l->times = NULL;
    do {
        n = groups_of(n);
        l->n[l->levels] = n;
        l->bound[l->levels++] = bound;
        bound += n;
    } while (n > TOP);
    for (int32_t *b = l->bound[0]; b < bound; b++)
        *b = v;
}

void lazy_min_lower_above(struct lazy_min *l, uint32_t b, int32_t v)
{
    for (uint32_t k = 1; k < l->levels; k++) {
        b /= LAZY_MIN_BLOCK;
        if (l->bound[k][b] <= v) return; /* the higher levels are at most v too */
        l->bound[k][b] = v;
    }
}

void lazy_min_forget(struct lazy_min *l)
{
    for (uint32_t k = 0; k < l->levels; k++)
        memset(l->bound[k], 0, l->n[k] * sizeof *l->bound[k]);
}

/* Bounds stay valid, because multiplying and rounding keep the order. */
void lazy_min_scale(struct lazy_min *l, float a)
{
    assert(a > 0 && a <= 1);
    for (uint32_t k = 0; k < l->levels; k++)
        for (uint32_t b = 0; b < l->n[k]; b++) {
            float v = float_of_bits((uint32_t)l->bound[k][b]);
            l->bound[k][b] = lazy_min_bits(v * a);
        }
}

bool lazy_min_breaks(const struct lazy_min *l, uint32_t i, int32_t v)
{
    bool breaks = false;
    for (uint32_t k = 0; k < l->levels; k++)
        breaks |= v < l->bound[k][i /= LAZY_MIN_BLOCK];
    return breaks;
}

/* ---- searching ---- */

/* Walks from the lowest bound of the top level down to a block. If all bounds on the way are exact,
 * sets *block to this block, which has the minimum, and returns true. Otherwise makes the first
 * inexact bound exact and returns false: the next walk may take another way. */
static bool descend(struct lazy_min *l, uint32_t *block)
{
    uint32_t k = l->levels - 1, b = first_lowest(l->bound[k], l->n[k]);
    for (; k > 0; k--) {
        uint32_t first = b * LAZY_MIN_BLOCK, left = l->n[k - 1] - first;
        const int32_t *below = &l->bound[k - 1][first];
        uint32_t i = first_lowest(below, left < LAZY_MIN_BLOCK ? left : LAZY_MIN_BLOCK);
        bool exact = l->bound[k][b] == below[i];
        l->bound[k][b] = below[i];
        if (!exact) return false;
        b = first + i;
    }
    int32_t min = smallest_in(l, b);
    bool exact = l->bound[0][b] == min;
    l->bound[0][b] = min;
    *block = b;
    return exact;
}

uint32_t lazy_min_find(struct lazy_min *l, int32_t *key)
{
    /* After an exact walk, the keys of all other blocks are higher, or are equal and come later. */
    uint32_t b;
    while (!descend(l, &b)) {
    }
    *key = l->bound[0][b];
    uint32_t i = b * LAZY_MIN_BLOCK;
    while (!l->times && !l->upper_halves && !lazy_min_has(l->key, i, *key))
        i += STRIDE;
    while (key_at(l, i) != *key)
        i++;
    return i;
}
