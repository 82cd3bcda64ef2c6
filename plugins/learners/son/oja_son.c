/* oja_son.c -- learn.oja_son: online Newton sketched by Oja's algorithm, as a stage. Only glue; the
 * algorithm is in plugins/kernels/son/oja_son.c. */
#include "kernels/son/oja_son.h"
#include "son.h"
#include "son_state.h"

struct cfg {
    struct son_cfg newton;
    int64_t m;
};

struct stage {
    struct son_stage newton;
    struct oja_son model;
};

static const struct leat_param stage_params[] = {
    {.name = "m",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, m),
     .def = "10",
     .min = 1,
     .max = OJA_SON_MAX_M,
     .unit = "rows",
     .doc = "rows of the sketch"},
    SON_PARAMS("1000", 1e-10, "H = alpha0 I at first; to be tuned"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static uint32_t stride(const void *cfg)
{
    return oja_son_stride((uint32_t)((const struct cfg *)cfg)->m);
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    (void)features, (void)touched;
    return oja_son_bytes((uint32_t)((const struct cfg *)cfg)->m);
}

static void init(struct leat_ctx *ctx, void *self, uint32_t features, uint32_t touched, void *block)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    struct son_options o = son_options(&c->newton);
    (void)features, (void)touched;
    oja_son_init(&st->model, &o, (uint32_t)c->m, block);
}

static enum son_result learn(void *self, const struct son_features *f, double *z)
{
    struct stage *st = self;
    return oja_son_learn(&st->model, f, &st->newton.row, z);
}

static double weight(const void *self, const struct son_features *f, uint32_t feature)
{
    return oja_son_weight(&((const struct stage *)self)->model, f, feature);
}

static const struct son_method method = {
    .stride = stride, .bytes = bytes, .init = init, .learn = learn, .weight = weight};

static int write(struct leat_ctx *ctx, const void *self, struct leat_writer *w)
{
    const struct oja_son *m = &((const struct stage *)self)->model;
    (void)ctx;
    w->u64(w, "m", m->m);
    w->u64(w, "rows", m->k);
    w->u64(w, "taken", m->t);
    w->f64(w, "square", m->zz);
    w->array(w, "rotation", LEAT_F64, m->F, (uint64_t)m->m * m->m);
    w->array(w, "eigenvalues", LEAT_F64, m->S, m->m);
    return w->array(w, "coefficients", LEAT_F64, m->c, m->m);
}

static int same(const void *live, struct leat_reader *r)
{
    return r->same_u64(r, "m", ((const struct stage *)live)->model.m);
}

static int read(void *self, struct leat_reader *r)
{
    struct oja_son *m = &((struct stage *)self)->model;
    uint64_t k;
    if (r->u64(r, "rows", &k) != LEAT_OK || r->u64(r, "taken", &m->t) != LEAT_OK ||
        r->f64(r, "square", &m->zz) != LEAT_OK)
        return LEAT_EDATA;
    if (k > m->m || !(m->zz >= 0 && m->zz <= 1e200))
        return r->refuse(r, "rows are %llu", (unsigned long long)k);
    m->k = (uint32_t)k;
    if (son_read_numbers(r, "rotation", (uint64_t)m->m * m->m, m->F) != LEAT_OK ||
        son_read_numbers(r, "eigenvalues", m->m, m->S) != LEAT_OK)
        return LEAT_EDATA;
    for (uint32_t i = 0; i < m->m; i++)
        if (m->S[i] < 0) return r->refuse(r, "an eigenvalue is negative");
    return son_read_numbers(r, "coefficients", m->m, m->c);
}

static const struct son_state_method state = {
    .method = &method,
    .size = sizeof(struct stage),
    .write = write,
    .same = same,
    .read = read,
    .no_merge = "the rows of two learners follow eigenvectors in bases of their own; learn.rfd_son "
                "and learn.fd_son merge"};

SON_CALLS(stage_, method)
SON_STATE_CALLS(stage_, state)

const struct leat_stage learn_oja_son = {
    .name = "learn.oja_son",
    .summary = "online Newton, curvature by Oja's algorithm",
    .doc = "H = alpha0 I + V' diag(S) V: m orthonormal rows V follow the leading eigenvectors of "
           "the gradients, S adds up what falls on them. Rate 1/t; the first m independent "
           "gradients are the first rows. O(m nnz + m^3) an example, 8 m bytes a feature. A "
           "baseline of learn.rfd_son. Source: H. Luo et al., NIPS 2016." SON_DOC,
    .example = "leat.learn.oja_son { m = 10, alpha0 = 1000 }",
    SON_STAGE(stage_),
};
