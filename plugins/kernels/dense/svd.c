/* svd.c -- implementation of svd.h
 *
 * The matrix A of the calculation has at least as many rows as columns: it is M, or M'.
 *
 *   A = Q B P',  B = (lower bidiagonal with d on its diagonal and e[i] at (i + 1, i)), from below
 *                0s above it, as A is reduced from its last row and column to the first
 *
 * Rows of A are padded with zeros to a multiple of four.
 */
#include "svd.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "multiply.h"
#include "reflect.h"
#include "rotations.h"
#include "vectors.h"

struct svd {
    uint32_t m, n, ld, ld_u; /* A is m x n, m >= n */
    double *a;               /* A, then P' in strips; the reflectors of P stay in its rows */
    double *u;               /* reflectors of Q as rows, n of them; then Q' in strips */
    double *product;         /* Q, then P, then the rotations */
    double *d, *e;
    double *w, *next, *z; /* changes of A; w and next are scratch of reflect_product(), too */
    struct rotations left, right;
};

enum { SPARE = 16 }; /* makes room for two sweeps of the smallest matrices */

static size_t svd_lay_out(struct svd *s, uint32_t m, uint32_t n, double *work)
{
    struct layout c = {(char *)work, 0};
    size_t ld = reflect_padded(n), ld_u = reflect_padded(m);
    *s = (struct svd){.m = m, .n = n, .ld = (uint32_t)ld, .ld_u = (uint32_t)ld_u};
    s->a = layout_take(&c, m * ld, sizeof(double));
    s->u = layout_take(&c, n * ld_u, sizeof(double));
    s->product = layout_take(&c, m * ld + SPARE, sizeof(double));
    s->d = layout_take(&c, ld, sizeof(double));
    s->e = layout_take(&c, ld, sizeof(double));
    s->w = layout_take(&c, 2 * ld, sizeof(double));
    s->next = s->w + ld;
    s->z = layout_take(&c, ld_u, sizeof(double));
    return c.used;
}

size_t svd_work(uint32_t k)
{
    struct svd s;
    return svd_lay_out(&s, k, k, NULL) / sizeof(double);
}

/* ---- bidiagonal form ---- */

/* Makes the reflector u of column j, after the change `by` of A, which A does not have yet. */
static void svd_column(struct svd *s, uint32_t j, const struct reflect *by)
{
    uint32_t rows = s->m - s->n + j + 1;
    double *u = s->u + (size_t)j * s->ld_u;
    for (uint32_t r = 0; r < rows; r++) {
        double change = by->u[r] * by->w[j];
        change += by->z[r] * by->v[j];
        u[r] = s->a[(size_t)r * s->ld + j] - change;
    }
    memset(u + rows, 0, (s->ld_u - rows) * sizeof *u);
    s->d[j] = reflect_make(rows, u);
}

/* Makes the reflector v of the last row, after the change -u w'. It stays in the row. */
static double *svd_row(struct svd *s, uint32_t j, const double *u, const double *w)
{
    uint32_t row = s->m - s->n + j;
    double *v = s->a + (size_t)row * s->ld;
    for (uint32_t c = 0; c < j; c++)
        v[c] -= u[row] * w[c];
    memset(v + j, 0, (s->ld - j) * sizeof *v);
    s->e[j - 1] = reflect_make(j, v);
    return v;
}

/* Sets z = (A - u w') v for the first `rows` rows. */
static void svd_times(struct svd *s, uint32_t rows, uint32_t width, const double *u,
                      const double *w, const double *v)
{
    double along = vectors_dot(width, w, v);
    multiply_vector_n(rows, width, 1, s->a, s->ld, v, false, s->z);
    for (uint32_t r = 0; r < rows; r++)
        s->z[r] -= along * u[r];
}

/* Reduces A to B. One pass over A makes the change of column j + 1 and the w of column j. */
static void svd_bidiagonal(struct svd *s)
{
    memset(s->w, 0, s->ld * sizeof *s->w);
    memset(s->next, 0, s->ld * sizeof *s->next);
    memset(s->z, 0, s->ld_u * sizeof *s->z);
    struct reflect by = {s->z, s->w, s->z, s->w}; /* changes nothing at first */
    for (uint32_t j = s->n; j-- > 0;) {
        uint32_t last = s->m - s->n + j;
        const double *u = s->u + (size_t)j * s->ld_u;
        svd_column(s, j, &by);
        if (!j) return;
        reflect_update(last + 1, reflect_padded(j), s->ld, s->a, by, u, s->next); /* w = A'u */
        double *swap = s->w;
        s->w = s->next;
        s->next = swap;
        memset(s->w + j, 0, (s->ld - j) * sizeof *s->w);
        const double *v = svd_row(s, j, u, s->w);
        svd_times(s, last, j, u, s->w, v);
        by = (struct reflect){u, s->w, s->z, v};
    }
}

