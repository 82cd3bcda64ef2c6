/* logistic.c -- learn.logistic: the uncompressed linear classifier as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/logistic.c. Tables double when the next example
 * might not fit: the only time that process() allocates, and never twice for the same size.
 *
 * Names: each new feature leaves its name in a pool of names_budget bytes. When that is full, later
 * features are shown by their id.
 */
#include <inttypes.h>
#include <stdio.h>

#include "plugins/kernels/logistic.h"
#include "plugins/kernels/names.h"
#include "plugins/kernels/rank.h"
#include "plugins/learners/linear.h"
#include "plugins/learners/logistic_state.h"

enum { FIRST_CAPACITY = 4096 };

struct cfg {
    struct linear_cfg linear;
    int64_t max_features, names_budget;
};

struct stage {
    struct logistic model;
    struct name_pool names;
    void *block, *scratch, *names_block;
    char *text;    /* scratch: a name, one byte longer than is kept */
    uint32_t most; /* features, a power of two: no table is larger */
};

static const struct leat_param params[] = {
    LINEAR_PARAMS,
    {.name = "max_features",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, max_features),
     .def = "16777216",
     .min = 1,
     .max = LOGISTIC_MAX_CAPACITY,
     .unit = "features",
     .doc = "features kept, rounded up to a power of two; later ones are ignored and counted"},
    {.name = "names_budget",
     .type = LEAT_SIZE,
     .offset = offsetof(struct cfg, names_budget),
     .def = "64MiB",
     .min = 0,
     .max = 4294967295.0,
     .unit = "bytes",
     .doc = "memory for names, taken at the start; features that come later are shown by their id"},
};

static struct logistic_options options(const struct cfg *c)
{
    return (struct logistic_options){linear_options(&c->linear), c->linear.counts};
}

static uint32_t power_of_two_above(int64_t n)
{
    uint32_t p = 1;
    while (p < n)
        p *= 2;
    return p;
}

static int validate(const void *cfg, struct leat_diag *d)
{
    return linear_validate(&((const struct cfg *)cfg)->linear, d);
}

static size_t names_bytes(const struct cfg *c, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? (size_t)c->names_budget : 0; /* ids need no names */
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    struct logistic_options o = options(c);
    uint32_t most = power_of_two_above(c->max_features);
    (void)out;
    p->state_bytes = logistic_block_bytes(most, &o);
    p->names_bytes = names_bytes(c, in);
    p->work_bytes = logistic_scratch_bytes(linear_max_row(&c->linear, in)) +
                    linear_name_bytes(&c->linear, in) + 1;
    snprintf(p->note, sizeof p->note,
             "grows with the features seen: %zu bytes at the start, at most %u features",
             logistic_block_bytes(most < FIRST_CAPACITY ? most : FIRST_CAPACITY, &o), most);
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->names_block);
    ctx->host->free(ctx, st->scratch);
    ctx->host->free(ctx, st->block);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct logistic_options o = options(c);
    uint32_t max_row = linear_max_row(&c->linear, ctx->in),
             most = power_of_two_above(c->max_features);
    uint32_t capacity = most < FIRST_CAPACITY ? most : FIRST_CAPACITY;
    uint32_t name_bytes = (uint32_t)c->linear.name_bytes;
    size_t pool = names_bytes(c, ctx->in);
    st->block = h->alloc(ctx, logistic_block_bytes(capacity, &o));
    st->scratch = h->alloc(ctx, logistic_scratch_bytes(max_row));
    st->names_block = pool ? h->alloc(ctx, pool) : NULL;
    st->text = h->alloc(ctx, name_bytes + 1);
    if (!st->block || !st->scratch || (pool && !st->names_block) || !st->text) {
        close_stage(ctx, self);
        return h->fail(ctx, LEAT_ENOMEM,
                       "no memory for the first %u features and %zu bytes of names", capacity,
                       pool);
    }
    logistic_init(&st->model, &o, capacity, st->block, max_row, st->scratch);
    name_pool_init(&st->names, st->names_block, pool, name_bytes);
    st->most = most;
    return LEAT_OK;
}

/* Double the tables until n more features fit or they may not grow; what then finds no room is
 * ignored. */
static void make_room(struct leat_ctx *ctx, struct stage *st, uint32_t n)
{
    while (logistic_room(&st->model) < n && st->model.capacity < st->most) {
        uint32_t capacity = 2 * st->model.capacity;
        void *block = ctx->host->alloc(ctx, logistic_block_bytes(capacity, &st->model.opt));
        if (!block) {
            ctx->host->log(ctx, LEAT_WARN,
                           "no memory for more than %u features: new ones are ignored",
                           st->model.capacity);
            st->most = st->model.capacity;
            return;
        }
        logistic_grow(&st->model, capacity, block);
        ctx->host->free(ctx, st->block);
        st->block = block;
    }
}

