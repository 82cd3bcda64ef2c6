/* rp_son.c -- learn.rp_son: online Newton sketched by random projection, as a stage. Only glue; the
 * algorithm is in plugins/kernels/son/rp_son.c. */
#include "kernels/son/rp_son.h"
#include "learners/son/docs.h"
#include "son.h"

static const struct leat_param rp_son_params[] = {
    SON_PARAM_M("rows of the sketch"),
    SON_PARAMS("1000", 1e-10, "H = alpha0 I at first; must be tuned"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static uint32_t stride(const void *cfg)
{
    return rp_son_stride((uint32_t)((const struct son_cfg *)cfg)->m);
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    (void)features, (void)touched;
    return rp_son_bytes((uint32_t)((const struct son_cfg *)cfg)->m);
}

static void init(struct leat_ctx *ctx, void *model, uint32_t features, uint32_t touched,
                 void *block)
{
    const struct son_cfg *c = ctx->cfg;
    struct son_options o = son_options(c);
    (void)features, (void)touched;
    rp_son_init(model, &o, (uint32_t)c->m, ctx->host->seed(ctx), block);
}

SON_KERNEL(rp_son)

static const char *check(const void *model, const struct son_features *f)
{
    (void)f;
    return rp_son_check(model);
}

/* Sums of finite squares. */
#define MAX_SUM 1e200

#define AT(member) STATE_MEMBER(struct rp_son, member)
static const struct state_field params[] = {
    {"seed", STATE_SAME, .at = AT(seed)},
};
static const struct state_field fields[] = {
    {"learned_rows", STATE_VALUE, .at = AT(t)},
    {"gram", STATE_COPIED, .at = AT(G), .count = {AT(m), AT(m)}, .min = -MAX_SUM, .max = MAX_SUM},
    {"coefficients", STATE_COPIED, .at = AT(c), .count = {AT(m)}, .min = -MAX_SUM, .max = MAX_SUM},
};
#undef AT

static const struct son_method method = {
    SON_METHOD(rp_son),
    .bytes = bytes,
    .init = init,
    .params = {STATE_TABLE(params)},
    .fields = {STATE_TABLE(fields)},
    .check = check,
    .no_merge = "two rp_son learners cannot be merged: with one seed both projected by the same "
                "signs, so that their sketches do not add up; learn.rfd_son and learn.fd_son can "
                "be merged",
};

SON_CALLS(rp_son, &method)

const struct leat_stage learn_rp_son = {
    SON_STAGE(rp_son, struct son_cfg, struct rp_son),
    .summary = "online Newton, curvature by random projection",
    .example = "leat.learn.rp_son { m = 10, alpha0 = 1000 }",
};
