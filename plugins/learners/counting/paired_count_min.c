/* paired_count_min.c -- stage learn.paired_count_min: two Count-Min sketches, one for each label.
 *
 * The algorithm is in plugins/kernels/counting/paired_count_min/paired_count_min.c. Answers have
 * the columns of the linear classifiers, so that the stage can replace one. The weight is the log
 * ratio. Counts, and figures computed from them, are estimates. */
#include <stdio.h>

#include "kernels/base/names.h"
#include "kernels/base/rank.h"
#include "kernels/counting/paired_count_min/paired_count_min.h"
#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"
#include "learners/counting/docs.h"
#include "common/state/state_names.h"

enum { PAIRED_STATE_VERSION = 1 };

/* A model with the names of its members, and the memory of both. */
struct paired_held {
    struct paired_count_min model;
    struct names names;
    void *block, *names_block;
    uint32_t active; /* members that fit the budget; a merged model may have more */
};

struct paired_cfg {
    int64_t name_bytes, max_entries;
    int64_t budget, active, width, depth;
    int32_t conservative;
};

struct paired_stage {
    struct learner learner;
    struct paired_held held;
    void *scratch;
    uint32_t fits;         /* members for which the buffers below have room */
    uint32_t *top, *count; /* buffers for a query: `top` by rank, `count` by slot */
    float *ratio, *key;    /* sort keys for a query, by slot */
};

/* Advice if there are importance weights. */
static const char PAIRED_ADVICE[] =
    "use learn.contrast with amount = \"COLUMN\", or leave out the weights";

static const struct leat_param paired_params[] = {
    LEAT_PARAM(
        struct paired_cfg, budget, LEAT_SIZE, .def = "32KB", .min = 64, .max = 4294967296.0,
        .unit = "bytes",
        .doc = "bytes of the model, at 4 bytes an id, estimate and cell; names are not counted"),
    LEAT_PARAM(struct paired_cfg, conservative, LEAT_BOOL, .def = "false",
               .doc = "raise only cells that are too small, for more exact counts"),
    LEAT_PARAM(struct paired_cfg, name_bytes, LEAT_INT, .flags = LEAT_ADVANCED, .def = "120",
               .min = 8, .max = 65535, .unit = "bytes",
               .doc = "longest name kept; longer ones are cut and end with …"),
    LEAT_PARAM(struct paired_cfg, max_entries, LEAT_INT, .flags = LEAT_ADVANCED, .def = "65536",
               .min = 1, .max = 16777216, .unit = "entries",
               .doc = "longest example taken; longer ones are rejected"),
    LEAT_PARAM(struct paired_cfg, active, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = PAIRED_COUNT_MIN_MAX_ACTIVE, .unit = "features",
               .doc = "features kept by name; 0: half the budget, or the rest that `width` leaves"),
    LEAT_PARAM(struct paired_cfg, width, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = PAIRED_COUNT_MIN_MAX_CELLS, .unit = "cells",
               .doc = "cells in a row of each sketch; 0: as many as the budget allows"),
    LEAT_PARAM(struct paired_cfg, depth, LEAT_INT, .flags = LEAT_ADVANCED, .def = "2", .min = 1,
               .max = PAIRED_COUNT_MIN_MAX_DEPTH, .unit = "rows", .doc = "rows of each sketch"),
};

static bool paired_shape_of(const struct paired_cfg *c, struct paired_count_min_shape *s)
{
    *s = (struct paired_count_min_shape){(uint32_t)c->active, (uint32_t)c->width,
                                         (uint32_t)c->depth};
    return paired_count_min_shape_from_budget((uint64_t)c->budget, s);
}

static int paired_validate(const void *cfg, struct leat_diag *d)
{
    const struct paired_cfg *c = cfg;
    struct paired_count_min_shape s;
    if (paired_shape_of(c, &s)) return LEAT_OK;
    d->error(
        d, c->width ? "width" : "budget",
        "%u features and two sketches of %u rows of %u cells do not fit in a budget of %lld bytes",
        s.active, s.depth, s.width, (long long)c->budget);
    return LEAT_EARG;
}

