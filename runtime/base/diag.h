/* diag.h -- what is wrong with a pipeline: collected, sorted by place, printed all at once. */
#ifndef LEAT_BASE_DIAG_H
#define LEAT_BASE_DIAG_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include "arena.h"

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

/* Where in a script something stands. */
struct place {
    const char *file; /* NULL: nowhere in particular */
    int line;
};

struct problem {
    enum diag_severity severity;
    struct place at;
    const char *stage; /* "model (learn.awm)" or NULL */
    const char *param; /* or NULL                     */
    const char *text;
    struct problem *next;
};

struct diag {
    struct arena *arena;
    struct problem *first;
    size_t errors, warnings;
};

/* Texts are copied; `stage` and `at.file` must outlive the diag. */
void diag_add(struct diag *d, enum diag_severity s, struct place at, const char *stage,
              const char *param, const char *format, ...) __attribute__((format(printf, 6, 7)));
void diag_vadd(struct diag *d, enum diag_severity s, struct place at, const char *stage,
               const char *param, const char *format, va_list args);

/* One problem a line, sorted by file and line:
 *   explain.lua:7: error: model (learn.awm): unknown parameter 'wdith': did you mean 'width'?
 *   explain.lua:9: error: file (sink.file): path: "out/" is a folder; give the name of a file
 * The parameter stands before its text unless the text begins with its name or quotes it. */
void diag_print(const struct diag *d, FILE *out);

/* The candidate closest to `word` by edit distance or prefix, or NULL when none is close. */
const char *diag_suggest(const char *word, const char *const *candidates, size_t n);

#endif
