/* oja_son.c -- learn.oja_son: online Newton sketched by Oja's algorithm, as a stage. Only glue; the
 * algorithm is in plugins/kernels/son/oja_son.c. */
#include "kernels/son/oja_son.h"
#include "learners/son/docs.h"
#include "son.h"

static const struct leat_param oja_son_params[] = {
    SON_PARAM_M("rows of the sketch"),
    SON_PARAMS("1000", 1e-10, "H = alpha0 I at first; must be tuned"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static uint32_t stride(const void *cfg)
{
    return oja_son_stride((uint32_t)((const struct son_cfg *)cfg)->m);
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    (void)features, (void)touched;
    return oja_son_bytes((uint32_t)((const struct son_cfg *)cfg)->m);
}

static void init(struct leat_ctx *ctx, void *model, uint32_t features, uint32_t touched,
                 void *block)
{
    const struct son_cfg *c = ctx->cfg;
    struct son_options o = son_options(c);
    (void)features, (void)touched;
    oja_son_init(model, &o, (uint32_t)c->m, block);
}

SON_KERNEL(oja_son)

/* Sums of finite squares. */
#define MAX_SUM 1e200

#define AT(member) STATE_MEMBER(struct oja_son, member)
static const struct state_field fields[] = {
    {"rows", STATE_VALUE, .at = AT(k), .limit = AT(m), .hint = "m"},
    {"learned_rows", STATE_VALUE, .at = AT(t)},
    {"frobenius_square", STATE_VALUE, .at = AT(zz), .max = MAX_SUM},
    {"rotation", STATE_COPIED, .at = AT(F), .count = {AT(m), AT(m)}, .min = -MAX_SUM,
     .max = MAX_SUM},
    {"eigenvalues", STATE_COPIED, .at = AT(S), .count = {AT(m)}, .max = MAX_SUM},
    {"coefficients", STATE_COPIED, .at = AT(c), .count = {AT(m)}, .min = -MAX_SUM, .max = MAX_SUM},
};
#undef AT

static const struct son_method method = {
    SON_METHOD(oja_son),
    .bytes = bytes,
    .init = init,
    .fields = {STATE_TABLE(fields)},
    .no_merge =
        "two oja_son learners cannot be merged: their rows follow eigenvectors in different "
        "bases; learn.rfd_son and learn.fd_son can be merged",
};

SON_CALLS(oja_son, &method)

const struct leat_stage learn_oja_son = {
    SON_STAGE(oja_son, struct son_cfg, struct oja_son),
    .summary = "online Newton, curvature by Oja's algorithm",
    .example = "leat.learn.oja_son { m = 10, alpha0 = 1000 }",
};
