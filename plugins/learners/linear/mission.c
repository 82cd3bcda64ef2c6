/* mission.c -- stages learn.mission and learn.bear: a Count-Sketch whose heaviest features predict.
 *
 * learn.mission takes gradient steps in the sketch. learn.bear takes steps of limited-memory BFGS.
 * The algorithms are in plugins/kernels/linear/mission. slotted.c has the code for stages with
 * slots. Here a slot is a place among the heaviest features. */
#include <stdio.h>

#include "common/learners/examples.h"
#include "kernels/linear/mission/bear.h"
#include "kernels/linear/mission/mission.h"
#include "learners/linear/docs.h"
#include "slotted.h"

struct mission_cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
};

/* clang-format off */
#define MISSION_SHAPE(NAME, MAX, UNIT, DOC)                                                        \
    {.name = #NAME, .type = LEAT_INT, .flags = LEAT_ADVANCED,                                      \
     .offset = offsetof(struct mission_cfg, NAME), .def = "0", .max = MAX, .unit = UNIT, .doc = DOC}
/* Parameters of both stages. There is no L1 penalty, because k limits the number of features. */
#define MISSION_PARAMS                                                                             \
    SLOTTED_BUDGET(64), LINEAR_LAMBDA, LINEAR_OTHERS,                                              \
    MISSION_SHAPE(active, LINEAR_MAX_ACTIVE, "features",                                          \
                  "k: features that predict; 0: 128, at most half the budget"),                    \
    MISSION_SHAPE(width, LINEAR_MAX_CELLS, "cells",                                               \
                  "cells in a row of the sketch; 0: as many as the budget allows"),                \
    MISSION_SHAPE(depth, COUNT_SKETCH_MAX_DEPTH, "rows", "rows of the sketch; 0: 3")
/* clang-format on */

static const struct leat_param mission_params[] = {MISSION_PARAMS};

struct bear_cfg {
    struct mission_cfg mission;
    int64_t batch, tau, batch_entries;
};

#define OWN(NAME)                                                                                  \
    .name = #NAME, .type = LEAT_INT, .offset = offsetof(struct bear_cfg, NAME), .min = 1

static const struct leat_param bear_params[] = {
    MISSION_PARAMS,
    {OWN(batch), .def = "128", .max = BEAR_MAX_BATCH, .unit = "examples",
     .doc = "examples of a mini-batch, from which one step is taken"},
    {OWN(tau), .def = "5", .max = LBFGS_MAX_PAIRS, .unit = "pairs",
     .doc = "last steps that a direction is made from"},
    {OWN(batch_entries), .flags = LEAT_ADVANCED, .def = "8192", .max = BEAR_MAX_ENTRIES,
     .unit = "entries", .doc = "a mini-batch that would have more ends early"},
};

/* ---- the kernels ---- */

static void mission_misfit(const struct linear_shape *s, const struct linear_options *opt,
                           const char *budget, char text[256])
{
    struct linear_shape of_any_width = *s;
    if (!linear_cells(s)) of_any_width.width = 0;
    slotted_misfit_rows(&mission_kernel, &of_any_width, opt, budget, text);
}

static void bear_report(struct leat_ctx *ctx, const struct store *s)
{
    slotted_report_active(ctx, s);
    ctx->host->metric(ctx, "pairs", (double)((const struct bear *)s)->lbfgs.pairs.n);
    ctx->host->metric(ctx, "pair_bytes", (double)bear_kernel.beside_bytes(&s->opt));
}

#define AT(member) STATE_MEMBER(struct store, member)
#define MISSION_FIELDS                                                                             \
    {"active", STATE_SAME, .at = AT(shape.active)}, {"width", STATE_SAME, .at = AT(shape.width)},  \
        {"depth", STATE_SAME, .at = AT(shape.depth)},                                              \
    {                                                                                              \
        "seed", STATE_SAME, .at = AT(opt.seed)                                                     \
    } /* the seed determines the cells of each feature */
