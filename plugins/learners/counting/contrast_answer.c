/* contrast_answer.c -- the answer of learn.contrast to LEAT_QUERY_TOP; see contrast.h.
 *
 * Each figure has bounds, which follow from the bounds of the counts
 * (kernels/counting/contrast/contrast.h). n1 and n0 are the counts in kinds 1 and 0. The relative
 * risk and the ratio grow with n1 and fall with n0:
 *
 *   low = f(low n1, high n0)      high = f(high n1, low n0)      shown: sqrt(low high)
 *
 * Counts and supports are shown as the middle of their bounds. Ranking uses the bound nearest to
 * "no difference", so that an uncertain feature does not come first. Conditions use it too, except
 * for counts that are well known (contrast_reaches). */
#include <math.h>
#include <stdlib.h>

#include "contrast.h"
#include "kernels/base/loss.h"
#include "common/answers/answer.h"

/* Prior, in records, of log ratios that are compared with each other (awm.h). */
static const double COMPARE = 20;

/* A figure with its bounds. */
struct figure {
    double shown, low, high;
};

enum { RATE, RISK, RATIO, OUTLIERS, INLIERS, COUNT, COVERED, FIGURES };
static const char *const columns[] = {"weight",
                                      "rate",
                                      "rate_low",
                                      "rate_high",
                                      "relative_risk",
                                      "relative_risk_low",
                                      "relative_risk_high",
                                      "ratio",
                                      "ratio_low",
                                      "ratio_high",
                                      "support_outliers",
                                      "support_outliers_low",
                                      "support_outliers_high",
                                      "support_inliers",
                                      "support_inliers_low",
                                      "support_inliers_high",
                                      "count",
                                      "count_low",
                                      "count_high",
                                      "covered",
                                      "covered_low",
                                      "covered_high",
                                      "base_rate",
                                      "twins",
                                      "luck"};
enum { BASE_RATE = 1 + 3 * FIGURES, TWINS, LUCK, COLUMNS };
_Static_assert(sizeof columns / sizeof *columns == COLUMNS, "three columns a figure");

const char *const *contrast_columns(const void *cfg, uint32_t *n)
{
    *n = COLUMNS;
    return columns;
}

/* ---- figures ---- */

/* Returns p(x|+) / p(x|-) = (n1 / N1) / (n0 / N0). If one of the four counts is 0, adds a half to
 * each. */
static double ratio_of(double n1, double n0, double N1, double N0)
{
    if (n1 < 0.5 || n0 < 0.5 || N1 < 0.5 || N0 < 0.5) n1 += 0.5, n0 += 0.5, N1 += 0.5, N0 += 0.5;
    return n1 / N1 / (n0 / N0);
}

typedef double of_counts(double n1, double n0, double N1, double N0);

static struct figure quotient(of_counts *f, const struct contrast *m,
                              const struct contrast_bounds *b)
{
    double N1 = contrast_records(m, 1), N0 = contrast_records(m, 0);
    struct figure q = {.low = f(b->low[1], b->high[0], N1, N0),
                       .high = f(b->high[1], b->low[0], N1, N0)};
    q.shown = q.low == q.high ? q.low : sqrt(q.low * q.high);
    return q;
}

static struct figure between(double low, double high)
{
    return (struct figure){0.5 * (low + high), low, high};
}

/* Returns the fraction of the records of kind y that contain the feature. Limits it to 1, because a
 * record may contain a feature twice. */
static struct figure share(const struct contrast *m, const struct contrast_bounds *b, int y)
{
    double N = contrast_records(m, y);
    if (!(N > 0)) return between((double)NAN, (double)NAN);
    return between(fmin(1, b->low[y] / N), fmin(1, b->high[y] / N));
}

/* Returns the fraction of kind 1 among the records with the feature. A record may contain a feature
 * twice, so a count is cut to the number of records. */
