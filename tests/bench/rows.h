/* rows.h -- a libsvm file as rows in memory, for benchmarks of kernels. Labels are -1 and +1. */
#ifndef LEAT_TESTS_BENCH_ROWS_H
#define LEAT_TESTS_BENCH_ROWS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "kernels/linear/linear.h"

struct rows {
    uint64_t *id;
    float *x;
    size_t *start; /* n + 1 */
    signed char *y;
    size_t n, entries;
    uint32_t longest;
};

static inline void *rows_grow(void *p, size_t n, size_t each)
{
    if (n & (n - 1)) return p; /* room for the next power of two */
    p = realloc(p, (n ? 2 * n : 1) * each);
    if (!p) exit(1);
    return p;
}

static inline void rows_add(struct rows *d, char *line)
{
    d->start = rows_grow(d->start, d->n, sizeof *d->start);
    d->y = rows_grow(d->y, d->n, 1);
    d->start[d->n] = d->entries;
    d->y[d->n++] = strtod(line, &line) > 0 ? 1 : -1;
    for (char *end; *line; line = end) {
        unsigned long long id = strtoull(line, &end, 10);
        if (end == line || *end != ':') break;
        d->id = rows_grow(d->id, d->entries, sizeof *d->id);
        d->x = rows_grow(d->x, d->entries, sizeof *d->x);
        d->id[d->entries] = id;
        d->x[d->entries++] = strtof(end + 1, &end);
    }
    size_t n = d->entries - d->start[d->n - 1];
    if (n > d->longest) d->longest = (uint32_t)n;
}

static inline struct rows rows_read(const char *path)
{
    struct rows d = {0};
    char *line = NULL;
    size_t cap = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        exit(1);
    }
    while (getline(&line, &cap, f) > 0)
        rows_add(&d, line);
    free(line);
    fclose(f);
    d.start = rows_grow(d.start, d.n, sizeof *d.start);
    d.start[d.n] = d.entries;
    return d;
}

/* Returns row r as an example, which is a record by itself. */
static inline struct linear_row rows_example(const struct rows *d, size_t r)
{
    size_t a = d->start[r];
    return (struct linear_row){d->id + a, d->x + a, (uint32_t)(d->start[r + 1] - a),
                               d->y[r],   1,        true};
}

/* Returns the seconds of processor time: kernels have one thread, and the machine may be shared. */
static inline double rows_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

#endif
