/* product_exact.c -- implementation of product_exact.h */
#include "product_exact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* The waiting pairs by left feature, and the current row of the product. */
struct product_rows {
    const struct sparse_columns *y;
    uint32_t m;        /* number of left features                                         */
    uint32_t *start;   /* first entry of each left feature in `column` and `value`; m + 1 */
    uint32_t *column;  /* pair of an entry                                                */
    double *value;     /* value of an entry                                               */
    uint32_t *seen;    /* 1 + the last row that has a right feature                       */
    uint32_t *feature; /* right features of the current row                               */
    double *sum;       /* sums of the current row, by right feature                       */
    double grown;
};

enum { ENTRY = sizeof(double) + sizeof(uint32_t) }; /* bytes of an entry in struct product_rows */

bool product_is_exact(const struct product *p)
{
    const struct feature_table *x = p->table[0], *y = p->table[1], *large = x->n < y->n ? y : x;
    if (!p->opt.exact || p->opt.method > PRODUCT_SFD || p->used || p->sums.shrinks) return false;
    return (size_t)sparse_columns_entries(&p->buffer[0]) * ENTRY <=
           (size_t)large->n * large->stride * sizeof(double);
}

uint32_t product_exact_full_at(const struct product_options *o, uint32_t x, uint32_t y)
{
    uint64_t m = x > y ? x : y, row = product_stride(o) * sizeof(double);
    uint64_t each = row / ENTRY ? row / ENTRY - 1 : 0; /* the last pair may have m more */
    uint64_t share = product_buffers(o) ? o->l - 1 : o->l / 4;
    uint64_t entries = m * (each < share ? each : share);
    return entries < PRODUCT_MAX_ENTRIES ? (uint32_t)entries : PRODUCT_MAX_ENTRIES;
}

/* Sorts the entries of the left side by feature; those of a feature keep the order of the pairs. */
static void product_rows_sort(struct product_rows *r, const struct sparse_columns *x)
{
    memset(r->start, 0, ((size_t)r->m + 1) * sizeof *r->start);
    uint32_t n = sparse_columns_entries(x), at = 0;
    for (uint32_t e = 0; e < n; e++)
        r->start[x->feature[e]]++;
    for (uint32_t f = 0; f <= r->m; f++) { /* start[f]: one after the feature's last entry */
        at += r->start[f];
        r->start[f] = at;
    }
    for (uint32_t j = x->columns; j-- > 0;)
        for (uint32_t e = x->start[j]; e < x->start[j + 1]; e++) {
            uint32_t to = --r->start[x->feature[e]];
            r->column[to] = j;
            r->value[to] = x->value[e];
        }
}

static struct product_rows product_rows_begin(struct product *p)
{
    const struct feature_table *x = p->table[0], *y = p->table[1], *large = x->n < y->n ? y : x;
    size_t n = sparse_columns_entries(&p->buffer[0]);
    struct product_rows r = {.y = &p->buffer[1],
                             .m = x->n,
                             .start = p->start,
                             .column = (uint32_t *)(void *)(large->row + n),
                             .value = large->row,
                             .seen = p->list[0],
                             .feature = p->list[1],
                             .sum = p->vector[1],
                             .grown = p->sums.grown};
    assert(n * ENTRY <= (size_t)large->n * large->stride * sizeof(double));
    product_rows_sort(&r, &p->buffer[0]);
    memset(r.seen, 0, y->n * sizeof *r.seen);
    return r;
}

/* Sums row f. Returns the number of its right features. */
static uint32_t product_rows_sum(const struct product_rows *r, uint32_t f)
{
    uint32_t n = 0;
    for (uint32_t e = r->start[f]; e < r->start[f + 1]; e++) {
        uint32_t j = r->column[e];
        double v = r->value[e];
        for (uint32_t i = r->y->start[j]; i < r->y->start[j + 1]; i++) {
            uint32_t g = r->y->feature[i];
            if (r->seen[g] != f + 1) {
                r->seen[g] = f + 1;
                r->feature[n++] = g;
                r->sum[g] = 0;
            }
            r->sum[g] += v * r->y->value[i];
        }
    }
    return n;
}

static void product_rows_offer(const struct product_rows *r, uint32_t f, uint32_t n,
                               const struct product_order *order, uint32_t of, struct pairs *best)
{
    double least = best->n < best->k ? 0 : fabs(best->heap[0].weight);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t g = r->feature[i];
        double v = product_rounded(r->sum[g] / r->grown, order->grain);
        if (v == 0 || fabs(v) < least || (of != FEATURE_TABLE_NONE && of != g)) continue;
        pairs_offer(best, product_rank(order, 0, f), product_rank(order, 1, g), v);
        if (best->n == best->k) least = fabs(best->heap[0].weight);
    }
}