static struct figure contrast_answer_rate(const struct contrast *m, const struct contrast_bounds *b)
{
    double low[2], high[2];
    for (int y = 0; y < 2; y++) {
        low[y] = fmin(b->low[y], contrast_records(m, y));
        high[y] = fmin(b->high[y], contrast_records(m, y));
    }
    bool none = !(high[0] > 0) && !(high[1] > 0); /* all its records have decayed */
    double least = high[0] > 0 ? low[1] / (low[1] + high[0]) : 1;
    double most = high[1] > 0 ? high[1] / (high[1] + low[0]) : 0;
    return none ? between(0, 1) : between(least, most);
}

/* Returns log p(x|+) / p(x|-). A prior of `prior` records draws it towards 0. */
static double contrast_answer_log_ratio(const struct contrast *m, double n1, double n0,
                                        double prior)
{
    double N1 = contrast_records(m, 1) + 0.5, N0 = contrast_records(m, 0) + 0.5;
    const struct sgd_prior p = sgd_prior(loss_log(N1 / N0), prior);
    return sgd_log_odds_ratio(n1, n0, &p);
}

/* Returns the prior, in records, of the weight in an answer: the number of records of which one, on
 * average, has the rarer label. If that label is rare, even a hundred records of the other label
 * are little evidence. */
static double prior_shown(const struct contrast *m)
{
    double N1 = contrast_records(m, 1) + 0.5, N0 = contrast_records(m, 0) + 0.5;
    return (N1 + N0) / fmin(N1, N0);
}

/* Returns the weight: the log ratio with the prior of prior_shown(), at the bound nearest to 0.
 * Returns 0 if the two bounds have different signs. */
static double contrast_answer_weight_of(const struct contrast *m, const struct contrast_bounds *b)
{
    double prior = prior_shown(m), low = contrast_answer_log_ratio(m, b->low[1], b->high[0], prior);
    double high = contrast_answer_log_ratio(m, b->high[1], b->low[0], prior);
    return low > 0 ? low : high < 0 ? high : 0;
}

/* Returns the score by which conjunctions are compared with their parts. */
static double score_of(const struct contrast *m, const struct contrast_bounds *b)
{
    return contrast_answer_log_ratio(m, 0.5 * (b->low[1] + b->high[1]),
                                     0.5 * (b->low[0] + b->high[0]), COMPARE);
}

/* ---- choice of members for the rows ---- */

/* Member of the model that meets the query's conditions. */
struct contrast_answer_candidate {
    uint32_t slot, parts;
    float strength;         /* key by which candidates are sorted */
    uint64_t counts, marks; /* both are equal for members that occur in the same records */
};

static bool passes(const struct contrast *m, const struct leat_query *q,
                   const struct contrast_bounds *b, double weight)
{
    if (q->positive && !(weight > 0)) return false;
    if (!contrast_reaches(b->low[0] + b->low[1], b->high[0] + b->high[1], q->min_count))
        return false;
    if (!contrast_reaches(b->low[1], b->high[1], q->min_support * contrast_records(m, 1)))
        return false;
    return q->min_risk_ratio <= 0 || quotient(sgd_relative_risk, m, b).low >= q->min_risk_ratio;
}

/* Returns the factor (at least 1) by which a quotient differs from 1 at least, according to its
 * bounds. */
static double cautious(struct figure q) { return q.low > 1 ? q.low : q.high < 1 ? 1 / q.high : 1; }

static double strength_of(const struct contrast *m, const struct leat_query *q,
                          const struct contrast_bounds *b, double weight)
{
    switch (q->order) {
    case LEAT_ORDER_RISK:
        return cautious(quotient(sgd_relative_risk, m, b));
    case LEAT_ORDER_SUPPORT:
        return b->low[0] + b->low[1];
    case LEAT_ORDER_SHARE:
        return b->low[1];
    default:
        return fabs(weight);
    }
}

/* ---- conjunctions and their parts ---- */

