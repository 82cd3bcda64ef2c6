/* fd_eigen.c -- implementation of fd_eigen.h: the QL method, LAPACK, and the map of a shrink
 *
 * Matrices are full and row-major; rows are padded with zeros to a multiple of four. The inner
 * loops process four numbers at a time, which compilers turn into vector instructions.
 */
#include "fd_eigen.h"

#include <assert.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "fd_combine.h"

/* If an off-diagonal element is below this share of the matrix's largest number, it is a
 * rounding error. */
#define NEGLIGIBLE 0x1p-58
#define MAX_SWEEPS 60 /* limit of sweeps per eigenvalue; three are usual */

size_t fd_eigen_work(uint32_t n)
{
    size_t ld = fd_eigen_ld(n), lapack = 1 + 6 * (size_t)n + 2 * (size_t)n * n + 3 + 5 * (size_t)n;
    size_t fd_eigen_ql = (size_t)n * ld + 4 * ld;
    return (size_t)n * ld + (n > FD_EIGEN_QL_MAX ? lapack : fd_eigen_ql);
}

/* ---- tridiagonal form ---- */

/* Replaces x by the vector v of the reflector I - v v' that makes all of x[0..n-1] 0 except the
 * last number; |v|^2 = 2, or v = 0. Returns the last number of (I - v v') x. */
static double fd_eigen_reflector(uint32_t n, double *x)
{
    double square = 0, last = x[n - 1];
    for (uint32_t k = 0; k + 1 < n; k++)
        square += x[k] * x[k];
    if (square <= NEGLIGIBLE * NEGLIGIBLE) {
        memset(x, 0, n * sizeof *x);
        return last;
    }
    double left = last > 0 ? -sqrt(square + last * last) : sqrt(square + last * last);
    x[n - 1] = last - left;
    double scale = sqrt(2 / (square + x[n - 1] * x[n - 1]));
    for (uint32_t k = 0; k < n; k++)
        x[k] *= scale;
    return left;
}

/* Computes a -= v q' + q v' for n x n matrices. The arrays must not overlap. */
WIDE_INLINE void update(uint32_t n, uint32_t ld, double *restrict a, const double *restrict v,
                        const double *restrict q)
{
    for (uint32_t r = 0; r < n; r++, a += ld) {
        double vr = v[r], qr = q[r];
        for (uint32_t c = 0; c < n; c += 4) {
            const double *x = q + c, *y = v + c;
            double t0 = vr * x[0] + qr * y[0], t1 = vr * x[1] + qr * y[1];
            double t2 = vr * x[2] + qr * y[2], t3 = vr * x[3] + qr * y[3];
            t0 = a[c] - t0, t1 = a[c + 1] - t1, t2 = a[c + 2] - t2, t3 = a[c + 3] - t3;
            a[c] = t0, a[c + 1] = t1, a[c + 2] = t2, a[c + 3] = t3;
        }
    }
}

/* Replaces a by Q' a Q, which is tridiagonal: d on its diagonal, e[i] at (i, i + 1). The vector v
 * of step i stays in row i of a. */
WIDE static void fd_eigen_tridiagonal(uint32_t n, uint32_t ld, double *a, double *d, double *e,
                                      double *q)
{
    for (uint32_t i = n - 1; i > 0; i--) {
        double *v = a + (size_t)i * ld, s = 0;
        d[i] = v[i];
        memset(v + i, 0, (ld - i) * sizeof *v);
        e[i - 1] = fd_eigen_reflector(i, v);
        fd_combine(i, fd_eigen_ld(i), ld, a, v, q); /* q = A v */
        memset(q + i, 0, (ld - i) * sizeof *q);
        for (uint32_t k = 0; k < i; k++)
            s += v[k] * q[k];
        for (uint32_t k = 0; k < i; k++)
            q[k] -= s / 2 * v[k]; /* q -= (v'q / 2) v */
        update(i, ld, a, v, q);   /* A -= v q' + q v' */
    }
    d[0] = a[0];
}

/* Computes z -= v g' for n x n matrices. The arrays must not overlap. */
WIDE_INLINE void reflect(uint32_t n, uint32_t ld, double *restrict z, const double *restrict v,
                         const double *restrict g)
{
    for (uint32_t r = 0; r < n; r++, z += ld) {
        double vr = v[r];
        for (uint32_t c = 0; c < n; c += 4) {
            double t0 = vr * g[c], t1 = vr * g[c + 1], t2 = vr * g[c + 2], t3 = vr * g[c + 3];
            t0 = z[c] - t0, t1 = z[c + 1] - t1, t2 = z[c + 2] - t2, t3 = z[c + 3] - t3;
            z[c] = t0, z[c + 1] = t1, z[c + 2] = t2, z[c + 3] = t3;
        }
    }
}

