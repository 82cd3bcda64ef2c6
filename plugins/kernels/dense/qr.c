/* qr.c -- implementation of qr.h */
#include "qr.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "multiply.h"
#include "reflect.h"
#include "vectors.h"

enum {
    PANEL = 32,     /* columns of a panel                        */
    MIN_ROWS = 128, /* rows of a block, or twice as many as columns */
    MAX_POWER = 400 /* squares of numbers up to 2^MAX_POWER and their sums are finite */
};

/* Work of one block. P has the rows of a panel from the last to the first, so the rows that a
 * reflector changes are the first ones. */
struct qr {
    uint32_t k, ld_p;
    double *p; /* the panel: rows of the block, then those of R, all in descending order */
    double *v; /* reflectors of the panel as rows, |v|^2 = 2; n_v numbers each           */
    uint32_t n_v;
    double *change, *next; /* w of A -= v w' for the panel                                */
    double *G, *W, *C;     /* k x k: V'V, T times some matrix, top of Q                   */
};

/* Returns the rows of a block. */
static uint32_t qr_rows(uint32_t k) { return 2 * k > MIN_ROWS ? 2 * k : MIN_ROWS; }

static size_t qr_lay_out(struct qr *q, uint32_t k, double *work)
{
    struct layout c = {(char *)work, 0};
    uint32_t panel = k < PANEL ? k : PANEL;
    size_t square = (size_t)k * k;
    q->k = k;
    q->ld_p = reflect_padded(panel);
    q->n_v = qr_rows(k) + panel;
    q->p = layout_take(&c, (size_t)q->n_v * q->ld_p, sizeof(double));
    q->v = layout_take(&c, (size_t)q->n_v * panel, sizeof(double));
    q->change = layout_take(&c, q->ld_p, sizeof(double));
    q->next = layout_take(&c, q->ld_p, sizeof(double));
    q->G = layout_take(&c, square, sizeof(double));
    q->W = layout_take(&c, square, sizeof(double));
    q->C = layout_take(&c, square, sizeof(double));
    return c.used;
}

size_t qr_work(uint32_t k)
{
    struct qr q;
    return qr_lay_out(&q, k, NULL) / sizeof(double);
}

size_t qr_stack(uint32_t k) { return (size_t)qr_rows(k) * k; }

/* ---- a panel ---- */

/* Multiplies x by a power of two that makes its largest number about 1. Returns the power; 0 if x
 * has only 0s or a number that is not finite. */
static int qr_rescale(uint32_t n, double *x)
{
    double max = 0;
    int power;
    for (uint32_t i = 0; i < n; i++)
        if (!(fabs(x[i]) <= max)) max = fabs(x[i]);
    if (!isfinite(max) || max == 0) return 0;
    frexp(max, &power);
    for (uint32_t i = 0; i < n; i++)
        x[i] = ldexp(x[i], -power);
    return power;
}

/* Replaces x by the v, |v|^2 = 2, of the reflector that makes all of x 0 except the last number.
 * Returns the last number. */
static double qr_reflector(uint32_t n, double *x)
{
    int power = 0;
    double square = vectors_dot(n, x, x);
    if (!(square >= ldexp(1, -2 * MAX_POWER) && square <= ldexp(1, 2 * MAX_POWER))) {
        power = qr_rescale(n, x);
        square = vectors_dot(n, x, x);
    }
    if (square == 0) {
        x[n - 1] = sqrt(2);
        return 0;
    }
    double last = x[n - 1], left = last > 0 ? -sqrt(square) : sqrt(square);
    x[n - 1] = last - left;
    vectors_scale(n, 1 / sqrt(left * (left - last)), x); /* |x|^2 = 2 left (left - last) */
    return ldexp(left, power);
}

/* Copies columns j .. j + c - 1 of the block and of R to P, the last row first. The first block has
 * its own rows as R. Returns the number of rows of P. */
static uint32_t qr_load(struct qr *q, uint32_t rows, const double *a, uint32_t ld, bool first,
                        uint32_t j, uint32_t c, const double *R)
{
    double *p = q->p;
    size_t bytes = c * sizeof *p;
    for (uint32_t i = rows; i-- > (first ? j : 0); p += q->ld_p) {
        memset(p + c, 0, q->ld_p * sizeof *p - bytes);
        memcpy(p, a + (size_t)i * ld + j, bytes);
    }
    for (uint32_t i = first ? 0 : c; i-- > 0; p += q->ld_p) {
        memset(p + c, 0, q->ld_p * sizeof *p - bytes);
        memcpy(p, R + (size_t)(j + i) * q->k + j, bytes);
    }
    return (uint32_t)((p - q->p) / q->ld_p);
}