/* Returns the number of parts of a name; 0 if they are unknown. */
static uint32_t n_parts(const struct redundancy_parts *p)
{
    return !p->key[0] ? 0 : !p->key[1] ? 1 : !p->key[2] ? 2 : 3;
}

/* True if the keys of name parts are ids of features. If an earlier stage assigns other ids, they
 * are not. */
static bool keys_are_ids(const struct contrast_held *h)
{
    bool any = false;
    for (uint32_t s = 0; s < h->model.index.n; s++) {
        if (n_parts(&h->parts[s]) != 1) continue;
        if (h->parts[s].key[0] != h->model.index.id[s]) return false;
        any = true;
    }
    return any;
}

static bool contrast_answer_is_member(const struct contrast *m, uint32_t id)
{
    return m->index.id[id_slots_seek(&m->index, id)] == id;
}

/* Marks conjunctions that tell no more than one of their parts, for parts that are not members. The
 * counts of such a part come from the sketch, which is accurate for large counts. */
static void compare_with_others(const struct contrast_held *h, double margin, const double *score,
                                uint8_t *redundant)
{
    for (uint32_t s = 0; s < h->model.index.n; s++) {
        const uint32_t *key = h->parts[s].key;
        for (uint32_t i = 0; key[1] && i < 3 && key[i] && !redundant[s]; i++) {
            if (contrast_answer_is_member(&h->model, key[i])) continue;
            struct contrast_bounds b = contrast_bounds_of(&h->model, key[i]);
            double part = contrast_answer_log_ratio(&h->model, b.high[1], b.high[0], COMPARE);
            redundant[s] = !redundancy_beats(score[s], part, margin);
        }
    }
}

/* Marks redundant members, as answer_redundant() does. `score` is a buffer for the scores of all
 * members. */
static int contrast_answer_mark_redundant(struct leat_ctx *ctx, const struct contrast_held *h,
                                          const struct leat_query *q, double *score,
                                          uint8_t **redundant)
{
    const struct contrast *m = &h->model;
    for (uint32_t s = 0; s < m->index.n; s++) {
        struct contrast_bounds b = contrast_slot_bounds(m, s);
        score[s] = score_of(m, &b);
    }
    int status = answer_redundant(ctx, q, m->index.n, h->parts, score, redundant);
    if (*redundant && keys_are_ids(h))
        compare_with_others(h, loss_log(q->min_odds_gain), score, *redundant);
    return status;
}

/* ---- the ranking ---- */

/* Memory of an answer, for n members. */
struct contrast_answer_ranking {
    struct contrast_answer_candidate *candidate; /* n elements */
    double *score;                               /* n elements */
    uint8_t *redundant;                          /* n bytes, or NULL */
    uint32_t *row, *id;                          /* candidate and feature of each row */
    uint32_t *place, *first;                     /* buffers for contrast_sample_first() */
    uint32_t slots;                              /* number of elements of `place` */
    bool by_parts;                               /* rows must tell more than their parts */
    double features;                             /* number of features that could be rows */
};

static uint32_t contrast_answer_slots_for(uint32_t k)
{
    uint32_t slots = 2;
    while (slots < 2 * k)
        slots *= 2;
    return slots;
}

size_t contrast_answer_bytes(const struct contrast_shape *s)
{
    size_t each = sizeof(struct contrast_answer_candidate) + sizeof(double) + 2 * sizeof(uint32_t);
    return s->members * each + answer_redundant_bytes(s->members) +
           (contrast_answer_slots_for(s->members) + s->sample / 2 + 1) * sizeof(uint32_t);
}

static void free_ranking(struct leat_ctx *ctx, struct contrast_answer_ranking *r)
{
    const struct leat_host *h = ctx->host;
    h->free(ctx, r->candidate);
    h->free(ctx, r->score);
    h->free(ctx, r->redundant);
    h->free(ctx, r->row);
    h->free(ctx, r->id);
    h->free(ctx, r->place);
    h->free(ctx, r->first);
}

