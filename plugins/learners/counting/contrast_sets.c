/* contrast_sets.c -- implementation of contrast_sets.h. */
#include "contrast_sets.h"

#include <math.h>
#include <string.h>

#include "core/exp.h"
#include "kernels/base/likelihood.h"

/* ---- memory ---- */

/* Most entries and records of one kind's sample. */
static size_t contrast_sets_most(const struct contrast_shape *s) { return s->sample / 2 + 1; }

size_t contrast_sets_bytes(const struct contrast_shape *s)
{
    return contrast_sets_most(s) * (2 * sizeof(struct contrast_sample_entry) + 2 +
                                    2 * sizeof(uint32_t) + 2 * sizeof(uint64_t));
}

int contrast_sets_make(struct leat_ctx *ctx, const struct contrast_held *h, struct contrast_sets *s)
{
    const struct leat_host *host = ctx->host;
    size_t most = contrast_sets_most(&h->model.shape);
    *s = (struct contrast_sets){.held = h,
                                .entry = host->alloc(ctx, 2 * most * sizeof *s->entry),
                                .stratum[0] = host->alloc(ctx, 2 * most),
                                .amount[0] = host->alloc(ctx, 2 * most * sizeof **s->amount),
                                .record = host->alloc(ctx, 2 * most * sizeof *s->record)};
    if (!s->entry || !s->stratum[0] || !s->amount[0] || !s->record)
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for the sample of records");
    s->stratum[1] = s->stratum[0] + most;
    s->amount[1] = s->amount[0] + most;
    for (int y = 0; y < 2; y++) {
        s->index[y] = contrast_sample_index(&h->model.sample[y], s->entry + (size_t)y * most);
        s->all[y] = contrast_sample_amounts(&h->model.sample[y], s->amount[y]);
    }
    contrast_sets_uncover(s);
    return LEAT_OK;
}

void contrast_sets_free(struct leat_ctx *ctx, struct contrast_sets *s)
{
    ctx->host->free(ctx, s->entry);
    ctx->host->free(ctx, s->stratum[0]);
    ctx->host->free(ctx, s->amount[0]);
    ctx->host->free(ctx, s->record);
}

/* ---- sets of records ---- */

/* Sets s->record to the records of a kind that have the member. A record has a conjunction if it
 * has all its parts, or the conjunction itself. The sample has the conjunction itself only if it
 * lacks the parts. Returns the number of records. */
static uint32_t contrast_sets_find(const struct contrast_sets *s, uint32_t slot, int kind)
{
    const uint64_t *part = s->held->parts[slot].key;
    uint32_t own = s->held->model.index.id[slot], fold[3], parts = 0;
    for (; parts < 3 && part[parts]; parts++)
        fold[parts] = id_slots_fold(part[parts]);
    uint32_t n = parts ? contrast_sample_find(&s->index[kind], fold, parts, s->record) : 0;
    if (parts == 1) return n;
    return n + contrast_sample_find(&s->index[kind], &own, 1, s->record + n);
}

/* True if another member has the fold of one of the member's ids in the sample. */
static bool contrast_sets_confuses(const struct contrast_sets *s, uint32_t slot)
{
    const struct id_slots *index = &s->held->model.index;
    const uint64_t *part = s->held->parts[slot].key;
    bool shares = id_slots_shares(index, index->wide[slot]);
    for (int k = 0; k < 3 && part[k]; k++)
        shares |= id_slots_shares(index, part[k]);
    return shares;
}

void contrast_sets_cover(struct contrast_sets *s, uint32_t slot)
{
    s->several = true;
    s->confuses |= contrast_sets_confuses(s, slot);
    for (int y = 0; y < 2; y++)
        for (uint32_t i = 0, n = contrast_sets_find(s, slot, y); i < n; i++) {
            uint8_t *stratum = &s->stratum[y][s->record[i]];
            uint64_t amount = s->amount[y][s->record[i]];
            s->size[y][*stratum] -= amount;
            if (*stratum + 1 < CONTRAST_STRATA) ++*stratum;
            s->size[y][*stratum] += amount;
        }
}

void contrast_sets_uncover(struct contrast_sets *s)
{
    for (int y = 0; y < 2; y++) {
        memset(s->stratum[y], 0, s->index[y].records);
        memset(s->size[y], 0, sizeof s->size[y]);
        s->size[y][0] = s->all[y];
    }
}

/* ---- gain ---- */

