/* triangle.h -- a symmetric matrix by its lower triangle, one row after the other: one more row at
 * the end moves no number.
 *
 *   T00 | T10 T11 | T20 T21 T22 | ...
 *
 * As quadratic form of an example: z = sum_i T_ii x_i^2 + 2 sum_{i<j} T_ij x_i x_j.
 */
#ifndef LEAT_KERNELS_FM_TRIANGLE_H
#define LEAT_KERNELS_FM_TRIANGLE_H

#include <stddef.h>
#include <stdint.h>

#include "fm.h"

static inline size_t triangle_size(uint32_t n) { return (size_t)n * (n + 1ull) / 2; }

static inline size_t triangle_at(uint32_t i, uint32_t j)
{
    return i < j ? triangle_size(j) + i : triangle_size(i) + j;
}

static inline double triangle_form(const double *t, const struct fm_example *e)
{
    double diagonal = 0, rest = 0;
    for (uint32_t i = 0; i < e->n; i++) {
        diagonal += t[triangle_at(e->feature[i], e->feature[i])] * e->x[i] * e->x[i];
        for (uint32_t j = 0; j < i; j++)
            rest += t[triangle_at(e->feature[i], e->feature[j])] * e->x[i] * e->x[j];
    }
    return diagonal + 2 * rest;
}

/* T += k x x' */
static inline void triangle_add(double *t, const struct fm_example *e, double k)
{
    for (uint32_t i = 0; i < e->n; i++)
        for (uint32_t j = 0; j <= i; j++)
            t[triangle_at(e->feature[i], e->feature[j])] += k * e->x[i] * e->x[j];
}

#endif
