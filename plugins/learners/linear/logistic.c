/* logistic.c -- stage learn.logistic: a linear classifier with an exact weight for every feature.
 *
 * The algorithm is in plugins/kernels/linear/logistic.c.
 *
 * Each new feature stores its name in a pool of names_budget bytes. When the pool is full, answers
 * show later features by their ids. */
#include <stdio.h>
#include <string.h>

#include "learners/linear/docs.h"
#include "linear_loop.h"
#include "linear.h"
#include "logistic.h"
#include "shown.h"
#include "common/answers/answer.h"
#include "common/learners/growing.h"
#include "common/learners/learner.h"

enum { FIRST_CAPACITY = 4096 };
static const double BLEND_RATE = 3; /* rate of models that blend; averages bear long steps */

struct logistic_cfg {
    struct linear_cfg linear;
    int64_t max_features, names_budget;
};

/* Model that answers the current query. */
struct logistic_asked {
    const struct logistic_held *of;
    char digits[POOL_NAMES_DIGITS]; /* buffer for an id in decimal */
};

struct logistic_stage {
    struct learner learner;
    struct logistic_held *copy; /* one model, or one for each class */
    uint32_t classes;           /* number of classes; 0: one model separates two classes */
    struct name_pool names;
    void *scratch;
    uint64_t *hash; /* hashes of a row; used with several classes */
    struct logistic_asked asked;
    bool told, told_names; /* warnings already printed by growing_tell() and pool_names_tell() */
    struct drift_watch watch;
};

static const struct leat_param logistic_params[] = {
    LINEAR_PARAMS,
    LINEAR_RATES("adaptive", linear_rates,
                 "adaptive: each weight has its own rate, and steps are invariant; shared: one "
                 "rate for all; adagrad, newton: own rates, plain steps"),
    LINEAR_ON_DRIFT,
    LEAT_PARAM(struct logistic_cfg, max_features, LEAT_INT, .def = "4194304", .min = 1,
               .max = LOGISTIC_MAX_CAPACITY, .unit = "features", .doc = GROWING_DOC),
    LEAT_PARAM(struct logistic_cfg, names_budget, LEAT_SIZE, .def = "64MiB", .min = 0,
               .max = 4294967295.0, .unit = "bytes",
               .doc = "memory for names, taken at the start; when it is full, new features are "
                      "shown by their ids"),
};

static struct logistic_options logistic_options(const struct logistic_cfg *c)
{
    struct logistic_options o = {linear_options(&c->linear), c->linear.counts};
    if (!(o.sgd.rate > 0) && logistic_blends(&o.sgd)) o.sgd.rate = BLEND_RATE;
    return o;
}

static int logistic_validate(const void *cfg, struct leat_diag *d)
{
    return linear_validate(&((const struct logistic_cfg *)cfg)->linear, d);
}

static size_t logistic_model_bytes(const struct logistic_options *o, uint32_t max_capacity,
                                   bool named)
{
    return logistic_block_bytes(max_capacity, o) + logistic_parts_bytes(max_capacity, named);
}

static size_t logistic_names_bytes(const struct logistic_cfg *c, const struct leat_schema *in)
{
    uint64_t models = linear_models(linear_classes(&c->linear, in));
    return pool_names_bytes(c->names_budget, c->linear.name_bytes,
                            models * growing_max_capacity(c->max_features), in);
}

static int logistic_plan(const void *cfg, const struct leat_schema *in,
                         const struct leat_schema *out, struct leat_plan *p)
{
    const struct logistic_cfg *c = cfg;
    struct logistic_options o = logistic_options(c);
    uint32_t max = growing_max_capacity(c->max_features);
    uint32_t n = linear_models(linear_classes(&c->linear, in)),
             max_row = linear_max_row(&c->linear, in);
    bool named = in->has & LEAT_HAS_NAMES;
    p->state_bytes = n * logistic_model_bytes(&o, max, named);
    p->names_bytes = logistic_names_bytes(c, in);
    p->work_bytes =
        logistic_scratch_bytes(max_row) + n * sizeof(struct logistic_held) +
        (uint64_t)c->linear.name_bytes + 1 + (n > 1 ? max_row * sizeof(uint64_t) : 0) +
        n * averaged_bytes(c->linear.averaged, max) + units_bytes(in, max_row) +
        shown_bytes(max, o.counts, c->linear.averaged, named, linear_classes(&c->linear, in));
    growing_note(p, max);
    return LEAT_OK;
}

