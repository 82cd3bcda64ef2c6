/* product_top.c -- see product_top.h. */
#include "product_top.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/layout.h"

enum { TILE_ROWS = 64, TILE_COLUMNS = 256 };

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

/* Entries below this are not in the answer. */
static double least(const struct search *s)
{
    const struct pairs *best = &s->best;
    return best->n < best->k ? s->nothing : fabs(best->heap[0].weight);
}

/* Products of lengths below this are of no entry of the answer: the rounding of both is less than
 * what is taken off. */
static double threshold(const struct search *s) { return least(s) * (1 - 1e-9) - s->nothing / 2; }

static void multiply(struct search *s, const struct product_triplets *t, uint32_t first,
                     uint32_t rows, uint32_t from, uint32_t to)
{
    uint32_t n = to - from;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rows, (blasint)n,
                (blasint)t->columns, t->scale, s->rows, (blasint)t->columns, s->columns,
                (blasint)t->columns, 0, s->tile, (blasint)n);
    s->looked += (uint64_t)rows * n;
    double min = least(s);
    for (uint32_t i = 0; i < rows; i++)
        for (uint32_t j = 0; j < n; j++) {
            double v = s->tile[(size_t)i * n + j];
            if (!(fabs(v) >= min)) continue;
            pairs_offer(&s->best, s->length[0][first + i].feature, s->length[1][from + j].feature,
                        v);
            min = least(s);
        }
}

static void pack(const struct product_triplets *t, int side, const struct length *order, uint32_t n,
                 double *out)
{
    struct tall_matrix A = t->side[side];
    for (uint32_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * t->columns, A.a + (size_t)order[i].feature * A.ld,
               t->columns * sizeof *out);
}

/* Lengths of rows in the coordinates of the triplets, where those of both sides say the same. */
static void sort_by_length(const struct product_triplets *t, int side, struct length *length)
{
    uint32_t m = t->side[side].n;
    for (uint32_t from = 0, count; from < m; from += count) {
        count = m - from < PRODUCT_TRIPLETS_ROWS ? m - from : PRODUCT_TRIPLETS_ROWS;
        const double *row = product_triplets_rows(t, side, from, count);
        for (uint32_t r = 0; r < count; r++, row += t->n)
            length[from + r] = (struct length){cblas_dnrm2((blasint)t->n, row, 1), from + r};
    }
    if (m) qsort(length, m, sizeof *length, longest_first);
}

uint32_t product_entries(const struct product_triplets *t, uint32_t k, double rounding, void *block,
                         struct pair *entry, uint64_t *looked)
{
    uint32_t m[2] = {t->side[0].n, t->side[1].n};
    struct search s = {.best = {entry, 0, k}};
    *looked = 0;
    if (!t->n || !k) return 0;
    s.nothing = fmax(rounding, t->rounding);
    lay_out_search(&s, m, t->columns, block);
    for (int side = 0; side < 2; side++)
        sort_by_length(t, side, s.length[side]);
    for (uint32_t i = 0; i < m[0]; i += TILE_ROWS) {
        uint32_t rows = m[0] - i < TILE_ROWS ? m[0] - i : TILE_ROWS;
        double longest = s.length[0][i].length;
        if (!(longest * s.length[1][0].length > threshold(&s))) break;
        pack(t, 0, s.length[0] + i, rows, s.rows);
        for (uint32_t j = 0, to; j < m[1]; j = to) {
            if (!(longest * s.length[1][j].length > threshold(&s))) break;
            to = m[1] - j < TILE_COLUMNS ? m[1] : j + TILE_COLUMNS;
            pack(t, 1, s.length[1] + j, to - j, s.columns);
            multiply(&s, t, i, rows, j, to);
        }
    }
    pairs_sort(&s.best);
    *looked = s.looked;
    return s.best.n;
}
