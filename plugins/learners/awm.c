/* awm.c -- learn.awm: the Active-Set Weight-Median Sketch as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/awm.c. A feature that enters the active set gives
 * its name to the slot it gets; whoever was there before is gone, and so is its name.
 */
#include <stdio.h>

#include "plugins/kernels/awm.h"
#include "plugins/kernels/names.h"
#include "plugins/learners/awm_state.h"
#include "plugins/learners/linear.h"
#include "plugins/learners/shown.h"

struct cfg {
    struct linear_cfg linear;
    int64_t budget, active, width, depth;
    int32_t evidence; /* enum awm_evidence */
    int32_t reserved;
};

struct stage {
    struct awm model;
    struct names names;
    struct distinct_parts *parts; /* of each slot's name; NULL: entries have no names */
    void *block, *names_block;
    uint32_t *top; /* scratch of a query: a slot for each of the active set, … */
    float *weight; /* … and its weight */
    char *text;    /* scratch: a name, one byte longer than is kept */
};

static const struct leat_param params[] = {
    {.name = "budget",
     .type = LEAT_SIZE,
     .offset = offsetof(struct cfg, budget),
     .def = "32KB",
     .min = 64,
     .max = 4294967296.0,
     .unit = "bytes",
     .doc = "model size at 4 bytes an id, weight, extra value and cell; names are counted apart"},
    LINEAR_PARAMS,
    {.name = "evidence",
     .type = LEAT_CHOICE,
     .offset = offsetof(struct cfg, evidence),
     .def = "gradient",
     .choices = awm_evidences,
     .doc = "what makes the weight of a feature that is kept exactly: gradient, or counts (for "
            "explanation: examples of one feature)"},
    {.name = "active",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, active),
     .def = "0",
     .max = AWM_MAX_ACTIVE,
     .unit = "features",
     .doc = "features kept exactly and by name; 0: what the budget leaves beside the sketch"},
    {.name = "width",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, width),
     .def = "0",
     .max = AWM_MAX_CELLS,
     .unit = "cells",
     .doc = "cells in a row of the sketch, a power of two; 0: half the budget, an eighth with "
            "evidence = \"counts\""},
    {.name = "depth",
     .type = LEAT_INT,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, depth),
     .def = "1",
     .min = 0,
     .max = AWM_MAX_DEPTH,
     .unit = "rows",
     .doc = "rows of the sketch; 0 and 1: one"},
};

static struct awm_options options(const struct cfg *c, const struct leat_schema *in)
{
    return (struct awm_options){.sgd = linear_options(&c->linear),
                                .evidence = (enum awm_evidence)c->evidence,
                                .counts = c->linear.counts,
                                .max_row = linear_max_row(&c->linear, in)};
}

static bool shape_of(const struct cfg *c, struct awm_shape *s)
{
    struct awm_options o = {.sgd = linear_options(&c->linear),
                            .evidence = (enum awm_evidence)c->evidence,
                            .counts = c->linear.counts};
    *s = (struct awm_shape){(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0};
    return awm_shape_for((uint64_t)c->budget, &o, s);
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct awm_shape s;
    int status = linear_validate(&c->linear, d);
    if (c->evidence == AWM_COUNTS && c->linear.rates != SGD_SHARED)
        d->warn(d, "rates", "with evidence = \"counts\" no feature needs a rate of its own");
    if (c->width & (c->width - 1)) {
        d->error(d, "width", "%lld is not a power of two", (long long)c->width);
        return LEAT_EARG;
    }
    if (!shape_of(c, &s)) {
        d->error(d, c->width ? "width" : "budget",
                 "no active set fits: %u rows of %u cells in a budget of %lld bytes", s.depth,
                 s.width, (long long)c->budget);
        return LEAT_EARG;
    }
    return status;
}

static size_t parts_bytes(uint32_t active, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? active * sizeof(struct distinct_parts) : 0;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    struct awm_options o = options(c, in);
    struct awm_shape s;
    (void)out;
    if (!shape_of(c, &s)) return LEAT_EARG;
    size_t scratch = awm_scratch_bytes(o.max_row);
    p->state_bytes = awm_block_bytes(&s, &o) - scratch;
    p->names_bytes =
        names_block_bytes(s.active, linear_name_bytes(&c->linear, in)) + parts_bytes(s.active, in);
    p->work_bytes = scratch + (uint64_t)s.active * (sizeof(uint32_t) + sizeof(float)) +
                    linear_name_bytes(&c->linear, in) + 1;
    snprintf(p->note, sizeof p->note, "active %u, sketch %u x %u, charged %llu bytes", s.active,
             s.depth, s.width, (unsigned long long)awm_charged_bytes(&s));
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->weight);
    ctx->host->free(ctx, st->top);
    ctx->host->free(ctx, st->parts);
    ctx->host->free(ctx, st->names_block);
    ctx->host->free(ctx, st->block);
    *st = (struct stage){0};
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct awm_options o = options(c, ctx->in);
    uint32_t name_bytes = linear_name_bytes(&c->linear, ctx->in);
    struct awm_shape s;
    o.seed = h->seed(ctx);
    if (!shape_of(c, &s)) return h->fail(ctx, LEAT_EARG, "no active set fits the budget");
    st->block = h->alloc(ctx, awm_block_bytes(&s, &o));
    st->names_block = h->alloc(ctx, names_block_bytes(s.active, name_bytes));
    size_t parts = parts_bytes(s.active, ctx->in);
    st->parts = parts ? h->alloc(ctx, parts) : NULL;
    st->top = h->alloc(ctx, s.active * sizeof *st->top);
    st->weight = h->alloc(ctx, s.active * sizeof *st->weight);
    st->text = h->alloc(ctx, name_bytes + 1);
    if (!st->block || !st->names_block || (parts && !st->parts) || !st->top || !st->weight ||
        !st->text) {
        close_stage(ctx, self);
        return h->fail(ctx, LEAT_ENOMEM, "no memory for %u features and %u x %u cells", s.active,
                       s.depth, s.width);
    }
    awm_init(&st->model, &s, &o, st->block);
    names_init(&st->names, s.active, name_bytes, st->names_block);
    return LEAT_OK;
}

