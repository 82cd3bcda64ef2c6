/* wm.c -- stages learn.wm and learn.hash: the Weight-Median Sketch, and feature hashing.
 *
 * Feature hashing is a sketch of one row. The algorithm is in plugins/kernels/linear/wm; with
 * adaptive rates, in plugins/kernels/linear/wm_adaptive. The two stages differ in their parameters
 * and in the way that they divide a budget. slotted.c has the code for stages with slots. Here a
 * slot is a place in the passive set. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "adaptive.h"
#include "kernels/linear/wm/wm.h"
#include "learners/linear/docs.h"
#include "slotted.h"

struct wm_cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
    double epsilon, delta, norm; /* parameters of the theorem; epsilon = 0: not used */
    int64_t dimension;
    int32_t mean, estimates, average;
    double radius;
};

#define SHAPE(NAME, MAX, UNIT, DOC)                                                                \
    {                                                                                              \
        .name = #NAME, .type = LEAT_INT, .flags = LEAT_ADVANCED,                                   \
        .offset = offsetof(struct wm_cfg, NAME), .def = "0", .max = MAX, .unit = UNIT, .doc = DOC  \
    }

#define SHOWN                                                                                      \
    LEAT_PARAM_AS("shown", struct wm_cfg, estimates, LEAT_CHOICE, .flags = LEAT_ADVANCED,          \
                  .def = "tracked", .choices = wm_shown,                                           \
                  .doc = "weights that are shown: tracked (own steps), or estimate (the paper's)")

/* clang-format off */
#define RATES                                                                                      \
    LINEAR_RATES("adaptive", linear_rates,                                                         \
        "adaptive: each weight has its own rate; shared: one rate for all, as in the paper"), \
    ADAPTIVE_OTHERS
/* clang-format on */

static const struct leat_param wm_params[] = {
    SLOTTED_PARAMS(64),
    RATES,
    SHAPE(active, LINEAR_MAX_ACTIVE, "features",
          "features known by name; 0: 128, at most a quarter of the budget (shared rates: half)"),
    SHAPE(width, LINEAR_MAX_CELLS, "cells",
          "cells in a row of the sketch; 0: as many as the budget allows (shared rates: 128 or "
          "more)"),
    SHAPE(depth, WM_MAX_DEPTH, "rows",
          "rows of the sketch; 0: 3 (shared rates: as many as the budget allows, at most 32)"),
    LEAT_PARAM_AS("recovery", struct wm_cfg, mean, LEAT_CHOICE, .flags = LEAT_ADVANCED,
                  .def = "median", .choices = wm_recoveries,
                  .doc = "how a weight is estimated from its cells"),
    SHOWN,
    LEAT_PARAM(struct wm_cfg, epsilon, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 1,
               .doc = "sets rows and cells by theorem 1, in place of budget: estimates err by at "
                      "most epsilon times the sum of all weights; 0: use budget",
               .replaces = "budget"),
    LEAT_PARAM(struct wm_cfg, delta, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0.05", .min = 1e-9,
               .max = 0.5, .doc = "with epsilon: probability that an estimate errs by more",
               .only_with = "epsilon"),
    LEAT_PARAM(struct wm_cfg, dimension, LEAT_INT, .flags = LEAT_ADVANCED, .def = "4294967296",
               .min = 1, .max = 4294967296.0, .unit = "features",
               .doc = "with epsilon: number of features", .only_with = "epsilon"),
    LEAT_PARAM_AS("row_norm", struct wm_cfg, norm, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "1",
                  .min = 1e-9, .max = 1e9,
                  .doc = "with epsilon: largest sum of the |values| of an example",
                  .only_with = "epsilon"),
    LEAT_PARAM(struct wm_cfg, average, LEAT_BOOL, .flags = LEAT_ADVANCED, .def = "false",
               .doc = "shared rates: show the mean of the sketches after each example (theorem 2); "
                      "a cell takes twice the bytes"),
    LEAT_PARAM(struct wm_cfg, radius, LEAT_FLOAT, .flags = LEAT_ADVANCED, .def = "0", .min = 0,
               .max = 1e9,
               .doc = "shared rates: largest length of the sketch's weights (theorem 2); 0: any"),
};

static const struct leat_param hash_params[] = {
    SLOTTED_PARAMS(64),
    RATES,
    SHAPE(active, LINEAR_MAX_ACTIVE, "features",
          "features known by name; 0: 128, at most an eighth of the budget"),
    SHAPE(width, LINEAR_MAX_CELLS, "cells", "cells of the table; 0: as many as the budget allows"),
    SHOWN,
};

/* ---- the shape by the theorem ---- */

