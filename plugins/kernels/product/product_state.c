/* product_state.c -- implementation of product_state.h */
#include "product_state.h"
#include "product_exact.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/random.h"
#include "core/mix64.h"

struct product_parts product_parts(const struct product *p)
{
    struct product_parts parts = {
        .sums = p->sums, .used = p->used, .columns = p->buffer[0].columns};
    for (int s = 0; s < 2; s++) {
        const struct sparse_columns *b = &p->buffer[s];
        parts.side[s] = (struct product_side_parts){.features = p->table[s]->n,
                                                    .entries = sparse_columns_entries(b),
                                                    .start = b->start,
                                                    .feature = b->feature,
                                                    .value = b->value};
    }
    return parts;
}

void product_pack(const struct product *p, int side, double *rows)
{
    struct tall_matrix A = product_side(p, side);
    for (uint32_t i = 0; i < A.n; i++)
        memcpy(rows + (size_t)i * p->used, A.a + (size_t)i * A.ld, p->used * sizeof *rows);
}

/* ---- loading ---- */

static bool product_state_all_fit(const double *v, size_t n, double max)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(v[i]) <= max)) return false;
    return true;
}

static uint32_t product_state_full_at(const struct product_options *o, uint32_t x, uint32_t y)
{
    return product_buffers(o) ? product_full_at(o, x, y) : product_exact_full_at(o, x, y);
}

static const char *product_state_check_buffer(const struct product_options *o,
                                              const struct product_parts *p,
                                              const struct product_side_parts *side)
{
    const uint32_t *start = side->start;
    if (side->entries >= product_state_full_at(o, p->side[0].features, p->side[1].features))
        return "n_entries is more than a buffer holds";
    if (start[0] || start[p->columns] != side->entries)
        return "starts do not begin with 0 and end with n_entries";
    for (uint32_t j = 0; j < p->columns; j++)
        if (start[j] >= start[j + 1]) return "starts do not ascend";
    for (uint32_t e = 0; e < side->entries; e++)
        if (side->feature[e] >= side->features) return "features has a number that has no id";
    return product_state_all_fit(side->value, side->entries, PRODUCT_MAX_VALUE)
               ? NULL
               : "values are too large";
}

static const char *product_state_check_counts(const struct product_options *o,
                                              const struct product_parts *p)
{
    const struct product_sums *s = &p->sums;
    const double sums[] = {s->square[0], s->square[1], s->weight, s->lost, s->doubted};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        if (!(sums[i] >= 0 && sums[i] <= PRODUCT_MAX_SUM))
            return "squares, weight, lost or doubted is out of range";
    if (!(s->grown >= 1 && s->grown <= (o->half_life > 0 ? 2 * PRODUCT_MAX_GROWN : 1)))
        return "grown is out of range";
    if (s->skipped > s->pairs) return "skipped is more than pairs";
    if (p->used > o->l) return "columns is more than size";
    if (p->used < o->l && (o->method == PRODUCT_PROJECTION || o->method == PRODUCT_HASHING))
        return "columns is less than size, which this method uses in full";
    if (p->used == o->l && (o->method == PRODUCT_COD || o->method == PRODUCT_FD))
        return "columns is size, but this method keeps one free";
    if (p->columns && !product_buffers(o) && (p->used || s->shrinks))
        return "pairs wait, but this method has begun its sketch";
    return NULL;
}

/* Checks the arrays of side s. row_stride: doubles from one feature's row to the next. */
static const char *product_state_check_side(const struct product_options *o,
                                            const struct product_parts *p, int s,
                                            uint32_t row_stride)
{
    const struct product_side_parts *side = &p->side[s];
    for (uint32_t i = 0; i < side->features; i++)
        if (!product_state_all_fit(side->rows + (size_t)i * row_stride, p->used,
                                   PRODUCT_MAX_NUMBER))
            return "rows are too large";
    return product_waits(o) && p->columns ? product_state_check_buffer(o, p, side) : NULL;
}

const char *product_check_parts(const struct product_options *o, const struct product_parts *p)
{
    const char *wrong = product_state_check_counts(o, p);
    if (!wrong) wrong = product_state_check_side(o, p, 0, p->used);
    return wrong ? wrong : product_state_check_side(o, p, 1, p->used);
}

