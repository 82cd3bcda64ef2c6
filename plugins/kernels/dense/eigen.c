/* eigen.c -- implementation of eigen.h
 *
 * Matrices are row-major; rows are padded with zeros to a multiple of four. A large matrix is a
 * lower triangle until its last rows are reduced, panel after panel. The rest is a full matrix.
 */
#include "eigen.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/wide.h"
#include "lanes.h"
#include "multiply.h"
#include "reflect.h"
#include "rotations.h"
#include "vectors.h"

enum {
    WHOLE = 512, /* rows of a matrix that fits into a cache of its processor */
    PANEL = 32   /* reflectors that change a larger matrix together          */
};

/* Returns the doubles of the q of a panel. */
static size_t eigen_panel(uint32_t n) { return n > WHOLE ? PANEL * (size_t)eigen_ld(n) : 0; }

size_t eigen_work(uint32_t n)
{
    size_t ld = eigen_ld(n);
    return 2 * n * ld + 4 * ld + eigen_panel(n);
}

size_t eigen_values_work(uint32_t n) { return 5 * (size_t)eigen_ld(n) + eigen_panel(n); }

/* ---- tridiagonal form ---- */

/* Makes the reflector of row i. Returns its vector v, which stays in the row. */
static double *eigen_reflector(uint32_t i, uint32_t ld, double *a, double *d, double *e)
{
    double *v = a + (size_t)i * ld;
    d[i] = v[i];
    memset(v + i, 0, (ld - i) * sizeof *v);
    e[i - 1] = reflect_make(i, v);
    return v;
}

/* Makes q of the change A -= v q' + q v' from q = A v. */
static void eigen_change(uint32_t i, uint32_t ld, const double *v, double *q)
{
    double s = 0;
    memset(q + i, 0, (ld - i) * sizeof *q);
    for (uint32_t k = 0; k < i; k++)
        s += v[k] * q[k];
    for (uint32_t k = 0; k < i; k++)
        q[k] -= s / 2 * v[k]; /* q -= (v'q / 2) v */
}

/* Adds to q the products with v of the rows r .. r + 3 of a, left of column r, and of the same
 * columns of the upper triangle. */