uint32_t product_exact_entries(struct product *p, const uint32_t of[2],
                               const struct product_order *order, uint32_t k, struct pair *entry)
{
    struct pairs best = {entry, 0, k};
    assert(product_is_exact(p));
    if (!k || !p->buffer[0].columns) return 0;
    struct product_rows r = product_rows_begin(p);
    bool one = of[0] != FEATURE_TABLE_NONE;
    for (uint32_t f = one ? of[0] : 0; f < (one ? of[0] + 1 : r.m); f++)
        product_rows_offer(&r, f, product_rows_sum(&r, f), order, of[1], &best);
    pairs_sort(&best);
    return best.n;
}

/* ---- the bound ---- */

static bool product_is_whole(double v) { return v == rint(v); }

/* True if the products of the two sides of pair j are whole numbers without rounding. */
static bool product_pair_is_whole(const struct product *p, uint32_t j)
{
    const struct sparse_columns *x = &p->buffer[0], *y = &p->buffer[1];
    int exponent;
    double root = x->value[x->start[j]], half = frexp(root, &exponent);
    bool one = x->start[j + 1] - x->start[j] == 1, row = one && half == 0.5;
    if (one && half == -0.5) return false;
    for (uint32_t e = x->start[j]; e < x->start[j + 1]; e++)
        if (!row && !product_is_whole(x->value[e])) return false;
    for (uint32_t e = y->start[j]; e < y->start[j + 1]; e++)
        if (!product_is_whole(row ? root * y->value[e] : y->value[e])) return false;
    return true;
}

static bool product_exact_is_whole(const struct product *p)
{
    if (!(p->sums.weight < 0x1p53) || p->opt.half_life > 0) return false;
    for (uint32_t j = 0; j < p->buffer[0].columns; j++)
        if (!product_pair_is_whole(p, j)) return false;
    return true;
}

struct product_view product_exact_look(const struct product *p)
{
    struct product_view v = {.scale = 1 / p->sums.grown};
    if (!product_exact_is_whole(p))
        v.rounding = v.bound = product_rounding_of(&p->opt, &p->sums, 0) / p->sums.grown;
    return v;
}

/* ---- compaction ---- */

/* Returns the number of entries that the rows have, or `limit` if there are at least as many. */
static uint32_t product_rows_count(const struct product_rows *r, uint32_t limit)
{
    uint32_t total = 0;
    for (uint32_t f = 0; f < r->m && total < limit; f++)
        for (uint32_t e = r->start[f]; e < r->start[f + 1] && total < limit; e++)
            for (uint32_t j = r->column[e], i = r->y->start[j]; i < r->y->start[j + 1]; i++) {
                total += r->seen[r->y->feature[i]] != f + 1;
                r->seen[r->y->feature[i]] = f + 1;
            }
    return total < limit ? total : limit;
}

/* Writes the entries of all rows that are not 0 to `to`, row after row. start[f] becomes the first
 * one of row f. */
static void product_rows_write(struct product_rows *r, struct sparse_columns *to)
{
    uint32_t at = 0;
    for (uint32_t f = 0; f < r->m; f++) {
        uint32_t n = product_rows_sum(r, f);
        r->start[f] = at;
        for (uint32_t i = 0; i < n; i++) {
            to->feature[at] = r->feature[i];
            to->value[at] = r->sum[r->feature[i]];
            at += to->value[at] != 0;
        }
    }
    r->start[r->m] = at;
}

/* Returns a power of two near the square root of the row's largest value. Both sides of the row's
 * pair then have about the same length. */
static double product_exact_root(const double *value, uint32_t n)
{
    double max = 0;
    int exponent;
    for (uint32_t i = 0; i < n; i++)
        max = fmax(max, fabs(value[i]));
    frexp(max, &exponent);
    return ldexp(1, exponent / 2);
}

/* Makes pairs of the rows that product_rows_write() has written to x. Both sides change their sign
 * if the sums were rounded, so that a look can tell. */
static void product_exact_replace(const struct product_rows *r, struct sparse_columns *x,
                                  struct sparse_columns *y, bool whole)
{
    memcpy(y->feature, x->feature, r->start[r->m] * sizeof *y->feature);
    sparse_columns_clear(x);
    sparse_columns_clear(y);
    for (uint32_t f = 0; f < r->m; f++) {
        uint32_t from = r->start[f], n = r->start[f + 1] - from;
        if (!n) continue;
        double root = product_exact_root(x->value + from, n) * (whole ? 1 : -1);
        for (uint32_t i = from; i < from + n; i++)
            y->value[i] = x->value[i] / root;
        y->start[++y->columns] = from + n;
        sparse_columns_append(x, 1, &f, &root);
    }
}

bool product_exact_compact(struct product *p)
{
    struct sparse_columns *x = &p->buffer[0], *y = &p->buffer[1];
    uint32_t full = product_exact_full_at(&p->opt, p->table[0]->n, p->table[1]->n);
    uint32_t limit = full - full / 4;
    if (!product_buffers(&p->opt) || !product_is_exact(p)) return false;
    bool whole = product_exact_is_whole(p);
    struct product_rows r = product_rows_begin(p);
    if (product_rows_count(&r, limit) == limit) return false;
    memset(r.seen, 0, p->table[1]->n * sizeof *r.seen);
    product_rows_write(&r, x);
    product_exact_replace(&r, x, y, whole);
    return true;
}
