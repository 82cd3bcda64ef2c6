/* tracked.c -- stages of linear learners that keep weights only for tracked features.
 *
 * They are learn.truncation, learn.prob_truncation, learn.space_saving and learn.count_min. The
 * algorithms are in plugins/kernels/linear/tracked; truncation with adaptive rates is in
 * plugins/kernels/linear/adaptive. slotted.c has the code for stages with slots. A snapshot has the
 * seed, because it decides which cells a feature has, and because random choices continue from
 * it. */
#include <stdio.h>

#include "adaptive.h"
#include "kernels/linear/adaptive/adaptive.h"
#include "kernels/linear/tracked/tracked.h"
#include "learners/linear/docs.h"
#include "slotted.h"

/* Parameters of all stages in this file. Members that a stage does not have are 0. */
struct tracked_cfg {
    struct slotted_cfg base;
    int64_t features;
    int64_t width, depth; /* only used by learn.count_min */
    /* Parameters of learn.count_min, learn.space_saving and learn.prob_truncation. */
    int32_t conservative, churn, key, reserved;
};

/* Choices of the parameters key and churn, in the order of the kernel's flags. */
static const char *const tracked_keys[] = {"ratio", "product", NULL};
static const char *const tracked_churns[] = {"all", "one", NULL};

/* clang-format off */
#define TRACKED_PARAM(FIELD, TYPE)                                                                 \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct tracked_cfg, FIELD)

#define TRACKED_PARAMS                                                                             \
    SLOTTED_PARAMS(1),                                                                             \
    {TRACKED_PARAM(features, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0",                        \
     .max = LINEAR_MAX_ACTIVE, .unit = "features",                                                 \
     .doc = "number of tracked features; 0: as many as the budget holds"}
/* clang-format on */

/* ---- the kernel ---- */

static void tracked_misfit(const struct linear_shape *s, const struct linear_options *opt,
                           const char *budget, char text[256])
{
    uint32_t slot = tracked_kernel.slot_bytes(opt);
    if (linear_cells(s))
        snprintf(
            text, 256,
            "no feature fits in %s: one feature takes %u bytes, and %u rows of %u cells take %llu",
            budget, slot, s->depth, s->width, 4ull * linear_cells(s));
    else
        snprintf(text, 256, "no feature fits in %s: one feature takes %u bytes", budget, slot);
}

static void tracked_report(struct leat_ctx *ctx, const struct store *s)
{
    ctx->host->metric(ctx, "tracked", (double)s->set.n);
    ctx->host->metric(ctx, "replaced", (double)((const struct tracked *)s)->replaced);
}

#define AT(member) STATE_MEMBER(struct store, member)
static const struct state_field tracked_fields[] = {
    {"rule", STATE_SAME, .at = AT(opt.rule)},
    {"features", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"key", STATE_SAME, .at = AT(opt.product), .choices = tracked_keys},
    {"churn", STATE_SAME, .at = AT(opt.churn_one), .choices = tracked_churns},
    {"conservative", STATE_SAME, .at = AT(opt.conservative), .choices = state_false_true},
    {"seed", STATE_SAME, .at = AT(opt.seed)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct linear_state, parts.member)
static const struct state_field tracked_values[] = {
    {"replaced", STATE_VALUE, .at = AT(dropped)},
    {"priorities", STATE_LENT, .at = AT(priority), .count = {AT(n)}, .max = TRACKED_MAX_PRIORITY,
     .optional = true},
    {"frequencies", STATE_LENT, .at = AT(frequency), .count = {AT(n)}, .max = INT32_MAX,
     .optional = true},
    {"cells", STATE_LENT, .at = AT(counter), .count = {AT(cells)}, .max = INT32_MAX,
     .optional = true},
};
#undef AT

static const struct slotted_kind tracked_kind = {
    .kernel = &tracked_kernel,
    .note_before = "",
    .note_after = " features",
    .misfit = tracked_misfit,
    .report = tracked_report,
    .parameters = {STATE_TABLE(tracked_fields)},
    .values = {STATE_TABLE(tracked_values)},
};

static struct slotted_ask tracked_ask(enum tracked_rule rule, const void *cfg,
                                      const struct leat_schema *in)
{
    const struct tracked_cfg *c = cfg;
    struct slotted_ask ask = {
        .kind = &tracked_kind,
        .shape = {(uint32_t)c->features, (uint32_t)c->width, (uint32_t)c->depth, 0},
        .opt = slotted_options(&c->base, in),
        .param = c->width      ? "width"
                 : c->features ? "features"
                               : "budget",
        .slots_param = "features"};
    ask.opt.rule = rule;
    ask.opt.product = c->key;
    ask.opt.churn_one = c->churn;
    ask.opt.conservative = c->conservative;
    return ask;
}

static int tracked_check_width(const void *cfg, struct leat_diag *d)
{
    return slotted_check_width(((const struct tracked_cfg *)cfg)->width, d);
}

#define TRACKED_FIGURES                                                                            \
    SLOTTED_FIGURES, {"tracked", "features", "features kept by name", LEAT_GAUGE},                 \
    {                                                                                              \
        "replaced", "features", "features that others replaced", LEAT_COUNTER                      \
    }
static const struct leat_figure tracked_figures[] = {TRACKED_FIGURES};

/* ---- learn.truncation ---- */

static const struct leat_param truncation_params[] = {TRACKED_PARAMS, ADAPTIVE_PARAMS};

/* Translates a configuration. With adaptive rates, the model is an active set without cells. */
static struct slotted_ask truncation_ask(const void *cfg, const struct leat_schema *in)
{
    const struct tracked_cfg *c = cfg;
    struct slotted_ask ask = tracked_ask(TRACKED_HEAVIEST, cfg, in);
    if (!adaptive_is_meant(&c->base)) return ask;
    ask.kind = &adaptive_truncation_kind;
    if (!c->features) ask.shape.active = ADAPTIVE_CHOOSE;
    return ask;
}

static const struct slotted_learner truncation_learner = {.ask = truncation_ask,
                                                          .validate = tracked_check_width};

static int truncation_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&truncation_learner, cfg, d);
}

static int truncation_plan(const void *cfg, const struct leat_schema *in,
                           const struct leat_schema *out, struct leat_plan *p)
{
    return slotted_plan(&truncation_learner, cfg, in, p);
}

static int truncation_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &truncation_learner);
}