const char *product_check(const struct product *p)
{
    struct product_parts parts = product_parts(p);
    const char *wrong = product_state_check_counts(&p->opt, &parts);
    for (int s = 0; s < 2 && !wrong; s++) {
        struct tall_matrix A = product_side(p, s);
        parts.side[s].rows = A.a;
        wrong = product_state_check_side(&p->opt, &parts, s, A.ld);
    }
    return wrong;
}

void product_load(struct product *p, const struct product_parts *parts)
{
    assert(parts->used <= p->opt.l);
    p->sums = parts->sums;
    p->used = parts->used;
    for (int s = 0; s < 2; s++) {
        const struct product_side_parts *side = &parts->side[s];
        struct tall_matrix A = product_side(p, s);
        assert(A.n == side->features);
        for (uint32_t i = 0; i < A.n; i++)
            memcpy(A.a + (size_t)i * A.ld, side->rows + (size_t)i * p->used, p->used * sizeof *A.a);
        for (uint32_t j = 0; j < parts->columns; j++) {
            uint32_t from = side->start[j];
            sparse_columns_append(&p->buffer[s], side->start[j + 1] - from, side->feature + from,
                                  side->value + from);
        }
    }
}

/* ---- merging ---- */

/* Sets n columns of p, from column `to` on, to n columns of q, from column `from` on, times
 * `factor`, an array of n. If `add`, adds them instead. */
static void product_state_copy_columns(struct product *p, const struct product *q,
                                       uint32_t *const number[2], uint32_t to, uint32_t from,
                                       uint32_t n, const double *factor, bool add)
{
    for (int s = 0; s < 2; s++) {
        struct tall_matrix A = product_side(p, s), B = product_side(q, s);
        for (uint32_t f = 0; f < B.n; f++) {
            if (number[s][f] == FEATURE_TABLE_NONE) continue;
            double *a = A.a + (size_t)number[s][f] * A.ld + to;
            const double *b = B.a + (size_t)f * B.ld + from;
            for (uint32_t c = 0; c < n; c++)
                a[c] = (add ? a[c] : 0) + factor[c] * b[c];
        }
    }
}

/* Clears n columns of p from `from` on, because columns that held a factored buffer are not 0. */
static void product_state_clear_columns(struct product *p, uint32_t from, uint32_t n)
{
    for (int s = 0; s < 2; s++)
        tall_matrix_clear(tall_matrix_from(product_side(p, s), from), n);
}

static bool product_state_merge_directions(struct product *p, const struct product *q,
                                           uint32_t *const number[2], double root)
{
    double factor[PRODUCT_MAX_L];
    uint32_t l = p->opt.l, max = product_buffers(&p->opt) ? 2 * l : l;
    for (uint32_t c = 0; c < q->used; c++)
        factor[c] = root;
    for (uint32_t at = 0, n; at < q->used; at += n) {
        n = q->used - at < max - p->used ? q->used - at : max - p->used;
        product_state_clear_columns(p, p->used, n);
        product_state_copy_columns(p, q, number, p->used, at, n, factor, false);
        p->used += n;
        bool full = product_buffers(&p->opt) ? p->used > l : p->used == l;
        if (full && !product_shrink(p, p->used)) return false;
    }
    return true;
}

/* Replaces each column of p by the same column of q, with a probability of q's share of the weight.
 * Uses random numbers that neither stream has used, because with one seed both streams have used
 * the same ones. */
static void product_state_merge_samples(struct product *p, const struct product *q,
                                        uint32_t *const number[2], double weight)
{
    static const double one = 1;
    double chance = weight * q->sums.weight / (p->sums.weight + weight * q->sums.weight);
    uint64_t counter = mix64(p->sums.random + q->sums.random);
    for (uint32_t k = 0; k < q->used; k++) {
        if (!(random_uniform(&counter) < chance)) continue;
        product_state_clear_columns(p, k, 1);
        product_state_copy_columns(p, q, number, k, k, 1, &one, false);
    }
    p->used = p->opt.l;
}

/* Adds q's columns to p's, moved by `turn` columns (cyclically) and with new signs. Otherwise, with
 * one seed, pair t of p and pair t of q would always have the same column and sign. */
