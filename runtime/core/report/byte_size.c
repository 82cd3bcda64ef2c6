/* byte_size.c -- implementation of byte_size.h: chooses B, KB or MB by the number's size. */
#include "byte_size.h"

#include <inttypes.h>
#include <stdio.h>

const char *byte_size(uint64_t bytes, char out[BYTE_SIZE_TEXT])
{
    if (bytes < 10000)
        snprintf(out, BYTE_SIZE_TEXT, "%" PRIu64 " B", bytes);
    else if (bytes < 1 << 20)
        snprintf(out, BYTE_SIZE_TEXT, "%.1f KB", (double)bytes / (1 << 10));
    else
        snprintf(out, BYTE_SIZE_TEXT, "%.1f MB", (double)bytes / (1 << 20));
    return out;
}
