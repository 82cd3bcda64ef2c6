/* diag.h -- problems of a pipeline: collected, sorted by location, printed all at once. */
#ifndef LEAT_HOST_LOG_DIAG_H
#define LEAT_HOST_LOG_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "host/memory/arena.h"

/* DIAG_FILE counts as an error. It is for files that cannot be read or written, and for problems
 * that a server reports. */
enum diag_severity { DIAG_ERROR, DIAG_FILE, DIAG_WARNING };

/* Place in a script. */
struct location {
    const char *file; /* NULL if unknown                                  */
    int line;         /* from 1; 0: the problem is in the file as a whole */
};

struct problem {
    enum diag_severity severity;
    struct location at;
    const char *stage; /* label of the stage: "model (learn.awm)"; or NULL */
    const char *param; /* name of the parameter, or NULL */
    const char *text;
    /* argument of the command line that caused the problem: "--set min_count=x"; or NULL */
    const char *argument;
    bool logged;
    struct problem *next;
};

struct diag {
    struct arena *arena;
    struct problem *first;
    size_t errors, warnings;
    size_t file_errors; /* number of DIAG_FILE, which `errors` includes */
};

/* Adds a problem, unless an equal one exists for the same stage and line. Copies the text and
 * `param`. `stage` and `at.file` must outlive the diag. Only one thread at a time may call it. */
void diag_add(struct diag *d, enum diag_severity s, struct location at, const char *stage,
              const char *param, const char *format, ...) __attribute__((format(printf, 6, 7)));
void diag_vadd(struct diag *d, enum diag_severity s, struct location at, const char *stage,
               const char *param, const char *format, va_list args);

/* Prints one line per problem, sorted by file and line:
 *
 *     explain.lua:7: error: model (learn.awm): unknown parameter 'wdith': did you mean 'width'?
 *     explain.lua:9: error: file (sink.file): path: "out/" is a folder; give the name of a file
 *
 * The argument of the command line, if known, comes before the stage. The parameter's name comes
 * before the text, unless the text begins with the name or quotes it. */
void diag_print(const struct diag *d, FILE *out);

/* Logs to standard error each problem that has not been logged before. Text is as in diag_print().
 * With JSON (log.h), argument and parameter are part of the message. `during` is an activity of the
 * run to put before each problem, such as "reloading"; or NULL. */
void diag_log(struct diag *d, const char *during);

/* Returns the candidate closest to `word` by edit distance or common prefix; NULL if none is
 * close. */
const char *diag_suggest(const char *word, const char *const *candidates, size_t n);

#endif