static void product_state_merge_signed(struct product *p, const struct product *q,
                                       uint32_t *const number[2], double root)
{
    double factor[PRODUCT_MAX_L];
    uint64_t counter = mix64(p->opt.seed + p->sums.pairs + q->sums.pairs);
    for (uint32_t c = 0; c < p->opt.l; c++)
        factor[c] = mix64_next(&counter) & 1 ? root : -root;
    uint32_t l = p->opt.l, turn = (uint32_t)((mix64_next(&counter) >> 32) * l >> 32);
    product_state_copy_columns(p, q, number, turn, 0, l - turn, factor, true);
    product_state_copy_columns(p, q, number, 0, l - turn, turn, factor + l - turn, true);
}

static double product_state_add_sum(double a, double b, double weight)
{
    return fmin(a + weight * b, PRODUCT_MAX_SUM);
}

static void product_state_merge_sums(struct product_sums *a, const struct product_sums *b,
                                     double weight)
{
    a->pairs = count_add(a->pairs, b->pairs, 1);
    a->skipped = count_add(a->skipped, b->skipped, 1);
    a->random += b->random; /* a sum, so the order of merges does not matter */
    a->checks = count_add(a->checks, b->checks, 1);
    a->refused = count_add(a->refused, b->refused, 1);
    a->shrinks = count_add(a->shrinks, b->shrinks, 1);
    for (int s = 0; s < 2; s++)
        a->square[s] = product_state_add_sum(a->square[s], b->square[s], weight);
    a->weight = product_state_add_sum(a->weight, b->weight, weight);
    a->lost = product_state_add_sum(a->lost, b->lost, weight);
    a->doubted = product_state_add_sum(a->doubted, b->doubted, weight);
}

/* Moves the clocks of p and q to the later time of the two. */
static void product_state_meet(struct product *p, struct product *q)
{
    product_follow(p, q);
    product_follow(q, p);
}

/* Adds a pair of q to p. The weight is divided between the sides by a power of two, so the products
 * of their values are those of q times the weight, without further rounding. */
static bool product_state_append_pair(struct product *p, const struct product *q, uint32_t j,
                                      uint32_t *const number[2], double weight)
{
    struct product_column column[2];
    int exponent;
    frexp(weight, &exponent);
    double right = ldexp(1, exponent / 2), factor[2] = {weight / right, right};
    for (int s = 0; s < 2; s++) {
        const struct sparse_columns *b = &q->buffer[s];
        struct product_column *c = &column[s];
        *c = (struct product_column){0, b->feature + b->start[j], b->value + b->start[j]};
        for (uint32_t e = b->start[j]; e < b->start[j + 1]; e++) {
            uint32_t f = number[s][b->feature[e]];
            if (f == FEATURE_TABLE_NONE) continue;
            c->feature[c->n] = f;
            c->value[c->n++] = b->value[e] * factor[s];
        }
    }
    return !column[0].n || !column[1].n || product_add_directions(p, column);
}

/* Adds q's pairs to p's, if all pairs of both wait. */
static bool product_state_merge_exact(struct product *p, const struct product *q,
                                      uint32_t *const number[2], double weight)
{
    for (uint32_t j = 0; j < q->buffer[0].columns; j++)
        if (!product_state_append_pair(p, q, j, number, weight)) return false;
    return true;
}

static bool product_state_merge_sketches(struct product *p, const struct product *q,
                                         uint32_t *const number[2], double weight)
{
    double root = sqrt(weight);
    if (p->opt.method <= PRODUCT_SFD) return product_state_merge_directions(p, q, number, root);
    if (p->opt.method == PRODUCT_COLUMNS)
        product_state_merge_samples(p, q, number, weight);
    else
        product_state_merge_signed(p, q, number, root);
    return true;
}

bool product_merge(struct product *p, struct product *q, uint32_t *const number[2], double weight)
{
    assert(weight > 0 && p->opt.method == q->opt.method && p->opt.l == q->opt.l);
    if (p->opt.by_time) product_state_meet(p, q);
    bool exact = product_is_exact(p) && product_is_exact(q);
    if (!exact && (!product_flush(p) || !product_flush(q))) return false;
    product_renew(p);
    product_renew(q);
    if (!exact && q->sums.weight > 0 && !product_state_merge_sketches(p, q, number, weight))
        return false;
    product_state_merge_sums(&p->sums, &q->sums, weight);
    return !exact || product_state_merge_exact(p, q, number, weight);
}