static void logistic_close(struct leat_ctx *ctx, void *self)
{
    struct logistic_stage *st = self;
    pool_names_close(ctx, &st->names, NULL);
    ctx->host->free(ctx, st->hash);
    ctx->host->free(ctx, st->scratch);
    logistic_release_all(ctx, st->copy, linear_models(st->classes));
}

/* Creates an empty model of the smallest size in *l. Returns false if there is not enough
 * memory. */
static bool logistic_make_first(struct leat_ctx *ctx, struct logistic_stage *st,
                                struct logistic_held *l, uint32_t max_row)
{
    const struct logistic_cfg *c = ctx->cfg;
    struct logistic_options o = logistic_options(c);
    uint32_t max = growing_max_capacity(c->max_features);
    uint32_t capacity = max < FIRST_CAPACITY ? max : FIRST_CAPACITY;
    *l = (struct logistic_held){.names = &st->names,
                                .named = ctx->in->has & LEAT_HAS_NAMES,
                                .averaged = c->linear.averaged,
                                .min_capacity = capacity,
                                .max_capacity = max};
    if (!logistic_take_memory(ctx, l, &o, max)) return false;
    logistic_init(&l->model, &o, capacity, max, l->block, max_row, st->scratch);
    return true;
}

static int logistic_begin(struct leat_ctx *ctx, void *self)
{
    struct logistic_stage *st = self;
    const struct logistic_cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    uint32_t max_row = linear_max_row(&c->linear, ctx->in), n;
    size_t pool = logistic_names_bytes(c, ctx->in);
    drift_watch_open(&st->watch, &c->linear);
    st->classes = linear_classes(&c->linear, ctx->in);
    n = linear_models(st->classes);
    st->copy = h->alloc(ctx, n * sizeof *st->copy);
    st->scratch = h->alloc(ctx, logistic_scratch_bytes(max_row));
    st->hash = st->classes ? h->alloc(ctx, max_row * sizeof *st->hash) : NULL;
    bool made = pool_names_open(ctx, pool, c->linear.name_bytes, &st->names, &st->learner.text) &&
                st->copy && st->scratch && (!st->classes || st->hash);
    for (uint32_t k = 0; k < n && made; k++)
        made = logistic_make_first(ctx, st, &st->copy[k], max_row);
    if (!made)
        return h->fail(ctx, LEAT_ENOMEM,
                       "there is not enough memory for max_features = %lld and %zu bytes of names: "
                       "lower max_features or names_budget",
                       (long long)c->max_features, pool);
    return units_reserve(ctx, st->learner.units, max_row);
}

static double logistic_model_weight(const void *model, uint64_t id)
{
    return logistic_weight(model, id);
}

static struct growing_size logistic_size_of(const struct logistic *m)
{
    return (struct growing_size){m->n, m->capacity, m->max_capacity, m->ignored};
}

/* Doubles the model's size until n more features fit, or until it may not grow further. Features
 * that do not fit are ignored. */
static void logistic_reserve_features(struct leat_ctx *ctx, struct logistic_stage *st,
                                      struct logistic *m, uint32_t n)
{
    uint32_t capacity = growing_capacity(ctx, logistic_size_of(m), n, &st->told);
    if (capacity > m->capacity) logistic_grow(m, capacity);
}

/* Stores the names of the new features of l. While no feature is dropped, the models of all classes
 * number their features equally, so they share each name in the pool. */
static void logistic_name_fresh(struct logistic_stage *st, struct logistic_held *l,
                                const struct leat_batch *b, uint32_t start)
{
    struct logistic *m = &l->model;
    for (uint32_t f = m->fresh_from; f < m->n; f++) {
        uint32_t entry = start + m->fresh[f - m->fresh_from];
        if (l->parts) l->parts[f] = answer_parts(b, entry);
        if (!st->names.bytes || logistic_share_name(st->copy, l, f)) continue;
        m->tag[f] = pool_names_take(&st->names, st->learner.text, b, entry);
    }
}

