/* fuzz.h -- common part of the fuzz targets. */
#ifndef LEAT_TESTS_FUZZ_H
#define LEAT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An assertion that stays in every build. */
static inline void must(int fact)
{
    if (!fact) abort();
}

/* Returns a copy of exactly n bytes, so that a sanitizer sees every read past them. free() it. */
static inline void *exactly(const void *bytes, size_t n)
{
    void *copy = malloc(n + !n);
    must(copy != NULL);
    memcpy(copy, bytes, n);
    return copy;
}

/* Returns an exact copy, ended by NUL. */
static inline char *exact_text(const void *bytes, size_t n)
{
    char *copy = malloc(n + 1);
    must(copy != NULL);
    memcpy(copy, bytes, n);
    copy[n] = 0;
    return copy;
}

#endif
