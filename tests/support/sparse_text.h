/* sparse_text.h -- random words of sparse text (libsvm, libffm, VW), and records with wrong
 * bytes. */
#ifndef LEAT_TESTS_SUPPORT_SPARSE_TEXT_H
#define LEAT_TESTS_SUPPORT_SPARSE_TEXT_H

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "random.h"

/* Write a word and its NUL to `out`, and return its length. */

static inline size_t sparse_number(uint64_t *s, char *out)
{
    double v = (double)(int64_t)mix64_next(s) / 9.3e18;
    switch (below(s, 8)) {
    case 0:
        return (size_t)sprintf(out, "1");
    case 1:
        return (size_t)sprintf(out, "%d", (int)below(s, 100000) - 50000);
    case 2:
        return (size_t)sprintf(out, "%.*f", 1 + (int)below(s, 9), v);
    case 3:
        return (size_t)sprintf(out, "%.6g", fabs(v));
    case 4:
        return (size_t)sprintf(out, "%.*g", 1 + (int)below(s, 18), v);
    case 5:
        return (size_t)sprintf(out, "%.*e", (int)below(s, 9), v);
    case 6:
        return (size_t)sprintf(out, "%.3f", v * 1000);
    default:
        return (size_t)sprintf(out, "%u", below(s, 12));
    }
}

static inline size_t sparse_index(uint64_t *s, char *out)
{
    return (size_t)sprintf(out, "%" PRIu64, mix64_next(s) >> below(s, 64));
}

/* Replaces, inserts or drops one to three bytes of `text`, which grows by at most three. `bytes`
 * are the bytes with a meaning. */
static inline void sparse_spoil(uint64_t *s, const char *bytes, char *text)
{
    for (unsigned k = 1 + below(s, 3); k; k--) {
        size_t n = strlen(text), i = below(s, (unsigned)n + 1);
        char c = bytes[below(s, (unsigned)strlen(bytes))];
        switch (below(s, 3)) {
        case 0:
            if (i < n) text[i] = c;
            break;
        case 1:
            memmove(text + i + 1, text + i, n - i + 1);
            text[i] = c;
            break;
        default:
            if (i < n) memmove(text + i, text + i + 1, n - i);
        }
    }
}

#endif