/* Least share of a row's records of its kind that no row above has. */
static const double CONTRAST_SETS_NEW = 0.2;

/* True if the sample has all records of a kind, and tells the features of the rows apart. */
static bool contrast_sets_whole(const struct contrast_sets *s, int kind)
{
    return !s->confuses && s->index[kind].records == s->held->model.clock.records[kind];
}

/* Sets *share to the share of the member's records of a kind in each stratum. The share of all
 * records is the estimate if the sample has none of the member's. Clears the bits in *filled of
 * strata that have other records. Returns the sampled records that the estimate rests on; infinity
 * if it is exact. */
static double contrast_sets_shares(const struct contrast_sets *s, uint32_t slot, int kind,
                                   double share[CONTRAST_STRATA], uint32_t *filled)
{
    uint64_t all = s->all[kind], with[CONTRAST_STRATA] = {0}, sum = 0;
    if (s->size[kind][0] == all) {
        *filled = 0;
        for (int k = 0; k < CONTRAST_STRATA; k++)
            share[k] = k == 0;
        return INFINITY;
    }
    uint32_t n = contrast_sets_find(s, slot, kind);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t amount = s->amount[kind][s->record[i]];
        with[s->stratum[kind][s->record[i]]] += amount;
        sum += amount;
    }
    double mean = (double)all / s->index[kind].records, part = mean / (double)all;
    for (int k = 0; k < CONTRAST_STRATA; k++) {
        share[k] = ((double)with[k] + part * (double)s->size[kind][k]) / ((double)sum + mean);
        if (with[k] < s->size[kind][k]) *filled &= ~(1u << k);
    }
    return contrast_sets_whole(s, kind) ? (double)INFINITY : n + 1.0;
}

/* Returns a share by one standard error more, or less. */
static double contrast_sets_cautious(double share, double n, bool more)
{
    double error = sqrt(share * (1 - share) / n);
    return more ? fmin(1, share + error) : fmax(0, share - error);
}

double contrast_sets_gain(const struct contrast_sets *s, uint32_t slot, int kind, bool refines)
{
    const struct contrast *m = &s->held->model;
    struct contrast_bounds b = contrast_slot_mass(m, slot);
    double share[2][CONTRAST_STRATA], rests_on[2], gain = 0;
    uint32_t filled = UINT32_MAX; /* a bit for each stratum of which the member has all records */
    for (int y = 0; y < 2; y++)
        rests_on[y] = contrast_sets_shares(s, slot, y, share[y], &filled);
    double fresh = share[kind][0] + (refines ? share[kind][1] : 0);
    if (!m->opt.both && fresh < CONTRAST_SETS_NEW) return 0;
    for (int k = 0; k < CONTRAST_STRATA; k++) {
        double n[2], all[2];
        if (filled >> k & 1) continue;
        for (int y = 0; y < 2; y++) {
            double of = contrast_sets_cautious(share[y][k], rests_on[y], y != kind);
            double part = s->all[y] ? (double)s->size[y][k] / (double)s->all[y] : k == 0;
            all[y] = contrast_mass(m, y) * part;
            n[y] = fmin(all[y], of * (y == kind ? b.low[y] : b.high[y]));
        }
        gain += likelihood_gain(n[1], n[0], all[1], all[0]);
    }
    return kind ? gain : -gain;
}

bool contrast_sets_opposite(const struct contrast_sets *s, uint32_t slot, uint32_t of)
{
    const struct contrast *m = &s->held->model;
    struct contrast_bounds a = contrast_slot_mass(m, slot), b = contrast_slot_mass(m, of);
    for (int y = 0; y < 2; y++)
        if (a.low[y] + b.low[y] != contrast_mass(m, y) || a.low[y] != a.high[y]) return false;
    return true;
}

/* ---- figures ---- */

/* Returns Wilson's interval for the proportion `hits` of n, with a confidence of 99 %. */
static struct contrast_figure contrast_sets_proportion(uint32_t hits, uint32_t n)
{
    const double z = 2.576;
    double p = (double)hits / n, half = z * sqrt(p * (1 - p) / n + z * z / (4.0 * n * n));
    double scale = 1 + z * z / n, middle = p + z * z / (2.0 * n);
    return (struct contrast_figure){p, fmax(0, (middle - half) / scale),
                                    fmin(1, (middle + half) / scale)};
}

static const struct contrast_figure unknown = {NAN, NAN, NAN};

