/* zeroed.h -- zeroed memory for tests and benchmarks, aligned for kernels. */
#ifndef LEAT_TESTS_SUPPORT_ZEROED_H
#define LEAT_TESTS_SUPPORT_ZEROED_H

#include <stdlib.h>
#include <string.h>

/* Returns at least one byte; free() it. Ends the program if there is no memory. */
static inline void *zeroed(size_t bytes)
{
    size_t whole = bytes ? (bytes + 63) & ~(size_t)63 : 64;
    void *p = aligned_alloc(64, whole);
    if (!p) abort();
    return memset(p, 0, whole);
}

#endif
