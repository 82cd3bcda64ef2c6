/* logistic.c -- uncompressed linear classifier; implements logistic.h.
 *
 * The index is an open-addressing table with linear probing, at most half full. Ids are never
 * removed.
 *
 * Invariants (logistic_check): the index finds each feature by its id; all weights are finite.
 */
#include "logistic.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/secret.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/layout.h"
#include "kernels/base/power_of_two.h"
#include "kernels/base/rank.h"
#include "sgd_adaptive.h"

#define UNKNOWN UINT32_MAX

static size_t logistic_lay_out(struct logistic *m, void *block)
{
    struct layout c = {block, 0};
    size_t n = m->max_capacity;
    m->id = layout_take(&c, n, 8);
    m->weight = layout_take(&c, n, 4);
    m->accumulator = m->opt.sgd.rates != SGD_SHARED ? layout_take(&c, n, 4) : NULL;
    m->past = logistic_blends(&m->opt.sgd) ? layout_take(&c, n, sizeof *m->past) : NULL;
    m->count = m->opt.counts ? layout_take(&c, n, 8) : NULL;
    m->l1_seen = m->opt.sgd.l1 > 0 ? layout_take(&c, n, 4) : NULL;
    m->tag = layout_take(&c, n, 4);
    m->index = layout_take(&c, 2 * n, 4);
    return c.used;
}

size_t logistic_block_bytes(uint32_t max_capacity, const struct logistic_options *opt)
{
    struct logistic m = {.opt = *opt, .max_capacity = max_capacity};
    return logistic_lay_out(&m, NULL);
}

size_t logistic_scratch_bytes(uint32_t max_row)
{
    return ((size_t)max_row * 16 + 63) & ~(size_t)63;
}

void logistic_init(struct logistic *m, const struct logistic_options *opt, uint32_t capacity,
                   uint32_t max_capacity, void *block, uint32_t max_row, void *scratch)
{
    assert(is_power_of_two(capacity) && is_power_of_two(max_capacity));
    assert(capacity <= max_capacity && max_capacity <= LOGISTIC_MAX_CAPACITY);
    *m = (struct logistic){.opt = *opt,
                           .capacity = capacity,
                           .max_capacity = max_capacity,
                           .max_row = max_row,
                           .secret = secret_odd()};
    logistic_lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    blend_begin(&m->blend, 0);
    m->at = scratch;
    m->fresh = m->at + max_row;
    m->along = (void *)(m->fresh + max_row);
    m->known = m->along + max_row;
}

/* ---- index ---- */

static inline uint64_t logistic_mix(const struct logistic *m, uint64_t id)
{
    return secret_hash(m->secret, id);
}

/* Returns the index cell where the search for an id begins. */
static inline uint32_t logistic_home(const struct logistic *m, uint64_t hash)
{
    return (uint32_t)(hash >> 32) & (2 * m->capacity - 1);
}

/* Returns the index cell that holds id, or the empty cell where id is to be inserted. The search
 * begins at cell `home`. */
static inline uint32_t logistic_probe(const struct logistic *m, uint64_t id, uint32_t home)
{
    uint32_t mask = 2 * m->capacity - 1, h = home;
    while (m->index[h] && m->id[m->index[h] - 1] != id)
        h = (h + 1) & mask;
    return h;
}

static uint32_t logistic_cell_of(const struct logistic *m, uint64_t id)
{
    return logistic_probe(m, id, logistic_home(m, logistic_mix(m, id)));
}

static uint32_t logistic_find(const struct logistic *m, uint64_t id)
{
    return m->index[logistic_cell_of(m, id)] - 1; /* for an empty cell, 0u - 1 is UNKNOWN */
}

static uint32_t logistic_append(struct logistic *m, uint64_t id, uint32_t h)
{
    m->id[m->n] = id;
    if (m->l1_seen) m->l1_seen[m->n] = (float)m->sgd.penalty;
    m->index[h] = ++m->n;
    return m->n - 1;
}

