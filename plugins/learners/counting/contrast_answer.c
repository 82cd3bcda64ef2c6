/* contrast_answer.c -- the answer of learn.contrast to LEAT_QUERY_TOP; see contrast.h.
 *
 * Ranking uses the bound of a figure that is nearest to "no difference" (contrast_figures.h). So an
 * uncertain feature does not come first. Conditions use it too, except for counts that are well
 * known (contrast_reaches). */
#include <math.h>
#include <stdlib.h>

#include "contrast.h"
#include "contrast_figures.h"
#include "contrast_sets.h"
#include "core/odds.h"
#include "kernels/base/loss.h"
#include "common/answers/answer.h"

/* Prior, in records, of log ratios that are compared with each other (awm.h). */
static const double COMPARE = 20;

/* Share of its gain that counts for a conjunction, when it is compared with single features. */
static const double SHORTER = 0.6;

/* Figures of a row, each with bounds. */
enum {
    RATE,
    RISK,
    RATIO,
    OUTLIERS,
    INLIERS,
    COUNT,
    COVERED,
    ADDED,
    LEFT,
    CHANGE,
    SHARE_OF_CHANGE,
    AMOUNT, /* only if amounts are added up */
    FIGURES
};
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
                                      "covered_new",
                                      "covered_new_low",
                                      "covered_new_high",
                                      "left",
                                      "left_low",
                                      "left_high",
                                      "base_rate",
                                      "twins",
                                      "luck",
                                      "change",
                                      "change_low",
                                      "change_high",
                                      "share_of_change",
                                      "share_of_change_low",
                                      "share_of_change_high",
                                      "amount",
                                      "amount_low",
                                      "amount_high"};
/* Columns: weight, the figures before CHANGE, three others, the other figures. */
enum { BASE_RATE = 1 + 3 * CHANGE, TWINS, LUCK, OTHERS = 3, COLUMNS = 1 + OTHERS + 3 * FIGURES };
_Static_assert(sizeof columns / sizeof *columns == COLUMNS, "three columns a figure");

static uint32_t contrast_answer_columns(bool amounts) { return amounts ? COLUMNS : COLUMNS - 3; }

const char *const *contrast_columns(const void *cfg, uint32_t *n)
{
    *n = contrast_answer_columns(contrast_adds_amounts(cfg));
    return columns;
}

/* Returns the score by which conjunctions are compared with their parts. */
static double score_of(const struct contrast *m, const struct contrast_bounds *b)
{
    return contrast_log_ratio(m, 0.5 * (b->low[1] + b->high[1]), 0.5 * (b->low[0] + b->high[0]),
                              COMPARE);
}

/* ---- choice of members for the rows ---- */

/* Member of the model that meets the query's conditions. */
struct contrast_answer_candidate {
    uint32_t slot, parts;
    uint64_t id, twins;     /* twins: smallest id of the members that occur in the same records */
    float strength;         /* key by which candidates are sorted */
    uint64_t counts, marks; /* equal for members of the same records; with an excess, its own */
};

/* True if a member meets the conditions. n: bounds of its counts; b: of its masses. */
static bool passes(const struct contrast *m, const struct leat_query *q,
                   const struct contrast_bounds *n, const struct contrast_bounds *b, double weight)
{
    if (q->positive && !(weight > 0)) return false;
    if (!contrast_reaches(n->low[0] + n->low[1], n->high[0] + n->high[1], q->min_count))
        return false;
    if (!contrast_reaches(b->low[1], b->high[1], q->min_support * contrast_mass(m, 1)))
        return false;
    return q->min_risk_ratio <= 0 ||
           contrast_quotient(odds_relative_risk, m, b).low >= q->min_risk_ratio;
}

/* Returns the factor (at least 1) by which a quotient differs from 1 at least, according to its
 * bounds. */
static double cautious(struct contrast_figure q)
{
    return q.low > 1 ? q.low : q.high < 1 ? 1 / q.high : 1;
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
        if (h->parts[s].key[0] != h->model.index.wide[s]) return false;
        any = true;
    }
    return any;
}

/* Marks conjunctions that tell no more than one of their parts, for parts that are not members. The
 * counts of such a part come from the sketch, which is accurate for large counts. */