static const struct state_field mission_fields[] = {MISSION_FIELDS};
static const struct state_field bear_fields[] = {
    MISSION_FIELDS,
    {"batch", STATE_SAME, .at = AT(opt.batch)},
    {"tau", STATE_SAME, .at = AT(opt.tau)},
    {"batch_entries", STATE_SAME, .at = AT(opt.entries)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct linear_state, parts.member)
#define MAX_VALUE  .min = -(double)EXAMPLES_MAX_VALUE, .max = (double)EXAMPLES_MAX_VALUE
#define MAX_WEIGHT .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT
static const struct state_field bear_values[] = {
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

static const struct slotted_kind mission_kind = {
    .kernel = &mission_kernel,
    .note_before = "",
    .note_after = " features that predict",
    .misfit = mission_misfit,
    .report = slotted_report_active,
    .parameters = {STATE_TABLE(mission_fields)},
};

static const struct slotted_kind bear_kind = {
    .kernel = &bear_kernel,
    .note_before = "",
    .note_after = " features that predict",
    .misfit = mission_misfit,
    .report = bear_report,
    .parameters = {STATE_TABLE(bear_fields)},
    .values = {STATE_TABLE(bear_values)},
};

/* ---- learn.mission ---- */

static struct slotted_ask mission_ask(const void *cfg, const struct leat_schema *in)
{
    const struct mission_cfg *c = cfg;
    return (struct slotted_ask){
        .kind = &mission_kind,
        .shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
        .opt = slotted_options(&c->base, in),
        .param = c->width    ? "width"
                 : c->depth  ? "depth"
                 : c->active ? "active"
                             : "budget",
        .slots_param = "active"};
}

static const struct slotted_learner mission_learner = {.ask = mission_ask};

static int mission_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&mission_learner, cfg, d);
}

static int mission_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return slotted_plan(&mission_learner, cfg, in, p);
}

static int mission_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &mission_learner);
}

static const struct leat_figure mission_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_mission = {
    .name = "learn.mission",
    .summary = "linear classifier of the k heaviest features, its steps in a Count-Sketch",
    .doc = mission_doc,
    .example =
        "leat.learn.mission { budget = \"8KB\", lambda = 0, eta0 = 0.5, schedule = \"constant\" }",
    SLOTTED_STAGE,
    LEAT_PARAMS(mission_params, struct mission_cfg),
    LEAT_FIGURES(mission_figures),
    .validate = mission_validate,
    .plan = mission_plan,
    .open = mission_open,
};

/* ---- learn.bear ---- */

static struct slotted_ask bear_ask(const void *cfg, const struct leat_schema *in)
{
    const struct bear_cfg *c = cfg;
    struct slotted_ask ask = mission_ask(cfg, in);
    ask.kind = &bear_kind;
    ask.opt.tau = (uint32_t)c->tau;
    ask.opt.batch = (uint32_t)c->batch;
    ask.opt.entries = (uint32_t)c->batch_entries;
    ask.opt.longest = ask.opt.max_row;
    return ask;
}

static const struct slotted_learner bear_learner = {.ask = bear_ask};

static int bear_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&bear_learner, cfg, d);
}

static int bear_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                     struct leat_plan *p)
{
    return slotted_plan(&bear_learner, cfg, in, p);
}

static int bear_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &bear_learner);
}

static const struct leat_figure bear_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
    {"pairs", "pairs", "pairs of steps and gradients that are kept", LEAT_GAUGE},
    {"pair_bytes", "bytes", "bytes of these pairs, which the budget does not count", LEAT_GAUGE},
};

const struct leat_stage learn_bear = {
    .name = "learn.bear",
    .summary = "linear classifier of the k heaviest features, BFGS directions in a Count-Sketch",
    .doc = bear_doc,
    .example = "leat.learn.bear { budget = \"8KB\", lambda = 0, schedule = \"constant\" }",
    SLOTTED_STAGE,
    LEAT_PARAMS(bear_params, struct bear_cfg),
    LEAT_FIGURES(bear_figures),
    .validate = bear_validate,
    .plan = bear_plan,
    .open = bear_open,
};