WIDE_INLINE void eigen_times_rows(uint32_t r, uint32_t ld, const double *a, const double *v,
                                  double *q)
{
    lanes8 sum[4] = {{0}};
    uint32_t c = 0;
    for (; r - c >= 8; c += 8) {
        lanes8 x = *(const lanes8 *)(v + c), y = *(lanes8 *)(q + c);
        for (uint32_t k = 0; k < 4; k++) {
            lanes8 row = *(const lanes8 *)(a + (size_t)k * ld + c);
            y += v[r + k] * row;
            sum[k] += row * x;
        }
        *(lanes8 *)(q + c) = y;
    }
    for (uint32_t l = 0; c + l < r; l++)
        for (uint32_t k = 0; k < 4; k++) {
            double x = a[(size_t)k * ld + c + l];
            q[c + l] += v[r + k] * x;
            sum[k][l] += x * v[c + l];
        }
    for (uint32_t k = 0; k < 4; k++) {
        lanes8 s = sum[k];
        q[r + k] += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
}

/* Sets q = A v, where A is the first n rows of the lower triangle a. */
WIDE static void eigen_times(uint32_t n, uint32_t ld, const double *a, const double *v, double *q)
{
    uint32_t r = 0;
    memset(q, 0, ld * sizeof *q);
    for (; n - r >= 4; r += 4) {
        const double *rows = a + (size_t)r * ld;
        eigen_times_rows(r, ld, rows, v, q);
        for (uint32_t i = r; i < r + 4; i++, rows += ld)
            for (uint32_t c = r; c <= i; c++) {
                q[i] += rows[c] * v[c];
                if (c < i) q[c] += rows[c] * v[i];
            }
    }
    for (; r < n; r++)
        for (uint32_t c = 0; c <= r; c++) {
            double x = a[(size_t)r * ld + c];
            q[r] += x * v[c];
            if (c < r) q[c] += x * v[r];
        }
}

/* Computes x -= V' (Q y) + Q' (V y) for the rows v and q of the last `count` steps. */
static void eigen_panel_change(uint32_t n, uint32_t ld, uint32_t count, const double *v,
                               const double *q, const double *y, uint32_t n_y, double *x)
{
    for (uint32_t s = count; s-- > 0; q += ld) {
        const double *w = v + (size_t)s * ld;
        double qy = vectors_dot(n_y, q, y), vy = vectors_dot(n_y, w, y);
        vectors_add(n, -qy, w, x);
        vectors_add(n, -vy, q, x);
    }
}

/* Reduces the last PANEL rows of the lower triangle a, then changes the rows before them. Q has the
 * q of the steps as rows, the first step first; the v are the rows of a, the last row first. */
static void eigen_reduce_panel(uint32_t n, uint32_t ld, double *a, double *d, double *e, double *Q)
{
    uint32_t first = n - PANEL;
    for (uint32_t i = n; i-- > first;) {
        uint32_t done = n - 1 - i;
        double *row = a + (size_t)i * ld, *q = Q + (size_t)done * ld;
        for (uint32_t s = 0; s < done; s++) { /* row -= v_i q + q_i v */
            const double *v = a + (size_t)(n - 1 - s) * ld, *old = Q + (size_t)s * ld;
            double vi = v[i], qi = old[i];
            vectors_add(i + 1, -vi, old, row);
            vectors_add(i + 1, -qi, v, row);
        }
        eigen_reflector(i, ld, a, d, e);
        eigen_times(i, ld, a, row, q);
        eigen_panel_change(i, ld, done, row + ld, Q, row, i, q);
        eigen_change(i, ld, row, q);
    }
    const double *v = a + (size_t)first * ld;
    for (uint32_t s = 0; s < PANEL / 2; s++) /* Q in the order of the rows of a */
        for (uint32_t c = 0; c < ld; c++) {
            double *x = Q + (size_t)s * ld + c, *y = Q + (PANEL - 1ull - s) * ld + c, swap = *x;
            *x = *y;
            *y = swap;
        }
    for (uint32_t r = 0, rows; r < first; r += rows) { /* A -= V'Q + Q'V, the lower triangle */
        rows = first - r < PANEL ? first - r : PANEL;
        double *to = a + (size_t)r * ld;
        multiply_tn(rows, r + rows, PANEL, -1, v + r, ld, Q, ld, true, to, ld);
        multiply_tn(rows, r + rows, PANEL, -1, Q + r, ld, v, ld, true, to, ld);
    }
}

/* Copies the lower triangle to the upper one. */
static void eigen_mirror(uint32_t n, uint32_t ld, double *a)
{
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++)
            a[(size_t)j * ld + i] = a[(size_t)i * ld + j];
}

/* Replaces a by Q' a Q, which is tridiagonal: d on its diagonal, e[i] at (i, i + 1). The vector v
 * of step i stays in row i of a. One pass over a makes the change of step i and the q of
 * step i - 1. q: 2 ld doubles. */
static void eigen_tridiagonal(uint32_t n, uint32_t ld, double *a, double *d, double *e, double *q,
                              double *panel)
{
    double *next = q + ld, *v = NULL;
    for (; n > WHOLE; n -= PANEL)
        eigen_reduce_panel(n, ld, a, d, e, panel);
    eigen_mirror(n, ld, a);
    for (uint32_t i = n; i > 1; i--) {
        struct reflect by = {.u = next, .w = next}; /* changes nothing at first */
        if (i == n) {
            memset(next, 0, ld * sizeof *next);
        } else {
            double *row = a + (size_t)(i - 1) * ld;
            by = (struct reflect){v, q, q, v}; /* A -= v q' + q v' */
            eigen_change(i, ld, v, q);
            for (uint32_t c = 0; c < i; c++)
                row[c] -= v[i - 1] * q[c] + q[i - 1] * v[c];
        }
        v = eigen_reflector(i - 1, ld, a, d, e);
        reflect_update(i - 1, eigen_ld(i - 1), ld, a, by, v, i == n ? q : next); /* q = A v */
        if (i == n) continue;
        double *swap = q;
        q = next;
        next = swap;
    }
    if (n > 1) {
        eigen_change(1, ld, v, q);
        a[0] -= v[0] * q[0] + q[0] * v[0];
    }
    d[0] = a[0];
}

