/* product_triplets.c -- see product_triplets.h. */
#include "product_triplets.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <string.h>

#include "shrink.h"

/* Parts of a singular vector below this share of its largest are rounding. */
#define ROUNDING 1e-9

struct work {
    struct tall_matrix_work tall;
    struct shrink_work small;
    double *stack;
};

static size_t lay_out(struct work *w, uint32_t columns, void *block)
{
    struct layout c = {block, 0};
    uint32_t k = columns ? columns : 1;
    shrink_work_init(&w->small, &w->tall, k, &c);
    w->stack = layout_take(&c, tall_matrix_stack(k), sizeof *w->stack);
    return c.used;
}

size_t product_triplets_bytes(uint32_t columns)
{
    struct work w;
    return lay_out(&w, columns, NULL);
}

/* T = R' W, columns divided by what makes them those of sqrt(scale sigma): W is r x n, or its
 * transpose. */
static void make_map(const struct product_triplets *t, const double *R, uint32_t r,
                     CBLAS_TRANSPOSE transposed, const double *W, uint32_t ld, double *T)
{
    uint32_t k = t->columns;
    cblas_dgemm(CblasRowMajor, CblasTrans, transposed, (blasint)k, (blasint)t->n, (blasint)r, 1, R,
                (blasint)k, W, (blasint)ld, 0, T, (blasint)t->n);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < t->n; j++)
            T[(size_t)i * t->n + j] *= t->scale / sqrt(t->sigma[j]);
}

bool product_triplets(const struct tall_matrix side[2], uint32_t columns, double scale, void *block,
                      struct product_triplets *t)
{
    struct work w;
    struct shrink_work *s = &w.small;
    assert(scale > 0 && columns <= side[0].ld && columns <= side[1].ld);
    lay_out(&w, columns, block);
    *t = (struct product_triplets){.side = {side[0], side[1]},
                                   .columns = columns,
                                   .scale = scale,
                                   .sigma = s->sigma,
                                   .rows = w.stack};
    uint32_t rx = tall_matrix_triangle(side[0], columns, s->R[0], w.stack, &w.tall),
             ry = tall_matrix_triangle(side[1], columns, s->R[1], w.stack, &w.tall);
    uint32_t n = rx < ry ? rx : ry;
    if (!n) return true;
    blasint k = (blasint)columns;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rx, (blasint)ry, k, 1, s->R[0], k,
                s->R[1], k, 0, s->M, (blasint)ry); /* R_x R_y' */
    if (!tall_matrix_svd(rx, ry, s->M, s->sigma, s->U, s->Vt, &w.tall)) return false;
    for (uint32_t i = 0; i < n; i++)
        s->sigma[i] *= scale;
    t->rounding = shrink_rounding(s->sigma, n, columns);
    while (t->n < n && s->sigma[t->n] > t->rounding)
        t->n++;
    if (!t->n) return true;
    /* T_x where M was; T_y where R_y was, which is no longer needed then */
    make_map(t, s->R[1], ry, CblasTrans, s->Vt, ry, s->M);
    make_map(t, s->R[0], rx, CblasNoTrans, s->U, n, s->R[1]);
    t->T[0] = s->M;
    t->T[1] = s->R[1];
    return true;
}

const double *product_triplets_rows(const struct product_triplets *t, int side, uint32_t first,
                                    uint32_t count)
{
    struct tall_matrix A = t->side[side];
    assert(t->n && count && count <= PRODUCT_TRIPLETS_ROWS && first + count <= A.n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)count, (blasint)t->n,
                (blasint)t->columns, 1, A.a + (size_t)first * A.ld, (blasint)A.ld, t->T[side],
                (blasint)t->n, 0, t->rows, (blasint)t->n);
    return t->rows;
}

/* ---- the heaviest features of a vector ---- */

static void offer(struct product_heavy *heavy, uint32_t k, uint32_t feature, double value)
{
    uint32_t i = k;
    while (i && fabs(value) > fabs(heavy[i - 1].value))
        i--;
    if (i == k) return;
    memmove(heavy + i + 1, heavy + i, (k - 1 - i) * sizeof *heavy);
    heavy[i] = (struct product_heavy){feature, value};
}

static void leave_rounding_out(struct product_heavy *heavy, uint32_t k)
{
    for (uint32_t i = 1; i < k; i++)
        if (fabs(heavy[i].value) < ROUNDING * fabs(heavy[0].value)) heavy[i].value = 0;
}

void product_heaviest(const struct product_triplets *t, int side, uint32_t triplets, uint32_t k,
                      struct product_heavy *heavy)
{
    uint32_t m = t->side[side].n;
    assert(triplets <= t->n);
    memset(heavy, 0, (size_t)triplets * k * sizeof *heavy);
    for (uint32_t from = 0, count; from < m && triplets; from += count) {
        count = m - from < PRODUCT_TRIPLETS_ROWS ? m - from : PRODUCT_TRIPLETS_ROWS;
        const double *row = product_triplets_rows(t, side, from, count);
        for (uint32_t r = 0; r < count; r++, row += t->n)
            for (uint32_t i = 0; i < triplets; i++)
                offer(heavy + (size_t)i * k, k, from + r, row[i]);
    }
    for (uint32_t i = 0; i < triplets; i++)
        leave_rounding_out(heavy + (size_t)i * k, k);
}