static int make_ranking(struct leat_ctx *ctx, const struct contrast *m,
                        struct contrast_answer_ranking *r)
{
    const struct leat_host *h = ctx->host;
    uint32_t n = m->shape.members; /* contrast_answer_bytes() plans memory for this number */
    *r = (struct contrast_answer_ranking){
        .candidate = h->alloc(ctx, n * sizeof *r->candidate),
        .score = h->alloc(ctx, n * sizeof *r->score),
        .row = h->alloc(ctx, n * sizeof *r->row),
        .id = h->alloc(ctx, n * sizeof *r->id),
        .first = h->alloc(ctx, (m->shape.sample / 2 + 1) * sizeof *r->first),
        .slots = contrast_answer_slots_for(n)};
    r->place = h->alloc(ctx, r->slots * sizeof *r->place);
    if (r->candidate && r->score && r->row && r->id && r->first && r->place) return LEAT_OK;
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features", n);
}

static uint32_t contrast_answer_collect(const struct contrast_held *h, const struct leat_query *q,
                                        struct contrast_answer_ranking *r)
{
    const struct contrast *m = &h->model;
    uint32_t n = 0;
    for (uint32_t s = 0; s < m->index.n; s++) {
        struct contrast_bounds b = contrast_slot_bounds(m, s);
        double weight = contrast_answer_weight_of(m, &b);
        const uint32_t *count = m->count + 2 * (size_t)s;
        if ((r->redundant && r->redundant[s]) || !passes(m, q, &b, weight)) continue;
        r->candidate[n++] = (struct contrast_answer_candidate){
            s, n_parts(&h->parts[s]), (float)strength_of(m, q, &b, weight),
            (uint64_t)count[0] << 32 | count[1], (uint64_t)m->excess[s] << 32 | m->signatures[s]};
    }
    return n;
}

static int contrast_answer_by_strength(const void *x, const void *y)
{
    const struct contrast_answer_candidate *a = x, *b = y;
    if (a->strength != b->strength) return a->strength > b->strength ? -1 : 1;
    if (a->counts != b->counts) return a->counts > b->counts ? -1 : 1;
    if (a->marks != b->marks) return a->marks > b->marks ? -1 : 1;
    /* members of the same records are neighbours; the one with the fewest parts comes first */
    if (a->parts != b->parts) return a->parts < b->parts ? -1 : 1;
    return (a->slot > b->slot) - (a->slot < b->slot);
}

static bool are_twins(const struct contrast_answer_candidate *a,
                      const struct contrast_answer_candidate *b)
{
    return a->counts == b->counts && a->marks == b->marks;
}

/* ---- fraction of records that contain at least one of the rows ---- */

/* Returns Wilson's interval for the proportion `hits` of n, with a confidence of 99 %. */
static struct figure proportion(uint32_t hits, uint32_t n)
{
    const double z = 2.576;
    if (!n) return between((double)NAN, (double)NAN);
    double p = (double)hits / n, half = z * sqrt(p * (1 - p) / n + z * z / (4.0 * n * n));
    double scale = 1 + z * z / n, middle = p + z * z / (2.0 * n);
    return (struct figure){p, fmax(0, (middle - half) / scale), fmin(1, (middle + half) / scale)};
}

/* ---- rows ---- */

