/* frequent.c -- stage learn.frequent: exact counts of features, as a baseline for explanations.
 *
 * With `amount` it also has the exact sums of a column, in units (common/learners/amounts.h). The
 * mass of a feature is then its sum, divided by the mean amount of a record; else it is its count.
 *
 * by = "count" ranks by frequency among the outliers, or in all records; by = "risk" by relative
 * risk. The counts are exact, because the tables grow with the number of features. */
#include <stdio.h>
#include <string.h>

#include "frequent.h"
#include "core/odds.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/rank.h"
#include "learners/counting/docs.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"

enum over { OVER_ALL, OVER_OUTLIERS };
enum by { BY_COUNT, BY_RISK };
static const char *const frequent_overs[] = {"all", "outliers", NULL};
static const char *const frequent_bys[] = {"count", "risk", NULL};

struct frequent_cfg {
    int32_t over, by;
    int64_t max_features, names_budget, name_bytes;
    struct amounts_cfg amounts;
};

struct frequent_stage {
    struct learner learner;
    struct frequent model;
    struct amounts amounts;
    bool told_names; /* true after the warning of pool_names_tell() */
};

static const struct leat_param frequent_params[] = {
    LEAT_PARAM(
        struct frequent_cfg, over, LEAT_CHOICE, .def = "outliers", .choices = frequent_overs,
        .doc = "with by = \"count\": count the features of outliers (label +1), or of all records"),
    LEAT_PARAM(struct frequent_cfg, by, LEAT_CHOICE, .def = "count", .choices = frequent_bys,
               .doc = "weight of a feature: count, or risk: |log relative risk|"),
    LEAT_PARAM(struct frequent_cfg, max_features, LEAT_INT, .flags = LEAT_ADVANCED,
               .def = "4194304", .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features",
               .doc = GROWING_DOC),
    LEAT_PARAM(struct frequent_cfg, names_budget, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = "64MiB",
               .min = 0, .max = 4294967295.0, .unit = "bytes",
               .doc = "memory for names, taken at the start; when it is full, new features are "
                      "shown by their ids"),
    LEAT_PARAM(struct frequent_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",
               .min = 8, .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
    AMOUNTS_PARAMS(struct frequent_cfg, amounts),
};

static int frequent_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct frequent_cfg *c = cfg;
    amounts_negotiate(&c->amounts, n);
    examples_count_each_once(n, AMOUNTS_ADVICE);
    if (examples_have_made_labels(n->in) && c->by == BY_RISK)
        n->diag->warn(n->diag, "by",
                      "\"risk\" compares with the examples of label -1, which feature.pairs makes "
                      "at random: set by = \"count\"");
    else if (examples_have_made_labels(n->in) && c->over == OVER_ALL)
        n->diag->warn(n->diag, "over",
                      "\"all\" also counts the examples of label -1, which feature.pairs makes at "
                      "random: set over = \"outliers\"");
    return examples_of_two_classes(cfg, n);
}

/* Bytes of the sums of a feature. */
static uint32_t frequent_sum_bytes(const struct frequent_cfg *c)
{
    return c->amounts.column ? 2 * sizeof(uint64_t) : 0;
}

static size_t frequent_names_bytes(const struct frequent_cfg *c, const struct leat_schema *in)
{
    return pool_names_bytes(c->names_budget, c->name_bytes, growing_max_capacity(c->max_features),
                            in);
}

static int frequent_plan(const void *cfg, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    const struct frequent_cfg *c = cfg;
    bool named = in->has & LEAT_HAS_NAMES;
    uint32_t max = growing_max_capacity(c->max_features);
    p->names_bytes = frequent_names_bytes(c, in);
    p->work_bytes = (uint64_t)c->name_bytes + 1 + answer_rows_bytes(max, sizeof(struct pair)) +
                    (named ? max * sizeof(double) + answer_redundant_bytes(max) : 0);
    counted_plan(p, c->max_features, true, frequent_sum_bytes(c), 0);
    return LEAT_OK;
}

static void frequent_close(struct leat_ctx *ctx, void *self)
{
    struct frequent_stage *st = self;
    pool_names_close(ctx, &st->model.names, NULL);
    counted_close(ctx, &st->model.counted);
}