const struct leat_stage learn_truncation = {
    .name = "learn.truncation",
    .summary = "linear classifier that keeps only its heaviest weights",
    .doc = truncation_doc,
    .example = "leat.learn.truncation { budget = \"32KB\", lambda = 1e-6 }",
    SLOTTED_STAGE,
    LEAT_PARAMS(truncation_params, struct tracked_cfg),
    LEAT_FIGURES(tracked_figures),
    .validate = truncation_validate,
    .plan = truncation_plan,
    .open = truncation_open,
};

/* ---- learn.prob_truncation ---- */

static const struct leat_param prob_truncation_params[] = {
    TRACKED_PARAMS,
    LINEAR_EXACT_RATES,
    {TRACKED_PARAM(key, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "product",
     .choices = tracked_keys,
     .doc = "features with the largest key stay, e ~ Exp(1): product |w| e (the paper's program), "
            "ratio |w|/e (Algorithm 4)"},
};

static struct slotted_ask prob_truncation_ask(const void *cfg, const struct leat_schema *in)
{
    return tracked_ask(TRACKED_SAMPLED, cfg, in);
}

static const struct slotted_learner prob_truncation_learner = {.ask = prob_truncation_ask,
                                                               .validate = tracked_check_width};

static int prob_truncation_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&prob_truncation_learner, cfg, d);
}

static int prob_truncation_plan(const void *cfg, const struct leat_schema *in,
                                const struct leat_schema *out, struct leat_plan *p)
{
    return slotted_plan(&prob_truncation_learner, cfg, in, p);
}

static int prob_truncation_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &prob_truncation_learner);
}

