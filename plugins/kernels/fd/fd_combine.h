/* fd_combine.h -- sums of the rows of a small matrix, for WIDE functions (core/wide.h) */
#ifndef LEAT_KERNELS_FD_FD_COMBINE_H
#define LEAT_KERNELS_FD_FD_COMBINE_H

#include <stdint.h>
#include <string.h>

#include "core/wide.h"

/* Computes s += x y for four numbers, which fill one or two vector registers. */
WIDE_INLINE void fd_combine_add(double s[restrict 4], double x, const double *restrict y)
{
    for (uint32_t k = 0; k < 4; k++)
        s[k] += x * y[k];
}

/* Computes 4 * fours columns of fd_combine(), fours = 1 .. 6, with the sums in registers. Each sum
 * waits for the one before, so several fours at a time are faster. */
WIDE_INLINE void fd_combine_fours(uint32_t fours, uint32_t n, uint32_t ld, const double *a,
                                  const double *v, double *out)
{
    double s0[4] = {0}, s1[4] = {0}, s2[4] = {0}, s3[4] = {0}, s4[4] = {0}, s5[4] = {0};
    for (uint32_t r = 0; r < n; r++, a += ld) {
        fd_combine_add(s0, v[r], a);
        if (fours > 1) fd_combine_add(s1, v[r], a + 4);
        if (fours > 2) fd_combine_add(s2, v[r], a + 8);
        if (fours > 3) fd_combine_add(s3, v[r], a + 12);
        if (fours > 4) fd_combine_add(s4, v[r], a + 16);
        if (fours > 5) fd_combine_add(s5, v[r], a + 20);
    }
    memcpy(out, s0, sizeof s0);
    if (fours > 1) memcpy(out + 4, s1, sizeof s1);
    if (fours > 2) memcpy(out + 8, s2, sizeof s2);
    if (fours > 3) memcpy(out + 12, s3, sizeof s3);
    if (fours > 4) memcpy(out + 16, s4, sizeof s4);
    if (fours > 5) memcpy(out + 20, s5, sizeof s5);
}

/* Sets out = sum over r < n of v[r] times row r of a, added in the order of r. a is n x width, with
 * ld doubles from row to row; width is a multiple of four. out must not overlap a or v. */
WIDE_INLINE void fd_combine(uint32_t n, uint32_t width, uint32_t ld, const double *a,
                            const double *v, double *out)
{
    uint32_t c = 0;
    for (; width - c >= 24; c += 24)
        fd_combine_fours(6, n, ld, a + c, v, out + c);
    if (width - c == 20) fd_combine_fours(5, n, ld, a + c, v, out + c);
    if (width - c == 16) fd_combine_fours(4, n, ld, a + c, v, out + c);
    if (width - c == 12) fd_combine_fours(3, n, ld, a + c, v, out + c);
    if (width - c == 8) fd_combine_fours(2, n, ld, a + c, v, out + c);
    if (width - c == 4) fd_combine_fours(1, n, ld, a + c, v, out + c);
}

/* Sets p = B x for 4 * fours rows of a matrix B that is stored by slots (fd.h), fours = 1 .. 4. The
 * rows begin at `rows` in the first slot. Entries of x are added in their order. */
WIDE_INLINE void fd_combine_slots(uint32_t fours, const double *rows, uint32_t ld, uint32_t n,
                                  const uint32_t *slot, const double *x, double *p)
{
    double s0[4] = {0}, s1[4] = {0}, s2[4] = {0}, s3[4] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const double *b = rows + (size_t)slot[i] * ld;
        fd_combine_add(s0, x[i], b); /* p_r += B_rj x_j */
        if (fours > 1) fd_combine_add(s1, x[i], b + 4);
        if (fours > 2) fd_combine_add(s2, x[i], b + 8);
        if (fours > 3) fd_combine_add(s3, x[i], b + 12);
    }
    memcpy(p, s0, sizeof s0);
    if (fours > 1) memcpy(p + 4, s1, sizeof s1);
    if (fours > 2) memcpy(p + 8, s2, sizeof s2);
    if (fours > 3) memcpy(p + 12, s3, sizeof s3);
}

#endif
