/* awm.c -- learn.awm: the Active-Set Weight-Median Sketch as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/linear/awm/awm.c, and what all stages with slots
 * do is in slotted.h. The slots are those of the active set.
 */
#include "awm_state.h"
#include "slotted.h"

struct cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
    int32_t evidence; /* enum awm_evidence */
    int32_t reserved;
};

static const struct leat_param params[] = {
    SLOTTED_PARAMS(64),
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

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct awm m;
    int status = linear_validate(&c->base.linear, d);
    if (c->evidence == AWM_COUNTS && c->base.linear.rates != SGD_SHARED)
        d->warn(d, "rates", "with evidence = \"counts\" no feature needs a rate of its own");
    if (c->evidence == AWM_COUNTS && c->base.linear.l1 > 0) {
        d->error(d, "l1",
                 "with evidence = \"counts\" weights follow from counts: no penalty moves "
                 "them");
        status = LEAT_EARG;
    }
    if (c->width & (c->width - 1)) {
        d->error(d, "width", "%lld is not a power of two", (long long)c->width);
        return LEAT_EARG;
    }
    if (!pattern_of(c, NULL, &m)) {
        d->error(d, c->width ? "width" : "budget",
                 "no active set fits: %u rows of %u cells in a budget of %lld bytes", m.shape.depth,
                 m.shape.width, (long long)c->base.budget);
        return LEAT_EARG;
    }
    return status;
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

static int64_t learn(void *model, const struct linear_row *r, const uint64_t *hash, double *margin)
{
    struct awm *m = model;
    return awm_learn_hashed(m, r, hash, margin) == LINEAR_OK ? (int64_t)m->n_entrants : -1;
}

static double margin(const void *model, const struct linear_row *r)
{
    return awm_margin(model, r->n, r->id, r->x);
}

static struct linear_entrant entrant(const void *model, uint32_t k)
{
    return ((const struct awm *)model)->entrant[k];
}

static uint32_t rank(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top)
{
    return awm_top(model, k, min_count, weight, top);
}

static double weigh(const void *model, const float *weight, uint32_t slot)
{
    (void)weight;
    return awm_slot_weight(model, slot);
}

static double sure(const void *model, const float *weight, uint32_t slot)
{
    (void)weight;
    return awm_slot_stay_weight(model, slot);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct awm *)model)->index.n);
}

static const struct slotted_kind kind = {.model_bytes = sizeof(struct awm),
                                         .origin_bytes = sizeof(struct linear_origin),
                                         .facts = facts,
                                         .init = init,
                                         .hash = hash_row,
                                         .learn = learn,
                                         .margin = margin,
                                         .entrant = entrant,
                                         .rank = rank,
                                         .weigh = weigh,
                                         .sure = sure,
                                         .report = report,
                                         .write = awm_write,
                                         .read = awm_read,
                                         .merge = awm_mix,
                                         .origin = awm_origin};

SLOTTED_PROCESS(kind)

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
    if (!pattern_of(c, ctx->in, &m))
        return ctx->host->fail(ctx, LEAT_EARG, "no active set fits the budget");
    m.opt.max_row = linear_max_row(&c->base.linear, ctx->in);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &kind, &m);
}

const struct leat_stage learn_awm = {
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
        "A conjunction can be left out of the answer when it says no more than its parts (min_odds_gain "
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
        "one, by which they stay and predict, and a conjunction must beat its parts (min_odds_gain of "
        "sink.top); the weight shown is W(2), and they are ranked by it. A candidate counts "
        "for half its estimate from the sketch, since cells are shared, and its counts begin when "
        "it "
        "enters. Values count as 1, importance weights too. The answer has relative risk and "
        "support "
        "as with `counts`; 32KB holds 1792 features beside 1024 cells." AWM_STATE_DOC,
    .example = "leat.learn.awm { budget = \"32KB\", lambda = 1e-6 }",
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .validate = validate,
    .plan = plan,
    .open = open_stage,
    SLOTTED_STAGE,
};