const struct leat_stage learn_prob_truncation = {
    .name = "learn.prob_truncation",
    .summary = "linear classifier that keeps a random sample of its weights, favouring heavy ones",
    .doc = prob_truncation_doc,
    .example = "leat.learn.prob_truncation { budget = \"32KB\", lambda = 1e-6 }",
    SLOTTED_STAGE,
    LEAT_PARAMS(prob_truncation_params, struct tracked_cfg),
    LEAT_FIGURES(tracked_figures),
    .validate = prob_truncation_validate,
    .plan = prob_truncation_plan,
    .open = prob_truncation_open,
};

/* ---- learn.space_saving ---- */

static const struct leat_param space_saving_params[] = {
    TRACKED_PARAMS,
    LINEAR_EXACT_RATES,
    {TRACKED_PARAM(churn, LEAT_CHOICE), .def = "one", .choices = tracked_churns,
     .doc = "untracked features of an example that take a slot: all, or one at random"},
};

static struct slotted_ask space_saving_ask(const void *cfg, const struct leat_schema *in)
{
    return tracked_ask(TRACKED_SPACE_SAVING, cfg, in);
}

static const struct slotted_learner space_saving_learner = {.ask = space_saving_ask,
                                                            .validate = tracked_check_width};

static int space_saving_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&space_saving_learner, cfg, d);
}

static int space_saving_plan(const void *cfg, const struct leat_schema *in,
                             const struct leat_schema *out, struct leat_plan *p)
{
    return slotted_plan(&space_saving_learner, cfg, in, p);
}

static int space_saving_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &space_saving_learner);
}

const struct leat_stage learn_space_saving = {
    .name = "learn.space_saving",
    .summary = "linear classifier of the most frequent features, found by Space Saving",
    .doc = space_saving_doc,
    .example = "leat.learn.space_saving { budget = \"32KB\", churn = \"one\" }",
    SLOTTED_STAGE,
    LEAT_PARAMS(space_saving_params, struct tracked_cfg),
    LEAT_FIGURES(tracked_figures),
    .validate = space_saving_validate,
    .plan = space_saving_plan,
    .open = space_saving_open,
};

/* ---- learn.count_min ---- */

static const struct leat_param count_min_params[] = {
    TRACKED_PARAMS,
    LINEAR_EXACT_RATES,
    {TRACKED_PARAM(conservative, LEAT_BOOL), .def = "true",
     .doc = "raise only the cells of a feature that are too small for its estimate"},
    {TRACKED_PARAM(width, LEAT_INT), .flags = LEAT_ADVANCED, .def = "0", .max = LINEAR_MAX_CELLS,
     .unit = "cells", .doc = "cells in a row of the sketch, a power of two; 0: half the budget"},
    {TRACKED_PARAM(depth, LEAT_INT), .flags = LEAT_ADVANCED, .def = "2", .min = 1,
     .max = TRACKED_MAX_DEPTH, .unit = "rows", .doc = "rows of the sketch"},
};

static struct slotted_ask count_min_ask(const void *cfg, const struct leat_schema *in)
{
    return tracked_ask(TRACKED_COUNT_MIN, cfg, in);
}

static const struct slotted_learner count_min_learner = {.ask = count_min_ask,
                                                         .validate = tracked_check_width};

static int count_min_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&count_min_learner, cfg, d);
}

static int count_min_plan(const void *cfg, const struct leat_schema *in,
                          const struct leat_schema *out, struct leat_plan *p)
{
    return slotted_plan(&count_min_learner, cfg, in, p);
}

static int count_min_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &count_min_learner);
}

const struct leat_stage learn_count_min = {
    .name = "learn.count_min",
    .summary = "linear classifier of the most frequent features, found by a Count-Min sketch",
    .doc = count_min_doc,
    .example = "leat.learn.count_min { budget = \"32KB\", conservative = true }",
    SLOTTED_STAGE,
    LEAT_PARAMS(count_min_params, struct tracked_cfg),
    LEAT_FIGURES(tracked_figures),
    .validate = count_min_validate,
    .plan = count_min_plan,
    .open = count_min_open,
};