uint32_t logistic_enroll(struct logistic *m, uint64_t id)
{
    uint32_t h = logistic_cell_of(m, id);
    assert(m->index[h] || m->n < m->capacity);
    return m->index[h] ? m->index[h] - 1 : logistic_append(m, id, h);
}

/* Returns the number of an entry's feature; adds a new feature if there is room. Otherwise counts
 * the entry in `ignored` and returns UNKNOWN. */
static uint32_t logistic_enroll_entry(struct logistic *m, uint64_t id, uint32_t entry)
{
    uint32_t h = logistic_cell_of(m, id);
    if (m->index[h]) return m->index[h] - 1;
    if (m->n == m->capacity) {
        m->ignored++;
        return UNKNOWN;
    }
    m->fresh[m->n - m->fresh_from] = entry;
    return logistic_append(m, id, h);
}

void logistic_grow(struct logistic *m, uint32_t capacity)
{
    assert(is_power_of_two(capacity) && capacity >= m->capacity && capacity <= m->max_capacity);
    memset(m->index, 0, 2 * (size_t)m->capacity * sizeof *m->index); /* all later cells are 0 */
    m->capacity = capacity;
    for (uint32_t f = 0; f < m->n; f++)
        m->index[logistic_cell_of(m, m->id[f])] = f + 1;
}

/* ---- one example ---- */

/* Shrinks the row's features by their pending penalty (l1.h). Returns false, without any change, if
 * a value of the row is not finite. */
static bool logistic_apply_l1_row(struct logistic *m, const struct linear_row *row)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (!isfinite(row->x[i])) return false;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = logistic_find(m, row->id[i]);
        if (f == UNKNOWN) continue;
        m->weight[f] = logistic_weight_now(m, f);
        m->l1_seen[f] = (float)m->sgd.penalty;
    }
    return true;
}

/* Finds the numbers of the row's features. The index is far larger than the cache. So the cells of
 * all entries are fetched first, and then what the first feature of each cell needs. */
static void logistic_locate(struct logistic *m, const struct linear_row *row, const uint64_t *hash)
{
    uint32_t *const at = m->at, n = row->n;
    for (uint32_t i = 0; i < n; i++) {
        at[i] = logistic_home(m, hash ? hash[i] : logistic_mix(m, row->id[i]));
        __builtin_prefetch(&m->index[at[i]]);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = m->index[at[i]] - 1;
        if (f == UNKNOWN) continue;
        __builtin_prefetch(&m->id[f]);
        __builtin_prefetch(&m->weight[f]);
        if (m->accumulator) __builtin_prefetch(&m->accumulator[f]);
        if (m->past) __builtin_prefetch(&m->past[f]);
    }
    for (uint32_t i = 0; i < n; i++)
        at[i] = m->index[logistic_probe(m, row->id[i], at[i])] - 1; /* 0u - 1 is UNKNOWN */
}

static double logistic_sum(const struct logistic *m, const struct linear_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = m->at[i];
        sum += (f == UNKNOWN ? 0.0 : (double)m->weight[f]) * (double)row->x[i]; /* w_i x_i */
    }
    return sum;
}

static void logistic_step_feature(struct logistic *m, uint32_t f, float x,
                                  const struct sgd_step *step)
{
    float d =
        m->accumulator ? sgd_own_rate_step(&m->sgd.opt, step, x, &m->accumulator[f]) : step->u * x;
    m->weight[f] = sgd_clamp(m->weight[f] - d); /* w_i -= step */
    if (m->count) sgd_count(&m->sgd, &m->count[2 * (size_t)f + (uint32_t)step->y]);
}

static void logistic_fold_alpha(struct logistic *m)
{
    float a = (float)m->sgd.alpha;
    for (uint32_t f = 0; f < m->n; f++) {
        m->weight[f] = a * logistic_weight_now(m, f);
        if (m->past) m->past[f].mean *= a;
        if (m->l1_seen) m->l1_seen[f] = 0;
    }
    sgd_folded(&m->sgd);
}

