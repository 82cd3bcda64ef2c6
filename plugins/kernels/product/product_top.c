/* product_top.c -- implementation of product_top.h */
#include "product_top.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/dense/multiply.h"
#include "kernels/dense/vectors.h"
#include "product_alike.h"
#include "shrink.h"

enum { TILE_ROWS = 64, TILE_COLUMNS = 256 };

struct product_top_length {
    double length;
    uint32_t feature;
};

static int product_top_longest_first(const void *a, const void *b)
{
    const struct product_top_length *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    return x->feature < y->feature ? -1 : 1;
}

double product_grain(double norms)
{
    int exponent;
    frexp(norms, &exponent);
    return norms > 0 ? ldexp(1, exponent - 40) : 0;
}

struct product_top_search {
    const struct product_order *order;
    struct product_top_length *length[2];
    double *rows, *columns, *tile; /* current rows of the left and right side, and their products */
    struct pairs best;
    double nothing;
    uint64_t looked;
};

static size_t product_top_lay_out_search(struct product_top_search *s, const uint32_t m[2],
                                         uint32_t columns, void *block)
{
    struct layout c = {block, 0};
    s->length[0] = layout_take(&c, m[0], sizeof *s->length[0]);
    s->length[1] = layout_take(&c, m[1], sizeof *s->length[1]);
    s->rows = layout_take(&c, (size_t)TILE_ROWS * columns, 8);
    s->columns = layout_take(&c, (size_t)TILE_COLUMNS * columns, 8);
    s->tile = layout_take(&c, TILE_ROWS * TILE_COLUMNS, 8);
    return c.used;
}

size_t product_entries_bytes(const uint32_t m[2], uint32_t columns)
{
    struct product_top_search s;
    return product_top_lay_out_search(&s, m, columns, NULL);
}

/* Returns the smallest |entry| that may still be among the results. */
static double product_top_least(const struct product_top_search *s)
{
    const struct pairs *best = &s->best;
    return best->n < best->k ? s->nothing : fabs(best->heap[0].weight);
}

/* Returns a limit: if the product of two rows' lengths is below it, their entry is not among the
 * results. The limit is lowered by more than the rounding errors of entry and lengths. */
static double product_top_threshold(const struct product_top_search *s)
{
    return product_top_least(s) * (1 - 1e-9) - s->nothing / 2 - s->order->grain;
}

static void product_top_multiply(struct product_top_search *s, const struct product_triplets *t,
                                 uint32_t first, uint32_t rows, uint32_t from, uint32_t to)
{
    uint32_t n = to - from;
    multiply_nt(rows, n, t->columns, t->scale, s->rows, t->columns, s->columns, t->columns, false,
                s->tile, n);
    s->looked += (uint64_t)rows * n;
    double min = product_top_least(s);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < n; j++) {
            double v = product_rounded(s->tile[(size_t)i * n + j], s->order->grain);
            if (!(fabs(v) >= min)) continue;
            pairs_offer(&s->best, product_rank(s->order, 0, s->length[0][first + i].feature),
                        product_rank(s->order, 1, s->length[1][from + j].feature), v);
            min = product_top_least(s);
        }
}

static void product_top_pack(const struct product_triplets *t, int side,
                             const struct product_top_length *order, uint32_t n, double *out)
{
    struct tall_matrix A = t->side[side];
    for (uint32_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * t->columns, A.a + (size_t)order[i].feature * A.ld,
               t->columns * sizeof *out);
}

/* Sorts the rows by length in the coordinates of the triplets, in which both sides have the
 * same scale. */
static void product_top_sort_by_length(const struct product_triplets *t, int side,
                                       struct product_top_length *length)
{
    uint32_t m = t->side[side].n;
    for (uint32_t from = 0, count; from < m; from += count) {
        count = m - from < PRODUCT_TRIPLETS_ROWS ? m - from : PRODUCT_TRIPLETS_ROWS;
        const double *row = product_triplets_rows(t, side, from, count);
        for (uint32_t r = 0; r < count; r++, row += t->n)
            length[from + r] = (struct product_top_length){vectors_norm(t->n, row), from + r};
    }
    if (m) qsort(length, m, sizeof *length, product_top_longest_first);
}

uint32_t product_entries(const struct product_triplets *t, const struct product_order *order,
                         uint32_t k, double rounding, void *block, struct pair *entry,
                         uint64_t *looked)
{
    uint32_t m[2] = {t->side[0].n, t->side[1].n};
    struct product_top_search s = {.order = order, .best = {entry, 0, k}};
    *looked = 0;
    if (!t->n || !k) return 0;
    s.nothing = fmax(rounding, t->rounding);
    product_top_lay_out_search(&s, m, t->columns, block);
    for (int side = 0; side < 2; side++)
        product_top_sort_by_length(t, side, s.length[side]);
    for (uint32_t i = 0; i < m[0]; i += TILE_ROWS) {
        uint32_t rows = m[0] - i < TILE_ROWS ? m[0] - i : TILE_ROWS;
        double longest = s.length[0][i].length;
        if (!(longest * s.length[1][0].length > product_top_threshold(&s))) break;
        product_top_pack(t, 0, s.length[0] + i, rows, s.rows);
        for (uint32_t j = 0, to; j < m[1]; j = to) {
            if (!(longest * s.length[1][j].length > product_top_threshold(&s))) break;
            to = m[1] - j < TILE_COLUMNS ? m[1] : j + TILE_COLUMNS;
            product_top_pack(t, 1, s.length[1] + j, to - j, s.columns);
            product_top_multiply(&s, t, i, rows, j, to);
        }
    }
    pairs_sort(&s.best);
    *looked = s.looked;
    return s.best.n;
}

/* ---- singular triplets ---- */

