/* wm.c -- learn.wm and learn.hash: the Weight-Median Sketch, and feature hashing, which is its
 * case of one row, as stages.
 *
 * The algorithm is in plugins/kernels/linear/wm/wm.c, or with adaptive rates in
 * plugins/kernels/linear/wm_adaptive; what all stages with slots do is in slotted.c. The two share all but the parameters and how a budget is spent. The slots are those of
 * the passive set.
 */
#include <stdio.h>

#include "adaptive.h"
#include "kernels/linear/wm/wm.h"
#include "learners/linear/docs.h"
#include "slotted.h"
#include "wm_adaptive.h"

struct cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
    int32_t mean, estimates;
};

#define SHAPE(NAME, MAX, UNIT, DOC)                                                                \
    {                                                                                              \
        .name = #NAME, .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
        .offset = offsetof(struct cfg, NAME), .def = "0", .max = MAX, .unit = UNIT, .doc = DOC     \
    }

#define SHOWN                                                                                      \
    LEAT_PARAM_AS("shown", struct cfg, estimates, LEAT_CHOICE, .flags = LEAT_ADVANCED,             \
                  .def = "tracked", .choices = wm_shown,                                           \
                  .doc = "weights that are shown: tracked (own steps), or estimate (the paper's)")

/* clang-format off */
#define RATES                                                                                      \
    LINEAR_RATES("adaptive", linear_rates,                                                         \
        "adaptive: every weight has a rate of its own; shared: one for all, as the paper has it"), \
    ADAPTIVE_PRECISION
/* clang-format on */

static const struct leat_param wm_params[] = {
    SLOTTED_PARAMS(64),
    RATES,
    SHAPE(active, WM_MAX_ACTIVE, "features",
          "features known by name; 0: 128, at most a quarter of the budget (shared rates: half)"),
    SHAPE(width, WM_MAX_CELLS, "cells",
          "cells in a row of the sketch; 0: what the budget leaves (shared rates: 128 or more)"),
    SHAPE(depth, WM_MAX_DEPTH, "rows",
          "rows of the sketch; 0: 3 (shared rates: what the budget leaves, at most 32)"),
    LEAT_PARAM_AS("recovery", struct cfg, mean, LEAT_CHOICE, .flags = LEAT_ADVANCED,
                  .def = "median", .choices = wm_recoveries,
                  .doc = "how a weight is estimated from its cells"),
    SHOWN,
};

static const struct leat_param hash_params[] = {
    SLOTTED_PARAMS(64),
    RATES,
    SHAPE(active, WM_MAX_ACTIVE, "features",
          "features known by name; 0: 128, at most an eighth of the budget"),
    SHAPE(width, WM_MAX_CELLS, "cells", "cells of the table; 0: what the budget leaves"),
    SHOWN,
};

/* What tells the two stages apart: how they spend a budget with shared rates, and how many rows
 * they have with adaptive ones unless it is said; 0: the kernel chooses. */
struct form {
    bool (*spend)(uint64_t bytes, struct wm_shape *shape);
    uint32_t depth;
};
static const struct form sketch = {wm_shape_from_budget, 0}, table = {wm_hash_shape_from_budget, 1};

/* Models that are only shape and options. false: no shape fits the budget. */
static bool shared_pattern(const struct form *f, const void *cfg, const struct leat_schema *in,
                           struct wm *m)
{
    const struct cfg *c = cfg;
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct wm){.shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
                     .opt = {.sgd = linear_options(l),
                             .counts = l->counts,
                             .mean = c->mean,
                             .estimates = c->estimates,
                             .max_row = in ? linear_max_row(l, in) : 0}};
    m->shape.extra = wm_extra(&m->opt);
    return f->spend(slotted_budget(&c->base, in), &m->shape);
}

static bool adaptive_pattern_of(const struct form *f, const void *cfg, const struct leat_schema *in,
                                struct wm_adaptive *m)
{
    const struct cfg *c = cfg;
    struct wm_adaptive_shape shape = {(uint32_t)c->active, (uint32_t)c->width,
                                      c->depth ? (uint32_t)c->depth : f->depth};
    return wm_adaptive_pattern(&c->base, in, shape, c->mean, c->estimates, m);
}

/* ---- the kernel ---- */

