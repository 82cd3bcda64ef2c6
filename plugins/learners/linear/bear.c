/* bear.c -- learn.bear: directions of limited-memory BFGS in a Count-Sketch of which the heaviest
 * features predict, as a stage.
 *
 * The algorithm is in plugins/kernels/linear/mission/bear.c; what all stages with slots do is in
 * slotted.c. The slots are those of the top.
 */
#include "kernels/linear/mission/bear.h"
#include "learners/linear/docs.h"
#include "mission.h"
#include "common/learners/examples.h"

struct cfg {
    struct mission_cfg mission;
    int64_t batch, tau, batch_entries;
};

#define OWN(NAME) .name = #NAME, .type = LEAT_INT, .offset = offsetof(struct cfg, NAME), .min = 1

static const struct leat_param bear_params[] = {
    MISSION_PARAMS,
    {OWN(batch), .def = "128", .max = BEAR_MAX_BATCH, .unit = "examples",
     .doc = "examples of a mini-batch, from which one step is taken"},
    {OWN(tau), .def = "5", .max = LBFGS_MAX_PAIRS, .unit = "pairs",
     .doc = "last steps that a direction is made from"},
    {OWN(batch_entries), .flags = LEAT_ADVANCED, .def = "8192", .max = BEAR_MAX_ENTRIES,
     .unit = "entries", .doc = "a mini-batch that would have more ends early"},
};

static const struct slotted_kind bear_kind;

static bool fit(uint64_t bytes, void *pattern)
{
    return mission_shape_from_budget(bytes, &((struct bear *)pattern)->shape);
}

/* As mission_pattern. */
static bool bear_pattern(int which, const void *cfg, const struct leat_schema *in, struct bear *b)
{
    const struct cfg *c = cfg;
    const struct linear_cfg *l = &c->mission.base.linear;
    uint32_t max_row = in ? linear_max_row(l, in) : 0;
    *b = (struct bear){.shape = mission_shape_given(&c->mission),
                       .opt = {.sgd = linear_options(l),
                               .counts = l->counts,
                               .max_row = max_row,
                               .tau = (uint32_t)c->tau,
                               .batch = (uint32_t)c->batch,
                               .entries = (uint32_t)c->batch_entries,
                               .longest = max_row}};
    b->shape.extra = mission_extra(&(struct mission_options){.counts = l->counts});
    return slotted_shape(&bear_kind, &c->mission.base, in, fit, b);
}

/* ---- the kernel ---- */

static struct slotted_facts bear_facts(const void *model)
{
    const struct bear *b = model;
    struct bear_options bare = b->opt;
    bare.max_row = 0;
    size_t own = bear_block_bytes(&b->shape, &bare), beside = bear_pair_bytes(&b->opt);
    return (struct slotted_facts){.sgd = &b->top.sgd,
                                  .slots = b->shape.active,
                                  .used = b->top.set.n,
                                  .width = b->shape.width,
                                  .depth = b->shape.depth,
                                  .max_row = b->opt.max_row,
                                  .counts = b->opt.counts,
                                  .count = b->top.count,
                                  .charged = mission_charged_bytes(&b->shape),
                                  .block = own - beside,
                                  .beside = beside,
                                  .scratch = bear_block_bytes(&b->shape, &b->opt) - own};
}

SLOTTED_CALLS(bear)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    mission_misfit(&((const struct bear *)pattern)->shape, budget, text);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    const struct bear *b = model;
    ctx->host->metric(ctx, "active", (double)b->top.set.n);
    ctx->host->metric(ctx, "pairs", (double)b->lbfgs.pairs.n);
    ctx->host->metric(ctx, "pair_bytes", (double)bear_pair_bytes(&b->opt));
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct bear, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)},
    {"batch", STATE_SAME, .at = AT(opt.batch)},
    {"tau", STATE_SAME, .at = AT(opt.tau)},
    {"batch_entries", STATE_SAME, .at = AT(opt.entries)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct linear_state, parts.member)
#define MAX_VALUE  .min = -(double)EXAMPLES_MAX_VALUE, .max = (double)EXAMPLES_MAX_VALUE
#define MAX_WEIGHT .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT
static const struct state_field values[] = {
    {"pair_lengths", STATE_LENT, .at = AT(pairs.length), .count = {AT(pairs.n)}, .sets_count = true,
     .limit = AT(pairs.max)},
    {"pair_ids", STATE_LENT, .at = AT(pairs.id), .count = {AT(pairs.entries)}, .sets_count = true,
     .limit = AT(pairs.max_entries)},
    {"pair_weights", STATE_LENT, .at = AT(pairs.s), .count = {AT(pairs.entries)}, MAX_WEIGHT},
    {"pair_gradients", STATE_LENT, .at = AT(pairs.r), .count = {AT(pairs.entries)}, MAX_WEIGHT},
    {"pending_lengths", STATE_LENT, .at = AT(pending.length), .count = {AT(pending.n)},
     .sets_count = true, .limit = AT(pending.max)},
    {"pending_labels", STATE_LENT, .at = AT(pending.pull), .count = {AT(pending.n)}},
    {"pending_ids", STATE_LENT, .at = AT(pending.id), .count = {AT(pending.entries)},
     .sets_count = true, .limit = AT(pending.max_entries)},
    {"pending_values", STATE_LENT, .at = AT(pending.x), .count = {AT(pending.entries)}, MAX_VALUE},
};
#undef AT

static const struct slotted_kind bear_kind = {
    SLOTTED_KIND(bear), .note_before = "", .note_after = " features that predict", .values = values,
    .n_values = sizeof values / sizeof *values};

/* ---- the stage ---- */

static int bear_validate_as(int which, const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct bear b;
    int status = linear_validate(&c->mission.base.linear, d);
    if (bear_pattern(which, c, NULL, &b)) return status;
    return mission_refuse_shape(&bear_kind, &b, &c->mission, d);
}

SLOTTED_ONE_OF(bear, bear, 0)

static const struct leat_figure bear_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
    {"pairs", "pairs", "pairs of steps and gradients that are kept", LEAT_GAUGE},
    {"pair_bytes", "bytes", "these, beside the budget", LEAT_GAUGE},
};

const struct leat_stage learn_bear = {
    SLOTTED_STAGE(bear, struct cfg),
    .summary = "linear classifier of the k heaviest features, BFGS directions in a Count-Sketch",
    .example = "leat.learn.bear { budget = \"8KB\", lambda = 0, schedule = \"constant\" }",
};
