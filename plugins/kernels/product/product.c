/* product.c -- the directions methods and random methods of product.h
 *
 * Row of a feature on one side:
 *
 *   | A or B: l | columns of a factored buffer: scod l, sfd 2l, others 0 |
 *
 * Rows are not touched before something is in the sketch.
 */
#include "product_exact.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"
#include "kernels/base/feature_id.h"
#include "core/mix64.h"
#include "kernels/base/half_life.h"
#include "kernels/base/random.h"

enum { MAX_ATTEMPTS = 4 };

/* Returns the largest number of columns that may be in use, or be shrunk at once. */
uint32_t product_max_columns(const struct product_options *o)
{
    return product_buffers(o) ? 2 * o->l : o->l;
}

uint32_t product_stride(const struct product_options *o)
{
    return o->l * (o->method == PRODUCT_SCOD ? 2 : o->method == PRODUCT_SFD ? 3 : 1);
}

/* ---- memory ---- */

static void product_layout_buffer(struct layout *c, struct sparse_columns *s, uint32_t entries)
{
    s->max_columns = s->max_entries = entries; /* each pair has at least one entry on both sides */
    s->start = layout_take(c, (size_t)entries + 1, 4);
    s->feature = layout_take(c, entries, 4);
    s->value = layout_take(c, entries, 8);
}

static void product_layout_work(struct layout *c, struct product *p)
{
    uint32_t k = product_max_columns(&p->opt);
    struct shrink_work *w = &p->shrink;
    shrink_work_init(w, &p->tall, k, c);
    /* simultaneous iteration and shrinking never run at the same time, so they share work space */
    p->si = (struct simultaneous_work){
        .tall = &p->tall, .t = layout_take(c, k, 8), .R = w->R[0], .pair = w->M, .sigma = w->sigma};
}

static size_t product_lay_out(struct product *p, void *block)
{
    struct layout c = {block, 0};
    for (int s = 0; s < 2; s++) {
        product_layout_buffer(&c, &p->buffer[s], p->capacity.entries);
        p->vector[s] = layout_take(&c, p->capacity.features[s], 8);
        p->mark[s] = layout_take(&c, p->capacity.features[s], 8);
    }
    if (product_waits(&p->opt)) {
        p->start = layout_take(&c, (size_t)p->capacity.features[0] + 1, 4);
        for (int i = 0; i < 2; i++)
            p->list[i] = layout_take(&c, p->capacity.features[1], 4);
    }
    if (p->opt.method <= PRODUCT_SFD) product_layout_work(&c, p);
    return c.used;
}

static uint32_t product_max(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t product_min(uint32_t a, uint32_t b) { return a < b ? a : b; }

uint32_t product_full_at(const struct product_options *o, uint32_t x, uint32_t y)
{
    uint64_t entries = (uint64_t)o->l * product_max(product_max(x, y), o->l);
    return entries < PRODUCT_MAX_ENTRIES ? (uint32_t)entries : PRODUCT_MAX_ENTRIES;
}

struct product_capacity product_capacity_for(const struct product_options *o, uint32_t x,
                                             uint32_t y, uint32_t row)
{
    struct product_capacity capacity = {.features = {x, y}};
    if (product_buffers(o))
        capacity.entries = product_full_at(o, x, y) + row;
    else if (product_waits(o))
        capacity.entries = product_exact_full_at(o, x, y) + product_max(row, product_max(x, y));
    return capacity;
}

size_t product_bytes(const struct product_options *opt, const struct product_capacity *capacity)
{
    struct product p = {.opt = *opt, .capacity = *capacity};
    return product_lay_out(&p, NULL);
}

void product_init(struct product *p, const struct product_options *opt,
                  const struct product_capacity *capacity, struct feature_table *x,
                  struct feature_table *y, void *block)
{
    assert(opt->l && opt->l <= PRODUCT_MAX_L && x->stride == product_stride(opt));
    *p = (struct product){.opt = *opt, .capacity = *capacity, .table = {x, y}};
    p->sums.random = mix64(opt->seed);
    p->sums.grown = p->recency = 1;
    if (opt->method == PRODUCT_PROJECTION || opt->method == PRODUCT_HASHING) p->used = opt->l;
    product_lay_out(p, block);
}

/* ---- a pair ---- */

/* Adds up the entries of repeated features, and multiplies all values by `scale`. Returns the norm
 * of the column. If the mark of a feature is at least `first`, this column already has an entry
 * with the feature. */
static double product_gather_side(struct product *p, int side, struct product_column *c,
                                  double scale)
{
    uint64_t first = p->entries + 1;
    uint32_t n = 0;
    double square = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint64_t *mark = &p->mark[side][c->feature[i]];
        if (*mark >= first) {
            c->value[*mark - first] += c->value[i];
            continue;
        }
        *mark = first + n;
        c->feature[n] = c->feature[i];
        c->value[n++] = c->value[i];
    }
    for (uint32_t i = 0; i < n; i++) {
        c->value[i] *= scale;
        square += c->value[i] * c->value[i];
    }
    c->n = n;
    p->entries += n;
    return sqrt(square);
}

