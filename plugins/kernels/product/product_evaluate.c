/* product_evaluate.c -- implementation of product_evaluate.h */
#include "product_evaluate.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/dense/multiply.h"
#include "kernels/dense/spectral.h"
#include "product_top.h"

static uint32_t product_evaluate_steps_for(uint32_t k)
{
    return k + 1 > PRODUCT_EVALUATE_STEPS / 2 ? 2 * (k + 1) : PRODUCT_EVALUATE_STEPS;
}

/* Error of an approximation, as an operator: X Y' - scale A B', or X Y' - U C V'. */
struct product_evaluate_lack {
    const struct product_evaluate *j;
    struct tall_matrix left, right;
    uint32_t columns;
    double scale;
    const double *C; /* columns x columns, the matrix between the sides; NULL: identity */
    double *t, *u;   /* scratch, `columns` doubles each                                 */
};

static void product_evaluate_times(void *self, bool transposed, const double *in, double *out)
{
    const struct product_evaluate_lack *l = self;
    const struct sparse_columns *x = transposed ? l->j->y : l->j->x,
                                *y = transposed ? l->j->x : l->j->y;
    struct tall_matrix to = transposed ? l->right : l->left, from = transposed ? l->left : l->right;
    memset(out, 0, l->j->m[transposed] * sizeof *out);
    sparse_columns_apply(x, y, in, out);
    if (!l->columns) return;
    double *t = l->t;
    uint32_t k = l->columns;
    multiply_vector_t(from.n, k, 1, from.a, from.ld, in, false, t); /* t = V' in */
    if (l->C) {
        (transposed ? multiply_vector_t : multiply_vector_n)(k, k, 1, l->C, k, t, false, l->u);
        t = l->u;
    }
    multiply_vector_n(to.n, k, -l->scale, to.a, to.ld, t, true, out); /* X Y' in - scale U C t */
}

static bool product_evaluate_top(struct product_evaluate_lack *l, uint32_t k, double *sigma,
                                 void *block)
{
    struct spectral_operator m = {l->j->m[0], l->j->m[1], l, product_evaluate_times};
    return spectral_top(&m, product_evaluate_steps_for(l->j->k), 1, k, sigma, block);
}

struct product_evaluate_work {
    void *spectral, *triplets;
    double *sigma, *vectors[2], *product, *C, *t, *u;
    struct tall_matrix_work tall;
};

static size_t product_evaluate_lay_out(struct product_evaluate_work *w, const uint32_t m[2],
                                       uint32_t columns, uint32_t k, void *block)
{
    struct layout c = {block, 0};
    w->spectral = layout_take(&c, spectral_bytes(m[0], m[1], product_evaluate_steps_for(k)), 1);
    w->triplets = layout_take(&c, product_triplets_bytes(columns), 1);
    for (int i = 0; i < 2; i++)
        w->vectors[i] = layout_take(&c, (size_t)m[i] * k, 8);
    tall_matrix_work_init(&w->tall, k, layout_take(&c, tall_matrix_work_bytes(k), 1));
    w->product = layout_take(&c, (size_t)m[0] * k, 8);
    w->C = layout_take(&c, (size_t)k * k, 8);
    w->t = layout_take(&c, (size_t)columns + k, 8);
    w->u = layout_take(&c, (size_t)columns + k, 8);
    w->sigma = layout_take(&c, k + 1, 8);
    return c.used;
}

size_t product_evaluate_bytes(const uint32_t m[2], uint32_t columns, uint32_t k)
{
    struct product_evaluate_work w;
    return product_evaluate_lay_out(&w, m, columns, k, NULL);
}

static double product_evaluate_square(const struct sparse_columns *s)
{
    double sum = 0;
    for (uint32_t e = 0; e < sparse_columns_entries(s); e++)
        sum += s->value[e] * s->value[e];
    return sum;
}

bool product_evaluate_exact(struct product_evaluate *j, void *block)
{
    struct product_evaluate_work w;
    struct product_evaluate_lack l = {.j = j};
    assert(j->k >= 1 && j->x->columns == j->y->columns);
    product_evaluate_lay_out(&w, j->m, 0, j->k, block);
    j->frobenius = sqrt(product_evaluate_square(j->x)) * sqrt(product_evaluate_square(j->y));
    if (!product_evaluate_top(&l, j->k + 1, w.sigma, w.spectral)) return false;
    j->norm = w.sigma[0];
    j->next = w.sigma[j->k];
    return true;
}

/* Sets U and V to orthonormal columns that span the first singular vectors of A B', and *k to the
 * number of these columns, at most j->k. */
static bool product_evaluate_directions(const struct product_evaluate *j,
                                        const struct product_evaluate_sketch *s,
                                        struct product_evaluate_work *w, struct tall_matrix UV[2],
                                        uint32_t *k)
{
    struct product_triplets t;
    if (!product_triplets(s->side, s->columns, s->scale, w->triplets, &t)) return false;
    *k = t.n < j->k ? t.n : j->k;
    for (int i = 0; i < 2 && *k; i++) {
        UV[i] = (struct tall_matrix){w->vectors[i], s->side[i].n, *k};
        for (uint32_t from = 0, n; from < UV[i].n; from += n) {
            n = UV[i].n - from < PRODUCT_TRIPLETS_ROWS ? UV[i].n - from : PRODUCT_TRIPLETS_ROWS;
            const double *row = product_triplets_rows(&t, i, from, n);
            for (uint32_t r = 0; r < n; r++)
                for (uint32_t c = 0; c < *k; c++)
                    UV[i].a[(size_t)(from + r) * *k + c] = row[(size_t)r * t.n + c];
        }
        tall_matrix_qr(UV[i], *k, w->C, &w->tall);
    }
    return true;
}

static bool product_evaluate_projection(const struct product_evaluate *j,
                                        const struct product_evaluate_sketch *s,
                                        struct product_evaluate_work *w, double *norm)
{
    struct product_evaluate_lack l = {.j = j, .scale = 1, .C = w->C, .t = w->t, .u = w->u};
    struct tall_matrix UV[2], P;
    uint32_t k;
    if (!product_evaluate_directions(j, s, w, UV, &k)) return false;
    if (k) {
        l.left = UV[0], l.right = UV[1], l.columns = k;
        P = (struct tall_matrix){w->product, j->m[0], k};
        tall_matrix_clear(P, k);
        sparse_columns_product(j->x, j->y, UV[1], P, k, w->t);
        multiply_tn(k, k, UV[0].n, 1, UV[0].a, UV[0].ld, P.a, k, false, w->C, k);
    }
    return product_evaluate_top(&l, 1, norm, w->spectral);
}

bool product_evaluate_sketch(const struct product_evaluate *j,
                             const struct product_evaluate_sketch *s,
                             struct product_evaluate_result *r, void *block)
{
    struct product_evaluate_work w;
    double norm;
    product_evaluate_lay_out(&w, j->m, s->columns, j->k, block);
    struct product_evaluate_lack l = {.j = j,
                                      .left = s->side[0],
                                      .right = s->side[1],
                                      .columns = s->columns,
                                      .scale = s->scale,
                                      .t = w.t};
    if (!product_evaluate_top(&l, 1, &norm, w.spectral)) return false;
    r->error = norm / j->frobenius;
    if (!product_evaluate_projection(j, s, &w, &norm)) return false;
    r->projection = j->next > j->norm * 1e-12 ? norm / j->next : (double)NAN;
    return true;
}
