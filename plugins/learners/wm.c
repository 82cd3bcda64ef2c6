/* wm.c -- learn.wm and learn.hash: the Weight-Median Sketch, and feature hashing, which is its
 * case of one row, as stages.
 *
 * Only glue; the algorithm is in plugins/kernels/wm.c. The two stages share all but the parameters
 * and how a budget is spent. A feature that enters the passive set gives its name to the slot it
 * gets; whoever was there before is gone, and so is its name.
 */
#include <stdio.h>

#include "plugins/kernels/names.h"
#include "plugins/kernels/wm.h"
#include "plugins/learners/linear.h"
#include "plugins/learners/shown.h"
#include "plugins/learners/wm_state.h"

struct cfg {
    struct linear_cfg linear;
    int64_t budget, active, width, depth;
    int32_t mean;
    int32_t reserved;
};

struct stage {
    struct wm model;
    struct names names;
    struct distinct_parts *parts; /* of each slot's name; NULL: entries have no names */
    void *block, *names_block;
    uint32_t *top; /* scratch of a query: a slot for each of the passive set */
    char *text;    /* scratch: a name, one byte longer than is kept */
};

#define BUDGET                                                                                     \
    {                                                                                              \
        .name = "budget", .type = LEAT_SIZE, .offset = offsetof(struct cfg, budget),               \
        .def = "32KB", .min = 64, .max = 4294967296.0, .unit = "bytes",                            \
        .doc = "model size at 4 bytes an id, weight, count and cell; names are counted apart"      \
    }
#define SHAPE(NAME, MAX, UNIT, DOC)                                                                \
    {                                                                                              \
        .name = #NAME, .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
        .offset = offsetof(struct cfg, NAME), .def = "0", .max = MAX, .unit = UNIT, .doc = DOC     \
    }

static const struct leat_param wm_params[] = {
    BUDGET,
    LINEAR_PARAMS,
    SHAPE(active, WM_MAX_ACTIVE, "features",
          "features known by name; 0: 128 (256 from 4KB to 8KB), at most half the budget"),
    SHAPE(width, WM_MAX_CELLS, "cells",
          "cells in a row of the sketch; 0: 128 (256 from 4KB to 8KB), more above 32 rows"),
    SHAPE(depth, WM_MAX_DEPTH, "rows", "rows of the sketch; 0: what the budget leaves, at most 32"),
    {.name = "recovery",
     .type = LEAT_CHOICE,
     .flags = LEAT_ADVANCED,
     .offset = offsetof(struct cfg, mean),
     .def = "median",
     .choices = wm_recoveries,
     .doc = "how a weight is estimated from its cells"},
};

static const struct leat_param hash_params[] = {
    BUDGET,
    LINEAR_PARAMS,
    SHAPE(active, WM_MAX_ACTIVE, "features",
          "features known by name; 0: 128, at most an eighth of the budget"),
    SHAPE(width, WM_MAX_CELLS, "cells", "cells of the table; 0: what the budget leaves"),
};

static struct wm_options options(const struct cfg *c, const struct leat_schema *in)
{
    return (struct wm_options){.sgd = linear_options(&c->linear),
                               .counts = c->linear.counts,
                               .mean = c->mean,
                               .max_row = linear_max_row(&c->linear, in)};
}

/* How a stage spends its budget. */
typedef bool spender(uint64_t bytes, struct wm_shape *shape);