static int frequent_begin(struct leat_ctx *ctx, void *self)
{
    struct frequent_stage *st = self;
    const struct frequent_cfg *c = ctx->cfg;
    size_t pool = frequent_names_bytes(c, ctx->in);
    uint32_t sums = frequent_sum_bytes(c);
    int status = counted_open(ctx, &st->model.counted, c->max_features, true, sums);
    if (status != LEAT_OK) return status;
    amounts_open(ctx, &c->amounts, &st->amounts);
    st->model.sum = sums ? st->model.counted.extra : NULL;
    if (pool_names_open(ctx, pool, c->name_bytes, &st->model.names, &st->learner.text))
        return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %zu bytes of names",
                           pool);
}

static void frequent_take_name(struct frequent_stage *st, const struct leat_batch *b, uint32_t i,
                               uint32_t f)
{
    struct feature_counts *t = &st->model.counted.counts;
    t->table.tag[f] = pool_names_take(&st->model.names, st->learner.text, b, i);
    t->parts[f] = answer_parts(b, i);
}

static void frequent_count_example(struct leat_ctx *ctx, struct frequent_stage *st,
                                   const struct leat_batch *b, uint32_t e, int positive,
                                   uint64_t amount)
{
    struct feature_counts *t = &st->model.counted.counts;
    uint32_t start = b->ex_start[e], end = b->ex_start[e + 1];
    if (feature_table_free_slots(&t->table) < end - start)
        counted_reserve(ctx, &st->model.counted, end - start);
    for (uint32_t i = start; i < end; i++) {
        feature_counts_fetch(t, b->id + i, b->n_entries - i);
        uint32_t known = t->table.n, f = feature_counts_add(t, b->id[i], positive);
        if (f == known && st->model.names.bytes) frequent_take_name(st, b, i, f);
        if (st->model.sum && f != FEATURE_TABLE_NONE)
            st->model.sum[2 * (size_t)f + (positive != 0)] += amount;
    }
}

/* Begins record r of a kind, and reads its amount. Returns 1 if the record is rejected. */
static int frequent_begin_record(struct leat_ctx *ctx, struct frequent_stage *st,
                                 struct leat_batch *b, uint32_t r, int positive, uint64_t *amount)
{
    struct frequent *m = &st->model;
    if (m->sum) {
        if (!amounts_read(ctx, &st->amounts, b, r, amount)) return 1;
        if (*amount > AMOUNTS_TOTAL - m->total[0] - m->total[1])
            return amounts_overflow(ctx, &st->amounts, (double)AMOUNTS_TOTAL);
        m->total[positive] += *amount;
    }
    m->seen.records[positive]++;
    return LEAT_OK;
}

static int frequent_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct frequent_stage *st = self;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    uint64_t amount = 0;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        if (r == refused) continue; /* a refused record loses all its examples */
        if (examples_refuse(ctx, b, e, UINT32_MAX) ||
            examples_refuse_weight(ctx, b, e, AMOUNTS_ADVICE)) {
            refused = r;
            continue;
        }
        int positive = b->ex_label[e] > 0;
        if (b->ex_weight[e] == 0) continue; /* held out */
        int begun = r == record ? LEAT_OK : frequent_begin_record(ctx, st, b, r, positive, &amount);
        if (begun < 0) return begun;
        record = r;
        if (begun != LEAT_OK)
            refused = r;
        else
            frequent_count_example(ctx, st, b, e, positive, amount);
    }
    return LEAT_OK;
}

static void frequent_finish(struct leat_ctx *ctx, void *self)
{
    amounts_tell(ctx, &((struct frequent_stage *)self)->amounts);
}

static void frequent_report(struct leat_ctx *ctx, void *self)
{
    struct frequent_stage *st = self;
    const struct leat_host *h = ctx->host;
    counted_tell(ctx, &st->model.counted);
    pool_names_tell(ctx, &st->model.names, &st->told_names);
    const struct feature_counts *t = &st->model.counted.counts;
    h->metric(ctx, "model_bytes", (double)feature_counts_block_bytes(t->table.capacity, true));
    h->metric(ctx, "names_bytes", (double)st->model.names.used);
    h->metric(ctx, "features", (double)t->table.n);
    h->metric(ctx, "ignored_entries", (double)t->table.ignored);
    h->metric(ctx, "unnamed_features", (double)st->model.names.dropped);
}

/* ---- the answer ---- */