static void take_names(struct stage *st, const struct leat_batch *b, uint32_t start)
{
    size_t cap =
        st->names.max_bytes + 1; /* one more than is kept: names_set sees that it must cut */
    for (uint32_t k = 0; k < st->model.n_entrants; k++) {
        struct awm_entrant in = st->model.entrant[k];
        size_t len = leat_name_text(b, start + in.entry, st->text, cap);
        names_set(&st->names, in.slot, st->text, len < cap ? len : cap);
        if (st->parts) st->parts[in.slot] = shown_parts(b, start + in.entry);
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
        struct awm_row row = {.id = b->id + start,
                              .x = b->value + start,
                              .n = b->ex_start[e + 1] - start,
                              .y = b->ex_label[e] > 0 ? 1 : -1,
                              .weight = b->ex_weight[e],
                              .new_record = r != record};
        if (linear_refuse(ctx, b, e, st->model.opt.max_row)) {
            refused = r;
        } else if (awm_learn(&st->model, &row, &margin) != AWM_OK) {
            linear_reject_values(ctx, b, e);
            refused = r;
        } else {
            b->score[e] = linear_score(margin);
            record = r;
            if (st->model.n_entrants) take_names(st, b, start);
        }
    }
    return LEAT_OK;
}

static void report(struct leat_ctx *ctx, const struct stage *st)
{
    const struct leat_host *h = ctx->host;
    const struct awm *m = &st->model;
    size_t scratch = awm_scratch_bytes(m->opt.max_row);
    size_t charged = awm_charged_bytes(&m->shape), block = awm_block_bytes(&m->shape, &m->opt);
    int64_t budget = ((const struct cfg *)ctx->cfg)->budget;
    h->metric(ctx, "budget_bytes", budget > (int64_t)charged ? (double)budget : (double)charged);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "table_bytes", (double)(block - scratch - charged));
    size_t names = names_block_bytes(m->shape.active, st->names.max_bytes);
    h->metric(ctx, "names_bytes", (double)(names + parts_bytes(m->shape.active, ctx->in)));
    h->metric(ctx, "active", (double)m->n_active);
    h->metric(ctx, "bias", m->sgd.bias);
}

static const uint32_t *count_of(const struct awm *m, uint32_t slot)
{
    return m->count ? m->count + 2 * (size_t)slot : NULL;
}

