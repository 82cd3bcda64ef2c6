/* frequent.c -- learn.frequent: features by exact counts, the baselines of an explanation.
 *
 * What heavy hitters would show (the most frequent features, of the outliers or of all records), or
 * what an explanation is measured by (the largest relative risks). It learns nothing else: its
 * score is the log odds of the labels so far, the same for every example.
 *
 * Not here: heavy hitters in fixed memory. The tables grow with the distinct features, so that what
 * is shown is exact.
 */
#include <stdio.h>

#include "kernels/base/names.h"
#include "kernels/base/pairs.h"
#include "common/learners/counted.h"
#include "common/learners/growing.h"
#include "frequent_state.h"
#include "learners/counting/docs.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/learners/pool_names.h"
#include "common/state/state_fields.h"
#include "common/learners/learner_figures.h"

enum over { OVER_ALL, OVER_OUTLIERS };
enum by { BY_COUNT, BY_RISK };
static const char *const overs[] = {"all", "outliers", NULL};
static const char *const bys[] = {"count", "risk", NULL};

struct cfg {
    int32_t over, by;
    int64_t max_features, names_budget, name_bytes;
};

struct stage {
    struct frequent model;
    char *text;      /* scratch: a name, one byte longer than is kept */
    bool told_names; /* pool_names_tell() */
};

static const struct leat_param params[] = {
    LEAT_PARAM(
        struct cfg, over, LEAT_CHOICE, .def = "outliers", .choices = overs,
        .doc =
            "by = \"count\": whose features count, those of outliers (label +1) or of all records"),
    LEAT_PARAM(struct cfg, by, LEAT_CHOICE, .def = "count", .choices = bys,
               .doc = "what is heavy: count, or risk: |log relative risk|"),
    LEAT_PARAM(struct cfg, max_features, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4194304",
               .min = 1, .max = FEATURE_TABLE_MAX, .unit = "features", .doc = GROWING_DOC),
    LEAT_PARAM(
        struct cfg, names_budget, LEAT_SIZE, .flags = LEAT_ADVANCED, .def = "64MiB", .min = 0,
        .max = 4294967295.0, .unit = "bytes",
        .doc =
            "memory for names, taken at the start; features that come later are shown by their id"),
    LEAT_PARAM(struct cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120", .min = 8,
               .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct cfg *c = cfg;
    if (examples_have_made_labels(n->in) && c->by == BY_RISK)
        n->diag->warn(n->diag, "by",
                      "\"risk\" compares with the examples of label -1, and feature.pairs makes "
                      "these up: set by = \"count\"");
    else if (examples_have_made_labels(n->in) && c->over == OVER_ALL)
        n->diag->warn(n->diag, "over",
                      "\"all\" counts the examples of label -1, too, and feature.pairs makes these "
                      "up: set over = \"outliers\"");
    return examples_negotiate(cfg, n);
}

static size_t names_bytes(const struct cfg *c, const struct leat_schema *in)
{
    return pool_names_bytes(c->names_budget, c->name_bytes, growing_max_capacity(c->max_features),
                            in);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    bool named = in->has & LEAT_HAS_NAMES;
    uint32_t max = growing_max_capacity(c->max_features);
    p->names_bytes = names_bytes(c, in);
    p->work_bytes = (uint64_t)c->name_bytes + 1 + answer_rows_bytes(max, sizeof(struct pair)) +
                    (named ? max * sizeof(double) + answer_redundant_bytes(max) : 0);
    counted_plan(p, c->max_features, true, 0, 0);
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    pool_names_close(ctx, &st->model.names, st->text);
    counted_close(ctx, &st->model.counted);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    size_t pool = names_bytes(c, ctx->in);
    int status = counted_open(ctx, &st->model.counted, c->max_features, true, 0);
    if (status != LEAT_OK) return status;
    if (pool_names_open(ctx, pool, c->name_bytes, &st->model.names, &st->text)) return LEAT_OK;
    close_stage(ctx, self);
    return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for %zu bytes of names",
                           pool);
}

static void take_name(struct stage *st, const struct leat_batch *b, uint32_t i, uint32_t f)
{
    struct feature_counts *t = &st->model.counted.counts;
    t->table.tag[f] = pool_names_take(&st->model.names, st->text, b, i);
    t->parts[f] = answer_parts(b, i);
}

static void count_example(struct leat_ctx *ctx, struct stage *st, const struct leat_batch *b,
                          uint32_t e, int positive)
{
    struct feature_counts *t = &st->model.counted.counts;
    uint32_t start = b->ex_start[e], end = b->ex_start[e + 1];
    if (feature_table_free_slots(&t->table) < end - start)
        counted_reserve(ctx, &st->model.counted, end - start);
    for (uint32_t i = start; i < end; i++) {
        uint32_t known = t->table.n, f = feature_counts_add(t, b->id[i], positive);
        if (f == known && st->model.names.bytes) take_name(st, b, i, f);
    }
}