/* Sets z = Q', the transposed product of the reflectors. The first i - 1 reflectors have changed
 * only the first i - 1 rows and columns. */
WIDE static void fd_eigen_multiply_out(uint32_t n, uint32_t ld, const double *a, double *g,
                                       double *z)
{
    memset(z, 0, (size_t)n * ld * sizeof *z);
    for (uint32_t i = 0; i < n; i++)
        z[(size_t)i * ld + i] = 1;
    for (uint32_t i = 1; i < n; i++) {
        const double *v = a + (size_t)i * ld;
        fd_combine(i, fd_eigen_ld(i), ld, z, v, g);
        reflect(i, ld, z, v, g);
    }
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t c = 0; c < r; c++) {
            double *x = &z[(size_t)r * ld + c], *y = &z[(size_t)c * ld + r], swap = *x;
            *x = *y;
            *y = swap;
        }
}

/* ---- implicit QL ---- */

/* Returns the last row of the block that begins at row l. The off-diagonal element after this row
 * is only a rounding error. */
static uint32_t fd_eigen_block_end(uint32_t n, uint32_t l, const double *d, const double *e)
{
    while (l + 1 < n && fabs(e[l]) > 0x1p-53 * (fabs(d[l]) + fabs(d[l + 1])) + NEGLIGIBLE)
        l++;
    return l;
}

/* Performs one QL sweep with Wilkinson's shift over rows l .. end. Stores rotation i, of rows i and
 * i + 1, in c[i] and s[i]. Returns the first rotation: l, or more if the block splits. */
static uint32_t fd_eigen_sweep(uint32_t l, uint32_t end, double *d, double *e, double *c, double *s)
{
    double g = (d[l + 1] - d[l]) / (2 * e[l]), sine = 1, cosine = 1, p = 0;
    double root = sqrt(g * g + 1);
    g = d[end] - d[l] + e[l] / (g + (g < 0 ? -root : root));
    for (uint32_t i = end; i-- > l;) {
        double f = sine * e[i], b = cosine * e[i], r = sqrt(f * f + g * g);
        if (i + 1 < end) e[i + 1] = r;
        if (r == 0) {
            d[i + 1] -= p;
            return i + 1;
        }
        sine = f / r, cosine = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * sine + 2 * cosine * b;
        p = sine * r;
        d[i + 1] = g + p;
        g = cosine * r - b;
        c[i] = cosine, s[i] = sine;
    }
    d[l] -= p;
    e[l] = g;
    return l;
}

/* Applies the rotations of a sweep, the last first, to four columns of z at a time. The row
 * shared by two rotations is in separate variables, because the compiler keeps these in
 * registers, but not an array. */
WIDE static void fd_eigen_rotate(uint32_t first, uint32_t end, uint32_t ld, const double *c,
                                 const double *s, double *z)
{
    for (uint32_t col = 0; col < ld; col += 4) {
        double *row = z + (size_t)end * ld + col, p0 = row[0], p1 = row[1], p2 = row[2],
               p3 = row[3];
        for (uint32_t i = end; i-- > first; row -= ld) {
            const double *x = row - ld;
            double ci = c[i], si = s[i], x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
            double y0 = si * x0 + ci * p0, y1 = si * x1 + ci * p1;
            double y2 = si * x2 + ci * p2, y3 = si * x3 + ci * p3;
            p0 = ci * x0 - si * p0, p1 = ci * x1 - si * p1;
            p2 = ci * x2 - si * p2, p3 = ci * x3 - si * p3;
            row[0] = y0, row[1] = y1, row[2] = y2, row[3] = y3;
        }
        row[0] = p0, row[1] = p1, row[2] = p2, row[3] = p3;
    }
}

static void fd_eigen_ql(uint32_t n, uint32_t ld, double *d, double *e, double *c, double *s,
                        double *z)
{
    for (uint32_t l = 0; l < n; l++) {
        uint32_t end = fd_eigen_block_end(n, l, d, e);
        for (int k = 0; end > l && k < MAX_SWEEPS; k++) {
            uint32_t first = fd_eigen_sweep(l, end, d, e, c, s);
            fd_eigen_rotate(first, end, ld, c, s, z);
            end = fd_eigen_block_end(n, l, d, e);
        }
    }
}

/* ---- both methods ---- */