SLOTTED_FACTS(wm, shape.active, set.n)
SLOTTED_CALLS(wm)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    const struct wm_shape *s = &((const struct wm *)pattern)->shape;
    uint64_t cells = (uint64_t)s->width * s->depth;
    if (cells > WM_MAX_CELLS)
        snprintf(text, 256, "%u rows of %u cells are more than %u cells", s->depth, s->width,
                 WM_MAX_CELLS);
    else if (!cells)
        snprintf(text, 256, "no row of %s fits with %u features in %s",
                 s->width ? "that width" : "cells", s->active, budget);
    else
        snprintf(text, 256, "%u features and %u rows of %u cells take %llu bytes, more than %s",
                 s->active, s->depth, s->width, (unsigned long long)wm_charged_bytes(s), budget);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct wm *)model)->set.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct wm, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
    {"recovery", STATE_SAME, .at = AT(opt.mean), .choices = wm_recoveries},
    {"shown", STATE_SAME, .at = AT(opt.estimates), .choices = wm_shown},
};
#undef AT

static const struct slotted_kind wm_kind = {SLOTTED_KIND(wm), .note_before = "",
                                            .note_after = " features by name"};

/* ---- the two stages ---- */

static const char *guilty(const struct cfg *c)
{
    return c->width ? "width" : c->depth ? "depth" : c->active ? "active" : "budget";
}

static int validate(const struct form *f, const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct wm m;
    struct wm_adaptive a;
    int status = linear_validate(&c->base.linear, d);
    if (adaptive_is_meant(&c->base)) {
        if (adaptive_pattern_of(f, c, NULL, &a)) return status;
        return slotted_refuse_shape(&wm_adaptive_kind, &a, &c->base, guilty(c), d);
    }
    if (c->base.linear.rates != SGD_SHARED) {
        d->error(d, "rates",
                 "%s rates need exact features, but here features share cells: use learn.awm",
                 linear_rates[c->base.linear.rates]);
        status = LEAT_EARG;
    }
    if (shared_pattern(f, c, NULL, &m)) return status;
    return slotted_refuse_shape(&wm_kind, &m, &c->base, guilty(c), d);
}

static int plan(const struct form *f, const void *cfg, const struct leat_schema *in,
                struct leat_plan *p)
{
    struct wm m;
    struct wm_adaptive a;
    if (adaptive_is_meant(cfg))
        return slotted_plan(&wm_adaptive_kind, &a, adaptive_pattern_of(f, cfg, in, &a), cfg, in, p);
    return slotted_plan(&wm_kind, &m, shared_pattern(f, cfg, in, &m), cfg, in, p);
}

static int open(const struct form *f, struct leat_ctx *ctx, void *self)
{
    struct wm m;
    struct wm_adaptive a;
    if (adaptive_is_meant(ctx->cfg)) {
        bool fits = adaptive_pattern_of(f, ctx->cfg, ctx->in, &a);
        a.opt.seed = ctx->host->seed(ctx);
        return slotted_open(ctx, self, &wm_adaptive_kind, &a, fits);
    }
    bool fits = shared_pattern(f, ctx->cfg, ctx->in, &m);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &wm_kind, &m, fits);
}

/* Defines NAME_validate, NAME_plan and NAME_open of the stage that has this form. */
#define STAGE_OF(NAME, FORM)                                                                       \
    static int NAME##_validate(const void *cfg, struct leat_diag *d)                               \
    {                                                                                              \
        return validate(FORM, cfg, d);                                                             \
    }                                                                                              \
    static int NAME##_plan(const void *cfg, const struct leat_schema *in,                          \
                           const struct leat_schema *out, struct leat_plan *p)                     \
    {                                                                                              \
        return plan(FORM, cfg, in, p);                                                             \
    }                                                                                              \
    static int NAME##_open(struct leat_ctx *ctx, void *self) { return open(FORM, ctx, self); }

STAGE_OF(wm, &sketch)
STAGE_OF(hash, &table)

const struct leat_stage learn_wm = {
    SLOTTED_STAGE(wm, struct cfg),
    .summary = "linear classifier in a Count-Sketch, its heaviest weights recovered by medians",
    .example = "leat.learn.wm { budget = \"8KB\", lambda = 1e-6 }",
};

const struct leat_stage learn_hash = {
    SLOTTED_STAGE(hash, struct cfg),
    .summary = "linear classifier on hashed features: one table of signed cells",
    .example = "leat.learn.hash { budget = \"32KB\" }",
};