static bool shape_of(const struct cfg *c, spender *spend, struct wm_shape *s)
{
    struct wm_options o = {.counts = c->linear.counts};
    *s = (struct wm_shape){(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth,
                           wm_extra(&o)};
    return spend((uint64_t)c->budget, s);
}

static void say_misfit(const struct cfg *c, const struct wm_shape *s, struct leat_diag *d)
{
    const char *param = c->width ? "width" : c->depth ? "depth" : c->active ? "active" : "budget";
    uint64_t cells = (uint64_t)s->width * s->depth;
    if (cells > WM_MAX_CELLS)
        d->error(d, param, "%u rows of %u cells are more than %u cells", s->depth, s->width,
                 WM_MAX_CELLS);
    else if (!cells)
        d->error(d, param, "no row of %s fits beside %u features in a budget of %lld bytes",
                 s->width ? "that width" : "cells", s->active, (long long)c->budget);
    else
        d->error(d, param, "%u features and %u rows of %u cells take %llu bytes, budget is %lld",
                 s->active, s->depth, s->width, (unsigned long long)wm_charged_bytes(s),
                 (long long)c->budget);
}

static int check(const struct cfg *c, spender *spend, struct leat_diag *d)
{
    struct wm_shape s;
    int status = linear_validate(&c->linear, d);
    if (c->linear.rates != SGD_SHARED) {
        d->error(d, "rates",
                 "%s rates belong to features kept exactly; here they share cells (see learn.awm)",
                 linear_rates[c->linear.rates]);
        status = LEAT_EARG;
    }
    if (shape_of(c, spend, &s)) return status;
    say_misfit(c, &s, d);
    return LEAT_EARG;
}

static size_t parts_bytes(uint32_t active, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? active * sizeof(struct distinct_parts) : 0;
}

static int say_plan(const struct cfg *c, spender *spend, const struct leat_schema *in,
                    struct leat_plan *p)
{
    struct wm_options o = options(c, in);
    struct wm_shape s;
    if (!shape_of(c, spend, &s)) return LEAT_EARG;
    size_t scratch = wm_scratch_bytes(&s, o.max_row);
    p->state_bytes = wm_block_bytes(&s, &o) - scratch;
    p->names_bytes =
        names_block_bytes(s.active, linear_name_bytes(&c->linear, in)) + parts_bytes(s.active, in);
    p->work_bytes =
        scratch + (uint64_t)s.active * sizeof(uint32_t) + linear_name_bytes(&c->linear, in) + 1;
    snprintf(p->note, sizeof p->note, "%u features by name, sketch %u x %u, charged %llu bytes",
             s.active, s.depth, s.width, (unsigned long long)wm_charged_bytes(&s));
    return LEAT_OK;
}

static void close_stage(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    ctx->host->free(ctx, st->text);
    ctx->host->free(ctx, st->top);
    ctx->host->free(ctx, st->parts);
    ctx->host->free(ctx, st->names_block);
    ctx->host->free(ctx, st->block);
    *st = (struct stage){0};
}

static int open_with(struct leat_ctx *ctx, struct stage *st, spender *spend)
{
    const struct cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct wm_options o = options(c, ctx->in);
    uint32_t name_bytes = linear_name_bytes(&c->linear, ctx->in);
    struct wm_shape s;
    o.seed = h->seed(ctx);
    if (!shape_of(c, spend, &s)) return h->fail(ctx, LEAT_EARG, "no sketch fits the budget");
    size_t parts = parts_bytes(s.active, ctx->in);
    st->block = h->alloc(ctx, wm_block_bytes(&s, &o));
    st->names_block = h->alloc(ctx, names_block_bytes(s.active, name_bytes));
    st->parts = parts ? h->alloc(ctx, parts) : NULL;
    st->top = h->alloc(ctx, s.active * sizeof *st->top);
    st->text = h->alloc(ctx, name_bytes + 1);
    if (!st->block || !st->names_block || (parts && !st->parts) || !st->top || !st->text) {
        close_stage(ctx, st);
        return h->fail(ctx, LEAT_ENOMEM, "no memory for %u features and %u x %u cells", s.active,
                       s.depth, s.width);
    }
    wm_init(&st->model, &s, &o, st->block);
    names_init(&st->names, s.active, name_bytes, st->names_block);
    return LEAT_OK;
}

/* ---- what differs between the two ---- */

static int validate_wm(const void *cfg, struct leat_diag *d)
{
    return check(cfg, wm_shape_from_budget, d);
}

static int validate_hash(const void *cfg, struct leat_diag *d)
{
    return check(cfg, wm_hash_shape_from_budget, d);
}

static int plan_wm(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                   struct leat_plan *p)
{
    (void)out;
    return say_plan(cfg, wm_shape_from_budget, in, p);
}

static int plan_hash(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                     struct leat_plan *p)
{
    (void)out;
    return say_plan(cfg, wm_hash_shape_from_budget, in, p);
}

static int open_wm(struct leat_ctx *ctx, void *self)
{
    return open_with(ctx, self, wm_shape_from_budget);
}

static int open_hash(struct leat_ctx *ctx, void *self)
{
    return open_with(ctx, self, wm_hash_shape_from_budget);
}

/* ---- examples ---- */

static void take_names(struct stage *st, const struct leat_batch *b, uint32_t start)
{
    size_t cap =
        st->names.max_bytes + 1; /* one more than is kept: names_set sees that it must cut */
    for (uint32_t k = 0; k < st->model.n_entrants; k++) {
        struct wm_entrant in = st->model.entrant[k];
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
        struct wm_row row = {.id = b->id + start,
                             .x = b->value + start,
                             .n = b->ex_start[e + 1] - start,
                             .y = b->ex_label[e] > 0 ? 1 : -1,
                             .weight = b->ex_weight[e],
                             .new_record = r != record};
        if (linear_refuse(ctx, b, e, st->model.opt.max_row)) {
            refused = r;
        } else if (wm_learn(&st->model, &row, &margin) != WM_OK) {
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
    const struct wm *m = &st->model;
    size_t scratch = wm_scratch_bytes(&m->shape, m->opt.max_row);
    size_t charged = wm_charged_bytes(&m->shape), block = wm_block_bytes(&m->shape, &m->opt);
    size_t names = names_block_bytes(m->shape.active, st->names.max_bytes);
    h->metric(ctx, "budget_bytes", (double)((const struct cfg *)ctx->cfg)->budget);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "table_bytes", (double)(block - scratch - charged));
    h->metric(ctx, "names_bytes", (double)(names + parts_bytes(m->shape.active, ctx->in)));
    h->metric(ctx, "active", (double)m->set.n);
    h->metric(ctx, "bias", m->sgd.bias);
}

static const uint32_t *count_of(const struct wm *m, uint32_t slot)
{
    return m->count ? m->count + 2 * (size_t)slot : NULL;
}

/* Slots whose conjunctions say no more than their parts: NULL, or freed by the caller. */
static int redundant(struct leat_ctx *ctx, const struct stage *st, const struct leat_query *q,
                     uint8_t **out)
{
    const struct wm *m = &st->model;
    *out = NULL;
    if (!(q->distinct > 0) || !st->parts || !m->set.n) return LEAT_OK;
    double *weight = ctx->host->alloc(ctx, m->set.n * sizeof *weight);
    if (!weight) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory to rank features");
    for (uint32_t s = 0; s < m->set.n; s++)
        weight[s] = wm_slot_weight(m, s);
    int status = shown_redundant(ctx, q, m->set.n, st->parts, weight, out);
    ctx->host->free(ctx, weight);
    return status;
}

static int query(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                 struct leat_result *out)
{
    struct stage *st = self;
    const struct wm *m = &st->model;
    const struct leat_query q = shown_query(question);
    uint8_t *leave_out;
    if (q.kind != LEAT_QUERY_TOP) return LEAT_EARG;
    report(ctx, st);
    uint32_t n = wm_top(m, shown_filters(&q) ? m->set.n : q.k, q.min_count, st->top);
    int status = redundant(ctx, st, &q, &leave_out);
    if (status == LEAT_OK) status = linear_answer_columns(out, m->opt.counts);
    for (uint32_t k = 0, rows = 0; k < n && rows < q.k && status == LEAT_OK; k++) {
        uint32_t s = st->top[k];
        size_t len;
        const char *name = names_get(&st->names, s, &len);
        if ((leave_out && leave_out[s]) || !shown_passes(&q, &m->sgd, count_of(m, s))) continue;
        status = linear_answer_row(out, &m->sgd, name, len, wm_slot_weight(m, s), count_of(m, s));
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

static struct wm_held held(const struct stage *st)
{
    return (struct wm_held){st->model, st->names, st->parts, st->block, st->names_block};
}

static void replace(struct leat_ctx *ctx, struct stage *st, const struct wm_held *h)
{
    struct wm_held old = held(st);
    wm_release(ctx, &old);
    st->model = h->model;
    st->names = h->names;
    st->parts = h->parts;
    st->block = h->block;
    st->names_block = h->names_block;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct wm_held h = held(self);
    return wm_write(ctx, &h, w);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    struct wm_held live = held(self), h;
    int status = linear_same_version(r, version, WM_STATE_VERSION);
    if (status == LEAT_OK) status = wm_read(ctx, &live, r, &h);
    if (status == LEAT_OK) replace(ctx, self, &h);
    return status;
}

static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)
{
    struct wm_held live = held(self), h;
    bool changed;
    int status = wm_read_merge(ctx, &live, r, weight, &h, &changed);
    if (changed) replace(ctx, self, &h);
    return status;
}

#define SHARED_DOC                                                                                 \
    "\n\nThe features shown are members of a passive set, from which nothing is predicted. A "     \
    "feature enters with a quarter of its estimate when that is larger than the smallest weight "  \
    "there, and from then on its weight takes its own steps, which no other feature disturbs. "    \
    "(The "                                                                                        \
    "paper shows estimates; the largest of many noisy ones are mostly noise.) `active` bounds "    \
    "how "                                                                                         \
    "many can be shown.\n\n"                                                                       \
    "The budget is for ids, weights, counts and cells (model_bytes); the index of the passive "    \
    "set with padding (table_bytes) and the names (names_bytes) are reported apart. Counts of a "  \
    "feature start when it enters, while shares are of all records: for one that entered late "    \
    "the supports are lower bounds. All features share one rate: other `rates` than shared are "   \
    "refused." LINEAR_DOC WM_STATE_DOC

#define SHARED_STAGE                                                                               \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    .cfg_size = sizeof(struct cfg), .instance_size = sizeof(struct stage),                         \
    .negotiate = linear_negotiate, .close = close_stage, .stop = stop, .process = process,         \
    .query = query, .state_version = WM_STATE_VERSION, .snapshot = snapshot, .restore = restore,   \
    .merge = merge

static const struct leat_stage stages[] = {
    {.name = "learn.wm",
     .summary = "linear classifier in a Count-Sketch, its heaviest weights recovered by medians",
     .doc =
         "Weight-Median Sketch (Tai, Sharan, Bailis, Valiant: Sketching Linear Classifiers over "
         "Data Streams, SIGMOD 2018, Algorithm 1). s rows of cells; row j keeps feature i in cell "
         "h_j(i) with sign sigma_j(i). Each example is predicted, then learned: margin z = b + "
         "sum x_i mean_j sigma_j(i) cell_j[h_j(i)]; then every row takes the step cell_j[h_j(i)] "
         "-= eta sigma_j(i) y l'(y z) x_i. The weight of a feature is estimated by the median "
         "(or mean) over the rows of its signed cells.\n\n"
         "By default the budget is spent as in table 2 of the paper: 128 features known by name "
         "(256 from 4KB to below 8KB) but at most half the budget; rows of as many cells, of the "
         "double while there would be more than 32 rows, of half while there would be less than "
         "2; and as many rows as fit. 2KB: 2 rows of 128 cells, 4KB: 2 of 256, 8KB: 14 of 128, "
         "16KB: 30 of 128, 32KB: 31 of 256. Time per entry of an example is proportional to the "
         "rows, one or two nanoseconds each. At equal budgets learn.awm is more accurate and "
         "faster; this is the sketch with the proofs." SHARED_DOC,
     .example = "leat.learn.wm { budget = \"8KB\", lambda = 1e-6 }",
     LEAT_PARAMS(wm_params),
     .validate = validate_wm,
     .plan = plan_wm,
     .open = open_wm,
     SHARED_STAGE},
    {.name = "learn.hash",
     .summary = "linear classifier on hashed features: one table of signed cells",
     .doc =
         "Feature hashing (Weinberger, Dasgupta, Langford, Smola, Attenberg: Feature Hashing for "
         "Large Scale Multitask Learning, ICML 2009), which is learn.wm with a single row: "
         "feature i has cell h(i) with sign sigma(i); margin z = b + sum x_i sigma(i) cell[h(i)], "
         "then cell[h(i)] -= eta sigma(i) y l'(y z) x_i. Features that share a cell cannot be "
         "told apart: what is estimated as the weight of one is that of all in its cell, with "
         "their signs.\n\n"
         "By default 128 features are known by name but at most an eighth of the budget is spent "
         "on them, and all the rest on cells, of any number. (The paper charges feature hashing "
         "for its cells alone: width = budget / 4 and a budget larger by 8 bytes a named feature "
         "is that.) Time per entry of an example is constant, some nanoseconds." SHARED_DOC,
     .example = "leat.learn.hash { budget = \"32KB\" }",
     LEAT_PARAMS(hash_params),
     .validate = validate_hash,
     .plan = plan_hash,
     .open = open_hash,
     SHARED_STAGE},
};

LEAT_PLUGIN("learners_wm", "1.0", "Apache-2.0", "the Weight-Median Sketch and feature hashing",
            stages);
