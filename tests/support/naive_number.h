/* naive_number.h -- a whole word as a number, by strtod and strtoull, in the C locale. */
#ifndef LEAT_TESTS_SUPPORT_NAIVE_NUMBER_H
#define LEAT_TESTS_SUPPORT_NAIVE_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum naive_number { NAIVE_OK, NAIVE_NONE, NAIVE_NONFINITE };

static inline enum naive_number naive_number(const char *text, double *value)
{
    static const char *const words[] = {"inf", "infinity", "nan"};
    const char *bare = text + (*text == '+' || *text == '-');
    for (int i = 0; i < 3; i++)
        if (strcasecmp(bare, words[i]) == 0) return NAIVE_NONFINITE;
    char *end;
    if (!*text || text[strspn(text, "0123456789+-.eE")]) return NAIVE_NONE;
    *value = strtod(text, &end);
    if (*end) return NAIVE_NONE;
    return isfinite((float)*value) ? NAIVE_OK : NAIVE_NONFINITE;
}

static inline bool naive_index(const char *text, uint64_t *id)
{
    static const char largest[] = "18446744073709551615";
    if (!*text || text[strspn(text, "0123456789")]) return false;
    while (*text == '0' && text[1])
        text++;
    size_t n = strlen(text);
    if (n > 20 || (n == 20 && strcmp(text, largest) > 0)) return false;
    *id = strtoull(text, NULL, 10);
    return true;
}

#endif
