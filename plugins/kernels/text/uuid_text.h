/* uuid_text.h -- writes a UUID as text: f81d4fae-7dec-11d0-a765-00a0c91e6bf6. */
#ifndef LEAT_KERNELS_TEXT_UUID_TEXT_H
#define LEAT_KERNELS_TEXT_UUID_TEXT_H

#include <stddef.h>
#include <stdint.h>

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

/* Writes the 16 bytes at `from`, without a zero at the end. Returns UUID_TEXT. */
static inline size_t uuid_text(const uint8_t *from, char to[UUID_TEXT])
{
    static const char digits[] = "0123456789abcdef";
    char *at = to;
    for (int i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
        *at++ = digits[from[i] >> 4];
        *at++ = digits[from[i] & 15];
    }
    return UUID_TEXT;
}

#endif