void logistic_forget(struct logistic *m, double share, double sums)
{
    for (uint32_t f = 0; f < m->n; f++) {
        m->weight[f] = (float)share * logistic_weight_now(m, f);
        m->accumulator[f] *= (float)sums;
        if (m->past) m->past[f] = (struct blend_past){0, 0};
        if (m->l1_seen) m->l1_seen[f] = (float)m->sgd.penalty;
    }
    sgd_adaptive_forget(&m->sgd, share, sums);
    blend_begin(&m->blend, m->sgd.bias); /* the averages begin anew */
}

/* Ends an example: adds its share to the penalty, folds alpha if needed, and renews the
 * accumulators if needed (sgd.h). */
static void logistic_tidy(struct logistic *m, double share)
{
    m->sgd.penalty += share;
    if (sgd_must_fold(&m->sgd)) logistic_fold_alpha(m);
    if (sgd_must_renew(&m->sgd)) sgd_renew(&m->sgd, m->accumulator, m->count, m->n);
}

static double logistic_margin_of(const struct logistic *m, double sum)
{
    return sum * m->sgd.alpha + m->sgd.bias;
}

/* Checks only the margin for non-finite values. Weights are finite and 0 times a non-finite value
 * is NaN, so a non-finite value in the row makes the margin non-finite. */
static bool logistic_learn_by_rate(struct logistic *m, const struct linear_row *row,
                                   const uint64_t *hash, double *margin, double *share)
{
    logistic_locate(m, row, hash);
    double z = logistic_margin_of(m, logistic_sum(m, row));
    if (!isfinite(z)) return false;
    *margin = z;
    struct sgd_step step = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = m->at[i] == UNKNOWN ? logistic_enroll_entry(m, row->id[i], i) : m->at[i];
        if (f != UNKNOWN) logistic_step_feature(m, f, row->x[i], &step);
    }
    *share = step.share;
    return true;
}

/* ---- one example, adaptive rates ---- */

/* Sums the margins like logistic_sum(), but with the weights of sgd_adaptive_temper(). Stores each
 * entry's accumulator in `along`, for the pass that computes directions. Sets *tempered if a weight
 * must be reduced. `blends` is a constant: true if the model has averages. */
NUMBERS_INLINE struct blend_margins logistic_read(struct logistic *m, const struct linear_row *row,
                                                  bool *tempered, bool blends)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->sgd);
    const uint32_t *const at = m->at;
    float *const along = m->along;
    const float now = (float)m->blend.seen;
    double total = 0, of_means = 0;
    *tempered = false;
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        float x = row->x[i], w = 0, sum = 0, mean = 0;
        if (at[i] != UNKNOWN) {
            w = m->weight[at[i]], sum = m->accumulator[at[i]];
            if (blends) mean = blend_mean(m->past[at[i]], w, now);
        }
        along[i] = sum;
        if ((x * x > limits.large * sum && sum > 0) || sum > limits.coarse) {
            float stored = w;
            w = sgd_adaptive_temper(&limits, w, sum, x);
            mean = sgd_adaptive_temper(&limits, mean, sum, x);
            *tempered |= w != stored;
        }
        total += (double)w * (double)x; /* w_i x_i */
        if (blends) of_means += (double)mean * (double)x;
    }
    return (struct blend_margins){logistic_margin_of(m, total),
                                  of_means * m->sgd.alpha + m->blend.bias};
}

static void logistic_temper_row(struct logistic *m, const struct linear_row *row)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->sgd);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = m->at[i];
        if (f == UNKNOWN) continue;
        m->weight[f] = sgd_adaptive_temper(&limits, m->weight[f], m->accumulator[f], row->x[i]);
    }
}

/* Computes the directions of all entries. Adds new features if there is room; ignored entries
 * count with the value 0. */
static struct sgd_ways logistic_directions(struct logistic *m, const struct linear_row *row,
                                           const struct sgd_adaptive *e)
{
    uint32_t n = row->n;
    uint64_t ignored = m->ignored;
    for (uint32_t i = 0; i < n; i++)
        if (m->at[i] == UNKNOWN) m->at[i] = logistic_enroll_entry(m, row->id[i], i);
    if (m->ignored == ignored) return sgd_adaptive_directions(e, n, row->x, m->along);
    for (uint32_t i = 0; i < n; i++)
        m->known[i] = m->at[i] == UNKNOWN ? 0 : row->x[i];
    return sgd_adaptive_directions(e, n, m->known, m->along);
}