static size_t paired_scratch_bytes(const struct paired_count_min_shape *s)
{
    return (size_t)s->active * (4 * sizeof(uint32_t) + sizeof(float));
}

static int paired_negotiate(const void *cfg, struct leat_negotiation *n)
{
    if (examples_have_made_labels(n->in))
        n->diag->warn(n->diag, NULL,
                      "the ratios compare with the examples of label -1, which feature.pairs makes "
                      "at random: use learn.awm with bias = \"none\"");
    examples_count_each_once(n, PAIRED_ADVICE);
    return examples_negotiate(cfg, n);
}

static size_t paired_names_bytes(uint32_t slots, uint32_t name_bytes)
{
    return names_block_bytes(slots, names_room(slots, name_bytes));
}

static int paired_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                       struct leat_plan *p)
{
    const struct paired_cfg *c = cfg;
    struct paired_count_min_shape s;
    if (!paired_shape_of(c, &s)) return LEAT_EARG;
    p->state_bytes = paired_count_min_block_bytes(&s);
    p->names_bytes = paired_names_bytes(s.active, examples_name_bytes(c->name_bytes, in));
    p->work_bytes = paired_scratch_bytes(&s) + examples_name_bytes(c->name_bytes, in) + 1;
    snprintf(p->note, sizeof p->note, "active %u, two sketches of %u x %u, charged %llu bytes",
             s.active, s.depth, s.width, (unsigned long long)paired_count_min_charged_bytes(&s));
    return LEAT_OK;
}

static void paired_release(struct leat_ctx *ctx, void *held)
{
    struct paired_held *h = held;
    ctx->host->free(ctx, h->names_block);
    ctx->host->free(ctx, h->block);
}

/* Makes an empty model. active: members that fit the budget, at most those of the shape. */
static int paired_make(struct leat_ctx *ctx, const struct paired_count_min_shape *s,
                       const struct paired_count_min_options *o, uint32_t name_bytes,
                       uint32_t active, struct paired_held *h)
{
    const struct leat_host *host = ctx->host;
    *h = (struct paired_held){.active = active,
                              .block = host->alloc(ctx, paired_count_min_block_bytes(s)),
                              .names_block =
                                  host->alloc(ctx, paired_names_bytes(s->active, name_bytes))};
    if (!h->block || !h->names_block) {
        paired_release(ctx, h);
        *h = (struct paired_held){0};
        return host->fail(ctx, LEAT_ENOMEM,
                          "there is not enough memory for %u features and 2 x %u x %u cells",
                          s->active, s->depth, s->width);
    }
    paired_count_min_init(&h->model, s, o, h->block);
    names_init(&h->names, s->active, name_bytes, names_room(s->active, name_bytes), h->names_block);
    return LEAT_OK;
}

static void paired_close(struct leat_ctx *ctx, void *self)
{
    struct paired_stage *st = self;
    ctx->host->free(ctx, st->scratch);
    paired_release(ctx, &st->held);
}

/* Allocates the buffers of an answer of a model of this shape, in place of those before. */
static int paired_use_scratch(struct leat_ctx *ctx, struct paired_stage *st,
                              const struct paired_count_min_shape *s)
{
    void *scratch = ctx->host->alloc(ctx, paired_scratch_bytes(s));
    if (!scratch)
        return ctx->host->fail(
            ctx, LEAT_ENOMEM, "there is not enough memory for an answer of %u features", s->active);
    ctx->host->free(ctx, st->scratch);
    st->count = st->scratch = scratch;
    st->top = st->count + 2 * (size_t)s->active;
    st->ratio = (float *)(void *)(st->top + s->active);
    st->key = st->ratio + s->active;
    st->fits = s->active;
    return LEAT_OK;
}