/* Components of a singular vector below this share of its largest component are rounding errors. */
#define ROUNDING 1e-9

struct product_triplets_work {
    struct tall_matrix_work tall;
    struct shrink_work small;
    double *rows; /* of a block */
};

static size_t product_triplets_lay_out(struct product_triplets_work *w, uint32_t columns,
                                       void *block)
{
    struct layout c = {block, 0};
    uint32_t k = columns ? columns : 1;
    shrink_work_init(&w->small, &w->tall, k, &c);
    w->rows = layout_take(&c, (size_t)PRODUCT_TRIPLETS_ROWS * k, sizeof *w->rows);
    return c.used;
}

size_t product_triplets_bytes(uint32_t columns)
{
    struct product_triplets_work w;
    return product_triplets_lay_out(&w, columns, NULL);
}

bool product_triplets(const struct tall_matrix side[2], uint32_t columns, double scale, void *block,
                      struct product_triplets *t)
{
    struct product_triplets_work w;
    struct shrink_work *s = &w.small;
    assert(scale > 0 && columns <= side[0].ld && columns <= side[1].ld);
    product_triplets_lay_out(&w, columns, block);
    *t = (struct product_triplets){.side = {side[0], side[1]},
                                   .columns = columns,
                                   .scale = scale,
                                   .sigma = s->sigma,
                                   .rows = w.rows};
    uint32_t rx = shrink_triangle(side[0], columns, s->R[0], s),
             ry = shrink_triangle(side[1], columns, s->R[1], s);
    uint32_t n = rx < ry ? rx : ry;
    if (!n) return true;
    multiply_nt(rx, ry, columns, 1, s->R[0], columns, s->R[1], columns, false, s->M,
                ry); /* R_x R_y' */
    if (!tall_matrix_svd(rx, ry, s->M, s->sigma, s->U, s->Vt, &w.tall)) return false;
    for (uint32_t i = 0; i < n; i++)
        s->sigma[i] *= scale;
    t->rounding = shrink_rounding(s->sigma, n, columns);
    while (t->n < n && s->sigma[t->n] > t->rounding)
        t->n++;
    if (!t->n) return true;
    double *factor = s->stack;
    for (uint32_t i = 0; i < t->n; i++)
        factor[i] = scale / sqrt(s->sigma[i]);
    /* T_x overwrites M; T_y overwrites R_y, which is not needed after T_x is computed */
    shrink_map(columns, t->n, s->R[1], ry, s->Vt, ry, true, factor, s->M);
    shrink_map(columns, t->n, s->R[0], rx, s->U, n, false, factor, s->R[1]);
    t->T[0] = s->M;
    t->T[1] = s->R[1];
    return true;
}

const double *product_triplets_rows(const struct product_triplets *t, int side, uint32_t first,
                                    uint32_t count)
{
    struct tall_matrix A = t->side[side];
    assert(t->n && count && count <= PRODUCT_TRIPLETS_ROWS && first + count <= A.n);
    multiply_nn(count, t->n, t->columns, 1, A.a + (size_t)first * A.ld, A.ld, t->T[side], t->n,
                false, t->rows, t->n);
    return t->rows;
}

/* ---- the heaviest features of a vector ---- */

/* A list of the heaviest features of a vector. */
struct product_heavy_list {
    struct product_heavy *heavy;
    uint32_t k;
    int side;
    const struct product_order *order;
    double grain;
};

static bool product_heavy_before(const struct product_heavy_list *l, const struct product_heavy *a,
                                 const struct product_heavy *b)
{
    double x = product_rounded(fabs(a->value), l->grain),
           y = product_rounded(fabs(b->value), l->grain);
    if (x != y) return x > y;
    if (a->value == 0 || b->value == 0) return b->value == 0 && a->value != 0;
    return product_rank(l->order, l->side, a->feature) <
           product_rank(l->order, l->side, b->feature);
}

static void product_heavy_offer(const struct product_heavy_list *l, struct product_heavy is)
{
    uint32_t i = l->k;
    while (i && product_heavy_before(l, &is, &l->heavy[i - 1]))
        i--;
    if (i == l->k) return;
    memmove(l->heavy + i + 1, l->heavy + i, (l->k - 1 - i) * sizeof is);
    l->heavy[i] = is;
}

static void product_triplets_leave_rounding_out(struct product_heavy *heavy, uint32_t k)
{
    for (uint32_t i = 1; i < k; i++)
        if (fabs(heavy[i].value) < ROUNDING * fabs(heavy[0].value)) heavy[i].value = 0;
}

void product_heaviest(const struct product_triplets *t, int side, uint32_t triplets, uint32_t k,
                      const struct product_order *order, struct product_heavy *heavy)
{
    uint32_t m = t->side[side].n;
    assert(triplets <= t->n && k);
    memset(heavy, 0, (size_t)triplets * k * sizeof *heavy);
    for (uint32_t from = 0, count; from < m && triplets; from += count) {
        count = m - from < PRODUCT_TRIPLETS_ROWS ? m - from : PRODUCT_TRIPLETS_ROWS;
        const double *row = product_triplets_rows(t, side, from, count);
        for (uint32_t i = 0; i < triplets; i++) {
            struct product_heavy_list l = {heavy + (size_t)i * k, k, side, order,
                                           product_alike_grain(t, i)};
            for (uint32_t r = 0; r < count; r++) {
                double v = row[(size_t)r * t->n + i];
                if (fabs(v) + l.grain < fabs(l.heavy[k - 1].value)) continue;
                product_heavy_offer(&l, (struct product_heavy){from + r, v});
            }
        }
    }
    for (uint32_t i = 0; i < triplets; i++)
        product_triplets_leave_rounding_out(heavy + (size_t)i * k, k);
}