/* Sets the strips to Q' and P', and makes the lists of rotations. */
static void svd_vectors(struct svd *s)
{
    uint32_t extra = s->m - s->n;
    double *g = s->w < s->next ? s->w : s->next;
    reflect_product(s->n, extra, s->u, s->ld_u, s->n, s->product, g);
    rotations_strips(s->n, s->m, s->product, s->ld, s->u);
    reflect_product(s->n - 1, 0, s->a + (extra + 1ull) * s->ld, s->ld, s->n, s->product, g);
    rotations_strips(s->n, s->n, s->product, s->ld, s->a);
    size_t half = ((size_t)s->m * s->ld + SPARE) / 2;
    rotations_init(&s->left, s->n, s->product, half);
    rotations_init(&s->right, s->n, s->product + half, half);
}

/* ---- implicit QR ---- */

/* Returns the rotation that maps (f, g) to (r, 0). */
static inline struct rotation svd_rotation(double f, double g, double *r)
{
    double square = f * f + g * g;
    if (square < 0x1p-900) { /* the squares may have lost digits */
        f *= 0x1p600, g *= 0x1p600;
        square = f * f + g * g;
        if (square == 0) {
            *r = 0;
            return (struct rotation){1, 0};
        }
        double root = sqrt(square);
        *r = root * 0x1p-600;
        return (struct rotation){f / root, g / root};
    }
    *r = sqrt(square);
    return (struct rotation){f / *r, g / *r};
}

/* Returns the smaller singular value of (f, g; 0, h). */
static double svd_smaller(double f, double g, double h)
{
    double min = fmin(fabs(f), fabs(h)), max = fmax(fabs(f), fabs(h));
    g = fabs(g);
    if (min == 0) return 0;
    double sum = 1 + min / max, difference = (max - min) / max;
    if (g < max) {
        double square = (g / max) * (g / max);
        return min * (2 / (sqrt(sum * sum + square) + sqrt(difference * difference + square)));
    }
    double ratio = max / g, p = sum * ratio, q = difference * ratio;
    return min * ratio * (2 / (sqrt(1 + p * p) + sqrt(1 + q * q)));
}

/* Performs a sweep with a shift over the rows l .. end of B', which is upper bidiagonal. */
static void svd_sweep(uint32_t l, uint32_t end, double shift, double *d, double *e,
                      struct rotation *left, struct rotation *right)
{
    double f = (fabs(d[end]) - shift) * (copysign(1, d[end]) + shift / d[end]), g = e[end - 1];
    for (uint32_t i = end; i-- > l;) { /* rows i and i + 1 */
        double r;
        struct rotation a = svd_rotation(f, g, &r);
        if (i + 1 < end) e[i + 1] = r;
        f = a.c * d[i + 1] + a.s * e[i];
        e[i] = a.c * e[i] - a.s * d[i + 1];
        g = a.s * d[i];
        d[i] = a.c * d[i];
        struct rotation b = svd_rotation(f, g, &r);
        d[i + 1] = r;
        f = b.c * e[i] + b.s * d[i];
        d[i] = b.c * d[i] - b.s * e[i];
        if (i > l) {
            g = b.s * e[i - 1];
            e[i - 1] = b.c * e[i - 1];
        }
        right[i] = a, left[i] = b;
    }
    e[l] = f;
}

/* Performs a sweep with the shift 0. If one of d[l..end] is 0, then d[l] and e[l] become 0. */
static void svd_sweep_zero(uint32_t l, uint32_t end, double *d, double *e, struct rotation *left,
                           struct rotation *right)
{
    struct rotation a = {1, 0}, b = {1, 0};
    for (uint32_t i = end; i-- > l;) {
        double r, f = d[i + 1] * a.c, old = b.s;
        a = svd_rotation(f, e[i], &r);
        if (i + 1 < end) e[i + 1] = old * r;
        b = svd_rotation(b.c * r, d[i] * a.s, &d[i + 1]);
        right[i] = a, left[i] = b;
    }
    double h = d[l] * a.c;
    d[l] = h * b.c;
    e[l] = h * b.s;
}

/* Returns the last row of the block that begins at row l. The element e after this row is only a
 * rounding error. */
static uint32_t svd_block_end(uint32_t n, uint32_t l, const double *d, const double *e)
{
    while (l + 1 < n && fabs(e[l]) > 0x1p-53 * (fabs(d[l]) + fabs(d[l + 1])) + REFLECT_NEGLIGIBLE)
        l++;
    return l;
}

/* Clears negligible elements of d[l..end]. Returns the number of those that are 0. */
static uint32_t svd_zeros(uint32_t l, uint32_t end, double *d)
{
    uint32_t zeros = 0;
    for (uint32_t i = l; i <= end; i++)
        if (fabs(d[i]) <= REFLECT_NEGLIGIBLE) {
            d[i] = 0;
            zeros++;
        }
    return zeros;
}

