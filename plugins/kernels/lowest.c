/* lowest.c -- the smallest key by bounds of blocks; see lowest.h. */
#include "plugins/kernels/lowest.h"

#include <stdbool.h>

/* Written in vectors (an extension that gcc and clang have for every processor): this is what each
 * replacement waits for. */
typedef int32_t lanes __attribute__((vector_size(16)));
typedef float float_lanes __attribute__((vector_size(16)));

static inline lanes smaller(lanes a, lanes v)
{
    lanes less = v < a;
    return (v & less) | (a & ~less);
}

static inline lanes load(const char *p)
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

/* Smallest of n keys; n a multiple of 16. */
static int32_t smallest(const void *key, uint32_t n)
{
    lanes a = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, b = a, c = a, d = a;
    for (const char *p = key, *end = p + (size_t)n * 4; p < end; p += 64) {
        a = smaller(a, load(p));
        b = smaller(b, load(p + 16));
        c = smaller(c, load(p + 32));
        d = smaller(d, load(p + 48));
    }
    return smallest_lane(smaller(smaller(a, b), smaller(c, d)));
}

static int32_t smallest_product(const void *key, const float *times)
{
    lanes a = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, b = a;
    const char *p = key, *q = (const char *)times;
    for (size_t i = 0; i < LOWEST_BLOCK * 4; i += 32) {
        a = smaller(a, load_product(p + i, q + i));
        b = smaller(b, load_product(p + i + 16, q + i + 16));
    }
    return smallest_lane(smaller(a, b));
}

enum { STRIDE = 16 };

/* Is one of the STRIDE keys from i on `key`? */
static bool has(const void *keys, uint32_t i, int32_t key)
{
    const char *p = (const char *)keys + (size_t)i * 4;
    lanes any =
        (load(p) == key) | (load(p + 16) == key) | (load(p + 32) == key) | (load(p + 48) == key);
    uint64_t half[2];
    memcpy(half, &any, sizeof half);
    return half[0] | half[1];
}

static int32_t key_at(const struct lowest *l, size_t i)
{
    const char *p = (const char *)l->key + 4 * i;
    int32_t bits;
    float v;
    memcpy(&bits, p, 4);
    memcpy(&v, p, 4);
    return l->times ? lowest_bits(v * l->times[i]) : bits & INT32_MAX;
}

/* The first block with the lowest bound. Few bounds are compared without branches, whose outcomes
 * nobody can predict. */
static uint32_t lowest_block(const struct lowest *l)
{
    const int32_t *const bound = l->bound;
    uint32_t n = l->blocks, b = 0;
    if (n < 16) {
        int32_t min = bound[0];
        for (uint32_t i = 1; i < n; i++) {
            uint32_t less = -(uint32_t)(bound[i] < min); /* all ones, or zero */
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

static int32_t smallest_in(const struct lowest *l, uint32_t b)
{
    const char *key = (const char *)l->key + (size_t)b * LOWEST_BLOCK * 4;
    if (l->times) return smallest_product(key, l->times + (size_t)b * LOWEST_BLOCK);
    return smallest(key, LOWEST_BLOCK);
}

void lowest_forget(struct lowest *l) { memset(l->bound, 0, l->blocks * sizeof *l->bound); }

uint32_t lowest_find(struct lowest *l, int32_t *key)
{
    /* A block that is still the lowest after its bound became exact holds the minimum: every other
     * block's bound, and so its content, is above, or equal with higher slots. */
    uint32_t b = lowest_block(l), last = UINT32_MAX;
    while (b != last) {
        l->bound[b] = smallest_in(l, b);
        last = b;
        b = lowest_block(l);
    }
    *key = l->bound[b];
    uint32_t i = b * LOWEST_BLOCK;
    while (!l->times && !has(l->key, i, *key))
        i += STRIDE;
    while (key_at(l, i) != *key)
        i++;
    return i;
}