void contrast_sets_begin(struct contrast_sets *s, uint32_t slot)
{
    struct contrast_bounds b = contrast_slot_mass(&s->held->model, slot);
    contrast_sets_cover(s, slot);
    s->several = false;
    for (int y = 0; y < 2; y++) {
        s->first[y] = contrast_share(&s->held->model, &b, y);
        s->beside[y] = s->size[y][0];
    }
}

/* True if the samples give no figures of the kinds from `from` to 1. */
static bool contrast_sets_tell_nothing(const struct contrast_sets *s, int from)
{
    bool whole = contrast_sets_whole(s, 1) && (from == 1 || contrast_sets_whole(s, 0));
    return s->held->unsampled || s->held->model.opt.half_life > 0 || (s->held->amounts && !whole);
}

struct contrast_figure contrast_sets_covered(const struct contrast_sets *s)
{
    uint64_t n = s->beside[1], hits = n - s->size[1][0];
    struct contrast_figure of = {0, 0, 1}, first = s->first[1];
    if (contrast_sets_tell_nothing(s, 1)) return unknown;
    if (isnan(first.shown)) first = (struct contrast_figure){0, 0, 1};
    if (contrast_sets_whole(s, 1))
        of.shown = of.low = of.high = n ? (double)hits / (double)n : 1;
    else if (n)
        of = contrast_sets_proportion((uint32_t)hits, (uint32_t)n);
    return (struct contrast_figure){first.shown + (1 - first.shown) * of.shown,
                                    first.low + (1 - first.low) * of.low,
                                    first.high + (1 - first.high) * of.high};
}

/* Returns the share that is left, at most 1, for the ratio (1 - c0) / (1 - c1). A ratio of 0 times
 * infinity is NaN, which says nothing: then returns `if_nan`. There are outliers. */
static double contrast_sets_left_at(const struct contrast *m, double ratio, double if_nan)
{
    double N1 = contrast_mass(m, 1), q = N1 / (N1 + contrast_mass(m, 0));
    if (isnan(ratio)) return if_nan;
    return fmin(1, 1 / (q < 1 ? q + (1 - q) * ratio : q));
}

/* Sampled records with a further row that the variance is that of, if there are fewer: at 1.96
 * standard deviations they are as many as a sample without one leaves possible, (3.7 / 1.96)^2. */
static const double CONTRAST_SETS_UNSEEN = 3.6;

/* The records beside the first row are a known part of all. The sample tells which part of these
 * the further rows leave. The logarithm of the ratio of two proportions has about the variance
 * 1/x1 - 1/n1 + 1/x0 - 1/n0, with a half added to each count (D. Katz et al., Biometrics 34, 1978).
 * If none of the sampled records has a further row, up to 3.7 of n may (95 %): this formula would
 * say that none does. A sample that has all records adds nothing to the variance. */
struct contrast_figure contrast_sets_left(const struct contrast_sets *s)
{
    const struct contrast *m = &s->held->model;
    const struct contrast_figure *c = s->first;
    double share[2], variance = 0;
    for (int y = 0; y < 2; y++) {
        double n = (double)s->beside[y], x = (double)s->size[y][0];
        bool whole = contrast_sets_whole(s, y);
        share[y] = !whole ? (x + 0.5) / (n + 0.5) : n > 0 ? x / n : 1;
        if (!whole && s->several)
            variance += fmax(n - x, CONTRAST_SETS_UNSEEN) / ((x + 0.5) * (n + 0.5));
    }
    if (contrast_sets_tell_nothing(s, 0) || isnan(c[0].shown) || isnan(c[1].shown)) return unknown;
    if ((c[0].high >= 1 || !(share[0] > 0)) && (c[1].high >= 1 || !(share[1] > 0)))
        return contrast_between(0, contrast_sets_left_at(m, 0, 1));
    double factor = exp_within(1.96 * sqrt(variance)), ratio = share[0] / share[1];
    /* If the sample has no record left of a kind, there may be none. */
    double most = s->size[1][0] ? ratio * factor : (double)INFINITY;
    double least = s->size[0][0] ? ratio / factor : 0;
    return (struct contrast_figure){
        contrast_sets_left_at(m, (1 - c[0].shown) / (1 - c[1].shown) * ratio, 0),
        contrast_sets_left_at(m, (1 - c[0].low) / (1 - c[1].high) * most, 0),
        contrast_sets_left_at(m, (1 - c[0].high) / (1 - c[1].low) * least, 1)};
}