/* Adds the weights of all features to their averages. */
static __attribute__((noinline)) void logistic_sample(struct logistic_held *l)
{
    const struct logistic *m = &l->model;
    double records = (double)(m->sgd.t - l->averages.taken);
    double weight[AVERAGES_TOGETHER];
    for (uint32_t from = 0, n; from < m->n; from += n) {
        n = m->n - from < AVERAGES_TOGETHER ? m->n - from : AVERAGES_TOGETHER;
        for (uint32_t i = 0; i < n; i++)
            weight[i] = (double)logistic_weight_now(m, from + i) * m->sgd.alpha;
        averages_add(&l->averages, from, n, weight, m->weight + from, records);
    }
    averages_taken(&l->averages, m->sgd.t);
}

LINEAR_INLINE bool logistic_learn_example(struct leat_ctx *ctx, void *self, uint32_t c,
                                          const struct leat_batch *b,
                                          const struct linear_example *ex, const uint64_t *hash,
                                          double *margin)
{
    struct logistic_stage *st = self;
    struct logistic_held *l = &st->copy[c];
    if (logistic_free_slots(&l->model) < ex->row.n)
        logistic_reserve_features(ctx, st, &l->model, ex->row.n);
    if (logistic_learn_hashed(&l->model, &ex->row, hash, margin) != LINEAR_OK) return false;
    logistic_name_fresh(st, l, b, ex->start);
    if (averages_due(&l->averages, ex->row.n, l->model.n, l->model.sgd.t)) logistic_sample(l);
    return true;
}

static const uint64_t *logistic_hash_row(void *self, const struct linear_row *row)
{
    struct logistic_stage *st = self;
    logistic_hash(&st->copy->model, row->n, row->id, st->hash);
    return st->hash;
}

static double logistic_class_margin(void *self, uint32_t c, const struct linear_row *r)
{
    const struct logistic_stage *st = self;
    return logistic_margin(&st->copy[c].model, r->n, r->id, r->x);
}

static struct drift_watch *logistic_watch_of(void *self)
{
    return &((struct logistic_stage *)self)->watch;
}

static void logistic_forget_all(void *self, const struct drift_action *what)
{
    struct logistic_stage *st = self;
    for (uint32_t c = 0; c < linear_models(st->classes); c++) {
        logistic_forget(&st->copy[c].model, what->share, what->sums);
        averages_restart(&st->copy[c].averages, st->copy[c].model.n);
    }
}

static struct sgd *logistic_clock_of(void *self, uint32_t c)
{
    struct logistic_stage *st = self;
    return &st->copy[c].model.sgd;
}

static void logistic_shift_class(void *self, uint32_t c, uint64_t id, double shift)
{
    logistic_shift(&((struct logistic_stage *)self)->copy[c].model, id, shift);
}

/* Forgets the sums of merged models, which are going to learn. */
static void logistic_leave_sums(struct leat_ctx *ctx, struct logistic_stage *st)
{
    for (uint32_t c = 0; c < linear_models(st->classes); c++) {
        merged_free(ctx, st->copy[c].merged);
        st->copy[c].merged = NULL;
    }
}

static int logistic_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct logistic_stage *st = self;
    if (st->copy->merged && b->n_examples) logistic_leave_sums(ctx, st);
    const struct linear_calls calls = {
        logistic_learn_example, logistic_hash_row, logistic_class_margin, logistic_watch_of,
        logistic_forget_all,    logistic_clock_of, logistic_shift_class};
    return linear_process(ctx, st, b, st->copy->model.max_row, st->classes, &calls);
}

static void logistic_report(struct leat_ctx *ctx, void *self)
{
    struct logistic_stage *st = self;
    const struct leat_host *h = ctx->host;
    growing_tell(ctx, logistic_size_of(&st->copy->model), &st->told);
    pool_names_tell(ctx, &st->names, &st->told_names);
    const struct logistic *m = &st->copy->model;
    double n = linear_models(st->classes);
    h->metric(ctx, "model_bytes", n * (double)logistic_block_bytes(m->capacity, &m->opt));
    h->metric(ctx, "names_bytes", (double)st->names.used);
    h->metric(ctx, "features", (double)m->n);
    h->metric(ctx, "ignored_entries", (double)m->ignored);
    h->metric(ctx, "unnamed_features", (double)st->names.dropped);
    drift_watch_report(ctx, &st->watch);
    merged_report(ctx, st->copy->merged);
    if (st->classes) return; /* the bias is that of a single model */
    h->metric(ctx, "bias",
              logistic_bias(m) + units_constant(st->learner.units, logistic_model_weight, m));
}

