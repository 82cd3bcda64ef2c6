/* memory_cure.c -- see memory_cure.h. */
#include "memory_cure.h"

#include <stdio.h>

#include "process_memory.h"
#include "core/report/byte_size.h"

const char *memory_cure(char out[MEMORY_CURE_TEXT])
{
    char limit[BYTE_SIZE_TEXT], used[BYTE_SIZE_TEXT];
    uint64_t most = process_memory_limit();
    if (most == UINT64_MAX)
        snprintf(out, MEMORY_CURE_TEXT, "free memory");
    else
        snprintf(out, MEMORY_CURE_TEXT, "raise the limit of %s (ulimit -v), of which %s are in use",
                 byte_size(most, limit), byte_size(process_memory_mapped(), used));
    return out;
}