/* Slots whose conjunctions say no more than their parts: NULL, or freed by the caller. */
static int redundant(struct leat_ctx *ctx, const struct stage *st, const struct leat_query *q,
                     uint8_t **out)
{
    const struct awm *m = &st->model;
    *out = NULL;
    if (!(q->distinct > 0) || !st->parts || !m->n_active) return LEAT_OK;
    double *sure = ctx->host->alloc(ctx, m->n_active * sizeof *sure);
    if (!sure) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to rank features");
    for (uint32_t s = 0; s < m->n_active; s++)
        sure[s] = awm_slot_caution(m, s);
    int status = shown_redundant(ctx, q, m->n_active, st->parts, sure, out);
    ctx->host->free(ctx, sure);
    return status;
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                 struct leat_result *out)
{
    struct stage *st = self;
    const struct awm *m = &st->model;
    const struct leat_query q = shown_query(question);
    uint8_t *leave_out;
    if (q.kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    int status = redundant(ctx, st, &q, &leave_out);
    if (status == LEAT_OK) status = linear_answer_columns(out, m->opt.counts);
    uint32_t most = shown_filters(&q) ? m->n_active : q.k;
    uint32_t n = awm_top(m, most, q.min_count, st->weight, st->top);
    for (uint32_t k = 0, rows = 0; k < n && rows < q.k && status == LEAT_OK; k++) {
        uint32_t s = st->top[k];
        size_t len;
        const char *name = names_get(&st->names, s, &len);
        if ((leave_out && leave_out[s]) || !shown_passes(&q, &m->sgd, count_of(m, s))) continue;
        status = linear_answer_row(out, &m->sgd, name, len, awm_slot_weight(m, s), count_of(m, s));
        rows++;
    }
    ctx->host->free(ctx, leave_out);
    return status;
}

static int stop(struct leat_ctx *ctx, void *self)
{
    report(ctx, self);
    return LEAT_OK;
}

/* ---- state ---- */

static struct awm_held held(const struct stage *st)
{
    return (struct awm_held){st->model, st->names, st->parts, st->block, st->names_block};
}

static void replace(struct leat_ctx *ctx, struct stage *st, const struct awm_held *h)
{
    struct awm_held old = held(st);
    awm_release(ctx, &old);
    st->model = h->model;
    st->names = h->names;
    st->parts = h->parts;
    st->block = h->block;
    st->names_block = h->names_block;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct awm_held h = held(self);
    return awm_write(ctx, &h, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct awm_held live = held(self), h;
    int status = linear_same_version(r, version, AWM_STATE_VERSION);
    if (status == LEAT_OK) status = awm_read(ctx, &live, r, &h);
    if (status == LEAT_OK) replace(ctx, self, &h);
    return status;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct awm_held live = held(self), h;
    bool changed;
    int status = awm_read_merge(ctx, &live, r, weight, &h, &changed);
    if (changed) replace(ctx, self, &h);
    return status;
}

static const struct leat_stage stages[] = {{
    .name = "learn.awm",
    .summary = "linear classifier in a few kilobytes whose heaviest features are known by name",
    .doc =
        "Active-Set Weight-Median Sketch (Tai, Sharan, Bailis, Valiant: Sketching Linear "
        "Classifiers over "
        "Data Streams, SIGMOD 2018, Algorithm 2). The heaviest weights are kept exactly with their "
        "features; the others share the cells of a Count-Sketch. Each example is predicted, then "
        "learned: margin z = b + sum w_i x_i, w_i <- (1 - eta lambda) w_i - eta y l'(y z) x_i. A "
        "feature "
        "of the sketch enters the active set when its estimated weight is larger than the smallest "
        "one "
        "there, which goes back into the sketch.\n\n"
        "Half of `budget` is for a sketch of one row, the rest for the active set: 32KB holds 2048 "
        "features and 4096 cells. Own rates cost 4 bytes a feature more, counts 8, so 32KB with "
        "both "
        "holds 819. Time per entry of an example is constant, some nanoseconds. The budget is for "
        "what "
        "the paper counts: ids, weights, rates, counts and cells (model_bytes); the index of the "
        "active set with padding (table_bytes) and the names (names_bytes) are reported apart.\n\n"
        "Counts of a feature start when it enters the active set, while shares are of all records: "
        "for "
        "one that entered late the supports are lower bounds.\n\n"
        "A conjunction can be left out of the answer when it says no more than its parts (distinct "
        "of sink.top): for that 12 bytes a named feature know its parts." LINEAR_DOC
        "\n\nTo explain what sets two groups apart, use `bias = \"prior\", evidence = \"counts\"` "
        "on "
        "examples of one feature each. There the weight that fits best is known from counts: W(s) "
        "= "
        "log((n+ + s q) / (n- + s (1 - q))) - b, with q = 1 / (1 + e^-b), b the bias and n+, n- "
        "how "
        "often the feature was in examples of either label since it entered; s examples of common "
        "odds speak against it. Features that are kept exactly then have the weight W(20), a "
        "cautious "
        "one, by which they stay and predict, and a conjunction must beat its parts (distinct of "
        "sink.top); the weight shown is W(2), and they are ranked by it. A candidate counts "
        "for half its estimate from the sketch, since cells are shared, and its counts begin when "
        "it "
        "enters. Values count as 1, importance weights too. The answer has relative risk and "
        "support "
        "as with `counts`; 32KB holds 1792 features beside 1024 cells." AWM_STATE_DOC,
    .example = "leat.learn.awm { budget = \"32KB\", lambda = 1e-6 }",
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
    .state_version = AWM_STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
    .merge = merge,
}};

LEAT_PLUGIN("learners_awm", "1.0", "Apache-2.0", "the Active-Set Weight-Median Sketch", stages);
