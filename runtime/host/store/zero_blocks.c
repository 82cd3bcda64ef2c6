/* zero_blocks.c -- implementation of zero_blocks.h.
 *
 * Works on one word of the bitmap at a time, whose 64 bits describe 64 blocks. If all of these
 * blocks are zeros, nothing is copied. If none of them is all zeros, one memcpy copies them all. */
#include "zero_blocks.h"

#include <stdint.h>
#include <string.h>

#include "core/le.h"

enum { BLOCK = ZERO_BLOCKS_BLOCK, BITS = 64, SAMPLE = 64, MIN_BYTES = 4096 };

static size_t blocks_of(size_t n) { return n / BLOCK + (n % BLOCK != 0); }

size_t zero_blocks_bitmap(size_t n)
{
    size_t words = blocks_of(n) / BITS + (blocks_of(n) % BITS != 0);
    return (words * 8 + BLOCK - 1) & ~(size_t)(BLOCK - 1);
}

size_t zero_blocks_max(size_t n) { return zero_blocks_bitmap(n) + blocks_of(n) * BLOCK; }

static bool is_zero(const char *block)
{
    uint64_t word[BLOCK / 8], any = 0;
    memcpy(word, block, BLOCK);
    for (int i = 0; i < BLOCK / 8; i++)
        any |= word[i];
    return !any;
}

bool zero_blocks_pays(const void *bytes, size_t n)
{
    size_t blocks = n / BLOCK, zeros = 0;
    if (n <= MIN_BYTES) return false;
    for (size_t i = 0; i < SAMPLE; i++)
        zeros += (size_t)is_zero((const char *)bytes + blocks * i / SAMPLE * BLOCK);
    return zeros > SAMPLE / 2;
}

/* Returns a word of the bitmap: bit i is 1 if block i at p is not all zeros. */
static uint64_t zero_blocks_look(const char *p, size_t blocks)
{
    uint64_t there = 0;
    for (size_t i = 0; i < blocks; i++)
        there |= (uint64_t)!is_zero(p + i * BLOCK) << i;
    return there;
}

/* Copies the blocks at p whose bits in `there` are 1. Returns the place after them. */
static char *put_blocks(char *to, const char *p, uint64_t there)
{
    if (there == UINT64_MAX) return (char *)memcpy(to, p, BITS * BLOCK) + BITS * BLOCK;
    for (; there; there &= there - 1, to += BLOCK)
        memcpy(to, p + __builtin_ctzll(there) * BLOCK, BLOCK);
    return to;
}

size_t zero_blocks_put(char *to, const void *bytes, size_t n)
{
    const char *p = bytes;
    size_t whole = n / BLOCK, bitmap = zero_blocks_bitmap(n), k = 0;
    char *out = to + bitmap, last[BLOCK] = {0};
    memset(to, 0, bitmap);
    for (; k + BITS <= whole; k += BITS) {
        uint64_t there = zero_blocks_look(p + k * BLOCK, BITS);
        le_put(to + k / 8, there, 8);
        out = put_blocks(out, p + k * BLOCK, there);
    }
    uint64_t there = zero_blocks_look(p + k * BLOCK, whole - k);
    out = put_blocks(out, p + k * BLOCK, there);
    if (n % BLOCK) memcpy(last, p + whole * BLOCK, n % BLOCK);
    if (!is_zero(last)) {
        there |= (uint64_t)1 << (whole - k);
        out = (char *)memcpy(out, last, BLOCK) + BLOCK;
    }
    if (there) le_put(to + k / 8, there, 8);
    return (size_t)(out - to);
}

size_t zero_blocks_length(const char *from, size_t available, size_t n)
{
    size_t bitmap = zero_blocks_bitmap(n), blocks = blocks_of(n), there = 0;
    if (bitmap > available) return 0;
    for (size_t k = 0; k < bitmap * 8; k += BITS) {
        uint64_t word = le_get(from + k / 8, 8);
        size_t left = blocks > k ? blocks - k : 0;
        if (left < BITS && word >> left) return 0; /* bits of blocks after the end */
        there += (size_t)__builtin_popcountll(word);
    }
    return there <= (available - bitmap) / BLOCK ? bitmap + there * BLOCK : 0;
}

void zero_blocks_get(char *to, const char *from, size_t n)
{
    size_t blocks = blocks_of(n);
    const char *in = from + zero_blocks_bitmap(n);
    for (size_t k = 0; k < blocks; k += BITS)
        for (uint64_t there = le_get(from + k / 8, 8); there; there &= there - 1, in += BLOCK) {
            size_t at = (k + (size_t)__builtin_ctzll(there)) * BLOCK;
            memcpy(to + at, in, n - at < BLOCK ? n - at : BLOCK);
        }
}