void product_put(struct product *p, int side, uint32_t column, double scale,
                 const struct product_column *c)
{
    assert(column < product_stride(&p->opt));
    for (uint32_t i = 0; i < c->n; i++)
        feature_table_row(p->table[side], c->feature[i])[column] = scale * c->value[i];
}

/* Returns the level at which the method shrinks. */
static uint32_t product_level(const struct product_options *o)
{
    return product_buffers(o) || o->l < 2 ? o->l : o->l / 2;
}

bool product_shrink(struct product *p, uint32_t columns)
{
    assert(columns <= product_max_columns(&p->opt));
    struct tall_matrix AB[2] = {product_side(p, 0), product_side(p, 1)};
    bool stacked = p->opt.method == PRODUCT_FD || p->opt.method == PRODUCT_SFD;
    double lost;
    bool done =
        stacked ? shrink_stacked(AB, columns, product_level(&p->opt), &p->used, &lost, &p->shrink)
                : shrink_pair(AB, columns, product_level(&p->opt), &p->used, &lost, &p->shrink);
    if (!done) return false;
    p->sums.lost += lost; /* gamma or delta / 2 of shrink.h */
    p->sums.shrinks++;
    return true;
}

static bool product_add_dense(struct product *p, const struct product_column column[2])
{
    product_put(p, 0, p->used, 1, &column[0]);
    product_put(p, 1, p->used, 1, &column[1]);
    return ++p->used < p->opt.l || product_shrink(p, p->used); /* shrinks if no column is free */
}

/* ---- random methods ---- */

/* Replaces column k of a side by c / |c|. Column k is one of l samples with weight W / l each. */
static void product_random_replace(struct product *p, int side, uint32_t k,
                                   const struct product_column *c, double norm)
{
    tall_matrix_clear(tall_matrix_from(product_side(p, side), k), 1);
    product_put(p, side, k, 1 / norm, c);
}

/* Samples a pair of weight w = |x||y|: it replaces each of the l columns with probability w / W,
 * where W includes w. So at any time each column holds pair t with probability w_t / W. */
static void product_random_sample(struct product *p, const struct product_column column[2],
                                  const double norm[2])
{
    double chance = norm[0] * norm[1] / p->sums.weight; /* w / W */
    for (uint32_t k = 0; k < p->opt.l; k++) {
        if (!(random_uniform(&p->sums.random) < chance)) continue;
        product_random_replace(p, 0, k, &column[0], norm[0]);
        product_random_replace(p, 1, k, &column[1], norm[1]);
    }
    p->used = p->opt.l;
}

/* Adds c with random signs to the l columns of a side. Both sides get the same signs: bit k of the
 * random words of this pair. */
static void product_random_project(struct product *p, int side, const struct product_column *c,
                                   uint64_t counter)
{
    for (uint32_t k = 0; k < p->opt.l; k += 64) {
        uint64_t bits = mix64_next(&counter);
        uint32_t n = p->opt.l - k < 64 ? p->opt.l - k : 64;
        for (uint32_t i = 0; i < c->n; i++) {
            double *row = feature_table_row(p->table[side], c->feature[i]) + k, v = c->value[i];
            for (uint32_t j = 0; j < n; j++)
                row[j] += bits >> j & 1 ? v : -v;
        }
    }
}

