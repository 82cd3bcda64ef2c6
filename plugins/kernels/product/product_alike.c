/* product_alike.c -- implementation of product_alike.h */
#include "product_alike.h"

#include <assert.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/dense/multiply.h"
#include "kernels/dense/vectors.h"

#define SAME                                                                                       \
    0x1p-40 /* largest difference of two sigmas that are the same, as a share of the largest */

struct product_alike product_alike(const struct product_triplets *t, uint32_t i)
{
    struct product_alike a = {i, 1};
    double same = SAME * t->sigma[0];
    while (a.first && t->sigma[a.first - 1] - t->sigma[a.first] <= same)
        a.first--, a.n++;
    while (a.first + a.n < t->n && t->sigma[a.first + a.n - 1] - t->sigma[a.first + a.n] <= same)
        a.n++;
    return a;
}

double product_alike_grain(const struct product_triplets *t, uint32_t i)
{
    struct product_alike a = product_alike(t, i);
    uint32_t end = a.first + a.n;
    double gap = t->sigma[end - 1] - (end < t->n ? t->sigma[end] : 0);
    if (a.first) gap = fmin(gap, t->sigma[a.first - 1] - t->sigma[a.first]);
    double unsure = t->sigma[0] / gap / 256; /* how far rounding errors turn the vectors */
    return product_grain(sqrt(t->sigma[i]) * fmax(1, unsure));
}

/* ---- a basis ---- */

/* Triplets of one sigma that get another basis. Z has their rows of the left side. */
struct product_basis {
    struct product_triplets *t;
    const struct product_order *order;
    struct product_alike a;
    double *W;    /* row s: vector s of the new basis, in coordinates of the old one */
    double *rest; /* for each left feature the squared length of its row without the new basis */
    double *row;
    double grain;
};

static size_t product_basis_lay_out(struct product_basis *b, uint32_t m, uint32_t columns,
                                    void *block)
{
    struct layout c = {block, 0};
    b->W = layout_take(&c, (size_t)columns * columns, sizeof *b->W);
    b->rest = layout_take(&c, m, sizeof *b->rest);
    b->row = layout_take(&c, columns, sizeof *b->row);
    return c.used;
}

size_t product_settle_bytes(uint32_t m, uint32_t columns)
{
    struct product_basis b;
    return product_basis_lay_out(&b, m, columns, NULL);
}

/* Returns the rows of `count` left features. */
static const double *product_basis_rows(const struct product_basis *b, uint32_t first,
                                        uint32_t count)
{
    const struct product_triplets *t = b->t;
    struct tall_matrix A = t->side[0];
    multiply_nn(count, b->a.n, t->columns, 1, A.a + (size_t)first * A.ld, A.ld,
                t->T[0] + b->a.first, t->n, false, t->rows, b->a.n);
    return t->rows;
}

/* Takes vector s - 1 of the basis out of all rows. Returns the feature that then has the longest
 * row. */
static uint32_t product_basis_pivot(struct product_basis *b, uint32_t s)
{
    uint32_t m = b->t->side[0].n, n = b->a.n, best = 0;
    for (uint32_t from = 0, count; from < m; from += count) {
        count = m - from < PRODUCT_TRIPLETS_ROWS ? m - from : PRODUCT_TRIPLETS_ROWS;
        const double *row = product_basis_rows(b, from, count);
        for (uint32_t f = from; f < from + count; f++, row += n) {
            double part = s ? vectors_dot(n, row, b->W + (size_t)(s - 1) * n) : 0;
            b->rest[f] = s ? b->rest[f] - part * part : vectors_dot(n, row, row);
            double is = product_rounded(b->rest[f], b->grain),
                   was = product_rounded(b->rest[best], b->grain);
            if (is > was ||
                (is == was && product_rank(b->order, 0, f) < product_rank(b->order, 0, best)))
                best = f;
        }
    }
    return best;
}

/* Makes vector s of the basis from a feature's row. */
static void product_basis_add(struct product_basis *b, uint32_t s, uint32_t feature)
{
    uint32_t n = b->a.n;
    double *w = b->W + (size_t)s * n;
    memcpy(w, product_basis_rows(b, feature, 1), n * sizeof *w);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < s; i++) {
            const double *v = b->W + (size_t)i * n;
            double part = vectors_dot(n, v, w);
            for (uint32_t j = 0; j < n; j++)
                w[j] -= part * v[j];
        }
    double length = sqrt(vectors_dot(n, w, w));
    for (uint32_t j = 0; j < n; j++)
        w[j] /= length;
}

/* Replaces the first `shown` vectors of both sides by those of the basis. */
static void product_basis_use(struct product_basis *b, uint32_t shown)
{
    struct product_triplets *t = b->t;
    for (int side = 0; side < 2; side++)
        for (uint32_t r = 0; r < t->columns; r++) {
            double *at = t->T[side] + (size_t)r * t->n + b->a.first;
            multiply_vector_n(shown, b->a.n, 1, b->W, b->a.n, at, false, b->row);
            memcpy(at, b->row, shown * sizeof *at);
        }
}

void product_settle(struct product_triplets *t, uint32_t shown, const struct product_order *order,
                    void *block)
{
    struct product_basis b = {.t = t, .order = order};
    assert(shown <= t->n);
    product_basis_lay_out(&b, t->side[0].n, t->columns, block);
    for (uint32_t i = 0; i < shown; i += b.a.n) {
        b.a = product_alike(t, i);
        b.grain = product_grain(t->sigma[i]);
        uint32_t vectors = b.a.n < shown - i ? b.a.n : shown - i;
        for (uint32_t s = 0; s < vectors && b.a.n > 1; s++)
            product_basis_add(&b, s, product_basis_pivot(&b, s));
        if (b.a.n > 1) product_basis_use(&b, vectors);
    }
}
