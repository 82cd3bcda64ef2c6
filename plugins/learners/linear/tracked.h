/* tracked.h -- stages of learners that keep weights only for tracked features: all but what tells
 * them apart.
 *
 * Only glue; the algorithms are in plugins/kernels/linear/tracked/tracked.h, and what all stages
 * with slots do is in slotted.h. A plugin says its rule, parameters and text; struct tracked_cfg
 * holds the parameters of all of them, those of others are 0.
 */
#ifndef LEAT_LEARNERS_LINEAR_TRACKED_H
#define LEAT_LEARNERS_LINEAR_TRACKED_H

#include "slotted.h"
#include "tracked_state.h"

struct tracked_cfg {
    struct slotted_cfg base;
    int64_t features;
    int64_t width, depth;                       /* Count-Min      */
    int32_t conservative, churn, key, reserved; /* Count-Min; Space Saving; sampled */
};

/* clang-format off */
#define TRACKED_PARAM(FIELD, TYPE)                                                                 \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct tracked_cfg, FIELD)

#define TRACKED_PARAMS                                                                             \
    SLOTTED_PARAMS(1),                                                                             \
    {TRACKED_PARAM(features, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0",                        \
     .max = TRACKED_MAX_SLOTS, .unit = "features",                                                 \
     .doc = "features tracked; 0: as many as the budget holds"}
/* clang-format on */

/* A model that is only shape and options. false: no shape fits the budget. */
static inline bool tracked_pattern(enum tracked_rule rule, const struct tracked_cfg *c,
                                   const struct leat_schema *in, struct tracked *m)
{
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct tracked){.shape = {.slots = (uint32_t)c->features,
                                    .width = (uint32_t)c->width,
                                    .depth = (uint32_t)c->depth},
                          .opt = {.sgd = linear_options(l),
                                  .rule = rule,
                                  .counts = l->counts,
                                  .product = c->key,
                                  .churn_one = c->churn,
                                  .conservative = c->conservative}};
    m->shape.extra = tracked_extra(&m->opt);
    return tracked_shape_from_budget(slotted_budget(&c->base, in), rule, &m->shape);
}

static inline int tracked_validate(enum tracked_rule rule, const void *cfg, struct leat_diag *d)
{
    const struct tracked_cfg *c = cfg;
    struct tracked m;
    int status = linear_validate(&c->base.linear, d);
    if (c->width & (c->width - 1)) {
        d->error(d, "width", "%lld is not a power of two", (long long)c->width);
        return LEAT_EARG;
    }
    if (tracked_pattern(rule, c, NULL, &m)) return status;
    struct tracked_shape s = m.shape;
    unsigned long long cells = 4ull * s.width * s.depth;
    if (cells)
        d->error(d, c->width ? "width" : "budget",
                 "no feature fits in a budget of %lld bytes: one takes %u, and %u rows of %u cells "
                 "take %llu",
                 (long long)c->base.budget, 8 + 4 * s.extra, s.depth, s.width, cells);
    else
        d->error(d, "budget", "no feature fits in a budget of %lld bytes: one takes %u",
                 (long long)c->base.budget, 8 + 4 * s.extra);
    return LEAT_EARG;
}

/* ---- the kernel ---- */

static inline struct slotted_facts tracked_facts(const void *model)
{
    const struct tracked *m = model;
    struct tracked_options bare = m->opt;
    bare.max_row = 0;
    size_t block = tracked_block_bytes(&m->shape, &bare);
    return (struct slotted_facts){.sgd = &m->sgd,
                                  .slots = m->shape.slots,
                                  .used = m->slots.n,
                                  .max_row = m->opt.max_row,
                                  .counts = m->opt.counts,
                                  .count = m->count,
                                  .charged = tracked_charged_bytes(&m->shape),
                                  .block = block,
                                  .scratch = tracked_block_bytes(&m->shape, &m->opt) - block};
}

static inline void tracked_make(void *model, const void *pattern, const void *lender, void *block)
{
    const struct tracked *m = pattern;
    struct tracked_options opt = m->opt;
    if (lender) opt.max_row = 0;
    tracked_init(model, &m->shape, &opt, block);
    if (lender) tracked_borrow(model, lender);
}

static inline void tracked_hash_row(const void *model, const struct linear_row *row, uint64_t *hash)
{
    tracked_hash(model, row->n, row->id, hash);
}

static inline int64_t tracked_take(void *model, const struct linear_row *r, const uint64_t *hash,
                                   double *margin)
{
    struct tracked *m = model;
    return tracked_learn_hashed(m, r, hash, margin) == LINEAR_OK ? (int64_t)m->n_entrants : -1;
}

static inline double tracked_margin_of(const void *model, const struct linear_row *r)
{
    return tracked_margin(model, r->n, r->id, r->x);
}

static inline struct linear_entrant tracked_entrant_of(const void *model, uint32_t k)
{
    return ((const struct tracked *)model)->entrant[k];
}

static inline uint32_t tracked_rank(const void *model, uint32_t k, uint32_t min_count,
                                    float *weight, uint32_t *top)
{
    return tracked_top(model, k, min_count, weight, top);
}

static inline double tracked_weigh(const void *model, const float *weight, uint32_t slot)
{
    (void)weight;
    return tracked_slot_weight(model, slot);
}

static inline void tracked_report(struct leat_ctx *ctx, const void *model)
{
    const struct tracked *m = model;
    ctx->host->metric(ctx, "tracked", (double)m->slots.n);
    ctx->host->metric(ctx, "replaced", (double)m->replaced);
}

static const struct slotted_kind tracked_kind = {.model_bytes = sizeof(struct tracked),
                                                 .origin_bytes = sizeof(struct linear_origin),
                                                 .facts = tracked_facts,
                                                 .init = tracked_make,
                                                 .hash = tracked_hash_row,
                                                 .learn = tracked_take,
                                                 .margin = tracked_margin_of,
                                                 .entrant = tracked_entrant_of,
                                                 .rank = tracked_rank,
                                                 .weigh = tracked_weigh,
                                                 .sure = tracked_weigh,
                                                 .report = tracked_report,
                                                 .write = tracked_write,
                                                 .read = tracked_read,
                                                 .merge = tracked_mix,
                                                 .origin = tracked_origin_of};

static inline int tracked_plan(enum tracked_rule rule, const void *cfg,
                               const struct leat_schema *in, struct leat_plan *p)
{
    const struct tracked_cfg *c = cfg;
    struct tracked m;
    if (!tracked_pattern(rule, c, in, &m)) return LEAT_EARG;
    m.opt.max_row = linear_max_row(&c->base.linear, in);
    slotted_plan(&tracked_kind, &m, c, in, p);
    unsigned long long charged = tracked_charged_bytes(&m.shape);
    if (m.shape.width)
        snprintf(p->note, sizeof p->note, "%u features, sketch %u x %u, charged %llu bytes",
                 m.shape.slots, m.shape.depth, m.shape.width, charged);
    else
        snprintf(p->note, sizeof p->note, "%u features, charged %llu bytes", m.shape.slots,
                 charged);
    slotted_note_classes(c, in, p);
    return LEAT_OK;
}

static inline int tracked_open(enum tracked_rule rule, struct leat_ctx *ctx, void *self)
{
    const struct tracked_cfg *c = ctx->cfg;
    struct tracked m;
    if (!tracked_pattern(rule, c, ctx->in, &m))
        return ctx->host->fail(ctx, LEAT_EARG, "no feature fits the budget");
    m.opt.max_row = linear_max_row(&c->base.linear, ctx->in);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &tracked_kind, &m);
}