static int paired_begin(struct leat_ctx *ctx, void *self)
{
    struct paired_stage *st = self;
    const struct paired_cfg *c = ctx->cfg;
    const struct leat_host *h = ctx->host;
    struct paired_count_min_options o = {.conservative = c->conservative, .seed = h->seed(ctx)};
    uint32_t name_bytes = examples_name_bytes(c->name_bytes, ctx->in);
    struct paired_count_min_shape s;
    if (!paired_shape_of(c, &s)) return h->fail(ctx, LEAT_EARG, "nothing fits the budget");
    int status = paired_make(ctx, &s, &o, name_bytes, s.active, &st->held);
    if (status != LEAT_OK) return status;
    status = paired_use_scratch(ctx, st, &s);
    return status == LEAT_OK ? learner_text(ctx, &st->learner, name_bytes) : status;
}

/* Returns the margin of a classifier that treats features as independent (naive Bayes). Returns NaN
 * if a value is not finite. */
static double paired_margin_of(const struct paired_stage *st, const struct leat_batch *b,
                               uint32_t e)
{
    double z = paired_count_min_prior(&st->held.model);
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
        z += paired_count_min_ratio(&st->held.model, b->id[i]) * (double)b->value[i];
    return isfinite(z) ? z : (double)NAN;
}

static void paired_count_example(struct paired_stage *st, const struct leat_batch *b, uint32_t e,
                                 int stream)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t slot = paired_count_min_add(&st->held.model, b->id[i], stream);
        if (slot != PAIRED_COUNT_MIN_NONE)
            learner_take_name(&st->learner, &st->held.names, slot, b, i);
    }
}

/* Reduces a merged model to the members that fit the budget. */
static void paired_settle(struct paired_held *h)
{
    for (uint32_t s = h->active; s < h->model.members.n; s++)
        names_set(&h->names, s, NULL, 0);
    paired_count_min_settle(&h->model, h->active);
}

static int paired_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct paired_stage *st = self;
    if (st->held.model.shape.active > st->held.active) paired_settle(&st->held);
    const struct paired_cfg *c = ctx->cfg;
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    uint32_t most = examples_max_entries(c->max_entries, ctx->in);
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e];
        int stream = b->ex_label[e] > 0;
        if (r == refused) continue; /* a refused record loses all its examples */
        if (examples_refuse(ctx, b, e, most) || examples_refuse_weight(ctx, b, e, PAIRED_ADVICE)) {
            refused = r;
            continue;
        }
        double z = paired_margin_of(st, b, e);
        if (isnan(z)) {
            examples_reject_values(ctx, b, e);
            refused = r;
            continue;
        }
        b->score[e] = examples_score(z);
        if (b->ex_weight[e] == 0) continue; /* held out */
        if (r != record) paired_count_min_record(&st->held.model, stream);
        record = r;
        paired_count_example(st, b, e, stream);
    }
    return LEAT_OK;
}

static void paired_report(struct leat_ctx *ctx, void *self)
{
    const struct paired_stage *st = self;
    const struct leat_host *h = ctx->host;
    const struct paired_count_min_shape *s = &st->held.model.shape;
    size_t charged = paired_count_min_charged_bytes(s);
    int64_t budget = ((const struct paired_cfg *)ctx->cfg)->budget;
    h->metric(ctx, "budget_bytes", budget > (int64_t)charged ? (double)budget : (double)charged);
    h->metric(ctx, "model_bytes", (double)charged);
    h->metric(ctx, "table_bytes", (double)(paired_count_min_block_bytes(s) - charged));
    h->metric(ctx, "names_bytes", (double)paired_names_bytes(s->active, st->held.names.max_bytes));
    h->metric(ctx, "active", (double)st->held.model.members.n);
}

/* If the query orders by another figure than the ratio, sorts the n members in st->top by that
 * figure. */