/* Masses of a feature, and of all records, by kind. */
struct frequent_masses {
    double of[2], all[2];
};

static struct frequent_masses frequent_masses_of(const struct frequent *m, uint32_t f)
{
    const uint64_t *records = m->seen.records;
    double all = (double)m->total[0] + (double)m->total[1];
    double mean = all > 0 ? all / ((double)records[0] + (double)records[1]) : 1;
    struct frequent_masses x;
    for (uint32_t y = 0; y < 2; y++) {
        size_t at = 2 * (size_t)f + y;
        x.of[y] = m->sum ? (double)m->sum[at] / mean : (double)m->counted.counts.count[at];
        x.all[y] = m->sum ? (double)m->total[y] / mean : (double)records[y];
    }
    return x;
}

static double relative_risk(const struct frequent_stage *st, uint32_t f)
{
    struct frequent_masses x = frequent_masses_of(&st->model, f);
    return odds_relative_risk(x.of[1], x.of[0], x.all[1], x.all[0], st->model.sum);
}

/* Returns the sum of amounts of a feature in a kind, or its count. */
static double frequent_sum_of(const struct frequent_stage *st, uint32_t f, uint32_t y)
{
    size_t at = 2 * (size_t)f + y;
    return st->model.sum ? amounts_of(&st->amounts, (double)st->model.sum[at])
                         : (double)st->model.counted.counts.count[at];
}

static double frequent_weight_of(const struct frequent_cfg *c, const struct frequent_stage *st,
                                 uint32_t f)
{
    if (c->by == BY_RISK) return loss_log(relative_risk(st, f));
    return frequent_sum_of(st, f, 1) + (c->over == OVER_ALL ? frequent_sum_of(st, f, 0) : 0.0);
}

/* Returns log p(x|+) / p(x|-) after a record at the common odds. */
static double log_odds(const struct frequent_stage *st, uint32_t f)
{
    struct frequent_masses x = frequent_masses_of(&st->model, f);
    return sgd_log_ratio(x.of[1], x.of[0], x.all[1], x.all[0], 1);
}

/* Marks features that are redundant, judged by log_odds(). *redundant has a byte for each feature;
 * it is NULL if the query does not request this. */
static int frequent_mark_redundant(struct leat_ctx *ctx, const struct frequent_stage *st,
                                   const struct leat_query *q, uint8_t **redundant)
{
    const struct feature_counts *t = &st->model.counted.counts;
    uint32_t n = t->table.n;
    *redundant = NULL;
    if (!(q->min_odds_gain > 0)) return LEAT_OK;
    double *odds = ctx->host->alloc(ctx, n * sizeof *odds);
    if (!odds)
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features",
                               n);
    for (uint32_t f = 0; f < n; f++)
        odds[f] = log_odds(st, f);
    int status = answer_redundant(ctx, q, n, t->parts, odds, redundant);
    ctx->host->free(ctx, odds);
    return status;
}

static bool frequent_is_shown(const struct frequent_stage *st, const struct leat_query *q,
                              uint32_t f)
{
    const uint32_t *count = st->model.counted.counts.count + 2 * (size_t)f;
    struct frequent_masses x = frequent_masses_of(&st->model, f);
    double risk = relative_risk(st, f);
    return (double)count[0] + (double)count[1] >= q->min_count &&
           x.of[1] >= q->min_support * x.all[1] &&
           (q->min_risk_ratio <= 0 || risk >= q->min_risk_ratio) && (!q->positive || risk > 1);
}

/* Writes the q->k heaviest features to top->heap, heaviest first. */
static int rank_features(struct leat_ctx *ctx, const struct frequent_stage *st,
                         const struct leat_query *q, struct pairs *top)
{
    const struct feature_counts *t = &st->model.counted.counts;
    uint8_t *redundant;
    int status = frequent_mark_redundant(ctx, st, q, &redundant);
    for (uint32_t f = 0; f < t->table.n && status == LEAT_OK; f++) {
        if ((redundant && redundant[f]) || !frequent_is_shown(st, q, f)) continue;
        struct frequent_masses x = frequent_masses_of(&st->model, f);
        double weight = q->order == LEAT_ORDER_RISK ? loss_log(relative_risk(st, f))
                        : q->order ? answer_order_key_of(q, x.of[1], x.of[0], x.all[1], x.all[0])
                                   : frequent_weight_of(ctx->cfg, st, f);
        pairs_offer(top, f, FEATURE_TABLE_NONE, weight);
    }
    ctx->host->free(ctx, redundant);
    pairs_sort(top);
    return status;
}

