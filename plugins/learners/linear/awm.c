/* awm.c -- learn.awm: the Active-Set Weight-Median Sketch as a stage.
 *
 * The algorithm is in plugins/kernels/linear/awm/awm.c; what all stages with slots do is in
 * slotted.c. The slots are those of the active set.
 */
#include <stdio.h>

#include "kernels/linear/awm/awm.h"
#include "learners/linear/docs.h"
#include "slotted.h"

static const char *const evidences[] = {"gradient", "counts", NULL};

struct cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
    int32_t evidence; /* enum awm_evidence */
    int32_t reserved;
};

static const struct leat_param params[] = {
    SLOTTED_PARAMS(64),
    LEAT_PARAM(
        struct cfg, evidence, LEAT_CHOICE, .def = "gradient", .choices = evidences,
        .doc =
            "what makes the weight of a feature that is kept exactly: gradient, or counts (for explanation: examples of one feature)"),
    LEAT_PARAM(
        struct cfg, active, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .max = AWM_MAX_ACTIVE,
        .unit = "features",
        .doc = "features kept exactly and by name; 0: what the budget leaves beside the sketch"),
    LEAT_PARAM(
        struct cfg, width, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .max = AWM_MAX_CELLS,
        .unit = "cells",
        .doc =
            "cells in a row of the sketch, a power of two; 0: half the budget, an eighth with evidence = \"counts\""),
    LEAT_PARAM(struct cfg, depth, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1", .min = 0,
               .max = AWM_MAX_DEPTH, .unit = "rows", .doc = "rows of the sketch; 0 and 1: one"),
};

/* A model that is only shape and options. false: no shape fits the budget. */
static bool pattern_of(const struct cfg *c, const struct leat_schema *in, struct awm *m)
{
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct awm){.shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
                      .opt = {.sgd = linear_options(l),
                              .evidence = (enum awm_evidence)c->evidence,
                              .counts = l->counts}};
    return awm_shape_for(slotted_budget(&c->base, in), &m->opt, &m->shape);
}

/* Why the model's shape does not fit. */
static const char *misfit(const struct cfg *c, const struct leat_schema *in,
                          const struct awm_shape *s, char text[256])
{
    char budget[96];
    snprintf(text, 256, "no feature fits beside %u rows of %u cells in %s", s->depth, s->width,
             slotted_budget_text(&c->base, in, budget));
    return text;
}

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct awm m;
    char why[256];
    int status = linear_validate(&c->base.linear, d);
    if (c->evidence == AWM_COUNTS && c->base.linear.rates != SGD_SHARED)
        d->warn(d, "rates",
                "has no effect with evidence = \"counts\": no feature needs its own rate");
    if (c->evidence == AWM_COUNTS && c->base.linear.l1 > 0) {
        d->error(d, "l1",
                 "with evidence = \"counts\" weights follow from counts: no penalty moves them");
        status = LEAT_EARG;
    }
    if (c->width & (c->width - 1)) {
        d->error(d, "width", "%lld is not a power of two", (long long)c->width);
        return LEAT_EARG;
    }
    if (pattern_of(c, NULL, &m)) return status;
    d->error(d, c->width ? "width" : "budget", "%s", misfit(c, NULL, &m.shape, why));
    return LEAT_EARG;
}

/* ---- the kernel ---- */

static struct slotted_facts facts(const void *model)
{
    const struct awm *m = model;
    struct awm_options bare = m->opt;
    bare.max_row = 0;
    size_t block = awm_block_bytes(&m->shape, &bare);
    return (struct slotted_facts){.sgd = &m->sgd,
                                  .slots = m->shape.active,
                                  .used = m->index.n,
                                  .max_row = m->opt.max_row,
                                  .counts = m->opt.counts,
                                  .count = m->count,
                                  .charged = awm_charged_bytes(&m->shape),
                                  .block = block,
                                  .scratch = awm_block_bytes(&m->shape, &m->opt) - block};
}

static void init(void *model, const void *pattern, const void *lender, void *block)
{
    const struct awm *m = pattern;
    struct awm_options opt = m->opt;
    if (lender) opt.max_row = 0;
    awm_init(model, &m->shape, &opt, block);
    if (lender) awm_borrow(model, lender);
}

static void hash_row(const void *model, const struct linear_row *row, uint64_t *hash)
{
    awm_hash(model, row->n, row->id, hash);
}

static int64_t learn(void *model, const struct linear_row *row, const uint64_t *hash,
                     double *margin, const struct linear_entrant **entrant)
{
    struct awm *m = model;
    *entrant = m->entrant;
    return awm_learn_hashed(m, row, hash, margin) == LINEAR_OK ? (int64_t)m->n_entrants : -1;
}

static double margin_of(const void *model, const struct linear_row *row)
{
    return awm_margin(model, row->n, row->id, row->x);
}