static void compare_with_others(const struct contrast_held *h, double margin, const double *score,
                                uint8_t *redundant)
{
    for (uint32_t s = 0; s < h->model.index.n; s++) {
        const uint64_t *key = h->parts[s].key;
        for (uint32_t i = 0; key[1] && i < 3 && key[i] && !redundant[s]; i++) {
            if (contrast_has(&h->model, key[i])) continue;
            struct contrast_bounds b = contrast_mass_of(&h->model, key[i]);
            double part = contrast_log_ratio(&h->model, b.high[1], b.high[0], COMPARE);
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
        struct contrast_bounds b = contrast_slot_mass(m, s);
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
    uint32_t *row, *lucky;                       /* candidates of the rows; those of luck */
    uint32_t rows;                               /* of an order by gain, so far */
    struct contrast_sets sets;
    bool by_parts;   /* rows must tell more than their parts */
    double features; /* number of features that could be rows */
};

size_t contrast_answer_bytes(const struct contrast_shape *s)
{
    size_t each = sizeof(struct contrast_answer_candidate) + sizeof(double) + 2 * sizeof(uint32_t);
    return s->members * each + answer_redundant_bytes(s->members) + contrast_sets_bytes(s);
}

static void free_ranking(struct leat_ctx *ctx, struct contrast_answer_ranking *r)
{
    const struct leat_host *h = ctx->host;
    h->free(ctx, r->candidate);
    h->free(ctx, r->score);
    h->free(ctx, r->redundant);
    h->free(ctx, r->row);
    h->free(ctx, r->lucky);
    contrast_sets_free(ctx, &r->sets);
}

static int make_ranking(struct leat_ctx *ctx, const struct contrast_held *held,
                        struct contrast_answer_ranking *r)
{
    const struct leat_host *h = ctx->host;
    uint32_t n =
        held->model.shape.members; /* contrast_answer_bytes() plans memory for this number */
    *r = (struct contrast_answer_ranking){.candidate = h->alloc(ctx, n * sizeof *r->candidate),
                                          .score = h->alloc(ctx, n * sizeof *r->score),
                                          .row = h->alloc(ctx, n * sizeof *r->row),
                                          .lucky = h->alloc(ctx, n * sizeof *r->lucky)};
    if (r->candidate && r->score && r->row && r->lucky)
        return contrast_sets_make(ctx, held, &r->sets);
    return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features", n);
}

/* True if a conjunction has a part that is a row so far. It says where this row is strongest. */
static bool contrast_answer_refines(const struct contrast_answer_ranking *r, uint32_t slot)
{
    const uint64_t *part = r->sets.held->parts[slot].key;
    if (!part[0] || !part[1]) return false;
    for (uint32_t i = 0; i < r->rows; i++)
        for (int k = 0; k < 3 && part[k]; k++)
            if (part[k] == r->candidate[r->row[i]].id) return true;
    return false;
}

/* Returns the gain of a member, as a strength. A conjunction is harder to read than its parts. So
 * it must tell clearly more to come before them. */
static float contrast_answer_gain(const struct contrast_answer_ranking *r, uint32_t slot,
                                  uint32_t parts, bool kind)
{
    double gain = contrast_sets_gain(&r->sets, slot, kind, contrast_answer_refines(r, slot));
    return (float)(parts > 1 ? SHORTER * gain : gain);
}

static double strength_of(const struct contrast_answer_ranking *r, const struct contrast *m,
                          const struct leat_query *q, uint32_t slot,
                          const struct contrast_bounds *b, double weight)
{
    switch (q->order) {
    case LEAT_ORDER_GAIN:
        return contrast_answer_gain(r, slot, n_parts(&r->sets.held->parts[slot]), weight > 0);
    case LEAT_ORDER_RISK:
        return cautious(contrast_quotient(odds_relative_risk, m, b));
    case LEAT_ORDER_SUPPORT:
        return b->low[0] + b->low[1];
    case LEAT_ORDER_SHARE:
        return b->low[1];
    case LEAT_ORDER_CHANGE:
        return fmax(0, fmax(b->low[1] - b->high[0], b->low[0] - b->high[1]));
    default:
        return fabs(weight);
    }
}

static uint32_t contrast_answer_collect(const struct contrast_held *h, const struct leat_query *q,
                                        struct contrast_answer_ranking *r)
{
    const struct contrast *m = &h->model;
    uint32_t n = 0;
    for (uint32_t s = 0; s < m->index.n; s++) {
        struct contrast_bounds b = contrast_slot_mass(m, s), counts = contrast_slot_bounds(m, s);
        double weight = contrast_weight(m, &b);
        const uint32_t *count = m->count + 2 * (size_t)s;
        if ((r->redundant && r->redundant[s]) || !passes(m, q, &counts, &b, weight)) continue;
        r->candidate[n++] = (struct contrast_answer_candidate){
            .slot = s,
            .parts = n_parts(&h->parts[s]),
            .id = m->index.wide[s],
            .strength = (float)strength_of(r, m, q, s, &b, weight),
            .counts = (uint64_t)count[0] << 32 | count[1],
            .marks = contrast_is_exact(m, s) ? m->signatures[s] : UINT64_C(1) << 32 | s};
    }
    return n;
}

static int contrast_answer_by_strength(const void *x, const void *y)
{
    const struct contrast_answer_candidate *a = x, *b = y;
    if (a->strength != b->strength) return a->strength > b->strength ? -1 : 1;
    if (a->counts != b->counts) return a->counts > b->counts ? -1 : 1;
    if (a->twins != b->twins) return a->twins < b->twins ? -1 : 1;
    if (a->marks != b->marks) return a->marks > b->marks ? -1 : 1;
    /* members of the same records are neighbours; the one with the fewest parts comes first */
    if (a->parts != b->parts) return a->parts < b->parts ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static bool are_twins(const struct contrast_answer_candidate *a,
                      const struct contrast_answer_candidate *b)
{
    return a->counts == b->counts && a->marks == b->marks;
}

/* Sorts the candidates. Equal strengths are in the order of ids, which do not depend on the history
 * of the model, as signatures do. So members of the same records are first brought together. */
static void contrast_answer_sort(struct contrast_answer_ranking *r, uint32_t n)
{
    struct contrast_answer_candidate *c = r->candidate;
    qsort(c, n, sizeof *c, contrast_answer_by_strength);
    for (uint32_t i = 0, end; i < n; i = end) {
        uint64_t least = c[i].id;
        for (end = i + 1; end < n && are_twins(&c[i], &c[end]); end++)
            if (c[end].id < least) least = c[end].id;
        for (uint32_t k = i; k < end; k++)
            c[k].twins = least;
    }
    qsort(c, n, sizeof *c, contrast_answer_by_strength);
}

/* ---- rows ---- */

/* Figures of all rows up to a row together. */
struct contrast_answer_cover {
    struct contrast_figure covered, left;
    struct contrast_figure added; /* share of the outliers that this row adds */
};

static int contrast_answer_put_row(const struct contrast_held *h, uint32_t slot,
                                   const struct contrast_answer_cover *cover, uint32_t twins,
                                   double luck, struct leat_result *out)
{
    const struct contrast *m = &h->model;
    struct contrast_bounds b = contrast_slot_mass(m, slot), n = contrast_slot_bounds(m, slot);
    const struct contrast_figure figure[FIGURES] = {
        [RATE] = contrast_rate(m, &b),
        [RISK] = contrast_quotient(odds_relative_risk, m, &b),
        [RATIO] = contrast_quotient(odds_ratio_of_shares, m, &b),
        [OUTLIERS] = contrast_share(m, &b, 1),
        [INLIERS] = contrast_share(m, &b, 0),
        [COUNT] = contrast_between(n.low[0] + n.low[1], n.high[0] + n.high[1]),
        [COVERED] = cover->covered,
        [ADDED] = cover->added,
        [LEFT] = cover->left,
        [CHANGE] = contrast_change(h, slot),
        [SHARE_OF_CHANGE] = contrast_share_of_change(m, &b),
        [AMOUNT] = h->amounts ? contrast_amount_figure(h, slot) : contrast_between(0, 0)};
    double v[COLUMNS] = {contrast_weight(m, &b)};
    for (int i = 0; i < FIGURES; i++) {
        double *at = v + 1 + 3 * i + (i >= CHANGE ? OTHERS : 0);
        at[0] = figure[i].shown;
        at[1] = figure[i].low;
        at[2] = figure[i].high;
    }
    double N1 = contrast_mass(m, 1);
    v[BASE_RATE] = N1 / (N1 + contrast_mass(m, 0));
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
static const uint64_t *contrast_answer_parts(const struct contrast_held *h,
                                             const struct contrast_answer_ranking *r, uint32_t slot)
{
    return r->by_parts ? h->parts[slot].key : NULL;
}

/* Returns the luck of candidate i as a row. */
static double contrast_answer_luck(const struct contrast_held *h, const struct leat_query *q,
                                   const struct contrast_answer_ranking *r, uint32_t i)
{
    uint32_t slot = r->candidate[i].slot;
    return contrast_luck(&h->model, slot, contrast_answer_parts(h, r, slot), q, r->features);
}

/* Chooses the candidates that become rows, at most q->k. Candidates that occur in the same records
 * share a row. If strength orders the rows, those that may be due to chance come after all others:
 * the strongest of many rare features are mostly such rows. */
static uint32_t choose_rows(const struct contrast_held *h, const struct leat_query *q,
                            struct contrast_answer_ranking *r, uint32_t n)
{
    bool apart = q->order == LEAT_ORDER_RISK || q->order == LEAT_ORDER_WEIGHT;
    uint32_t rows = 0, lucky = 0;
    for (uint32_t i = 0; i < n && rows < q->k; i++) {
        if (q->together && i && are_twins(&r->candidate[i], &r->candidate[i - 1])) continue;
        double luck = apart || q->max_luck > 0 ? contrast_answer_luck(h, q, r, i) : 0;
        if (q->max_luck > 0 && luck > q->max_luck) continue;
        *(apart && luck > CONTRAST_CHANCE ? &r->lucky[lucky++] : &r->row[rows++]) = i;
    }
    for (uint32_t i = 0; i < lucky && rows < q->k; i++)
        r->row[rows++] = r->lucky[i];
    return rows;
}

/* Returns the next candidate after `at` that is not a twin of `at`. */
static uint32_t contrast_answer_after_twins(const struct contrast_answer_ranking *r, uint32_t at,
                                            uint32_t n)
{
    return at + 1 + count_twins(r, at, n);
}

/* A heap of candidates: the one with the largest strength is first. */
static bool contrast_answer_is_less(const struct contrast_answer_ranking *r, uint32_t a, uint32_t b)
{
    float x = r->candidate[a].strength, y = r->candidate[b].strength;
    return x < y || (x == y && a > b);
}

static void contrast_answer_sink(const struct contrast_answer_ranking *r, uint32_t *heap,
                                 uint32_t n, uint32_t at)
{
    for (uint32_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && contrast_answer_is_less(r, heap[child], heap[child + 1]);
        if (!contrast_answer_is_less(r, heap[at], heap[child])) return;
        uint32_t one = heap[at];
        heap[at] = heap[child];
        heap[child] = one;
    }
}

/* True if the gain of a candidate is more than chance. If amounts are added up, it counts in
 * largest amounts of the member, not in mean ones: a few records may have all of the sum. */
static bool contrast_answer_is_sure(const struct contrast *m,
                                    const struct contrast_answer_candidate *c, float least)
{
    if (!m->shape.amounts) return c->strength > least;
    const struct contrast_sum of = contrast_slot_sum(m, c->slot);
    double most = fmax((double)of.largest[0], (double)of.largest[1]);
    return (double)c->strength * fmin(1, contrast_mass_unit(m) / most) > (double)least;
}

/* Chooses the rows by gain: each is the candidate that tells most beside the rows before it. Ends
 * when the best one tells no more than chance: twice the gain of a feature without effect has the
 * chi-squared distribution, whose tail is below exp(-gain).
 *
 * The strength of a candidate in the heap is that of its last visit. It mostly falls as rows are
 * chosen, so only candidates at the top are computed anew. */
static uint32_t contrast_answer_by_gain(const struct contrast_held *h, const struct leat_query *q,
                                        struct contrast_answer_ranking *r, uint32_t n,
                                        uint32_t *by_chance)
{
    uint32_t *heap = r->lucky, left = 0;
    double most = q->max_luck > 0 ? fmin(q->max_luck, CONTRAST_CHANCE) : CONTRAST_CHANCE;
    for (uint32_t i = 0; i < n; i = q->together ? contrast_answer_after_twins(r, i, n) : i + 1)
        if (contrast_answer_luck(h, q, r, i) <= most)
            heap[left++] = i;
        else
            ++*by_chance;
    for (uint32_t i = left / 2; i--;)
        contrast_answer_sink(r, heap, left, i);
    float least = (float)loss_log(r->features / CONTRAST_CHANCE);
    while (left && r->rows < q->k && r->candidate[heap[0]].strength > least) {
        struct contrast_answer_candidate *c = &r->candidate[heap[0]];
        struct contrast_bounds b = contrast_slot_mass(&h->model, c->slot);
        float before = c->strength;
        bool kind = contrast_weight(&h->model, &b) > 0, opposite = false; /* of a row so far */
        c->strength = contrast_answer_gain(r, c->slot, c->parts, kind);
        if (c->strength >= before) {
            for (uint32_t i = 0; i < r->rows && !opposite; i++)
                opposite = contrast_sets_opposite(&r->sets, c->slot, r->candidate[r->row[i]].slot);
            if (!opposite && contrast_answer_is_sure(&h->model, c, least)) {
                contrast_sets_cover(&r->sets, c->slot);
                r->row[r->rows++] = heap[0];
            }
            heap[0] = heap[--left];
        }
        contrast_answer_sink(r, heap, left, 0);
    }
    contrast_sets_uncover(&r->sets);
    return r->rows;
}

/* Adds the row of a member to what the rows above cover; NULL: it is the first row. */
static struct contrast_answer_cover
contrast_answer_add_cover(struct contrast_sets *sets, uint32_t slot,
                          const struct contrast_answer_cover *above)
{
    const struct contrast *m = &sets->held->model;
    struct contrast_bounds b = contrast_slot_mass(m, slot);
    struct contrast_figure own = contrast_share(m, &b, 1), before = {0, 0, 0};
    if (above) before = above->covered;
    if (above)
        contrast_sets_cover(sets, slot);
    else
        contrast_sets_begin(sets, slot);
    struct contrast_answer_cover to = {.covered = contrast_sets_covered(sets),
                                       .left = contrast_sets_left(sets)};
    if (!isnan(to.covered.shown) && !isnan(own.shown))
        to.covered = above ? contrast_within(to.covered, before, own) : own;
    to.added = (struct contrast_figure){fmax(0, to.covered.shown - before.shown),
                                        fmax(0, to.covered.low - before.high),
                                        to.covered.high - before.low};
    if (isnan(to.covered.shown)) to.added = to.covered;
    return to;
}

static int put_rows(const struct contrast_held *h, struct contrast_answer_ranking *r, uint32_t n,
                    uint32_t rows, const struct leat_query *q, struct leat_result *out,
                    struct contrast_found *found)
{
    int status = LEAT_OK;
    struct contrast_answer_cover cover;
    for (uint32_t i = 0; i < rows && status == LEAT_OK; i++) {
        const struct contrast_answer_candidate *c = &r->candidate[r->row[i]];
        cover = contrast_answer_add_cover(&r->sets, c->slot, i ? &cover : NULL);
        uint32_t twins = q->together ? count_twins(r, r->row[i], n) : 0;
        double luck = contrast_answer_luck(h, q, r, r->row[i]);
        contrast_found_row(found, luck);
        status = contrast_answer_put_row(h, c->slot, &cover, twins, luck, out);
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

static int rank(struct leat_ctx *ctx, const struct contrast_held *h, const struct leat_query *q,
                struct contrast_answer_ranking *r, struct leat_result *out,
                struct contrast_found *found)
{
    int status = contrast_answer_mark_redundant(ctx, h, q, r->score, &r->redundant);
    if (status != LEAT_OK) return status;
    uint32_t n = contrast_answer_collect(h, q, r);
    contrast_answer_sort(r, n);
    found->features = r->features = contrast_could_be_rows(&h->model, q);
    r->by_parts = q->min_odds_gain > 0 && keys_are_ids(h);
    uint32_t rows = 0;
    if (q->order == LEAT_ORDER_GAIN) rows = contrast_answer_by_gain(h, q, r, n, &found->by_chance);
    if (!rows) rows = choose_rows(h, q, r, n);
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
    int status = out->columns(out, columns, contrast_answer_columns(h->amounts));
    if (!q.k || status != LEAT_OK) return status;
    bool both = contrast_records(&h->model, 0) > 0 && contrast_records(&h->model, 1) > 0;
    if (h->model.index.n && both) { /* one kind alone cannot be compared */
        status = make_ranking(ctx, h, &r);
        if (status == LEAT_OK) status = rank(ctx, h, &q, &r, out, &f);
        free_ranking(ctx, &r);
    }
    if (tells_more(&f, found)) *found = f;
    return status;
}