static void take_names(struct stage *st, const struct leat_batch *b, uint32_t start)
{
    struct logistic *m = &st->model;
    size_t cap =
        st->names.max_bytes + 1; /* one more than is kept: the pool sees that it must cut */
    for (uint32_t f = m->fresh_from; f < m->n; f++) {
        size_t len = leat_name_text(b, start + m->fresh[f - m->fresh_from], st->text, cap);
        m->tag[f] = name_pool_add(&st->names, st->text, len < cap ? len : cap);
    }
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct stage *st = self;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], start = b->ex_start[e];
        if (r == refused) continue; /* its other examples */
        double margin = 0;
        struct logistic_row row = {.id = b->id + start,
                                   .x = b->value + start,
                                   .n = b->ex_start[e + 1] - start,
                                   .y = b->ex_label[e] > 0 ? 1 : -1,
                                   .weight = b->ex_weight[e],
                                   .new_record = r != record};
        if (linear_refuse(ctx, b, e, st->model.max_row)) {
            refused = r;
            continue;
        }
        if (logistic_room(&st->model) < row.n) make_room(ctx, st, row.n);
        if (logistic_learn(&st->model, &row, &margin) != LOGISTIC_OK) {
            linear_reject_values(ctx, b, e);
            refused = r;
        } else {
            b->score[e] = linear_score(margin);
            record = r;
            if (st->names_block) take_names(st, b, start);
        }
    }
    return LEAT_OK;
}

static void report(struct leat_ctx *ctx, const struct stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct logistic *m = &st->model;
    h->metric(ctx, "model_bytes", (double)logistic_block_bytes(m->capacity, &m->opt));
    h->metric(ctx, "names_bytes", (double)st->names.used);
    h->metric(ctx, "features", (double)m->n);
    h->metric(ctx, "ignored_entries", (double)m->ignored);
    h->metric(ctx, "unnamed_features", (double)st->names.dropped);
    h->metric(ctx, "bias", m->sgd.bias);
}

static int answer_feature(const struct stage *st, uint32_t f, struct leat_result *out)
{
    const struct logistic *m = &st->model;
    char digits[24];
    size_t len;
    const char *name = name_pool_get(&st->names, m->tag[f], &len);
    if (!m->tag[f]) {
        len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, m->id[f]);
        name = digits;
    }
    return linear_answer_row(out, &m->sgd, name, len, (double)m->weight[f] * m->sgd.alpha,
                             m->count ? m->count + 2 * (size_t)f : NULL);
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                 struct leat_result *out)
{
    struct stage *st = self;
    const struct logistic *m = &st->model;
    uint32_t k = q->k < m->n ? q->k : m->n;
    if (q->kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    int status = linear_answer_columns(out, m->opt.counts);
    if (!k || status != LEAT_OK) return status;
    uint32_t *top = ctx->host->alloc(ctx, k * sizeof *top);
    if (!top) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to rank %u features", k);
    uint32_t n = rank_heaviest(m->n, m->weight, m->count, q->min_count, k, top);
    for (uint32_t i = 0; i < n && status == LEAT_OK; i++)
        status = answer_feature(st, top[i], out);
    ctx->host->free(ctx, top);
    return status;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    report(ctx, self);
    return LEAT_OK;
}

/* ---- state ---- */

static struct logistic_held held(struct stage *st)
{
    uint32_t least = st->most < FIRST_CAPACITY ? st->most : FIRST_CAPACITY;
    return (struct logistic_held){st->model, &st->names, st->block, least, st->most};
}

static void replace(struct leat_ctx *ctx, struct stage *st, const struct logistic_held *h)
{
    ctx->host->free(ctx, st->block);
    st->model = h->model;
    st->block = h->block;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct logistic_held h = held(self);
    return logistic_write(ctx, &h, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct logistic_held live = held(self), h;
    int status = linear_same_version(r, version, LOGISTIC_STATE_VERSION);
    if (status == LEAT_OK) status = logistic_read_all(ctx, &live, r, &h);
    if (status == LEAT_OK) replace(ctx, self, &h);
    return status;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct logistic_held live = held(self), h;
    bool changed;
    int status = logistic_read_merge(ctx, &live, r, weight, &h, &changed);
    if (changed) replace(ctx, self, &h);
    return status;
}

static const struct leat_stage stages[] = {{
    .name = "learn.logistic",
    .summary = "linear classifier with an exact weight for every feature",
    .doc =
        "Logistic regression by stochastic gradient descent without compression: the yardstick of "
        "learn.awm, with the same losses, rates and bias. Each example is predicted, then learned: "
        "margin "
        "z = b + sum w_i x_i, w_i <- (1 - eta lambda) w_i - eta y l'(y z) x_i. The top is read "
        "from all "
        "weights at the time of asking.\n\n"
        "Memory grows with the distinct features, about 24 to 48 bytes each, by doubling tables up "
        "to "
        "max_features; what comes after that is ignored and counted (ignored_entries). Names are "
        "kept "
        "for every feature while names_budget lasts; later features are shown by their "
        "id." LINEAR_DOC LOGISTIC_STATE_DOC,
    .example = "leat.learn.logistic { lambda = 1e-6 }",
    .kind = LEAT_LEARNER,
    .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL,
    .makes = LEAT_HAS_SCORE,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct stage),
    .validate = validate,
    .negotiate = linear_negotiate,
    .plan = plan,
    .open = open_stage,
    .close = close_stage,
    .stop = stop,
    .process = process,
    .query = query,
    .state_version = LOGISTIC_STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
    .merge = merge,
}};

LEAT_PLUGIN("learners_logistic", "1.0", "Apache-2.0", "uncompressed logistic regression", stages);
