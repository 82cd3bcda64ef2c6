/* byte_mask.h -- where a byte is among 64 bytes, as a mask of 64 bits.
 *
 * Bit i of a mask is 1 if byte i is equal. Searches for several bytes, or for several hits, are
 * faster with masks than with memchr: the mask is computed once, and yields hits in order by
 * counting trailing zeros.
 *
 *   example   "a,b,,c"   mask of ',': bits 1, 3 and 4 */
#ifndef LEAT_CORE_TEXT_BYTE_MASK_H
#define LEAT_CORE_TEXT_BYTE_MASK_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/le.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BYTE_MASK = 64 }; /* bytes of a mask */

/* Returns the mask of byte c in p[0, 64), without vectors. XOR with c in every byte makes each hit
 * a zero byte, whose high bit is then set without carries. A multiplication gathers eight such
 * bits. */
static inline uint64_t byte_mask_plain(const char *p, char c)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    uint64_t mask = 0;
    for (unsigned i = 0; i < BYTE_MASK; i += 8) {
        uint64_t w;
        memcpy(&w, p + i, sizeof w);
        w = le_turned64(w);
        w ^= ones * (unsigned char)c;
        w = ~(((w & low) + low) | w | low) >> 7;
        mask |= (w * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return mask;
}

#if defined(__SSE2__)
/* Returns the mask of the bytes in p[0, 16) that equal the bytes of `all`. */
static inline uint64_t byte_mask_16(const char *p, __m128i all)
{
    const __m128i hits = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), all);
    return (uint32_t)_mm_movemask_epi8(hits);
}
#endif

/* Returns the mask of byte c in p[0, 64). Without a loop, which gcc -O2 would keep. */
static inline uint64_t byte_mask(const char *p, char c)
{
#if defined(__SSE2__)
    const __m128i all = _mm_set1_epi8(c);
    const uint64_t low = byte_mask_16(p, all) | byte_mask_16(p + 16, all) << 16;
    return low | byte_mask_16(p + 32, all) << 32 | byte_mask_16(p + 48, all) << 48;
#else
    return byte_mask_plain(p, c);
#endif
}

/* Returns the mask of byte c in p[0, n); n < 64. Reads no byte behind them. */
static inline uint64_t byte_mask_of_end(const char *p, size_t n, char c)
{
    uint64_t mask = 0;
    for (size_t i = 0; i < n; i++)
        mask |= (uint64_t)(p[i] == c) << i;
    return mask;
}

#endif
