/* diag.h -- problems of a pipeline: collected, sorted by location, printed all at once. */
#ifndef LEAT_HOST_LOG_DIAG_H
#define LEAT_HOST_LOG_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "host/memory/arena.h"

/* DIAG_FILE is an error, too: a file that cannot be read or written, or a problem that a server
 * reports. */
enum diag_severity { DIAG_ERROR, DIAG_FILE, DIAG_WARNING };

/* A location in a script. */
struct location {
    const char *file; /* NULL: no location         */
    int line;         /* from 1; 0: the whole file */
};

struct problem {
    enum diag_severity severity;
    struct location at;
    const char *stage; /* "model (learn.awm)"; NULL: no stage */
    const char *param; /* NULL: no parameter                  */
    const char *text;
    const char *argument; /* "--set min_count=x", from the command line; NULL: unknown */
    bool logged;
    struct problem *next;
};

struct diag {
    struct arena *arena;
    struct problem *first;
    size_t errors, warnings;
    size_t file_errors; /* counted among the errors, too */
};

/* Adds a problem, unless the stage or line already has an equal one. Copies text and `param`;
 * `stage` and `at.file` must outlive the diag. One thread at a time. */
void diag_add(struct diag *d, enum diag_severity s, struct location at, const char *stage,
              const char *param, const char *format, ...) __attribute__((format(printf, 6, 7)));
void diag_vadd(struct diag *d, enum diag_severity s, struct location at, const char *stage,
               const char *param, const char *format, va_list args);

/* Prints one problem a line, sorted by file and line:
 *   explain.lua:7: error: model (learn.awm): unknown parameter 'wdith': did you mean 'width'?
 *   explain.lua:9: error: file (sink.file): path: "out/" is a folder; give the name of a file
 *
 * An argument of the command line is printed before the stage. The parameter's name is printed
 * before the text unless the text begins with it or quotes it. */
void diag_print(const struct diag *d, FILE *out);

/* Logs each problem once, however often this is called, on standard error in the format of log.h:
 * as diag_print does, or as JSON, with argument and parameter in the message. `during`: activity of
 * the run, such as "reloading", put before each problem; or NULL. */
void diag_log(struct diag *d, const char *during);

/* Returns the candidate closest to `word` by edit distance or prefix; NULL if none is close. */
const char *diag_suggest(const char *word, const char *const *candidates, size_t n);

#endif