static uint32_t logistic_rank(void *asked, uint32_t k, uint32_t min_count, float *weight,
                              uint32_t *top)
{
    return logistic_top(&((struct logistic_asked *)asked)->of->model, k, min_count, weight, top);
}

static double logistic_weigh(void *asked, const float *weight, uint32_t f)
{
    return (double)weight[f] * ((struct logistic_asked *)asked)->of->model.sgd.alpha;
}

static const char *logistic_name_of(void *asked, uint32_t f, size_t *len)
{
    struct logistic_asked *a = asked;
    const struct logistic *m = &a->of->model;
    return pool_names_get(a->of->names, m->tag[f], m->id[f], a->digits, len);
}

static struct shown_model logistic_shown(void *self, uint32_t copy)
{
    struct logistic_stage *st = self;
    const struct logistic_held *l = &st->copy[copy];
    st->asked.of = l;
    return (struct shown_model){.of = &st->asked,
                                .sgd = &l->model.sgd,
                                .n = l->model.n,
                                .counts = l->model.opt.counts,
                                .count = l->model.count,
                                .parts = l->parts,
                                .averages = l->averages.of ? &l->averages : NULL,
                                .spread = l->merged ? l->merged->spread : NULL,
                                .rank = logistic_rank,
                                .weigh = logistic_weigh,
                                .name = logistic_name_of,
                                .units = st->learner.units,
                                .id = l->model.id};
}

static int logistic_answer(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                           struct leat_result *out)
{
    struct logistic_stage *st = self;
    return shown_all(ctx, q, st, st->classes, logistic_shown, out);
}

/* ---- state ---- */

static int logistic_write(const void *self, struct leat_writer *w)
{
    const struct logistic_stage *st = self;
    int status = drift_watch_write(&st->watch, w);
    return status == LEAT_OK ? logistic_write_all(st->copy, st->classes, w) : status;
}

static int logistic_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct logistic_stage *st = self;
    struct drift_watch watch = st->watch;
    int status = drift_watch_read(&watch, r);
    if (status == LEAT_OK) status = logistic_restore_all(ctx, &st->copy, st->classes, r);
    if (status == LEAT_OK) st->watch = watch;
    return status;
}

static int logistic_join(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct logistic_stage *st = self;
    struct drift_watch watch = st->watch;
    int status = drift_watch_read(&watch, r);
    if (status == LEAT_OK) status = logistic_merge_all(ctx, &st->copy, st->classes, r, weight);
    if (status == LEAT_OK) drift_watch_join(&st->watch, &watch, weight);
    return status;
}

/* ---- the stage ---- */

static const struct learner_method logistic_method = {
    .open = logistic_begin,
    .close = logistic_close,
    .report = logistic_report,
    .answer = logistic_answer,
    .write = logistic_write,
    .restore = logistic_restore,
    .merge = logistic_join,
    .version = LINEAR_STATE_VERSION,
    .units = linear_units,
};

static int logistic_open(struct leat_ctx *ctx, void *self)
{
    return learner_open(ctx, self, &logistic_method);
}

static const struct leat_figure logistic_figures[] = {
    FIGURE_MODEL_BYTES, GROWING_FIGURES, FIGURE_DRIFTS, FIGURE_BIAS, MERGED_FIGURES,
};

const struct leat_stage learn_logistic = {
    .name = "learn.logistic",
    .summary = "linear classifier with an exact weight for every feature",
    .doc = logistic_doc,
    .example = "leat.learn.logistic { lambda = 1e-6 }",
    LEARNER_OF_LABELS,
    LEAT_PARAMS(logistic_params, struct logistic_cfg),
    LEAT_FIGURES(logistic_figures),
    LEARNER_STAGE(struct logistic_stage, linear_columns, LINEAR_STATE_VERSION),
    .validate = logistic_validate,
    .negotiate = linear_negotiate,
    .plan = logistic_plan,
    .open = logistic_open,
    .process = logistic_process,
};
