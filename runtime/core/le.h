/* le.h -- reads and writes unsigned little-endian numbers of 1 to 8 bytes at any address. */
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

#endif