static void product_random_hash(struct product *p, const struct product_column column[2])
{
    uint64_t bits = mix64_next(&p->sums.random);
    uint32_t k = (uint32_t)((bits >> 32) * p->opt.l >> 32);
    double sign = bits & 1 ? 1 : -1;
    for (int s = 0; s < 2; s++)
        for (uint32_t i = 0; i < column[s].n; i++)
            feature_table_row(p->table[s], column[s].feature[i])[k] += sign * column[s].value[i];
}

static void product_add_random(struct product *p, const struct product_column column[2],
                               const double norm[2])
{
    assert(p->opt.method >= PRODUCT_COLUMNS && norm[0] > 0 && norm[1] > 0);
    if (p->opt.method == PRODUCT_COLUMNS) {
        product_random_sample(p, column, norm);
    } else if (p->opt.method == PRODUCT_HASHING) {
        product_random_hash(p, column);
    } else {
        product_random_project(p, 0, &column[0], p->sums.random);
        product_random_project(p, 1, &column[1], p->sums.random);
        p->sums.random += (p->opt.l + 63) / 64 * MIX64_GOLDEN; /* skips the words used here */
    }
}

/* ---- buffers ---- */

static bool product_is_paper(const struct product *p)
{
    return p->opt.paper && p->opt.method == PRODUCT_SCOD;
}

/* True if the buffers are full by the rule of opt.paper: one side has l non-zeros for each of its
 * features, or there are as many pairs as the larger side has features. */
static bool product_is_full_early(const struct product *p)
{
    uint32_t n[2] = {p->table[0]->n, p->table[1]->n};
    for (int s = 0; s < 2; s++)
        if (sparse_columns_entries(&p->buffer[s]) >= (uint64_t)p->opt.l * n[s]) return true;
    return p->buffer[0].columns >= product_max(n[0], n[1]);
}

static bool product_is_full(const struct product *p)
{
    uint32_t n[2] = {p->table[0]->n, p->table[1]->n};
    uint32_t full = product_is_exact(p) ? product_exact_full_at(&p->opt, n[0], n[1])
                                        : product_full_at(&p->opt, n[0], n[1]);
    if (product_is_paper(p) && product_is_full_early(p)) return true;
    return sparse_columns_entries(&p->buffer[0]) >= full ||
           sparse_columns_entries(&p->buffer[1]) >= full;
}

/* Returns the largest acceptable certificate: 1.21 / l of the sum of |x_j||y_j|. If both sides are
 * factored as one, of half the sum of |x_j|^2 + |y_j|^2. Compacted pairs may have a larger sum than
 * those of the stream, but their nuclear norm is at most W. */
static double product_max_doubt(const struct product *p)
{
    double sum = 0;
    for (uint32_t j = 0; j < p->buffer[0].columns; j++) {
        double square[2] = {0, 0};
        for (int s = 0; s < 2; s++)
            for (uint32_t e = p->buffer[s].start[j]; e < p->buffer[s].start[j + 1]; e++)
                square[s] += p->buffer[s].value[e] * p->buffer[s].value[e];
        sum += p->opt.method == PRODUCT_SFD ? (square[0] + square[1]) / 2
                                            : sqrt(square[0]) * sqrt(square[1]);
    }
    if (product_is_exact(p) && p->opt.method != PRODUCT_SFD) sum = fmin(sum, p->sums.weight);
    return 1.21 * sum / p->opt.l;
}

/* Returns the number of columns into which the buffers are factored. */
static uint32_t product_factored_columns(const struct product *p)
{
    uint32_t k = product_min(p->opt.l, p->buffer[0].columns),
             n[2] = {p->table[0]->n, p->table[1]->n};
    if (p->opt.method == PRODUCT_SFD) return product_min(k, n[0] + n[1]);
    return product_min(k, product_min(n[0], n[1]));
}

/* Factors the buffers into *k columns after those in use, until the certificate is low enough (VSI,
 * Alg. 3 of the scod paper). Updates checks, refused and doubted in *sums. */