/* Columns of an answer: those of learners that count, and the sum of amounts if there are some. */
static const char *const frequent_names[] = {"weight",          "relative_risk", "support_outliers",
                                             "support_inliers", "count",         "amount"};

static const char *const *frequent_columns(const void *cfg, uint32_t *n)
{
    *n = ((const struct frequent_cfg *)cfg)->amounts.column ? 6 : 5;
    return frequent_names;
}

static int answer_feature(struct leat_ctx *ctx, const struct frequent_stage *st, uint32_t f,
                          struct leat_result *out)
{
    const struct feature_counts *t = &st->model.counted.counts;
    struct frequent_masses x = frequent_masses_of(&st->model, f);
    char digits[POOL_NAMES_DIGITS];
    size_t len;
    const char *name =
        pool_names_get(&st->model.names, t->table.tag[f], t->table.id[f], digits, &len);
    double v[6] = {frequent_weight_of(ctx->cfg, st, f), relative_risk(st, f)};
    for (int y = 0; y < 2; y++) /* at most 1, because a record may have a feature twice */
        v[3 - y] = x.all[y] > 0 ? fmin(1, x.of[y] / x.all[y]) : (double)NAN;
    v[4] = (double)t->count[2 * (size_t)f] + (double)t->count[2 * (size_t)f + 1];
    v[5] = frequent_sum_of(st, f, 0) + frequent_sum_of(st, f, 1);
    return out->row(out, name, len, v);
}

static int frequent_top(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                        struct leat_result *out)
{
    struct frequent_stage *st = self;
    const struct leat_query q = answer_query(question);
    uint32_t n = st->model.counted.counts.table.n;
    uint32_t columns;
    const char *const *names = frequent_columns(ctx->cfg, &columns);
    int status = out->columns(out, names, columns);
    if (!n || !q.k || status != LEAT_OK) return status;
    struct pairs top = {.k = q.k < n ? q.k : n};
    if (!(top.heap = ctx->host->alloc(ctx, top.k * sizeof *top.heap)))
        return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to rank %u features",
                               top.k);
    status = rank_features(ctx, st, &q, &top);
    for (uint32_t i = 0; i < top.n && status == LEAT_OK; i++)
        status = answer_feature(ctx, st, top.heap[i].a, out);
    ctx->host->free(ctx, top.heap);
    return status;
}

/* ---- state ---- */

static int frequent_snapshot(const void *self, struct leat_writer *w)
{
    const struct frequent_stage *st = self;
    return frequent_write(&st->model, st->amounts.cfg, w);
}

static int frequent_restores(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct frequent_stage *st = self;
    return frequent_restore(ctx, &st->model, st->amounts.cfg, r);
}

static int frequent_merges(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct frequent_stage *st = self;
    return frequent_merge(ctx, &st->model, st->amounts.cfg, r, weight);
}

/* ---- the stage ---- */

static const struct learner_method frequent_method = {
    .open = frequent_begin,
    .close = frequent_close,
    .report = frequent_report,
    .answer = frequent_top,
    .finish = frequent_finish,
    .write = frequent_snapshot,
    .restore = frequent_restores,
    .merge = frequent_merges,
    .version = FREQUENT_STATE_VERSION,
};

static int frequent_open(struct leat_ctx *ctx, void *self)
{
    return learner_open(ctx, self, &frequent_method);
}

static const struct leat_figure frequent_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
};

const struct leat_stage learn_frequent = {
    .name = "learn.frequent",
    .summary = "exact counts of features: heavy hitters, or the true relative risks",
    .doc = frequent_doc,
    .example = "leat.learn.frequent { over = \"outliers\" }",
    LEARNER_OF_COUNTS,
    .caps = LEAT_ANY_ORDER,
    LEAT_PARAMS(frequent_params, struct frequent_cfg),
    LEAT_FIGURES(frequent_figures),
    LEARNER_STAGE(struct frequent_stage, frequent_columns, FREQUENT_STATE_VERSION),
    .negotiate = frequent_negotiate,
    .plan = frequent_plan,
    .open = frequent_open,
    .process = frequent_process,
};
