/* wm.c -- learn.wm and learn.hash: the Weight-Median Sketch, and feature hashing, which is its
 * case of one row, as stages.
 *
 * The algorithm is in plugins/kernels/linear/wm/wm.c, or with adaptive rates in
 * plugins/kernels/linear/wm_adaptive; what all stages with slots do is in slotted.c. The two share
 * all but the parameters and how a budget is spent. The slots are those of the passive set.
 */
#include <math.h>
#include <float.h>
#include <stdio.h>

#include "adaptive.h"
#include "kernels/linear/wm/wm.h"
#include "kernels/linear/wm/wm_theorem.h"
#include "learners/linear/docs.h"
#include "slotted.h"
#include "wm_adaptive.h"

struct cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
    double epsilon, delta, norm; /* of the theorem; epsilon 0: the budget decides */
    int64_t dimension;
    int32_t mean, estimates, average;
    double radius;
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
    ADAPTIVE_OTHERS
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
    LEAT_PARAM(struct cfg, epsilon, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 1,
               .doc = "rows and cells by theorem 1, in place of budget: estimates err by at most "
                      "epsilon times the sum of all weights; 0: by budget",
               .replaces = "budget"),
    LEAT_PARAM(struct cfg, delta, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0.05", .min = 1e-9,
               .max = 0.5, .doc = "with epsilon: probability with which one errs by more",
               .only_with = "epsilon"),
    LEAT_PARAM(struct cfg, dimension, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4294967296",
               .min = 1, .max = 4294967296.0, .unit = "features",
               .doc = "with epsilon: how many features there are", .only_with = "epsilon"),
    LEAT_PARAM_AS("row_norm", struct cfg, norm, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "1",
                  .min = 1e-9, .max = 1e9,
                  .doc = "with epsilon: largest sum of the |values| of an example",
                  .only_with = "epsilon"),
    LEAT_PARAM(struct cfg, average, LEAT_BOOL, .flags = LEAT_ADVANCED, .def = "false",
               .doc = "shared rates: show the mean of the sketches after each example (theorem 2); "
                      "a cell takes twice the bytes"),
    LEAT_PARAM(struct cfg, radius, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 1e9,
               .doc = "shared rates: largest length of the sketch's weights (theorem 2); 0: any"),
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
    slotted_fit *fit;
    uint32_t depth;
};

static bool fit_sketch(uint64_t bytes, void *pattern)
{
    return wm_shape_from_budget(bytes, &((struct wm *)pattern)->shape);
}

static bool fit_table(uint64_t bytes, void *pattern)
{
    return wm_hash_shape_from_budget(bytes, &((struct wm *)pattern)->shape);
}

static const struct form sketch = {fit_sketch, 0}, table = {fit_table, 1};
static const struct slotted_kind wm_kind;

/* ---- the shape by the theorem ---- */

static struct wm_theorem_shape theorem_of(const struct cfg *c, double epsilon)
{
    return wm_theorem_shape(&(struct wm_theorem){.epsilon = epsilon,
                                                 .delta = c->delta,
                                                 .lambda = c->base.linear.lambda,
                                                 .features = (double)c->dimension,
                                                 .norm = c->norm});
}

/* The fields of a shape, 0 for those that are to be chosen. */
static struct wm_adaptive_shape shape_of(const struct form *f, const struct cfg *c)
{
    struct wm_adaptive_shape s = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth};
    if (c->epsilon > 0) {
        struct wm_theorem_shape t = theorem_of(c, c->epsilon);
        s.width = (uint32_t)t.width;
        s.depth = (uint32_t)t.rows;
    }
    if (!s.depth) s.depth = f->depth;
    return s;
}

/* The theorem asks for its cells whatever they cost. */
static struct slotted_cfg base_of(const struct cfg *c)
{
    struct slotted_cfg base = c->base;
    if (c->epsilon > 0) base.budget = INT64_C(1) << 40;
    return base;
}

static bool fits_theorem(const struct cfg *c, double epsilon)
{
    struct wm_theorem_shape t = theorem_of(c, epsilon);
    return t.rows <= WM_MAX_DEPTH && t.rows * t.width <= WM_MAX_CELLS;
}

/* The smallest epsilon of which a sketch has the rows and cells, rounded up; 0: not even 1 is. */
static double smallest_epsilon(const struct cfg *c)
{
    double low = 0, high = 1;
    if (!fits_theorem(c, high)) return 0;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        *(fits_theorem(c, middle) ? &high : &low) = middle;
    }
    return ceil(high * 1000) / 1000;
}

/* What is asked for: with a tiny epsilon it is beyond all numbers. */
static void describe_theorem(const struct cfg *c, char text[128])
{
    struct wm_theorem_shape t = theorem_of(c, c->epsilon);
    double GB = 1 << 30, bytes = t.rows * t.width * (adaptive_is_meant(&c->base) ? 3 : 4);
    if (bytes < 1e24)
        snprintf(text, 128, "%.3g rows of %.3g cells, a budget of %.3g GB", t.rows, t.width,
                 bytes / GB);
    else
        snprintf(text, 128, "more rows and cells than any machine holds");
}