/* Sets out = scale a, as a full matrix with padded rows. Reads only the lower triangle of a. */
static void fd_eigen_unfold(uint32_t n, const double *a, uint32_t from, double scale, double *out,
                            uint32_t to)
{
    memset(out, 0, (size_t)n * to * sizeof *out);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            out[(size_t)i * to + j] = out[(size_t)j * to + i] = scale * a[(size_t)i * from + j];
}

static void fd_eigen_swap_rows(uint32_t n, double *x, double *y)
{
    for (uint32_t k = 0; k < n; k++) {
        double z = x[k];
        x[k] = y[k];
        y[k] = z;
    }
}

static void fd_eigen_sort_descending(uint32_t n, uint32_t ld, double *lambda, double *z)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t top = i;
        for (uint32_t j = i + 1; j < n; j++)
            if (lambda[j] > lambda[top]) top = j;
        if (top == i) continue;
        fd_eigen_swap_rows(1, lambda + i, lambda + top);
        fd_eigen_swap_rows(n, z + (size_t)i * ld, z + (size_t)top * ld);
    }
}

/* Returns a power of two near the matrix's largest number. After division by it, squares of numbers
 * neither overflow nor vanish. */
static double fd_eigen_size_of(uint32_t n, const double *a, uint32_t ld)
{
    double max = 0;
    int power;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++)
            max = fmax(max, fabs(a[(size_t)i * ld + j]));
    frexp(max, &power);
    return ldexp(1, power < -1000 ? -1000 : power);
}

static void fd_eigen_solve_by_ql(uint32_t n, const double *a, uint32_t from, double *d, double *z)
{
    uint32_t ld = fd_eigen_ld(n);
    double *t = z + (size_t)n * ld, *e = t + (size_t)n * ld, *c = e + ld, *s = c + ld, *q = s + ld;
    double scale = fd_eigen_size_of(n, a, from);
    fd_eigen_unfold(n, a, from, 1 / scale, t, ld);
    fd_eigen_tridiagonal(n, ld, t, d, e, q);
    fd_eigen_multiply_out(n, ld, t, q, z);
    fd_eigen_ql(n, ld, d, e, c, s, z);
    for (uint32_t i = 0; i < n; i++)
        d[i] *= scale;
}

static void fd_eigen_solve_by_lapack(uint32_t n, const double *a, uint32_t from, double *lambda,
                                     double *z)
{
    uint32_t ld = fd_eigen_ld(n);
    lapack_int k = (lapack_int)n, n_work = 1 + 6 * k + 2 * k * k;
    double *work = z + (size_t)n * ld;
    fd_eigen_unfold(n, a, from, 1, z, ld);
    lapack_int failed =
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', k, z, (lapack_int)ld, lambda, work, n_work,
                            (lapack_int *)(work + n_work), 3 + 5 * k);
    if (failed) fd_eigen_solve_by_ql(n, a, from, lambda, z);
}

const double *fd_eigen(uint32_t n, const double *a, uint32_t ld, double *lambda, double *work)
{
    assert(n <= ld);
    if (!n) return work;
    if (n <= FD_EIGEN_QL_MAX)
        fd_eigen_solve_by_ql(n, a, ld, lambda, work);
    else
        fd_eigen_solve_by_lapack(n, a, ld, lambda, work);
    fd_eigen_sort_descending(n, fd_eigen_ld(n), lambda, work);
    return work;
}

/* ---- a shrink ---- */

/* Returns the number of eigenvalues above rounding errors. These errors are a few units in the last
 * place of the largest eigenvalue, growing with n. */
static uint32_t fd_fold_rank_of(uint32_t n, const double *lambda)
{
    uint32_t rank = 0;
    while (rank < n && lambda[rank] > 8 * 0x1p-53 * n * lambda[0])
        rank++;
    return rank;
}

struct fd_fold fd_fold(uint32_t n, uint32_t m, const double *gram, uint32_t ld_gram, double *w,
                       uint32_t ld_w, double *lambda, double *work)
{
    assert(m >= 1 && n <= ld_gram && n <= ld_w);
    if (!n) return (struct fd_fold){0};
    const double *u = fd_eigen(n, gram, ld_gram, lambda, work);
    uint32_t rank = fd_fold_rank_of(n, lambda);
    struct fd_fold fold = {.kept = rank < m ? rank : m - 1, .delta = rank < m ? 0 : lambda[m - 1]};
    for (uint32_t i = 0; i < fold.kept; i++) {
        double shrink = sqrt((lambda[i] - fold.delta) / lambda[i]);
        for (uint32_t r = 0; r < n; r++)
            w[(size_t)i * ld_w + r] = shrink * u[r]; /* W_i = shrink U_i' */
        u += fd_eigen_ld(n);
        lambda[i] -= fold.delta;
    }
    return fold;
}