static uint32_t rank(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top)
{
    return awm_top(model, k, min_count, weight, top);
}

static double weigh(const void *model, uint32_t slot) { return awm_slot_weight(model, slot); }

static double sure(const void *model, uint32_t slot) { return awm_slot_stay_weight(model, slot); }

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct awm *)model)->index.n);
}

/* ---- state ---- */

struct state {
    struct linear_state linear;
    enum awm_evidence evidence;
    uint32_t width, depth;
    uint64_t seed; /* cells mean nothing under another one */
    const float *cell;
};

#define AT(member) STATE_MEMBER(struct state, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(linear.max_features)},
    {"width", STATE_SAME, .at = AT(width)},
    {"depth", STATE_SAME, .at = AT(depth)},
    {"seed", STATE_SAME, .at = AT(seed)},
    {"evidence", STATE_SAME, .at = AT(evidence), .choices = evidences},
};
static const struct state_field cells[] = {
    {"cells", STATE_LENT, .at = AT(cell), .count = {AT(width), AT(depth)},
     .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT},
};
#undef AT

static struct state state_of(const struct awm *m)
{
    struct awm_parts p = awm_parts(m);
    return (struct state){.linear = {.sgd = p.sgd,
                                     .counts = m->opt.counts,
                                     .max_features = m->shape.active,
                                     .n = p.n_active,
                                     .id = p.id,
                                     .weight = p.weight,
                                     .accumulator = p.accumulator,
                                     .count = p.count,
                                     .l1_seen = p.l1_seen},
                          .evidence = m->opt.evidence,
                          .width = m->shape.width,
                          .depth = m->shape.depth,
                          .seed = m->opt.seed,
                          .cell = p.cell};
}

static int write_model(const void *model, struct leat_writer *w)
{
    struct state s = state_of(model);
    int status = state_write(w, STATE_TABLE(parameters), &s);
    if (status == LEAT_OK) status = linear_state_write(w, &s.linear);
    return status == LEAT_OK ? state_write(w, STATE_TABLE(cells), &s) : status;
}

static int read_model(void *fresh, struct leat_reader *r)
{
    struct state s = state_of(fresh);
    if (state_read(r, STATE_TABLE(parameters), &s) != LEAT_OK ||
        linear_state_read(r, &s.linear) != LEAT_OK ||
        state_read(r, STATE_TABLE(cells), &s) != LEAT_OK)
        return LEAT_EDATA;
    struct awm_parts p = {.sgd = s.linear.sgd,
                          .n_active = s.linear.n,
                          .id = s.linear.id,
                          .weight = s.linear.weight,
                          .accumulator = s.linear.accumulator,
                          .count = s.linear.count,
                          .l1_seen = s.linear.l1_seen,
                          .cell = s.cell};
    const char *wrong = awm_load(fresh, &p);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static void merge_models(void *fresh, const void *a, const void *b, double weight,
                         struct linear_origin *origin)
{
    awm_merge(fresh, a, b, weight, origin);
}

static const struct slotted_kind kind = {.model_bytes = sizeof(struct awm),
                                         .facts = facts,
                                         .init = init,
                                         .hash = hash_row,
                                         .learn = learn,
                                         .margin = margin_of,
                                         .rank = rank,
                                         .weigh = weigh,
                                         .sure = sure,
                                         .report = report,
                                         .write = write_model,
                                         .read = read_model,
                                         .merge = merge_models};

/* ---- plan and open ---- */

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    const struct cfg *c = cfg;
    struct awm m;
    (void)out;
    if (!pattern_of(c, in, &m)) return LEAT_EARG;
    m.opt.max_row = linear_max_row(&c->base.linear, in);
    slotted_plan(&kind, &m, c, in, p);
    snprintf(p->note, sizeof p->note, "active %u, sketch %u x %u, charged %llu bytes",
             m.shape.active, m.shape.depth, m.shape.width,
             (unsigned long long)awm_charged_bytes(&m.shape));
    slotted_note_classes(c, in, p);
    return LEAT_OK;
}

static int open_stage(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    struct awm m;
    char why[256];
    if (!pattern_of(c, ctx->in, &m))
        return ctx->host->fail(ctx, LEAT_EARG, "%s", misfit(c, ctx->in, &m.shape, why));
    m.opt.max_row = linear_max_row(&c->base.linear, ctx->in);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &kind, &m);
}

const struct leat_stage learn_awm = {
    .name = "learn.awm",
    .summary = "linear classifier in a few kilobytes whose heaviest features are known by name",
    .doc = awm_doc,
    .example = "leat.learn.awm { budget = \"32KB\", lambda = 1e-6 }",
    LEAT_PARAMS(params, struct cfg),
    .validate = validate,
    .plan = plan,
    .open = open_stage,
    SLOTTED_STAGE,
};
