/* columns.c -- learn.oja_son and learn.rp_son: online Newton sketched by Oja's algorithm and by
 * random projection, as stages. Only glue; the algorithms are in
 * plugins/kernels/son/{oja_son,rp_son}.c. */
#include "kernels/son/oja_son.h"
#include "kernels/son/rp_son.h"
#include "learners/son/docs.h"
#include "son.h"

static const struct leat_param params[] = {
    SON_PARAM_M("rows of the sketch"),
    SON_PARAMS("1000", 1e-10, "H = alpha0 I at first; must be tuned"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing), "1048576"),
};

static uint32_t rows_of(const void *cfg) { return (uint32_t)((const struct son_cfg *)cfg)->m; }

static uint32_t stride(const void *cfg) { return son_column_stride(rows_of(cfg)); }

/* Sums of finite squares. */
#define MAX_SUM 1e200

/* ---- by Oja's algorithm ---- */

static size_t oja_son_block(const void *cfg, uint32_t features, uint32_t touched)
{
    return oja_son_bytes(rows_of(cfg));
}

static void oja_son_start(struct leat_ctx *ctx, void *model, uint32_t features, uint32_t touched,
                          void *block)
{
    struct son_options o = son_options(ctx->cfg);
    oja_son_init(model, &o, rows_of(ctx->cfg), block);
}

SON_LEARN(oja_son)
SON_WEIGH(oja_son)

#define AT(member) STATE_MEMBER(struct oja_son, member)
static const struct state_field oja_son_fields[] = {
    {"rows", STATE_VALUE, .at = AT(k), .limit = AT(m), .hint = "m"},
    {"learned_rows", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"frobenius_square", STATE_VALUE, .at = AT(zz), .max = MAX_SUM},
    {"rotation", STATE_COPIED, .at = AT(F), .count = {AT(m), AT(m)}, .min = -MAX_SUM,
     .max = MAX_SUM},
    {"eigenvalues", STATE_COPIED, .at = AT(S), .count = {AT(m)}, .max = MAX_SUM},
    {"coefficients", STATE_COPIED, .at = AT(c), .count = {AT(m)}, .min = -MAX_SUM, .max = MAX_SUM},
};
#undef AT

static const struct son_method oja_son_method = {
    SON_IMPLICIT_METHOD(oja_son),
    .bytes = oja_son_block,
    .init = oja_son_start,
    .fields = {STATE_TABLE(oja_son_fields)},
    .no_merge =
        "two oja_son learners cannot be merged: their rows follow eigenvectors in different "
        "bases; learn.rfd_son and learn.fd_son can be merged",
};

LEARNER_CALLS(oja_son, son, &oja_son_method)

static const struct leat_figure oja_son_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_oja_son = {
    SON_STAGE(oja_son, params, struct son_cfg, struct oja_son, son_validate),
    .summary = "online Newton, curvature by Oja's algorithm",
    .example = "leat.learn.oja_son { m = 10, alpha0 = 1000 }",
};

/* ---- by random projection ---- */

static size_t rp_son_block(const void *cfg, uint32_t features, uint32_t touched)
{
    return rp_son_bytes(rows_of(cfg));
}

static void rp_son_start(struct leat_ctx *ctx, void *model, uint32_t features, uint32_t touched,
                         void *block)
{
    struct son_options o = son_options(ctx->cfg);
    rp_son_init(model, &o, rows_of(ctx->cfg), ctx->host->seed(ctx), block);
}

SON_LEARN(rp_son)
SON_WEIGH(rp_son)

static const char *rp_son_wrong(const void *model, const struct son_features *f)
{
    return rp_son_check(model);
}

#define AT(member) STATE_MEMBER(struct rp_son, member)
static const struct state_field rp_son_same[] = {
    {"seed", STATE_SAME, .at = AT(seed)},
};
static const struct state_field rp_son_fields[] = {
    {"learned_rows", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"gram", STATE_COPIED, .at = AT(G), .count = {AT(m), AT(m)}, .min = -MAX_SUM, .max = MAX_SUM},
    {"coefficients", STATE_COPIED, .at = AT(c), .count = {AT(m)}, .min = -MAX_SUM, .max = MAX_SUM},
};
#undef AT

static const struct son_method rp_son_method = {
    SON_IMPLICIT_METHOD(rp_son),
    .bytes = rp_son_block,
    .init = rp_son_start,
    .params = {STATE_TABLE(rp_son_same)},
    .fields = {STATE_TABLE(rp_son_fields)},
    .check = rp_son_wrong,
    .no_merge = "two rp_son learners cannot be merged: with one seed both projected by the same "
                "signs, so that their sketches do not add up; learn.rfd_son and learn.fd_son can "
                "be merged",
};

LEARNER_CALLS(rp_son, son, &rp_son_method)

static const struct leat_figure rp_son_figures[] = {
    SON_FIGURES,
};

const struct leat_stage learn_rp_son = {
    SON_STAGE(rp_son, params, struct son_cfg, struct rp_son, son_validate),
    .summary = "online Newton, curvature by random projection",
    .example = "leat.learn.rp_son { m = 10, alpha0 = 1000 }",
};