/* Adds the weights that the row's features had to their averages, before they step. */
static void logistic_average(struct logistic *m, const struct linear_row *row)
{
    const float now = blend_see(&m->blend, (double)row->weight, m->sgd.bias);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = m->at[i];
        if (f == UNKNOWN) continue;
        m->past[f] = (struct blend_past){blend_mean(m->past[f], m->weight[f], now), now};
    }
}

/* Returns the prediction, and lets the blend learn it. */
static double logistic_blend(struct logistic *m, const struct linear_row *row,
                             struct blend_margins z)
{
    double s = blend_of(&m->blend, z.last, z.mean);
    blend_learn(&m->blend, z, row->y, (double)row->weight);
    logistic_average(m, row);
    return s;
}

NUMBERS_INLINE bool logistic_learn_by_own(struct logistic *m, const struct linear_row *row,
                                          const uint64_t *hash, double *margin, double *share,
                                          bool blends)
{
    bool tempered;
    logistic_locate(m, row, hash);
    const struct blend_margins both = logistic_read(m, row, &tempered, blends);
    const double z = both.last;
    if (!isfinite(z) || !isfinite(both.mean)) return false;
    *margin = z;
    if (blends) *margin = logistic_blend(m, row, both);
    if (tempered)
        logistic_temper_row(m, row); /* must precede sgd_adaptive_begin(), which moves the clock */
    struct sgd_adaptive e =
        sgd_adaptive_begin(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    struct sgd_ways sum = logistic_directions(m, row, &e);
    float u = sgd_adaptive_end(&m->sgd, &e, &sum);
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t f = m->at[i];
        if (f == UNKNOWN) continue;
        m->accumulator[f] = sgd_adaptive_sum(&e, m->accumulator[f], row->x[i]);
        m->weight[f] = sgd_clamp(m->weight[f] + u * m->along[i]); /* w_i += y s d_i */
        if (m->count) sgd_count(&m->sgd, &m->count[2 * (size_t)f + (uint32_t)e.step.y]);
    }
    *share = e.step.share;
    return true;
}

enum linear_result logistic_learn_hashed(struct logistic *m, const struct linear_row *row,
                                         const uint64_t *hash, double *margin)
{
    double share;
    if (row->n > m->max_row) return LINEAR_TOO_LONG;
    if (m->l1_seen && !logistic_apply_l1_row(m, row)) return LINEAR_NONFINITE;
    m->fresh_from = m->n;
    bool learned = m->opt.sgd.rates != SGD_ADAPTIVE
                       ? logistic_learn_by_rate(m, row, hash, margin, &share)
                   : m->past ? logistic_learn_by_own(m, row, hash, margin, &share, true)
                             : logistic_learn_by_own(m, row, hash, margin, &share, false);
    if (!learned) return LINEAR_NONFINITE;
    if (sgd_is_due(&m->sgd)) logistic_tidy(m, share);
#ifdef LEAT_CHECKS
    assert(!logistic_check(m));
#endif
    return LINEAR_OK;
}

void logistic_hash(const struct logistic *m, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    for (uint32_t i = 0; i < n; i++)
        hash[i] = logistic_mix(m, id[i]);
}

double logistic_margin(const struct logistic *m, uint32_t n, const uint64_t *id, const float *x)
{
    const struct sgd_limits limits = sgd_adaptive_limits(&m->sgd);
    const float now = (float)m->blend.seen;
    bool adaptive = m->opt.sgd.rates == SGD_ADAPTIVE;
    double sum = 0, of_means = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = logistic_find(m, id[i]);
        if (f == UNKNOWN && isfinite(x[i])) continue;
        float w = f == UNKNOWN ? 0 : logistic_weight_now(m, f), mean = 0;
        if (m->past && f != UNKNOWN) mean = blend_mean(m->past[f], w, now);
        if (adaptive && f != UNKNOWN) {
            w = sgd_adaptive_temper(&limits, w, m->accumulator[f], x[i]);
            mean = sgd_adaptive_temper(&limits, mean, m->accumulator[f], x[i]);
        }
        sum += (double)w * (double)x[i];
        of_means += (double)mean * (double)x[i];
    }
    double z = logistic_margin_of(m, sum);
    return m->past ? blend_of(&m->blend, z, of_means * m->sgd.alpha + m->blend.bias) : z;
}