static bool product_factor_buffers(struct product *p, struct product_sums *sums, uint32_t *k)
{
    struct simultaneous_product task = {.x = &p->buffer[0],
                                        .y = &p->buffer[1],
                                        .C = tall_matrix_from(product_side(p, 0), p->used),
                                        .D = tall_matrix_from(product_side(p, 1), p->used),
                                        .k = product_factored_columns(p)};
    double product_max = product_max_doubt(p), doubt = 0;
    uint32_t q = p->opt.iterations, attempt = 0;
    *k = task.k;
    do {
        if (p->opt.method != PRODUCT_SFD)
            simultaneous(&task, q, &sums->random, &p->si); /* P ~ C D' */
        else if (!simultaneous_stacked(&task, q, &sums->random, &p->si))
            return false;
        if (!(p->opt.failure > 0)) return true;
        double j = (double)++sums->checks, delta = p->opt.failure / (2 * j * j);
        doubt = simultaneous_certificate(&task, delta, &sums->random, p->vector[0], p->vector[1],
                                         &p->si); /* |P - C D'| at most */
        q = 2 * q + 1;
    } while (!(doubt <= product_max) && ++attempt < MAX_ATTEMPTS);
    sums->refused += attempt == MAX_ATTEMPTS;
    sums->doubted += doubt;
    return isfinite(doubt);
}

static bool product_factor_waiting(struct product *p)
{
    uint32_t k;
    if (!product_factor_buffers(p, &p->sums, &k)) return false; /* the new columns are C and D */
    p->used += k; /* A becomes [A C], B becomes [B D] */
    uint32_t room = product_is_paper(p) ? 0 : p->opt.l;
    return p->used <= room || product_shrink(p, p->used); /* dense shrinkage */
}

/* Adds the waiting pairs to the sketch of a method that factors none, as if they came now. */
static bool product_add_waiting(struct product *p)
{
    for (int s = 0; s < 2; s++) /* the rows were scratch memory */
        tall_matrix_clear(product_side(p, s), p->opt.l);
    for (uint32_t j = 0; j < p->buffer[0].columns; j++) {
        struct product_column column[2];
        for (int s = 0; s < 2; s++) {
            const struct sparse_columns *b = &p->buffer[s];
            uint32_t from = b->start[j];
            column[s] =
                (struct product_column){b->start[j + 1] - from, b->feature + from, b->value + from};
        }
        if (!product_add_dense(p, column)) return false;
    }
    return true;
}

bool product_flush(struct product *p)
{
    if (!p->capacity.entries || !p->buffer[0].columns) return true;
    bool done = product_buffers(&p->opt) ? product_factor_waiting(p) : product_add_waiting(p);
    sparse_columns_clear(&p->buffer[0]);
    sparse_columns_clear(&p->buffer[1]);
    return done;
}

static bool product_add_sparse(struct product *p, const struct product_column column[2])
{
    for (int s = 0; s < 2; s++)
        sparse_columns_append(&p->buffer[s], column[s].n, column[s].feature, column[s].value);
    return !product_is_full(p) || product_exact_compact(p) || product_flush(p);
}

bool product_add_directions(struct product *p, const struct product_column column[2])
{
    bool waits = product_buffers(&p->opt) || product_is_exact(p);
    return waits ? product_add_sparse(p, column) : product_add_dense(p, column);
}

static bool product_add_columns(struct product *p, const struct product_column column[2],
                                const double norm[2])
{
    if (p->opt.method <= PRODUCT_SFD) return product_add_directions(p, column);
    product_add_random(p, column, norm);
    return true;
}

static void product_times(double *v, size_t n, double by)
{
    for (size_t i = 0; i < n; i++)
        v[i] *= by;
}

void product_renew(struct product *p)
{
    double by = 1 / p->sums.grown, root = sqrt(by);
    for (int s = 0; s < 2; s++) {
        struct tall_matrix A = product_side(p, s);
        for (uint32_t f = 0; f < A.n && p->opt.method != PRODUCT_COLUMNS;
             f++) /* method `columns` stores c / |c|, which does not change */
            product_times(A.a + (size_t)f * A.ld, p->used, root);
        if (p->capacity.entries)
            product_times(p->buffer[s].value, sparse_columns_entries(&p->buffer[s]), root);
        p->sums.square[s] *= by;
    }
    p->sums.weight *= by;
    p->sums.lost *= by;
    p->sums.doubted *= by;
    p->sums.grown = 1;
}

/* Fades all earlier pairs; called before each pair. Without effect if by_time. */
static void product_fade(struct product *p)
{
    if (p->opt.half_life == 0 || p->opt.by_time) return;
    if (p->sums.grown >= PRODUCT_MAX_GROWN) product_renew(p);
    p->sums.grown /= half_life_share(1, p->opt.half_life);
}

