/* bench_copy.c -- time to copy BYTES bytes on this machine: milliseconds, median of 15.
 *
 *     bench_copy BYTES
 *
 * Source and target pages are already mapped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/time/clock.h"

enum { TIMES = 15 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    char *from = malloc(n + 1), *to = malloc(n + 1);
    double ms[TIMES];
    if (!n || !from || !to) return 1;
    memset(from, 1, n);
    memset(to, 2, n);
    for (int i = 0; i < TIMES; i++) {
        uint64_t begin = clock_ns();
        memcpy(to, from, n);
        ms[i] = (double)(clock_ns() - begin) / 1e6;
        from[to[n / 2] + i] ^= 1;
    }
    qsort(ms, TIMES, sizeof *ms, compare);
    printf("%.3f\n", ms[TIMES / 2]);
    free(from);
    free(to);
    return 0;
}
