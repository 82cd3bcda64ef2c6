/* lowest.h -- the smallest of many keys that change all the time, when it is seldom asked for.
 *
 * Instead of a heap, which each change of a key would reorder: lower bounds, one for each 64 keys.
 * A key that falls lowers its block's bound; one that rises costs nothing. Only a search for the
 * minimum makes bounds exact, and mostly those of one block: it reads the bounds, scans the block
 * with the lowest one, and is done when that block still is the lowest.
 *
 * Keys are non-negative floats or integers below 2^31, compared by their bits; signs are ignored,
 * so a float's key is its magnitude. With `times`, key i is |key[i] * times[i]|, floats.
 */
#ifndef KERNEL_LOWEST_H
#define KERNEL_LOWEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { LOWEST_BLOCK = 64 };

struct lowest {
    uint32_t blocks;
    const void *key;    /* blocks * LOWEST_BLOCK keys of four bytes */
    const float *times; /* the same number, or NULL                 */
    int32_t *bound;     /* blocks                                   */
};

/* n rounded up to whole blocks: keys past the last one in use must never be the smallest. */
static inline uint32_t lowest_padded(uint32_t n)
{
    return (n + LOWEST_BLOCK - 1) / LOWEST_BLOCK * LOWEST_BLOCK;
}

static inline int32_t lowest_bits(float v)
{
    int32_t bits;
    memcpy(&bits, &v, 4);
    return bits & INT32_MAX;
}

/* Key i became v. */
static inline void lowest_lower(struct lowest *l, uint32_t i, int32_t v)
{
    int32_t *b = &l->bound[i / LOWEST_BLOCK];
    *b = v < *b ? v : *b;
}

/* Forget the bounds: all keys may have fallen. */
void lowest_forget(struct lowest *l);
/* The first of the smallest keys, and that key. */
uint32_t lowest_find(struct lowest *l, int32_t *key);

#endif