static struct wm_theorem_shape wm_theorem_of(const struct wm_cfg *c, double epsilon)
{
    return wm_theorem_shape(&(struct wm_theorem){.epsilon = epsilon,
                                                 .delta = c->delta,
                                                 .lambda = c->base.linear.lambda,
                                                 .features = (double)c->dimension,
                                                 .norm = c->norm});
}

static bool wm_fits_theorem(const struct wm_cfg *c, double epsilon)
{
    struct wm_theorem_shape t = wm_theorem_of(c, epsilon);
    return t.rows <= WM_MAX_DEPTH && t.rows * t.width <= LINEAR_MAX_CELLS;
}

/* Returns the smallest epsilon, rounded up, for which the theorem does not require too many rows
 * and cells. Returns 0 if even epsilon = 1 requires too many. */
static double wm_smallest_epsilon(const struct wm_cfg *c)
{
    double low = 0, high = 1;
    if (!wm_fits_theorem(c, high)) return 0;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        *(wm_fits_theorem(c, middle) ? &high : &low) = middle;
    }
    return ceil(high * 1000) / 1000;
}

/* Describes the shape that the theorem requires for c->epsilon. A tiny epsilon requires more than
 * any machine has. */
static void wm_describe_theorem(const struct wm_cfg *c, char text[128])
{
    struct wm_theorem_shape t = wm_theorem_of(c, c->epsilon);
    double GB = 1 << 30, bytes = t.rows * t.width * (adaptive_is_meant(&c->base) ? 3 : 4);
    if (bytes < 1e24)
        snprintf(text, 128, "%.3g rows of %.3g cells, a budget of %.3g GB", t.rows, t.width,
                 bytes / GB);
    else
        snprintf(text, 128, "more rows and cells than any machine holds");
}

static int wm_refuse_theorem(const struct wm_cfg *c, struct leat_diag *d)
{
    char asked[128], range[64] = "even epsilon = 1 needs more";
    double smallest = wm_smallest_epsilon(c);
    wm_describe_theorem(c, asked);
    if (smallest > 0) snprintf(range, sizeof range, "epsilon must be %g to 1", smallest);
    d->error(d, "epsilon",
             "theorem 1 needs %s, and a sketch has at most %d rows and %u cells. With this delta "
             "and lambda %s: raise %sdelta or lambda, or give budget instead",
             asked, WM_MAX_DEPTH, LINEAR_MAX_CELLS, range, smallest > 0 ? "epsilon, " : "");
    return LEAT_EARG;
}

static int wm_check_theorem(const struct wm_cfg *c, struct leat_diag *d)
{
    if (!(c->epsilon > 0)) return LEAT_OK;
    if (!(c->base.linear.lambda > 0)) {
        d->error(d, "epsilon", "needs a penalty, and lambda is 0: set lambda above 0");
        return LEAT_EARG;
    }
    if (c->width || c->depth) {
        d->error(d, "epsilon", "sets the rows and cells: leave out width and depth");
        return LEAT_EARG;
    }
    if (c->base.budget_total) {
        d->error(d, "budget_total",
                 "has no effect together with epsilon: leave one of the two out");
        return LEAT_EARG;
    }
    return wm_fits_theorem(c, c->epsilon) ? LEAT_OK : wm_refuse_theorem(c, d);
}

/* Checks that other parameters do not exclude `average` or `radius`. Returns LEAT_OK, or LEAT_EARG
 * after reporting an error. */
static int wm_check_projection(const struct wm_cfg *c, struct leat_diag *d)
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

/* ---- the kernel ---- */

static void wm_misfit(const struct linear_shape *s, const struct linear_options *opt,
                      const char *budget, char text[256])
{
    slotted_misfit_rows(&wm_kernel, s, opt, budget, text);
}