/* Performs a sweep over the block l .. end, without lists of rotations if !vectors. */
static void svd_one_sweep(struct svd *s, uint32_t l, uint32_t end, bool vectors)
{
    struct rotation *left = rotations_next(&s->left), *right = rotations_next(&s->right);
    double *d = s->d, *e = s->e, shift = svd_smaller(d[l], e[l], d[l + 1]);
    double ratio = shift / fabs(d[end]);
    if (svd_zeros(l, end, d) || ratio * ratio < DBL_EPSILON)
        svd_sweep_zero(l, end, d, e, left, right);
    else
        svd_sweep(l, end, shift, d, e, left, right);
    if (!vectors) return;
    rotations_add(&s->left, l, end);
    rotations_add(&s->right, l, end);
    if (!rotations_is_full(&s->left)) return;
    rotations_apply(&s->left, s->m, s->u);
    rotations_apply(&s->right, s->n, s->a);
}

/* Makes B diagonal. */
static bool svd_iterate(struct svd *s, bool vectors)
{
    for (uint32_t l = 0; l < s->n; l++) {
        uint32_t end = svd_block_end(s->n, l, s->d, s->e);
        for (int k = 0; end > l; k++) {
            if (k == SVD_SWEEPS) return false;
            svd_one_sweep(s, l, end, vectors);
            end = svd_block_end(s->n, l, s->d, s->e);
        }
    }
    if (!vectors) return true;
    rotations_apply(&s->left, s->m, s->u);
    rotations_apply(&s->right, s->n, s->a);
    return true;
}

/* ---- the whole ---- */

/* Sets A = scale M, or scale M' if M has more columns than rows. */
static void svd_load(struct svd *s, bool transposed, const double *M, double scale)
{
    for (uint32_t r = 0; r < s->m; r++) {
        double *a = s->a + (size_t)r * s->ld;
        for (uint32_t c = 0; c < s->n; c++)
            a[c] = scale * M[transposed ? (size_t)c * s->m + r : (size_t)r * s->n + c];
        memset(a + s->n, 0, (s->ld - s->n) * sizeof *a);
    }
}

/* Sets sigma = scale |d|, descending, and order to the places of these numbers in d. */
static void svd_sort(struct svd *s, double scale, double *sigma, uint32_t *order)
{
    for (uint32_t i = 0; i < s->n; i++) {
        sigma[i] = scale * fabs(s->d[i]);
        order[i] = i;
    }
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t top = i, at;
        for (uint32_t j = i + 1; j < s->n; j++)
            if (sigma[j] > sigma[top]) top = j;
        double value = sigma[top];
        sigma[top] = sigma[i], sigma[i] = value;
        at = order[top], order[top] = order[i], order[i] = at;
    }
}

/* Returns -1 if the largest |number| of x is negative, else 1. */
static double svd_sign(uint32_t n, const double *x)
{
    uint32_t top = 0;
    for (uint32_t i = 1; i < n; i++)
        if (fabs(x[i]) > fabs(x[top])) top = i;
    return x[top] < 0 ? -1 : 1;
}

/* Writes the singular vectors of value k, which are row i of the strips, with their signs. */
static void svd_write(struct svd *s, bool transposed, uint32_t k, uint32_t i, double *U, double *Vt)
{
    double *left = s->z, *right = s->w < s->next ? s->w : s->next;
    rotations_row(s->n, s->m, s->u, i, left);
    rotations_row(s->n, s->n, s->a, i, right);
    double *u = transposed ? right : left, *v = transposed ? left : right;
    uint32_t rows = transposed ? s->n : s->m, columns = transposed ? s->m : s->n;
    double sign_v = svd_sign(columns, v), sign_u = s->d[i] < 0 ? -sign_v : sign_v;
    for (uint32_t c = 0; c < columns; c++)
        Vt[(size_t)k * columns + c] = sign_v * v[c];
    for (uint32_t r = 0; r < rows; r++)
        U[(size_t)r * s->n + k] = sign_u * u[r];
}

/* Returns the largest |number| of n; infinity if a number is not finite. */
static double svd_max(size_t n, const double *a)
{
    double max = 0;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(a[i]) <= max)) max = isnan(a[i]) ? HUGE_VAL : fabs(a[i]);
    return max;
}

bool svd(uint32_t m, uint32_t n, const double *M, double *sigma, double *U, double *Vt,
         double *work)
{
    bool transposed = m < n;
    struct svd s;
    double max = svd_max((size_t)m * n, M), scale = reflect_scale(max);
    assert(!U == !Vt);
    if (isinf(max)) return false;
    if (!m || !n) return true;
    svd_lay_out(&s, transposed ? n : m, transposed ? m : n, work);
    svd_load(&s, transposed, M, 1 / scale);
    svd_bidiagonal(&s);
    s.left = (struct rotations){.rows = s.n, .of = (struct rotation *)s.product};
    s.right = (struct rotations){.rows = s.n, .of = (struct rotation *)s.product};
    if (U) svd_vectors(&s);
    if (!svd_iterate(&s, U != NULL)) return false;
    uint32_t *order = (uint32_t *)(void *)s.e;
    svd_sort(&s, scale, sigma, order);
    for (uint32_t k = 0; U && k < s.n; k++)
        svd_write(&s, transposed, k, order[k], U, Vt);
    return true;
}