/* Makes reflector t from column t of P, after the change of reflector t - 1. Returns the diagonal
 * element of R. */
static double qr_column(struct qr *q, uint32_t n, uint32_t rows, uint32_t t)
{
    double *v = q->v + (size_t)t * q->n_v;
    const double *column = q->p + t, *old = v - q->n_v;
    for (uint32_t i = 0; i < rows; i++)
        v[i] =
            t ? column[(size_t)i * q->ld_p] - old[i] * q->change[t] : column[(size_t)i * q->ld_p];
    memset(v + rows, 0, (n - rows) * sizeof *v);
    return qr_reflector(rows, v);
}

/* Factors the c columns of P, n rows. Writes c rows of R, beginning at its diagonal. One pass over
 * P makes the change of reflector t - 1 and the w of reflector t. */
static void qr_panel(struct qr *q, uint32_t n, uint32_t c, double *R)
{
    memset(q->change, 0, q->ld_p * sizeof *q->change);
    for (uint32_t t = 0; t < c; t++) {
        uint32_t rows = n - t, from = t & ~3u;
        const double *v = q->v + (size_t)t * q->n_v, *last = q->p + (size_t)(rows - 1) * q->ld_p;
        double *out = R + (size_t)t * q->k;
        out[t] = qr_column(q, n, rows, t);
        struct reflect by = {.u = t ? v - q->n_v : v, .w = q->change + from};
        reflect_update(rows, q->ld_p - from, q->ld_p, q->p + from, by, v, q->next + from);
        double *swap = q->change;
        q->change = q->next;
        q->next = swap;
        for (uint32_t i = t + 1; i < c; i++)
            out[i] = last[i] - v[rows - 1] * q->change[i];
    }
}

/* Writes V to the columns of the block, with 1 on its diagonal. */
static void qr_store(const struct qr *q, uint32_t n, uint32_t rows, double *a, uint32_t ld,
                     bool first, uint32_t j, uint32_t c)
{
    double scale[PANEL];
    for (uint32_t t = 0; t < c; t++)
        scale[t] = 1 / q->v[(size_t)t * q->n_v + n - 1 - t];
    for (uint32_t i = 0; first && i < j; i++)
        memset(a + (size_t)i * ld + j, 0, c * sizeof *a);
    for (uint32_t i = first ? j : 0; i < rows; i++) {
        double *row = a + (size_t)i * ld + j;
        const double *v = q->v + (rows - 1 - i);
        for (uint32_t t = 0; t < c; t++)
            row[t] = first && i == j + t ? 1 : scale[t] * v[(size_t)t * q->n_v];
    }
}

/* ---- a block ---- */

/* Sets G = V'V for c columns of the block. V has the unit matrix above the block, if not first. */
static void qr_gram(struct qr *q, uint32_t rows, const double *v, uint32_t ld, bool first,
                    uint32_t c)
{
    multiply_square_tn(c, rows, 1, v, ld, false, q->G, c);
    for (uint32_t i = 0; !first && i < c; i++)
        q->G[i * (c + 1ull)] += 1;
}

/* Changes the n columns of the block and of R right of a panel by I - V T'V'. */
static void qr_change(struct qr *q, uint32_t rows, double *a, uint32_t ld, bool first, uint32_t c,
                      uint32_t n, double *R)
{
    double *W = q->W, *right = a + c;
    for (uint32_t i = 0; !first && i < c; i++)
        memcpy(W + (size_t)i * n, R + (size_t)i * q->k, n * sizeof *W);
    multiply_tn(c, n, rows, 1, a, ld, right, ld, !first, W, n); /* W = V'A */
    qr_gram(q, rows, a, ld, first, c);
    for (uint32_t i = 0; i < c; i++) { /* W = T'W */
        const double *g = q->G + (size_t)i * c;
        for (uint32_t t = 0; t < i; t++)
            vectors_add(n, -g[t], W + (size_t)t * n, W + (size_t)i * n);
        vectors_scale(n, 2 / g[i], W + (size_t)i * n);
    }
    multiply_nn(rows, n, c, -1, a, ld, W, n, true, right, ld);
    for (uint32_t i = 0; i < c; i++)
        if (first)
            memcpy(R + (size_t)i * q->k, right + (size_t)i * ld, n * sizeof *R);
        else
            vectors_add(n, -1, W + (size_t)i * n, R + (size_t)i * q->k);
}