#define AT(member) STATE_MEMBER(struct store, member)
static const struct state_field wm_fields[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* the seed determines the cells of each feature */
    {"recovery", STATE_SAME, .at = AT(opt.mean), .choices = wm_recoveries},
    {"shown", STATE_SAME, .at = AT(opt.estimates), .choices = wm_shown},
    {"average", STATE_SAME, .at = AT(opt.average), .choices = state_false_true},
    {"radius", STATE_SAME, .at = AT(opt.radius)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct linear_state, parts.member)
#define MAX_SUM    1e100
static const struct state_field wm_values[] = {
    {"summed_alpha", STATE_VALUE, .at = AT(mass), .max = MAX_SUM},
    {"iterates", STATE_VALUE, .at = AT(iterates), .max = MAX_SUM},
    {"square", STATE_VALUE, .at = AT(square), .max = MAX_SUM},
    {"behind", STATE_LENT, .at = AT(behind), .count = {AT(cells)}, .min = -(double)FLT_MAX,
     .max = (double)FLT_MAX, .optional = true},
};
#undef AT

#define WM_KIND                                                                                    \
    .kernel = &wm_kernel, .note_before = "", .note_after = " features by name",                    \
    .misfit = wm_misfit, .report = slotted_report_active, .parameters = {STATE_TABLE(wm_fields)},  \
    .values = {STATE_TABLE(wm_values)}
static const struct slotted_kind wm_kind = {WM_KIND};
static const struct slotted_kind hash_kind = {WM_KIND, .shape_for = wm_hash_shape_for};

/* ---- the two stages ---- */

/* Translates a configuration. `shared` is the kernel for shared rates. `depth` is the number of
 * rows if the configuration does not set it (0: the kernel chooses). If epsilon is set, the theorem
 * determines the shape and the budget does not limit the cells. */
static struct slotted_ask wm_ask_of(const struct slotted_kind *shared, uint32_t depth,
                                    const void *cfg, const struct leat_schema *in)
{
    const struct wm_cfg *c = cfg;
    struct slotted_ask ask = {
        .kind = adaptive_is_meant(&c->base) ? &wm_adaptive_kind : shared,
        .shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
        .opt = slotted_options(&c->base, in),
        .param = c->width    ? "width"
                 : c->depth  ? "depth"
                 : c->active ? "active"
                             : "budget",
        .slots_param = "active"};
    if (c->epsilon > 0) {
        struct wm_theorem_shape t = wm_theorem_of(c, c->epsilon);
        ask.shape.width = (uint32_t)t.width;
        ask.shape.depth = (uint32_t)t.rows;
        ask.budget = INT64_C(1) << 40;
    }
    if (!ask.shape.depth) ask.shape.depth = depth;
    ask.opt.mean = c->mean;
    ask.opt.estimates = c->estimates;
    ask.opt.average = c->average;
    ask.opt.radius = c->radius;
    return ask;
}

static int wm_check(const void *cfg, struct leat_diag *d)
{
    const struct wm_cfg *c = cfg;
    int32_t rates = c->base.linear.rates;
    if (wm_check_theorem(c, d) != LEAT_OK || wm_check_projection(c, d) != LEAT_OK) return LEAT_EARG;
    if (rates == SGD_SHARED || rates == SGD_ADAPTIVE) return LEAT_OK;
    d->error(d, "rates",
             "%s rates need exact features, but here features share cells: use learn.awm",
             linear_rates[rates]);
    return LEAT_EARG;
}

static struct slotted_ask wm_ask(const void *cfg, const struct leat_schema *in)
{
    return wm_ask_of(&wm_kind, 0, cfg, in);
}

static const struct slotted_learner wm_learner = {.ask = wm_ask, .validate = wm_check};

static int wm_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&wm_learner, cfg, d);
}

static int wm_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                   struct leat_plan *p)
{
    return slotted_plan(&wm_learner, cfg, in, p);
}

static int wm_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &wm_learner);
}

static const struct leat_figure wm_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_wm = {
    .name = "learn.wm",
    .summary = "linear classifier in a Count-Sketch, its heaviest weights recovered by medians",
    .doc = wm_doc,
    .example = "leat.learn.wm { budget = \"8KB\", lambda = 1e-6 }",
    SLOTTED_STAGE,
    LEAT_PARAMS(wm_params, struct wm_cfg),
    LEAT_FIGURES(wm_figures),
    .validate = wm_validate,
    .plan = wm_plan,
    .open = wm_open,
};

static struct slotted_ask wm_hash_ask(const void *cfg, const struct leat_schema *in)
{
    return wm_ask_of(&hash_kind, 1, cfg, in);
}

static const struct slotted_learner hash_learner = {.ask = wm_hash_ask, .validate = wm_check};

static int wm_hash_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&hash_learner, cfg, d);
}

static int wm_hash_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return slotted_plan(&hash_learner, cfg, in, p);
}

static int wm_hash_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &hash_learner);
}

const struct leat_stage learn_hash = {
    .name = "learn.hash",
    .summary = "linear classifier on hashed features: one table of signed cells",
    .doc = hash_doc,
    .example = "leat.learn.hash { budget = \"32KB\" }",
    SLOTTED_STAGE,
    LEAT_PARAMS(hash_params, struct wm_cfg),
    LEAT_FIGURES(wm_figures),
    .validate = wm_hash_validate,
    .plan = wm_hash_plan,
    .open = wm_hash_open,
};