/* Half a record is added to each kind, as in bias = "prior" of the linear learners. */
static float prior(const struct sgd *s)
{
    return (float)loss_log(((double)s->records[1] + 0.5) / ((double)s->records[0] + 0.5));
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct stage *st = self;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        if (r == refused) continue; /* its other examples */
        if (examples_refuse(ctx, b, e, UINT32_MAX)) {
            refused = r;
            continue;
        }
        int positive = b->ex_label[e] > 0;
        b->score[e] = prior(&st->model.seen);
        if (b->ex_weight[e] == 0) continue; /* held out */
        if (r != record) st->model.seen.records[positive]++;
        count_example(ctx, st, b, e, positive);
        record = r;
    }
    return LEAT_OK;
}

static void report(struct leat_ctx *ctx, struct stage *st)
{
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

static double relative_risk(const struct stage *st, uint32_t f)
{
    const uint32_t *count = st->model.counted.counts.count + 2 * (size_t)f;
    return sgd_relative_risk(count[1], count[0], (double)st->model.seen.records[1],
                             (double)st->model.seen.records[0]);
}

/* What makes feature f heavy. */
static double weight_of(const struct cfg *c, const struct stage *st, uint32_t f)
{
    const uint32_t *count = st->model.counted.counts.count + 2 * (size_t)f;
    if (c->by == BY_RISK) return loss_log(relative_risk(st, f));
    return (double)count[1] + (c->over == OVER_ALL ? (double)count[0] : 0.0);
}

/* log p(x|+) / p(x|-), half a record added to all four counts: what the weight of a feature tends
 * to in a linear learner with bias = "prior". */
static double log_odds(const struct stage *st, uint32_t f)
{
    const uint32_t *count = st->model.counted.counts.count + 2 * (size_t)f;
    const uint64_t *records = st->model.seen.records;
    return loss_log(((double)count[1] + 0.5) / ((double)records[1] + 0.5)) -
           loss_log(((double)count[0] + 0.5) / ((double)records[0] + 0.5));
}

/* log p(x|+) / p(x|-) of every feature: which of them are redundant in an answer (uint8_t each), or
 * NULL if the question does not ask. */
static int mark_redundant(struct leat_ctx *ctx, const struct stage *st, const struct leat_query *q,
                          uint8_t **redundant)
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

static bool is_shown(const struct stage *st, const struct leat_query *q, uint32_t f)
{
    return answer_passes(q, &st->model.seen, st->model.counted.counts.count + 2 * (size_t)f) &&
           (!q->positive || relative_risk(st, f) > 1);
}

/* The q->k features of top->heap, heaviest first. */
static int rank_features(struct leat_ctx *ctx, const struct stage *st, const struct leat_query *q,
                         struct pairs *top)
{
    const struct feature_counts *t = &st->model.counted.counts;
    uint8_t *redundant;
    int status = mark_redundant(ctx, st, q, &redundant);
    for (uint32_t f = 0; f < t->table.n && status == LEAT_OK; f++) {
        if ((redundant && redundant[f]) || !is_shown(st, q, f)) continue;
        double weight = q->order ? answer_order_key(q, &st->model.seen, t->count + 2 * (size_t)f)
                                 : weight_of(ctx->cfg, st, f);
        pairs_offer(top, f, FEATURE_TABLE_NONE, weight);
    }
    ctx->host->free(ctx, redundant);
    pairs_sort(top);
    return status;
}

static int answer_feature(struct leat_ctx *ctx, const struct stage *st, uint32_t f,
                          struct leat_result *out)
{
    const struct feature_counts *t = &st->model.counted.counts;
    char digits[POOL_NAMES_DIGITS];
    size_t len;
    const char *name =
        pool_names_get(&st->model.names, t->table.tag[f], t->table.id[f], digits, &len);
    return answer_row(out, &st->model.seen, name, len, weight_of(ctx->cfg, st, f),
                      t->count + 2 * (size_t)f);
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                 struct leat_result *out)
{
    struct stage *st = self;
    const struct leat_query q = answer_query(question);
    uint32_t n = st->model.counted.counts.table.n;
    if (q.kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    int status = answer_columns(out, true);
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

LEARNER_TICK

static int stop(struct leat_ctx *ctx, void *self)
{
    report(ctx, self);
    return LEAT_OK;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    const struct stage *st = self;
    return frequent_write(&st->model, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct stage *st = self;
    int status = state_check_version(r, version, FREQUENT_STATE_VERSION);
    return status == LEAT_OK ? frequent_restore(ctx, &st->model, r) : status;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct stage *st = self;
    int status = state_check_weight(r, weight);
    return status == LEAT_OK ? frequent_merge(ctx, &st->model, r, weight) : status;
}

static const char *const *columns(const void *cfg, uint32_t *n) { return answer_names(true, n); }

static const struct leat_figure figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
};

const struct leat_stage learn_frequent = {
    .name = "learn.frequent",
    .summary = "exact counts of features: heavy hitters, or the true relative risks",
    .doc = frequent_doc,
    .example = "leat.learn.frequent { over = \"outliers\" }",
    LEARNER_OF_LABELS,
    .caps = LEAT_ANY_ORDER,
    .negotiate = negotiate,
    LEAT_FIGURES(figures),
    LEARNER_OF_ONE_FILE(FREQUENT_STATE_VERSION),
};