/* Factors a block stacked below R, or the first block. V replaces it. */
static void qr_block(struct qr *q, uint32_t rows, double *a, uint32_t ld, bool first, uint32_t r,
                     double *R)
{
    for (uint32_t j = 0, c; j < r; j += c) {
        c = r - j < PANEL ? r - j : PANEL;
        uint32_t skip = first ? j : 0, n = qr_load(q, rows, a, ld, first, j, c, R);
        double *diagonal = R + (size_t)j * q->k + j;
        qr_panel(q, n, c, diagonal);
        qr_store(q, n, rows, a, ld, first, j, c);
        if (j + c < q->k)
            qr_change(q, rows - skip, a + (size_t)skip * ld + j, ld, first, c, q->k - j - c,
                      diagonal + c);
    }
}

/* ---- Q ---- */

/* Sets W = -T X for the upper triangular X in W. */
static void qr_times_t(struct qr *q, uint32_t r)
{
    for (uint32_t i = r; i-- > 0;) {
        double *w = q->W + (size_t)i * r;
        vectors_scale(r - i, -1, w + i);
        for (uint32_t j = i + 1; j < r; j++)
            vectors_add(r - j, -q->G[(size_t)j * r + i], q->W + (size_t)j * r + j, w + j);
        vectors_scale(r - i, 2 / q->G[(size_t)i * r + i], w + i);
    }
}

/* Replaces the block V by V W for an upper triangular W, the last columns first. */
static void qr_times_w(struct qr *q, uint32_t rows, double *a, uint32_t ld, uint32_t r)
{
    for (uint32_t to = r, c; to > 0; to -= c) {
        c = to % PANEL ? to % PANEL : PANEL;
        multiply_nn(rows, c, to, 1, a, ld, q->W + (to - c), r, false, q->p, c);
        for (uint32_t i = 0; i < rows; i++)
            memcpy(a + (size_t)i * ld + to - c, q->p + (size_t)i * c, c * sizeof *a);
    }
}

/* Replaces the V of a block by its rows of Q; C is the part of Q above it. */
static void qr_multiply_out(struct qr *q, uint32_t rows, double *a, uint32_t ld, bool first,
                            uint32_t r)
{
    size_t square = (size_t)r * r;
    qr_gram(q, rows, a, ld, first, r);
    if (first)
        multiply_tn(r, r, r, 1, a, ld, q->C, r, false, q->W, r); /* V'C */
    else
        memcpy(q->W, q->C, square * sizeof *q->W);
    qr_times_t(q, r);
    qr_times_w(q, rows, a, ld, r);
    for (uint32_t i = 0; i < r; i++)
        if (first)
            vectors_add(r - i, 1, q->C + (size_t)i * r + i, a + (size_t)i * ld + i);
        else
            vectors_add(r - i, 1, q->W + (size_t)i * r + i, q->C + (size_t)i * r + i);
}

uint32_t qr(uint32_t m, uint32_t k, double *a, uint32_t ld, double *R, double *work)
{
    struct qr q;
    uint32_t r = m < k ? m : k, most = qr_rows(k);
    assert(k <= ld);
    if (!r) return 0;
    qr_lay_out(&q, k, work);
    memset(R, 0, (size_t)r * k * sizeof *R);
    uint32_t from = 0;
    for (; from < m; from += most)
        qr_block(&q, m - from < most ? m - from : most, a + (size_t)from * ld, ld, !from, r, R);
    memset(q.C, 0, (size_t)r * r * sizeof *q.C);
    for (uint32_t i = 0; i < r; i++)
        q.C[i * (r + 1ull)] = 1;
    while (from > 0) {
        from -= most;
        qr_multiply_out(&q, m - from < most ? m - from : most, a + (size_t)from * ld, ld, !from, r);
    }
    return r;
}

uint32_t qr_triangle(uint32_t m, uint32_t k, const double *a, uint32_t ld, double *R, double *stack,
                     double *work)
{
    struct qr q;
    uint32_t r = m < k ? m : k, most = qr_rows(k);
    assert(k <= ld);
    if (!r) return 0;
    qr_lay_out(&q, k, work);
    memset(R, 0, (size_t)r * k * sizeof *R);
    for (uint32_t from = 0; from < m; from += most) {
        uint32_t rows = m - from < most ? m - from : most;
        for (uint32_t i = 0; i < rows; i++)
            memcpy(stack + (size_t)i * k, a + (size_t)(from + i) * ld, k * sizeof *stack);
        qr_block(&q, rows, stack, k, !from, r, R);
    }
    return r;
}
