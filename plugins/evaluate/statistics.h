/* statistics.h -- statistics that compare estimates with exact values. */
#ifndef LEAT_EVALUATE_STATISTICS_H
#define LEAT_EVALUATE_STATISTICS_H

#include <math.h>
#include <stdint.h>

/* Correlation of pairs (x_i, y_i): means, and sums of products of deviations from the means.
 * Updated with each pair (Welford). All zero at first. */
struct correlation {
    uint32_t n;
    double x, y;       /* means of x and y */
    double xx, yy, xy; /* xy: sum of (x_i - x)(y_i - y); xx and yy accordingly */
};

static inline void correlation_add(struct correlation *c, double x, double y)
{
    double dx = x - c->x, dy = y - c->y, n = ++c->n;
    c->x += dx / n;
    c->y += dy / n;
    c->xx += dx * (x - c->x);
    c->yy += dy * (y - c->y);
    c->xy += dx * (y - c->y);
}

/* Returns Pearson's correlation; NaN if x or y is constant. */
static inline double correlation_pearson(const struct correlation *c)
{
    return c->xx > 0 && c->yy > 0 ? c->xy / sqrt(c->xx * c->yy) : (double)NAN;
}

/* Compares doubles for qsort. */
static inline int statistics_ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the q-quantile of n > 0 sorted values: the smallest value that at least n q of the values
 * do not exceed. */
static inline double statistics_quantile(const double *sorted, uint32_t n, double q)
{
    uint32_t at = (uint32_t)ceil(q * n);
    return sorted[at ? at - 1 : 0];
}

#endif