static int contrast_answer_put_row(const struct contrast_held *h, uint32_t slot,
                                   struct figure covered, uint32_t twins, double luck,
                                   struct leat_result *out)
{
    const struct contrast *m = &h->model;
    struct contrast_bounds b = contrast_slot_bounds(m, slot);
    const struct figure figure[FIGURES] = {[RATE] = contrast_answer_rate(m, &b),
                                           [RISK] = quotient(sgd_relative_risk, m, &b),
                                           [RATIO] = quotient(ratio_of, m, &b),
                                           [OUTLIERS] = share(m, &b, 1),
                                           [INLIERS] = share(m, &b, 0),
                                           [COUNT] =
                                               between(b.low[0] + b.low[1], b.high[0] + b.high[1]),
                                           [COVERED] = covered};
    double v[COLUMNS] = {contrast_answer_weight_of(m, &b)};
    for (int i = 0; i < FIGURES; i++) {
        v[1 + 3 * i] = figure[i].shown;
        v[2 + 3 * i] = figure[i].low;
        v[3 + 3 * i] = figure[i].high;
    }
    double N1 = contrast_records(m, 1);
    v[BASE_RATE] = N1 / (N1 + contrast_records(m, 0));
    v[TWINS] = twins;
    v[LUCK] = luck;
    size_t len;
    const char *name = names_get(&h->names, slot, &len);
    return out->row(out, name, len, v);
}

/* Returns the number of candidates after `at` that occur in the same records as `at`. */
static uint32_t count_twins(const struct contrast_answer_ranking *r, uint32_t at, uint32_t n)
{
    uint32_t end = at + 1;
    while (end < n && are_twins(&r->candidate[at], &r->candidate[end]))
        end++;
    return end - at - 1;
}

static int put_twins(const struct contrast_held *h, const struct contrast_answer_candidate *c,
                     uint32_t twins, struct leat_result *out)
{
    int status = LEAT_OK;
    for (uint32_t i = 1; i <= twins && status == LEAT_OK && answer_takes_twins(out); i++) {
        size_t len;
        const char *name = names_get(&h->names, c[i].slot, &len);
        status = out->also(out, name, len);
    }
    return status;
}

/* Returns the keys of a member's parts if rows must tell more than their parts; NULL otherwise. */
static const uint32_t *contrast_answer_parts(const struct contrast_held *h,
                                             const struct contrast_answer_ranking *r, uint32_t slot)
{
    return r->by_parts ? h->parts[slot].key : NULL;
}

/* Chooses the candidates that become rows, at most q->k. Candidates that occur in the same records
 * share a row. If strength orders the rows, those that may be due to chance come after all others:
 * the strongest of many rare features are mostly such rows. */
static uint32_t choose_rows(const struct contrast_held *h, const struct leat_query *q,
                            struct contrast_answer_ranking *r, uint32_t n)
{
    bool apart = q->order == LEAT_ORDER_RISK || q->order == LEAT_ORDER_WEIGHT;
    uint32_t *luck = r->id, rows = 0, lucky = 0;
    for (uint32_t i = 0; i < n && rows < q->k; i++) {
        uint32_t slot = r->candidate[i].slot;
        if (q->together && i && are_twins(&r->candidate[i], &r->candidate[i - 1])) continue;
        if (apart && contrast_luck(&h->model, slot, contrast_answer_parts(h, r, slot), q->positive,
                                   r->features) > CONTRAST_CHANCE)
            luck[lucky++] = i;
        else
            r->row[rows++] = i;
    }
    for (uint32_t i = 0; i < lucky && rows < q->k; i++)
        r->row[rows++] = luck[i];
    for (uint32_t i = 0; i < rows; i++)
        r->id[i] = h->model.index.id[r->candidate[r->row[i]].slot];
    return rows;
}

/* Returns the fraction of records that contain a feature of this row or of a row above it. `sample`
 * is the estimate from a sample. It is limited by the fractions `above` (all rows above) and `next`
 * (this row): at least the larger of them, at most their sum. */
static struct figure cover(struct figure sample, struct figure above, struct figure next)
{
    double least = fmax(above.low, next.low), most = fmin(1, above.high + next.high);
    double low = fmin(fmax(sample.low, least), most), high = fmax(fmin(sample.high, most), low);
    if (isnan(sample.shown)) return sample;
    return (struct figure){fmin(fmax(sample.shown, low), high), low, high};
}

