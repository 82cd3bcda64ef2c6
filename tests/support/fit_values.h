/* fit_values.h -- columns and values for tests of what writes them (kernels/encode). */
#ifndef LEAT_TESTS_SUPPORT_FIT_VALUES_H
#define LEAT_TESTS_SUPPORT_FIT_VALUES_H

#include <stdio.h>
#include <string.h>

#include "kernels/encode/fit.h"
#include "kernels/encode/fit_binding.h"

#define COL(NAME, KIND)                                                                            \
    {                                                                                              \
        .name = NAME, .kind = FIT_##KIND                                                           \
    }
#define NIL                                                                                        \
    (struct fit_value) { .kind = FIT_MISSING }
#define YES(X)                                                                                     \
    (struct fit_value)                                                                             \
    {                                                                                              \
        FIT_BOOLEAN, 0, { .integer = (X) }                                                         \
    }
#define INT(X)                                                                                     \
    (struct fit_value)                                                                             \
    {                                                                                              \
        FIT_INTEGER, 0, { .integer = (X) }                                                         \
    }
#define NUM(X)                                                                                     \
    (struct fit_value)                                                                             \
    {                                                                                              \
        FIT_REAL, 0, { .real = (X) }                                                               \
    }
#define AT(X)                                                                                      \
    (struct fit_value)                                                                             \
    {                                                                                              \
        FIT_TIME, 0, { .integer = (X) }                                                            \
    }
#define TXT(X)                                                                                     \
    (struct fit_value)                                                                             \
    {                                                                                              \
        FIT_TEXT, sizeof(X) - 1, { .text = (X) }                                                   \
    }
#define RAW(X)                                                                                     \
    (struct fit_value)                                                                             \
    {                                                                                              \
        FIT_BYTES, sizeof(X) - 1, { .text = (X) }                                                  \
    }

/* Collects faults, a line each. */
struct said {
    struct fit_faults faults;
    char text[4000];
};

static inline void said_add(void *to, const char *text)
{
    struct said *s = to;
    size_t n = strlen(s->text);
    snprintf(s->text + n, sizeof s->text - n, "%s\n", text);
}

static inline struct fit_faults *said_begin(struct said *s)
{
    *s = (struct said){.faults = {.say = said_add, .to = s}};
    return &s->faults;
}

#endif