static void paired_put_in_order(const struct leat_query *q, const struct sgd *records,
                                struct paired_stage *st, uint32_t n)
{
    uint32_t held = st->held.model.members.n;
    if (q->order == LEAT_ORDER_WEIGHT || !n) return;
    for (uint32_t s = 0; s < held; s++)
        st->key[s] = (float)answer_order_key(q, records, st->count + 2 * (size_t)s);
    rank_heaviest(held, st->key, st->count, q->min_count, n, st->top);
}

static int paired_top(struct leat_ctx *ctx, void *self, const struct leat_query *question,
                      struct leat_result *out)
{
    struct paired_stage *st = self;
    const struct leat_query all = answer_query(question), *q = &all;
    const struct paired_count_min *m = &st->held.model;
    struct sgd records = {.records = {m->records[0], m->records[1]}};
    int status = st->fits < m->shape.active ? paired_use_scratch(ctx, st, &m->shape) : LEAT_OK;
    if (status != LEAT_OK) return status;
    uint32_t n =
        paired_count_min_top(m, m->shape.active, q->min_count, st->ratio, st->count, st->top);
    paired_put_in_order(q, &records, st, n);
    status = answer_columns(out, true, ANSWER_NO_SPREAD);
    for (uint32_t i = 0, rows = 0; i < n && rows < q->k && status == LEAT_OK; i++) {
        uint32_t s = st->top[i];
        const uint32_t *count = st->count + 2 * (size_t)s;
        if (!answer_passes(q, &records, count) || (q->positive && !(st->ratio[s] > 0))) continue;
        size_t len;
        const char *name = names_get(&st->held.names, s, &len);
        const struct answer_weight ratio = {.weight = (double)st->ratio[s]};
        status = answer_row(out, &records, name, len, &ratio, count);
        rows++;
    }
    return status;
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct paired_count_min, member)
static const struct state_field paired_parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* the seed determines the cells of each feature */
    {"conservative", STATE_SAME, .at = AT(opt.conservative), .choices = state_false_true},
};
#undef AT
#define AT(member) STATE_MEMBER(struct paired_count_min_parts, member)
static const struct state_field paired_fields[] = {
    {"records", STATE_INSIDE, .at = AT(records), .each = 2, .max = COUNT_MAX},
    {"ids", STATE_LENT, .at = AT(id), .count = {AT(n_active)}, .sets_count = true,
     .limit = AT(max_active), .hint = "active"},
    {"cursor", STATE_VALUE, .at = AT(cursor), .limit = AT(n_active)},
    {"ratios", STATE_LENT, .at = AT(ratio), .count = {AT(n_active)}, .min = -(double)SGD_LIMIT,
     .max = (double)SGD_LIMIT},
    {"cells", STATE_LENT, .at = AT(cell), .count = {AT(cells)}},
};
#undef AT

/* Returns a copy whose shape is that of the budget. */
static struct paired_count_min paired_same(const struct paired_held *h)
{
    struct paired_count_min m = h->model;
    m.shape.active = h->active;
    return m;
}

static int paired_write(const void *held, struct leat_writer *w)
{
    const struct paired_held *h = held;
    const struct paired_count_min same = paired_same(h);
    const struct paired_count_min_parts p = paired_count_min_parts(&h->model);
    int status = state_write(w, STATE_TABLE(paired_parameters), &same);
    if (status == LEAT_OK) status = state_write(w, STATE_TABLE(paired_fields), &p);
    return status == LEAT_OK ? state_write_slot_names(w, &h->names, p.n_active) : status;
}

/* Makes an empty model with the parameters of `live` and room for at least n members. */
static int paired_make_like(struct leat_ctx *ctx, const struct paired_held *live, uint32_t n,
                            struct paired_held *h)
{
    struct paired_count_min_shape s = live->model.shape;
    s.active = n > live->active ? n : live->active;
    return paired_make(ctx, &s, &live->model.opt, live->names.max_bytes, live->active, h);
}