/* Returns the stored weight of feature f as predictions have it. */
static double logistic_blended(const struct logistic *m, uint32_t f)
{
    float w = logistic_weight_now(m, f);
    if (!m->past) return (double)w;
    float mean = blend_mean(m->past[f], w, (float)m->blend.seen);
    return blend_of(&m->blend, (double)w, (double)mean);
}

double logistic_weight(const struct logistic *m, uint64_t id)
{
    uint32_t f = logistic_find(m, id);
    return f == UNKNOWN ? 0 : logistic_blended(m, f) * m->sgd.alpha;
}

double logistic_bias(const struct logistic *m)
{
    return m->past ? blend_of(&m->blend, m->sgd.bias, m->blend.bias) : m->sgd.bias;
}

void logistic_shift(struct logistic *m, uint64_t id, double shift)
{
    uint32_t f = logistic_find(m, id);
    if (f == UNKNOWN) return;
    float w = logistic_weight_now(m, f);
    m->sgd.bias += (double)w * m->sgd.alpha * shift;
    if (!m->past) return;
    float mean = blend_mean(m->past[f], w, (float)m->blend.seen);
    m->blend.bias += (double)mean * m->sgd.alpha * shift;
}

uint32_t logistic_top(const struct logistic *m, uint32_t k, uint32_t min_count, float *weight,
                      uint32_t *f)
{
    l1_all(&m->sgd, m->n, m->weight, m->l1_seen, weight);
    for (uint32_t g = 0; m->past && g < m->n; g++)
        weight[g] = (float)logistic_blended(m, g);
    return rank_heaviest(m->n, weight, m->count, sgd_count_of(&m->sgd, min_count), k, f);
}

const char *logistic_check(const struct logistic *m)
{
    for (uint32_t f = 0; f < m->n; f++) {
        if (logistic_find(m, m->id[f]) != f) return "a feature is not found by its id";
        if (!isfinite(m->weight[f])) return "a weight is not finite";
        if (m->past && !(fabsf(m->past[f].mean) <= SGD_LIMIT && m->past[f].since >= 0 &&
                         m->past[f].since <= (float)m->blend.seen))
            return "past has an average that is not possible";
    }
    return NULL;
}

/* ---- copies and merges ---- */

static void logistic_take_clock(struct logistic *m, const struct sgd *clock)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->fresh_from = m->n;
}

struct linear_parts logistic_parts(const struct logistic *m)
{
    return (struct linear_parts){.sgd = m->sgd,
                                 .n = m->n,
                                 .wide_id = m->id,
                                 .weight = m->weight,
                                 .accumulator = m->accumulator,
                                 .count = m->count,
                                 .l1_seen = m->l1_seen,
                                 .dropped = m->ignored};
}

const char *logistic_load(struct logistic *m, const struct linear_parts *p,
                          const struct blend *blend, const struct blend_past *past)
{
    struct linear_parts to = logistic_parts(m);
    assert(!m->n && !m->sgd.t && p->n <= m->capacity);
    for (uint32_t f = 0; f < p->n; f++)
        if (logistic_enroll(m, p->wide_id[f]) != f) return FEATURE_ID_TWICE;
    linear_take_parts(&to, p);
    logistic_take_clock(m, &p->sgd);
    m->ignored = p->dropped;
    if (!m->past) return NULL;
    if (!blend_is_possible(blend)) return "blend is not possible";
    m->blend = *blend;
    if (p->n) memcpy(m->past, past, p->n * sizeof *past);
    return logistic_check(m);
}

/* ---- merges ---- */

