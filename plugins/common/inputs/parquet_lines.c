/* parquet_lines.c -- implementation of parquet_lines.h.
 *
 *   PREFIX/lib/leat/plugins/sources.so    has this file
 *   PREFIX/lib/leat/readers/parquet.so    has the reader
 *
 * The reader is loaded when the first Parquet file is met, and stays: Arrow's library has data of
 * threads. */
#include "parquet_lines.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrow_lines.h"
#include "parquet_reader.h"

enum { PARQUET_MESSAGE = PARQUET_WHY + 200 };

struct parquet_lines {
    int fd;
    uint64_t memory; /* most bytes of the reader */
    void *library;
    const struct parquet_reader *reader;
    void *file; /* the reader's; NULL until the first step */
    struct parquet_part part;
    void *arrow; /* decoder of the stream */
    char why[PARQUET_MESSAGE];
};

/* Writes the reader's path, which is that of this plugin without plugins/NAME.so. */
static bool parquet_path(char path[PATH_MAX])
{
    static const char place[] = "/readers/parquet.so";
    Dl_info here;
    if (!dladdr(place, &here) || !realpath(here.dli_fname, path)) return false;
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(path, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    if (strlen(path) + sizeof place > PATH_MAX) return false;
    memcpy(path + strlen(path), place, sizeof place);
    return true;
}

bool parquet_lines_built(void)
{
    char path[PATH_MAX];
    return parquet_path(path) && !access(path, R_OK);
}

void *parquet_lines_begin(uint64_t window)
{
    struct parquet_lines *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    p->fd = -1;
    p->memory = 2 * window;
    p->arrow = arrow_lines_begin_named(window / 2, "parquet");
    if (!p->arrow) return free(p), NULL;
    return p;
}

void parquet_lines_of_file(void *state, int fd) { ((struct parquet_lines *)state)->fd = fd; }

uint64_t parquet_lines_at(const void *state)
{
    return ((const struct parquet_lines *)state)->part.at;
}

void parquet_lines_end(void *state)
{
    struct parquet_lines *p = state;
    if (p->file) p->reader->end(p->file);
    if (p->library) dlclose(p->library);
    arrow_lines_end(p->arrow);
    free(p);
}

static enum outcome parquet_refuse(struct parquet_lines *p, struct decoder_step *s, const char *why)
{
    snprintf(p->why, sizeof p->why, "%s", why);
    s->why = p->why;
    return REFUSED;
}

static enum outcome parquet_load(struct parquet_lines *p, struct decoder_step *s)
{
    char path[PATH_MAX], why[PARQUET_MESSAGE];
    if (!parquet_path(path)) return parquet_refuse(p, s, "its reader cannot be found");
    p->library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    p->reader = p->library ? dlsym(p->library, PARQUET_READER) : NULL;
    if (p->reader && p->reader->version == PARQUET_READER_VERSION) return ON;
    if (p->reader)
        return parquet_refuse(p, s, "its reader is of another version of leat: build leat again");
    const char *error = dlerror();
    snprintf(why, sizeof why,
             "its reader cannot be loaded, so build leat again, or write the file as CSV: %s",
             error ? error : "unknown reason");
    return parquet_refuse(p, s, why);
}

/* Loads the reader and begins to read the file. */
static enum outcome parquet_open(struct parquet_lines *p, struct decoder_step *s)
{
    if (p->fd < 0)
        return parquet_refuse(
            p, s,
            "its list of columns is at its end, which a pipe does not have: write "
            "the data to a file, and read that");
    enum outcome outcome = parquet_load(p, s);
    if (outcome != ON) return outcome;
    p->file = p->reader->begin(p->fd, p->memory);
    return p->file ? ON : decoder_damaged(s, "out of memory");
}

/* Gets the next part of the Arrow stream. */
static enum outcome parquet_next(struct parquet_lines *p, struct decoder_step *s)
{
    enum outcome outcome = p->file ? ON : parquet_open(p, s);
    if (outcome != ON) return outcome;
    switch (p->reader->next(p->file, &p->part)) {
    case PARQUET_BYTES:
        return ON;
    case PARQUET_END:
        return MEMBER_ENDED;
    case PARQUET_REFUSED:
        return parquet_refuse(p, s, p->part.why);
    case PARQUET_LARGE:
        return decoder_too_large(s, p->part.asked / 2);
    case PARQUET_DAMAGED:
        break;
    }
    return decoder_damaged(s, p->part.why);
}

enum outcome parquet_lines_run(void *state, struct decoder_step *s)
{
    struct parquet_lines *p = state;
    for (;;) {
        struct decoder_step step = {
            .in = p->part.bytes, .n_in = p->part.n, .out = s->out, .n_out = s->n_out};
        enum outcome outcome = arrow_lines_run(p->arrow, &step);
        const size_t gave = s->n_out - step.n_out, took = p->part.n - step.n_in;
        p->part.bytes = step.in;
        p->part.n = step.n_in;
        step_advance(s, 0, gave);
        if (outcome == LARGE) return decoder_too_large(s, 2 * step.window);
        if (outcome == DAMAGED) return decoder_damaged(s, step.why);
        if (outcome == REFUSED) return parquet_refuse(p, s, step.why);
        if (gave) return ON;
        if (took) continue;
        outcome = parquet_next(p, s);
        if (outcome != ON) return outcome;
    }
}
