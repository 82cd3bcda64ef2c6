/* diag.h -- problems of a pipeline: collected, sorted by location, printed all at once. */
#ifndef LEAT_HOST_LOG_DIAG_H
#define LEAT_HOST_LOG_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "host/memory/arena.h"

/* DIAG_FILE is an error, too: a file that cannot be read or written, or what a server says. */
enum diag_severity { DIAG_ERROR, DIAG_FILE, DIAG_WARNING };

/* A location in a script. */
struct location {
    const char *file; /* NULL: no location           */
    int line;         /* from 1; 0: the file as such */
};

struct problem {
    enum diag_severity severity;
    struct location at;
    const char *stage; /* "model (learn.awm)"; NULL: no stage */
    const char *param; /* NULL: no parameter                  */
    const char *text;
    const char *argument; /* "--set min_count=x", of the command line; NULL: none is known */
    bool logged;
    struct problem *next;
};

struct diag {
    struct arena *arena;
    struct problem *first;
    size_t errors, warnings;
    size_t file_errors; /* among the errors */
};

/* Adds a problem, unless the same is known of the stage or line. Copies text and `param`; `stage`
 * and `at.file` must outlive the diag. One thread at a time. */
void diag_add(struct diag *d, enum diag_severity s, struct location at, const char *stage,
              const char *param, const char *format, ...) __attribute__((format(printf, 6, 7)));
void diag_vadd(struct diag *d, enum diag_severity s, struct location at, const char *stage,
               const char *param, const char *format, va_list args);

/* One problem a line, sorted by file and line:
 *   explain.lua:7: error: model (learn.awm): unknown parameter 'wdith': did you mean 'width'?
 *   explain.lua:9: error: file (sink.file): path: "out/" is a folder; give the name of a file
 * An argument of the command line is printed before the stage. The parameter's name is printed
 * before the text unless the text begins with it or quotes it. */
void diag_print(const struct diag *d, FILE *out);

/* On standard error, each problem once, however often this is called; as log.h prints messages now:
 * as diag_print does, or as JSON, where argument and parameter stand in the message. `during`: what
 * the run was doing, "reloading", which is put before each; or NULL. */
void diag_log(struct diag *d, const char *during);

/* The candidate closest to `word` by edit distance or prefix; NULL: none is close. */
const char *diag_suggest(const char *word, const char *const *candidates, size_t n);

#endif
