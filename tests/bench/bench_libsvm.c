/* bench_libsvm.c -- speed of the libsvm kernel on a file's records.
 *
 *     bench_libsvm FILE
 *
 * It reads the file once and cuts it into lines before the measurement. A pass parses all lines
 * into the same small arrays. It prints the best and the median of PASSES passes, in megabytes
 * (10^6) of text a second. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/text/sparse_text.h"
#include "figures.h"

#define PASSES  25
#define ENTRIES 65536

struct text {
    char *bytes;
    size_t n, *line, lines; /* line i is bytes line[i] .. line[i + 1] - 1 */
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int read_text(const char *path, struct text *t)
{
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0) return -1;
    t->n = (size_t)ftell(f);
    rewind(f);
    t->bytes = malloc(t->n + 1);
    if (!t->bytes || fread(t->bytes, 1, t->n, f) != t->n) return -1;
    fclose(f);
    if (!t->n || t->bytes[t->n - 1] != '\n') t->bytes[t->n++] = '\n';
    for (size_t i = 0; i < t->n; i++)
        t->lines += t->bytes[i] == '\n';
    t->line = malloc((t->lines + 1) * sizeof *t->line);
    if (!t->line) return -1;
    size_t k = 0;
    t->line[k++] = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->bytes[i] == '\n') t->line[k++] = i + 1;
    return 0;
}

/* Returns the seconds of one pass. Counts entries so that the compiler cannot drop the work. */
static double pass(const struct text *t, struct libsvm_row *row, size_t *entries, size_t *bad)
{
    double begin = now();
    *entries = *bad = 0;
    for (size_t i = 0; i < t->lines; i++) {
        enum libsvm_status s = libsvm_parse(t->bytes + t->line[i], t->bytes + t->line[i + 1] - 1,
                                            t->bytes + t->n, row);
        if (s == LIBSVM_OK)
            *entries += row->n;
        else
            *bad += s != LIBSVM_NOTHING;
    }
    return now() - begin;
}

int main(int argc, char **argv)
{
    struct text t = {0};
    if (argc != 2 || read_text(argv[1], &t) != 0) {
        fprintf(stderr, "usage: bench_libsvm FILE (libsvm text, not compressed)\n");
        return 2;
    }
    struct libsvm_row row = {.id = malloc(ENTRIES * sizeof *row.id),
                             .value = malloc(ENTRIES * sizeof *row.value),
                             .cap = ENTRIES};
    if (!row.id || !row.value) return 1;
    double seconds[PASSES];
    size_t entries, bad;
    for (int i = 0; i < PASSES; i++)
        seconds[i] = pass(&t, &row, &entries, &bad);
    double median = figures_median(seconds, PASSES);
    double mb = 1e-6 * (double)t.n;
    printf(
        "libsvm: %.1f MB, %zu records (%zu bad), %zu entries: best %.0f MB/s, median %.0f MB/s\n",
        mb, t.lines, bad, entries, mb / seconds[0], mb / median);
    free(row.id);
    free(row.value);
    free(t.line);
    free(t.bytes);
    return 0;
}