static int put_rows(const struct contrast_held *h, struct contrast_answer_ranking *r, uint32_t n,
                    uint32_t rows, const struct leat_query *q, struct leat_result *out,
                    struct contrast_found *found)
{
    const struct contrast *m = &h->model;
    uint32_t sampled = contrast_sample_first(&m->sample, rows, r->id, r->slots, r->place, r->first);
    struct figure covered = {0};
    int status = LEAT_OK;
    for (uint32_t i = 0, hits = 0; i < rows && status == LEAT_OK; i++) {
        for (uint32_t j = 0; j < sampled; j++)
            hits += r->first[j] == i;
        const struct contrast_answer_candidate *c = &r->candidate[r->row[i]];
        struct contrast_bounds b = contrast_slot_bounds(m, c->slot);
        covered =
            cover(proportion(hits, m->opt.half_life > 0 ? 0 : sampled), covered, share(m, &b, 1));
        uint32_t twins = q->together ? count_twins(r, r->row[i], n) : 0;
        double luck = contrast_luck(m, c->slot, contrast_answer_parts(h, r, c->slot), q->positive,
                                    r->features);
        contrast_found_row(found, luck);
        status = contrast_answer_put_row(h, c->slot, covered, twins, luck, out);
        if (status == LEAT_OK) status = put_twins(h, c, twins, out);
    }
    return status;
}

static struct contrast_found nothing_found(const struct contrast_held *h,
                                           const struct leat_query *q)
{
    const uint64_t *records = h->model.clock.records;
    struct contrast_found f = {.asked = true, .question = *q, .records = records[0] + records[1]};
    for (uint32_t s = 0; s < h->model.index.n && !f.pairs; s++)
        f.pairs = n_parts(&h->parts[s]) > 1;
    return f;
}

/* True if both kinds have records. Otherwise they cannot be compared. */
static bool has_both(const struct contrast *m)
{
    return contrast_records(m, 0) > 0 && contrast_records(m, 1) > 0;
}

static int rank(struct leat_ctx *ctx, const struct contrast_held *h, const struct leat_query *q,
                struct contrast_answer_ranking *r, struct leat_result *out,
                struct contrast_found *found)
{
    int status = contrast_answer_mark_redundant(ctx, h, q, r->score, &r->redundant);
    if (status != LEAT_OK) return status;
    uint32_t n = contrast_answer_collect(h, q, r);
    qsort(r->candidate, n, sizeof *r->candidate, contrast_answer_by_strength);
    found->features = r->features = contrast_could_be_rows(&h->model, q);
    r->by_parts = q->min_odds_gain > 0 && keys_are_ids(h);
    uint32_t rows = choose_rows(h, q, r, n);
    return put_rows(h, r, n, rows, q, out, found);
}

/* True if a message should be about the result f, not about `other`, the result of another query
 * about the same state. f then more likely comes from a sink than from an evaluation, a report or a
 * viewer: it is for one label, has conditions, or requests fewer rows. */
static bool tells_more(const struct contrast_found *f, const struct contrast_found *other)
{
    const struct leat_query *q = &f->question, *o = &other->question;
    if (!other->asked || f->records != other->records) return true;
    if (!q->positive != !o->positive) return q->positive;
    if (!q->min_count != !o->min_count) return q->min_count > 0;
    return q->k <= o->k;
}

int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found)
{
    const struct leat_query q = answer_query(question);
    struct contrast_found f = nothing_found(h, &q);
    struct contrast_answer_ranking r;
    int status = out->columns(out, columns, COLUMNS);
    if (!q.k || status != LEAT_OK) return status;
    if (h->model.index.n && (!q.positive || has_both(&h->model))) {
        status = make_ranking(ctx, &h->model, &r);
        if (status == LEAT_OK) status = rank(ctx, h, &q, &r, out, &f);
        free_ranking(ctx, &r);
    }
    if (tells_more(&f, found)) *found = f;
    return status;
}