/* The parts of struct leat_stage that do not depend on the rule, and small functions that bind the
 * others to it. */
#define TRACKED_RULE(RULE)                                                                         \
    SLOTTED_PROCESS(tracked_kind)                                                                  \
    static int validate(const void *cfg, struct leat_diag *d)                                      \
    {                                                                                              \
        return tracked_validate(RULE, cfg, d);                                                     \
    }                                                                                              \
    static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,  \
                    struct leat_plan *p)                                                           \
    {                                                                                              \
        (void)out;                                                                                 \
        return tracked_plan(RULE, cfg, in, p);                                                     \
    }                                                                                              \
    static int open_stage(struct leat_ctx *ctx, void *self)                                        \
    {                                                                                              \
        return tracked_open(RULE, ctx, self);                                                      \
    }

#define TRACKED_STAGE                                                                              \
    LEAT_PARAMS(params), .cfg_size = sizeof(struct tracked_cfg), .validate = validate,             \
                         .plan = plan, .open = open_stage, SLOTTED_STAGE

#define TRACKED_DOC                                                                                \
    "\n\nEach example is predicted from the tracked features alone, then learned: margin z = b + " \
    "sum w_i x_i, w_i <- (1 - eta lambda) w_i - eta y l'(y z) x_i; values of an id that an "       \
    "example repeats are summed. Own rates cost 4 bytes a feature more, counts 8. Time per entry " \
    "of an example is constant, some nanoseconds; the budget is for ids, weights and other "       \
    "values (model_bytes), the index with padding (table_bytes) and the names (names_bytes) are "  \
    "reported apart. Counts of a feature start when it is tracked, while shares are of all "       \
    "records: for one that entered late the supports are lower bounds. At an equal budget "        \
    "learn.awm is the better model; this is its baseline." LINEAR_DOC

#endif