static void product_fade_to(struct product *p, double share)
{
    if (p->sums.grown / share > PRODUCT_MAX_GROWN) product_renew(p);
    p->sums.grown /= share;
}

void product_at(struct product *p, int64_t time)
{
    assert(p->opt.by_time);
    product_fade_to(p, half_life_take(&p->sums.at, p->opt.half_life, time, &p->recency));
}

void product_follow(struct product *p, const struct product *other)
{
    product_fade_to(p, half_life_meet(&p->sums.at, p->opt.half_life, &other->sums.at));
}

bool product_add(struct product *p, struct product_column column[2], double weight)
{
    double norm[2];
    assert(weight >= 0 && isfinite(weight));
    product_fade(p);
    for (int s = 0; s < 2; s++)
        norm[s] = product_gather_side(p, s, &column[s], sqrt(weight * p->recency * p->sums.grown));
    p->sums.pairs++;
    if (!(norm[0] > 0 && norm[1] > 0)) {
        p->sums.skipped++;
        return true;
    }
    for (int s = 0; s < 2; s++)
        p->sums.square[s] += norm[s] * norm[s]; /* |X|_F^2, |Y|_F^2 */
    p->sums.weight += norm[0] * norm[1];        /* W = sum |x||y| */
    if (!product_add_columns(p, column, norm)) return false;
#ifdef LEAT_CHECKS
    assert(!product_check(p));
#endif
    return true;
}

/* ---- reading ---- */

/* Returns Chebyshev's bound of a norm whose square has the mean `mean_square`. */
static double product_chance_bound(const struct product *p, double mean_square)
{
    return p->opt.failure > 0 ? sqrt(mean_square / p->opt.failure) : (double)NAN;
}

double product_theorem(const struct product_options *o)
{
    double l = o->l;
    if (o->method == PRODUCT_COD) return 1.0 / product_level(o);
    if (o->method == PRODUCT_SCOD) return o->failure > 0 ? 2.21 / l : (double)NAN;
    if (o->method <= PRODUCT_SFD || !(o->failure > 0)) return (double)NAN;
    return sqrt((o->method == PRODUCT_COLUMNS ? 1 : 2) / (l * o->failure));
}

double product_rounding_of(const struct product_options *o, const struct product_sums *sums,
                           uint32_t columns)
{
    bool in_one = o->method == PRODUCT_FD || o->method == PRODUCT_SFD;
    double norms = in_one ? fmax(sums->square[0], sums->square[1])
                          : sqrt(sums->square[0]) * sqrt(sums->square[1]);
    return 4 * fmax(o->l, columns) * DBL_EPSILON * norms;
}

bool product_look(struct product *p, struct product_view *v)
{
    struct product_sums sums = p->sums;
    double l = p->opt.l, W = sums.weight, FF = sums.square[0] * sums.square[1]; /* |X|^2 |Y|^2 */
    *v = (struct product_view){.columns = p->used, .scale = 1};
    if (p->capacity.entries && p->buffer[0].columns) {
        uint32_t k;
        if (!product_factor_buffers(p, &sums, &k)) return false;
        v->columns += k;
    }
    v->rounding = product_rounding_of(&p->opt, &sums, v->columns);
    if (v->columns > p->used) /* below this a certificate is only noise */
        sums.doubted = fmax(sums.doubted, v->rounding);
    v->bound = sums.lost + sums.doubted + v->rounding;
    if (p->opt.method == PRODUCT_COLUMNS) {
        v->scale = W / l;
        v->bound = product_chance_bound(p, W * W / l); /* E |X Y' - A B'|_F^2 */
    } else if (p->opt.method > PRODUCT_COLUMNS) {
        v->scale = p->opt.method == PRODUCT_PROJECTION ? 1 / l : 1;
        v->bound = product_chance_bound(p, 2 * FF / l);
    } else if ((product_buffers(&p->opt) || v->columns > p->used) && !(p->opt.failure > 0) &&
               sums.pairs > sums.skipped) {
        v->bound = (double)NAN;
    }
    v->scale /= p->sums.grown;
    v->bound /= p->sums.grown;
    v->rounding /= p->sums.grown;
    return true;
}