static int paired_read(struct leat_ctx *ctx, const void *of, struct leat_reader *r, void *fresh)
{
    const struct paired_held *live = of;
    struct paired_held *h = fresh;
    struct paired_count_min same = paired_same(live);
    struct paired_count_min_parts p = paired_count_min_parts(&live->model);
    p.max_active = PAIRED_COUNT_MIN_MAX_ACTIVE;
    int status = state_read(r, STATE_TABLE(paired_parameters), &same);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(paired_fields), &p);
    if (status == LEAT_OK) status = paired_make_like(ctx, live, p.n_active, h);
    if (status != LEAT_OK) return status;
    const char *wrong = paired_count_min_load(&h->model, &p);
    if (wrong) status = r->refuse(r, "%s", wrong);
    if (status == LEAT_OK) status = state_read_slot_names(r, p.n_active, &h->names);
    if (status != LEAT_OK) paired_release(ctx, h);
    return status;
}

static bool paired_is_empty(const void *held)
{
    const struct paired_count_min *m = &((const struct paired_held *)held)->model;
    return !m->records[0] && !m->records[1];
}

/* Makes `fresh` the sum of `live` and `merged`, whose counts are multiplied by `weight`. */
static int paired_join(struct leat_ctx *ctx, const void *live, const void *merged, double weight,
                       void *fresh)
{
    const struct paired_held *one = live, *other = merged;
    struct paired_held *h = fresh;
    const struct leat_host *host = ctx->host;
    size_t max = (size_t)one->model.members.n + other->model.members.n;
    int status = paired_make_like(ctx, one, (uint32_t)max, h);
    if (status != LEAT_OK) return status;
    struct linear_origin *member = host->alloc(ctx, max * sizeof *member);
    if (!member) {
        paired_release(ctx, h);
        return host->fail(ctx, LEAT_ENOMEM, "there is not enough memory to merge %zu features",
                          max);
    }
    paired_count_min_merge(&h->model, &one->model, &other->model, weight, member);
    for (uint32_t s = 0; s < h->model.members.n; s++)
        state_join_names(&h->names, s, &one->names, member[s].a, &other->names, member[s].b);
    host->free(ctx, member);
    return LEAT_OK;
}

static const struct learner_held paired_state = {
    LEARNER_HELD(struct paired_stage, held),
    .release = paired_release,
    .write = paired_write,
    .read = paired_read,
    .is_empty = paired_is_empty,
    .join = paired_join,
};

/* ---- the stage ---- */

static const struct learner_method paired_method = {
    .open = paired_begin,
    .close = paired_close,
    .report = paired_report,
    .answer = paired_top,
    .held = &paired_state,
    .version = PAIRED_STATE_VERSION,
};

static int paired_open(struct leat_ctx *ctx, void *self)
{
    return learner_open(ctx, self, &paired_method);
}

static const char *const *paired_columns(const void *cfg, uint32_t *n)
{
    return answer_names(true, false, n);
}

static const struct leat_figure paired_figures[] = {
    FIGURE_BUDGET_BYTES, FIGURE_MODEL_BYTES, FIGURE_TABLE_BYTES, FIGURE_NAMES_BYTES, FIGURE_ACTIVE,
};

const struct leat_stage learn_paired_count_min = {
    .name = "learn.paired_count_min",
    .summary = "ratios of frequencies in two streams, from two Count-Min sketches: a baseline",
    .doc = paired_count_min_doc,
    .example = "leat.learn.paired_count_min { budget = \"32KB\" }",
    LEARNER_OF_LABELS,
    .caps = LEAT_ANY_ORDER,
    LEAT_PARAMS(paired_params, struct paired_cfg),
    LEAT_FIGURES(paired_figures),
    LEARNER_STAGE(struct paired_stage, paired_columns, PAIRED_STATE_VERSION),
    .validate = paired_validate,
    .negotiate = paired_negotiate,
    .plan = paired_plan,
    .open = paired_open,
    .process = paired_process,
};