static int refuse_theorem(const struct cfg *c, struct leat_diag *d)
{
    char asked[128], range[64] = "even epsilon = 1 takes more";
    double smallest = smallest_epsilon(c);
    describe_theorem(c, asked);
    if (smallest > 0) snprintf(range, sizeof range, "epsilon must be %g to 1", smallest);
    d->error(
        d, "epsilon",
        "theorem 1 asks for %s, and a sketch has at most %d rows and %u cells. With this delta "
        "and lambda %s: raise %sdelta or lambda, or give budget instead",
        asked, WM_MAX_DEPTH, WM_MAX_CELLS, range, smallest > 0 ? "epsilon, " : "");
    return LEAT_EARG;
}

static int check_theorem(const struct cfg *c, struct leat_diag *d)
{
    if (!(c->epsilon > 0)) return LEAT_OK;
    if (!(c->base.linear.lambda > 0)) {
        d->error(d, "epsilon", "needs a penalty, and lambda is 0: set lambda above 0");
        return LEAT_EARG;
    }
    if (c->width || c->depth) {
        d->error(d, "epsilon", "decides on rows and cells: leave width and depth out");
        return LEAT_EARG;
    }
    if (c->base.budget_total) {
        d->error(d, "budget_total", "has no effect beside epsilon: leave one of the two out");
        return LEAT_EARG;
    }
    return fits_theorem(c, c->epsilon) ? LEAT_OK : refuse_theorem(c, d);
}

/* LEAT_OK, or LEAT_EARG after saying what average and radius do not go with. */
static int check_projection(const struct cfg *c, struct leat_diag *d)
{
    const struct linear_cfg *l = &c->base.linear;
    const char *param = c->average ? "average" : "radius", *needs = NULL;
    if (!c->average && !(c->radius > 0)) return LEAT_OK;
    if (l->rates != SGD_SHARED)
        needs = "rates = \"shared\"";
    else if (l->l1 > 0)
        needs = "l1 = 0";
    else if (l->half_life.examples || l->half_life.ns)
        needs = "half_life = 0";
    else if (c->average && !c->estimates)
        needs = "shown = \"estimate\"";
    if (!needs) return LEAT_OK;
    d->error(d, param, "needs %s: set that, or leave %s out", needs, param);
    return LEAT_EARG;
}

/* Models that are only shape and options. false: no shape fits the budget. */
static bool shared_pattern(const struct form *f, const void *cfg, const struct leat_schema *in,
                           struct wm *m)
{
    const struct cfg *c = cfg;
    const struct linear_cfg *l = &c->base.linear;
    const struct wm_adaptive_shape given = shape_of(f, c);
    const struct slotted_cfg base = base_of(c);
    *m = (struct wm){.shape = {.active = given.active, .width = given.width, .depth = given.depth},
                     .opt = {.sgd = linear_options(l),
                             .counts = l->counts,
                             .mean = c->mean,
                             .estimates = c->estimates,
                             .average = c->average,
                             .radius = c->radius,
                             .max_row = in ? linear_max_row(l, in) : 0}};
    m->shape.extra = wm_extra(&m->opt);
    m->shape.beside = wm_beside(&m->opt);
    return slotted_shape(&wm_kind, &base, in, f->fit, m);
}

static bool adaptive_pattern_of(const struct form *f, const void *cfg, const struct leat_schema *in,
                                struct wm_adaptive *m)
{
    const struct cfg *c = cfg;
    const struct slotted_cfg base = base_of(c);
    return wm_adaptive_pattern(&base, in, shape_of(f, c), c->mean, c->estimates, m);
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
    {"average", STATE_SAME, .at = AT(opt.average), .choices = state_false_true},
    {"radius", STATE_SAME, .at = AT(opt.radius)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct linear_state, parts.member)
#define MAX_SUM    1e100
static const struct state_field values[] = {
    {"summed_alpha", STATE_VALUE, .at = AT(mass), .max = MAX_SUM},
    {"iterates", STATE_VALUE, .at = AT(iterates), .max = MAX_SUM},
    {"square", STATE_VALUE, .at = AT(square), .max = MAX_SUM},
    {"behind", STATE_LENT, .at = AT(behind), .count = {AT(cells)}, .min = -(double)FLT_MAX,
     .max = (double)FLT_MAX, .optional = true},
};
#undef AT

static const struct slotted_kind wm_kind = {SLOTTED_KIND(wm), .note_before = "",
                                            .note_after = " features by name", .values = values,
                                            .n_values = sizeof values / sizeof *values};

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
    if (check_theorem(c, d) != LEAT_OK || check_projection(c, d) != LEAT_OK) return LEAT_EARG;
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

static const struct leat_figure wm_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_wm = {
    SLOTTED_STAGE(wm, struct cfg),
    .summary = "linear classifier in a Count-Sketch, its heaviest weights recovered by medians",
    .example = "leat.learn.wm { budget = \"8KB\", lambda = 1e-6 }",
};

static const struct leat_figure hash_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_hash = {
    SLOTTED_STAGE(hash, struct cfg),
    .summary = "linear classifier on hashed features: one table of signed cells",
    .example = "leat.learn.hash { budget = \"32KB\" }",
};
