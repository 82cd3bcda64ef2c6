/* product_top.c -- see product_top.h. */
#include "product_top.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/layout.h"

enum { TILE_ROWS = 64, TILE_COLUMNS = 256 };

/* Parts of a singular vector below this share of its largest are not shown. */
#define ROUNDING 1e-9
/* Entries below this share of the largest singular value are the rounding of what should be 0. */
#define NOTHING 1e-12

/* ---- triplets ---- */

size_t product_triplets_bytes(const uint32_t m[2], uint32_t columns)
{
    struct layout c = {NULL, 0};
    struct shrink_copies copies;
    shrink_copies_init(&copies, m, columns, &c);
    return c.used;
}

bool product_triplets(const struct product *p, const struct product_view *v, void *block,
                      struct product_triplets *t)
{
    const struct tall_matrix side[2] = {product_side(p, 0), product_side(p, 1)};
    uint32_t m[2] = {side[0].n, side[1].n};
    struct layout c = {block, 0};
    struct shrink_copies copies;
    assert(v->scale > 0 && v->columns <= side[0].ld && v->columns <= side[1].ld);
    shrink_copies_init(&copies, m, v->columns, &c);
    *t = (struct product_triplets){.sigma = copies.work.sigma};
    return shrink_copies(&copies, side, v->columns, sqrt(v->scale), t->side, &t->n);
}

static double heft(struct tall_matrix side, uint32_t row, uint32_t column)
{
    return fabs(side.a[(size_t)row * side.ld + column]);
}

uint32_t product_heaviest(struct tall_matrix side, uint32_t column, uint32_t k, uint32_t *feature)
{
    uint32_t n = 0;
    assert(column < side.ld);
    for (uint32_t r = 0; r < side.n; r++) {
        double v = heft(side, r, column);
        uint32_t i = n;
        while (i && v > heft(side, feature[i - 1], column))
            i--;
        if (v == 0 || i == k) continue;
        if (n < k) n++;
        memmove(feature + i + 1, feature + i, (n - 1 - i) * sizeof *feature);
        feature[i] = r;
    }
    while (n && heft(side, feature[n - 1], column) < ROUNDING * heft(side, feature[0], column))
        n--;
    return n;
}

/* ---- entries ---- */

struct length {
    double length;
    uint32_t feature;
};

static int longest_first(const void *a, const void *b)
{
    const struct length *x = a, *y = b;
    if (x->length != y->length) return x->length < y->length ? 1 : -1;
    return x->feature < y->feature ? -1 : 1;
}

struct search {
    struct length *length[2];
    double *rows, *columns, *tile; /* of the left and the right in hand, their products */
    struct pairs best;
    double nothing;
    uint64_t looked;
};

static size_t lay_out_search(struct search *s, const uint32_t m[2], uint32_t columns, void *block)
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
    struct search s;
    return lay_out_search(&s, m, columns, NULL);
}

/* Entries below this cannot be in the answer: the rounding of lengths and products is far less than
 * what is taken off. */
static double threshold(const struct search *s)
{
    const struct pairs *best = &s->best;
    return best->n < best->k ? s->nothing : fabs(best->heap[0].weight) * (1 - 1e-9);
}

static void multiply(struct search *s, uint32_t first, uint32_t rows, uint32_t from, uint32_t to,
                     uint32_t columns)
{
    uint32_t n = to - from;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)n,
                (blasint)columns, 1, s->rows, (blasint)columns, s->columns, (blasint)columns, 0,
                s->tile, (blasint)n);
    s->looked += (uint64_t)rows * n;
    double min = threshold(s);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < n; j++) {
            double v = s->tile[(size_t)i * n + j];
            if (!(fabs(v) > min)) continue;
            pairs_offer(&s->best, s->length[0][first + i].feature, s->length[1][from + j].feature,
                        v);
            min = threshold(s);
        }
}

static void pack(struct tall_matrix side, const struct length *order, uint32_t n, uint32_t columns,
                 double *out)
{
    for (uint32_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * columns, side.a + (size_t)order[i].feature * side.ld,
               columns * sizeof *out);
}

static void sort_by_length(struct tall_matrix side, uint32_t columns, struct length *length)
{
    for (uint32_t r = 0; r < side.n; r++)
        length[r] =
            (struct length){cblas_dnrm2((blasint)columns, side.a + (size_t)r * side.ld, 1), r};
    if (side.n) qsort(length, side.n, sizeof *length, longest_first);
}

uint32_t product_entries(const struct product_triplets *t, uint32_t k, void *block,
                         struct pair *entry, uint64_t *looked)
{
    uint32_t m[2] = {t->side[0].n, t->side[1].n};
    struct search s = {.best = {entry, 0, k}, .nothing = t->n ? NOTHING * t->sigma[0] : 0};
    *looked = 0;
    if (!t->n || !k) return 0;
    lay_out_search(&s, m, t->n, block);
    sort_by_length(t->side[0], t->n, s.length[0]);
    sort_by_length(t->side[1], t->n, s.length[1]);
    for (uint32_t i = 0; i < m[0]; i += TILE_ROWS) {
        uint32_t rows = m[0] - i < TILE_ROWS ? m[0] - i : TILE_ROWS;
        double longest = s.length[0][i].length;
        pack(t->side[0], s.length[0] + i, rows, t->n, s.rows);
        if (!(longest * s.length[1][0].length > threshold(&s))) break;
        for (uint32_t j = 0, to; j < m[1]; j = to) {
            if (!(longest * s.length[1][j].length > threshold(&s))) break;
            to = m[1] - j < TILE_COLUMNS ? m[1] : j + TILE_COLUMNS;
            pack(t->side[1], s.length[1] + j, to - j, t->n, s.columns);
            multiply(&s, i, rows, j, to, t->n);
        }
    }
    pairs_sort(&s.best);
    *looked = s.looked;
    return s.best.n;
}
