/* figures.h -- figures of several runs of a benchmark, sorted, and their median. */
#ifndef LEAT_TESTS_BENCH_FIGURES_H
#define LEAT_TESTS_BENCH_FIGURES_H

#include <stdlib.h>

static inline int figures_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts v. Afterwards v[0] and v[n - 1] are the range. */
static inline double figures_median(double *v, size_t n)
{
    qsort(v, n, sizeof *v, figures_order);
    return (v[(n - 1) / 2] + v[n / 2]) / 2;
}

#endif