/* ---- QL ---- */

/* Returns the last row of the block that begins at row l. The off-diagonal element after this row
 * is only a rounding error. */
static uint32_t eigen_block_end(uint32_t n, uint32_t l, const double *d, const double *ee)
{
    for (; l + 1 < n; l++) {
        double least = 0x1p-53 * (fabs(d[l]) + fabs(d[l + 1])) + REFLECT_NEGLIGIBLE;
        if (ee[l] <= least * least) break;
    }
    return l;
}

/* Returns Wilkinson's shift: the eigenvalue of the first two rows that is nearer to d[0]. */
static double eigen_shift(const double *d, double ee)
{
    double half = (d[1] - d[0]) / 2, root = sqrt(half * half + ee);
    return d[0] - ee / (half + (half < 0 ? -root : root));
}

/* Performs one QL sweep with Wilkinson's shift over rows l .. end. Stores rotation i, of rows i and
 * i + 1, in of[i]. ee has the squares of the off-diagonal elements; e has their signs.
 *
 * Rotation i turns (e_i, g) to (0, r). g is what the earlier rotations made of d_(i+1) - shift. The
 * recurrence has gg = g^2, rr = r^2 and h = g c, with the cosine c of the rotation before. So no
 * step waits for a square root, and the divisions of a step run together.
 *
 * Cosines are 1 - ss / (1 + sqrt(cc)). The square root of a number just below 1 is rounded down
 * more often than up, and the vectors would become shorter with each sweep. */
static void eigen_sweep(uint32_t l, uint32_t end, double *d, double *e, double *ee,
                        struct rotation *of)
{
    double shift = eigen_shift(d + l, ee[l]), h = d[end] - shift, gg = h * h;
    double cc = 1, ss = 0, c_sign = 1, g_sign = copysign(1, h);
    for (uint32_t i = end; i-- > l;) {
        double x = ee[i], rr = gg + x, before = h, cc_before = cc;
        double next = gg * (d[i] - shift) - x * h;
        bool tiny = gg <= 0x1p-120 * x; /* then c is below the rounding errors of s = 1 */
        ee[i + 1] = ss * rr;
        lanes2 share = (lanes2){gg, x} / rr;
        lanes2 step = (lanes2){next, next * next} / (lanes2){rr, rr * gg};
        cc = share[0], ss = share[1], h = step[0];
        of[i].c = copysign(1 - ss / (1 + sqrt(cc)), g_sign);
        of[i].s = copysign(sqrt(ss), e[i]);
        d[i + 1] = before + (d[i] - h);
        double sign = tiny ? -c_sign : copysign(g_sign, g_sign * h);
        gg = tiny ? cc_before * x : step[1]; /* h^2 / cc */
        c_sign = g_sign, g_sign = sign;
    }
    ee[l] = ss * gg;
    e[l] = copysign(e[l], e[l] * g_sign);
    d[l] = shift + h;
}

/* Makes the tridiagonal matrix diagonal. Applies the rotations to the strips z. Without z, computes
 * only the eigenvalues. ee: scratch, n doubles. */
static bool eigen_ql(uint32_t n, double *d, double *e, double *ee, struct rotations *r, double *z)
{
    for (uint32_t l = 0; l + 1 < n; l++)
        ee[l] = e[l] * e[l];
    for (uint32_t l = 0; l < n; l++) {
        uint32_t end = eigen_block_end(n, l, d, ee);
        for (int k = 0; end > l; k++) {
            if (k == EIGEN_SWEEPS) return false;
            eigen_sweep(l, end, d, e, ee, rotations_next(r));
            if (z) rotations_add(r, l, end);
            if (z && rotations_is_full(r)) rotations_apply(r, n, z);
            end = eigen_block_end(n, l, d, ee);
        }
    }
    if (z) rotations_apply(r, n, z);
    return true;
}

