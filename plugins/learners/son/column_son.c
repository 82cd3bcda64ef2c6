/* column_son.c -- stages learn.oja_son and learn.rp_son: sketched online Newton.
 *
 * learn.oja_son sketches by Oja's algorithm, learn.rp_son by random projection. The algorithms are
 * in kernels/son/column_son.c. */
#include "kernels/son/column_son.h"
#include "learners/son/docs.h"
#include "son.h"

static const struct leat_param column_son_params[] = {
    SON_PARAM_M("rows of the sketch"),
    SON_PARAMS("1000", 1e-10, "H = alpha0 I at first; must be tuned"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "1048576"),
};

static void column_son_options(const void *cfg, uint64_t seed, void *opt)
{
    const struct son_cfg *c = cfg;
    *(struct column_son_options *)opt =
        (struct column_son_options){son_options(c), (uint32_t)c->m, seed};
}

/* Limit on a sum of squares of finite numbers. */
#define COLUMN_SON_MAX_SUM 1e200

/* ---- by Oja's algorithm ---- */

#define AT(member) STATE_MEMBER(struct column_son, member)
static const struct state_field oja_son_fields[] = {
    {"rows", STATE_VALUE, .at = AT(k), .limit = AT(opt.m), .hint = "m"},
    {"learned_rows", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"frobenius_square", STATE_VALUE, .at = AT(zz), .max = COLUMN_SON_MAX_SUM},
    {"rotation", STATE_COPIED, .at = AT(F), .count = {AT(opt.m), AT(opt.m)},
     .min = -COLUMN_SON_MAX_SUM, .max = COLUMN_SON_MAX_SUM},
    {"eigenvalues", STATE_COPIED, .at = AT(S), .count = {AT(opt.m)}, .max = COLUMN_SON_MAX_SUM},
    {"coefficients", STATE_COPIED, .at = AT(c), .count = {AT(opt.m)}, .min = -COLUMN_SON_MAX_SUM,
     .max = COLUMN_SON_MAX_SUM},
};
#undef AT

static const struct son_method oja_son_method = {
    .kernel = &oja_son_kernel,
    .options = column_son_options,
    .fields = {STATE_TABLE(oja_son_fields)},
    .no_merge =
        "two oja_son learners cannot be merged: their rows follow eigenvectors in different "
        "bases; learn.rfd_son and learn.fd_son can be merged",
};

static int oja_son_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return son_plan(&oja_son_method, cfg, in, p);
}

static int oja_son_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &oja_son_method, self);
}

static const struct leat_figure oja_son_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_oja_son = {
    .name = "learn.oja_son",
    .doc = oja_son_doc,
    SON_STAGE(struct column_son),
    LEAT_PARAMS(column_son_params, struct son_cfg),
    LEAT_FIGURES(oja_son_figures),
    .validate = son_validate,
    .plan = oja_son_plan,
    .open = oja_son_open,
    .summary = "online Newton, curvature by Oja's algorithm",
    .example = "leat.learn.oja_son { m = 10, alpha0 = 1000 }",
};

/* ---- by random projection ---- */

#define AT(member) STATE_MEMBER(struct column_son, member)
static const struct state_field rp_son_same[] = {
    {"seed", STATE_SAME, .at = AT(opt.seed)},
};
static const struct state_field rp_son_fields[] = {
    {"learned_rows", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"gram", STATE_COPIED, .at = AT(G), .count = {AT(opt.m), AT(opt.m)}, .min = -COLUMN_SON_MAX_SUM,
     .max = COLUMN_SON_MAX_SUM},
    {"coefficients", STATE_COPIED, .at = AT(c), .count = {AT(opt.m)}, .min = -COLUMN_SON_MAX_SUM,
     .max = COLUMN_SON_MAX_SUM},
};
#undef AT

static const struct son_method rp_son_method = {
    .kernel = &rp_son_kernel,
    .options = column_son_options,
    .params = {STATE_TABLE(rp_son_same)},
    .fields = {STATE_TABLE(rp_son_fields)},
    .no_merge = "two rp_son learners cannot be merged: with one seed both projected by the same "
                "signs, so that their sketches do not add up; learn.rfd_son and learn.fd_son can "
                "be merged",
};

static int rp_son_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                       struct leat_plan *p)
{
    return son_plan(&rp_son_method, cfg, in, p);
}

static int rp_son_open(struct leat_ctx *ctx, void *self)
{
    return son_open(ctx, &rp_son_method, self);
}

static const struct leat_figure rp_son_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_rp_son = {
    .name = "learn.rp_son",
    .doc = rp_son_doc,
    SON_STAGE(struct column_son),
    LEAT_PARAMS(column_son_params, struct son_cfg),
    LEAT_FIGURES(rp_son_figures),
    .validate = son_validate,
    .plan = rp_son_plan,
    .open = rp_son_open,
    .summary = "online Newton, curvature by random projection",
    .example = "leat.learn.rp_son { m = 10, alpha0 = 1000 }",
};
