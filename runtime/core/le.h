/* le.h -- little-endian numbers, on a machine of either byte order. */
#ifndef LEAT_CORE_LE_H
#define LEAT_CORE_LE_H

#include <stddef.h>
#include <stdint.h>

/* Writes the low `size` bytes of v to p; 1 <= size <= 8. */
static inline void le_put(void *p, uint64_t v, size_t size)
{
    unsigned char *to = (unsigned char *)p;
    for (size_t i = 0; i < size; i++)
        to[i] = (unsigned char)(v >> (8 * i));
}

/* Reads a number of `size` bytes from p; 1 <= size <= 8. */
static inline uint64_t le_get(const void *p, size_t size)
{
    const unsigned char *from = (const unsigned char *)p;
    uint64_t v = 0;
    for (size_t i = 0; i < size; i++)
        v |= (uint64_t)from[i] << (8 * i);
    return v;
}

static inline uint32_t le_get32(const void *p) { return (uint32_t)le_get(p, 4); }

/* True if this machine's own numbers are little-endian. The functions below then change nothing. */
enum { LE_NATIVE = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ };

/* Converts a number between this machine's byte order and little-endian. */
static inline uint64_t le_turned64(uint64_t v) { return LE_NATIVE ? v : __builtin_bswap64(v); }
static inline uint32_t le_turned32(uint32_t v) { return LE_NATIVE ? v : __builtin_bswap32(v); }

/* Converts n numbers of `size` bytes each, at any address. */
static inline void le_turn(void *p, size_t size, size_t n)
{
    unsigned char *at = (unsigned char *)p;
    for (size_t k = 0; !LE_NATIVE && k < n; k++, at += size)
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char c = at[i];
            at[i] = at[size - 1 - i];
            at[size - 1 - i] = c;
        }
}

/* Converts the members of a struct without gaps. sizes: the bytes of each, as "884" for two
 * doubles and a float. */
static inline void le_turn_members(void *p, const char *sizes)
{
    unsigned char *at = (unsigned char *)p;
    for (; !LE_NATIVE && *sizes; at += *sizes++ - '0')
        le_turn(at, (size_t)(*sizes - '0'), 1);
}

#endif