/* ---- the whole ---- */

/* Sets the lower triangle of out to scale a, and the rest to 0. out may be a. */
static void eigen_load(uint32_t n, const double *a, uint32_t from, double scale, double *out,
                       uint32_t to)
{
    for (uint32_t i = 0; i < n; i++) {
        double *row = out + (size_t)i * to;
        for (uint32_t j = 0; j <= i; j++)
            row[j] = scale * a[(size_t)i * from + j];
        memset(row + i + 1, 0, (to - i - 1) * sizeof *row);
    }
}

/* Sorts the eigenvalues. With strips, sets the rows of z to their rows in the new order; order:
 * scratch, n numbers. */
static void eigen_sort_descending(uint32_t n, double *lambda, const double *strips, double *z,
                                  uint32_t *order)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t top = i, at;
        for (uint32_t j = i + 1; j < n; j++)
            if (lambda[j] > lambda[top]) top = j;
        double value = lambda[top];
        lambda[top] = lambda[i], lambda[i] = value;
        at = order[top], order[top] = order[i], order[i] = at;
    }
    for (uint32_t i = 0; strips && i < n; i++, z += eigen_ld(n)) {
        memset(z + n, 0, (eigen_ld(n) - n) * sizeof *z);
        rotations_row(n, n, strips, order[i], z);
    }
}

/* Returns the largest |number| of the lower triangle; infinity if a number is not finite. */
static double eigen_max(uint32_t n, const double *a, uint32_t ld)
{
    double max = 0;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double x = fabs(a[(size_t)i * ld + j]);
            if (!(x <= max)) max = isnan(x) ? HUGE_VAL : x;
        }
    return max;
}

/* Gives the eigenvalues their scale. Returns `converged`. */
static bool eigen_end(uint32_t n, double scale, bool converged, double *lambda)
{
    for (uint32_t i = 0; i < n; i++)
        lambda[i] = converged ? lambda[i] * scale : (double)NAN;
    return converged;
}

bool eigen(uint32_t n, const double *a, uint32_t from, double *lambda, double *work)
{
    uint32_t ld = eigen_ld(n);
    size_t square = (size_t)n * ld;
    double *t = work + square, *e = t + square, *q = e + ld, *panel = q + 3 * (size_t)ld;
    double max = eigen_max(n, a, from), scale = reflect_scale(max);
    struct rotations r;
    assert(n <= from);
    if (isinf(max)) return eigen_end(n, 1, false, lambda);
    if (!n) return true;
    eigen_load(n, a, from, 1 / scale, t, ld);
    eigen_tridiagonal(n, ld, t, lambda, e, q, panel);
    reflect_product(n - 1, 0, t + ld, ld, n, work, q); /* Q */
    rotations_strips(n, n, work, ld, t);               /* Q' */
    rotations_init(&r, n, work, square);
    bool converged = eigen_ql(n, lambda, e, q, &r, t);
    if (converged) eigen_sort_descending(n, lambda, t, work, (uint32_t *)(void *)q);
    return eigen_end(n, scale, converged, lambda);
}

bool eigen_values(uint32_t n, double *a, double *lambda, double *work)
{
    uint32_t ld = eigen_ld(n);
    double max = eigen_max(n, a, ld), scale = reflect_scale(max), *e = work, *q = e + ld;
    struct rotations r = {.rows = n, .of = (struct rotation *)(q + 2 * (size_t)ld)};
    if (isinf(max)) return eigen_end(n, 1, false, lambda);
    if (!n) return true;
    eigen_load(n, a, ld, 1 / scale, a, ld);
    eigen_tridiagonal(n, ld, a, lambda, e, q, q + 4 * (size_t)ld);
    bool converged = eigen_ql(n, lambda, e, q, &r, NULL);
    if (converged) eigen_sort_descending(n, lambda, NULL, NULL, (uint32_t *)(void *)q);
    return eigen_end(n, scale, converged, lambda);
}