struct sums_fields logistic_sums_fields(const struct logistic *m, bool averaged)
{
    struct sums_fields f = {.each = SUMS_OPTIONAL, .wide = 1};
    if (m->accumulator) f.sum = f.each++;
    if (m->count) f.count = f.each, f.each += 2;
    if (averaged) f.average = f.each, f.each += SUMS_AVERAGE;
    return f;
}

/* Accumulator of feature f, as sums keep it. */
static double logistic_sum_of(const struct logistic *m, uint32_t f)
{
    return m->accumulator ? fixed_rounded((double)m->accumulator[f] / m->sgd.grown) : 0;
}

static struct sums_knowledge logistic_knowledge(const struct logistic *m)
{
    double total = 0;
    for (uint32_t f = 0; m->accumulator && f < m->n; f++)
        total += sums_total_of(&m->sgd, logistic_sum_of(m, f));
    return sums_knowledge(&m->sgd, total);
}

static void logistic_sum_feature(const struct logistic *m, uint32_t f,
                                 const struct sums_fields *fields, const struct sums_knowledge *k,
                                 struct fixed *row)
{
    double a = logistic_sum_of(m, f), w = logistic_blended(m, f) * m->sgd.alpha;
    sums_put(row, fields->sum ? sums_known(k, a) : sgd_age(&m->sgd), w);
    if (fields->sum) row[fields->sum] = fixed_of(a);
    for (uint32_t y = 0; fields->count && y < 2; y++)
        row[fields->count + y] = fixed_of(sgd_counted(&m->sgd, m->count[2 * (size_t)f + y]));
}

void logistic_sums(const struct logistic *m, struct sums *to, struct sums_slot *slot)
{
    const struct sums_knowledge k = logistic_knowledge(m);
    struct sgd clock = m->sgd;
    clock.bias = logistic_bias(m);
    sums_take_clock(to, &clock);
    to->dropped = m->ignored;
    to->feature.n = m->n;
    for (uint32_t f = 0; f < m->n; f++)
        slot[f] = (struct sums_slot){m->id[f], f};
    sums_sort(slot, m->n);
    for (uint32_t i = 0; i < m->n; i++) {
        to->feature.id[i] = slot[i].id;
        logistic_sum_feature(m, slot[i].slot, &to->fields, &k, sums_row(&to->feature, i));
    }
}

static int logistic_by_id(const void *x, const void *y)
{
    const struct sums_place *p = x, *q = y;
    return (p->id > q->id) - (p->id < q->id);
}

/* Keeps the `max` heaviest of n places, in the order of their ids. Returns their number. */
static uint32_t logistic_choose(struct sums_place *place, uint32_t n, uint32_t max)
{
    if (n <= max) return n;
    sums_rank(place, n);
    qsort(place, max, sizeof *place, logistic_by_id);
    return max;
}

static void logistic_settle_feature(struct logistic *m, uint32_t f, const struct sums *s,
                                    const struct sums_place *p)
{
    const struct fixed *row = sums_row(&s->feature, p->row);
    logistic_enroll(m, p->id);
    m->weight[f] = sgd_clamp((float)p->weight);
    if (m->accumulator) m->accumulator[f] = sgd_clamp((float)(m->sgd.grown * p->sum));
    for (uint32_t y = 0; m->count && y < 2; y++)
        m->count[2 * (size_t)f + y] = sums_count(&m->sgd, &row[s->fields.count + y]);
}

void logistic_settle(struct logistic *m, const struct sums *s, struct sums_place *place)
{
    const struct sgd clock = sums_clock(s, &m->sgd);
    assert(!m->n);
    sgd_take(&m->sgd, &clock, &m->sgd.opt);
    const struct sums_knowledge k = sums_knowledge(&m->sgd, sums_total(&m->sgd, s));
    for (uint32_t i = 0; i < s->feature.n; i++)
        place[i] = sums_place(s, i, &k, 0);
    uint32_t n = logistic_choose(place, s->feature.n, m->capacity);
    for (uint32_t f = 0; f < n; f++)
        logistic_settle_feature(m, f, s, &place[f]);
    m->fresh_from = m->n;
    m->ignored = s->dropped;
    blend_begin(&m->blend, m->sgd.bias);
}
