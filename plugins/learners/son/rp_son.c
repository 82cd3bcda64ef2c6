/* rp_son.c -- learn.rp_son: online Newton sketched by random projection, as a stage. Only glue; the
 * algorithm is in plugins/kernels/son/rp_son.c. */
#include "kernels/son/rp_son.h"
#include "son.h"
#include "son_state.h"

struct cfg {
    struct son_cfg newton;
    int64_t m;
};

struct stage {
    struct son_stage newton;
    struct rp_son model;
};

static const struct leat_param stage_params[] = {
    {.name = "m",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, m),
     .def = "10",
     .min = 1,
     .max = RP_SON_MAX_M,
     .unit = "rows",
     .doc = "rows of the sketch"},
    SON_PARAMS("1000", 1e-10, "H = alpha0 I at first; to be tuned"),
    GROWING_PARAMS(offsetof(struct son_cfg, growing)),
};

static uint32_t stride(const void *cfg)
{
    return rp_son_stride((uint32_t)((const struct cfg *)cfg)->m);
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    (void)features, (void)touched;
    return rp_son_bytes((uint32_t)((const struct cfg *)cfg)->m);
}

static void init(struct leat_ctx *ctx, void *self, uint32_t features, uint32_t touched, void *block)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    struct son_options o = son_options(&c->newton);
    (void)features, (void)touched;
    rp_son_init(&st->model, &o, (uint32_t)c->m, ctx->host->seed(ctx), block);
}

static enum son_result learn(void *self, const struct son_features *f, double *z)
{
    struct stage *st = self;
    return rp_son_learn(&st->model, f, &st->newton.row, z);
}

static double weight(const void *self, const struct son_features *f, uint32_t feature)
{
    return rp_son_weight(&((const struct stage *)self)->model, f, feature);
}

static const struct son_method method = {
    .stride = stride, .bytes = bytes, .init = init, .learn = learn, .weight = weight};

static int write(struct leat_ctx *ctx, const void *self, struct leat_writer *w)
{
    const struct rp_son *m = &((const struct stage *)self)->model;
    (void)ctx;
    w->u64(w, "m", m->m);
    w->u64(w, "seed", m->seed);
    w->u64(w, "drawn", m->t);
    w->array(w, "gram", LEAT_F64, m->G, (uint64_t)m->m * m->m);
    return w->array(w, "coefficients", LEAT_F64, m->c, m->m);
}

static int same(const void *live, struct leat_reader *r)
{
    const struct rp_son *m = &((const struct stage *)live)->model;
    return r->same_u64(r, "m", m->m) | r->same_u64(r, "seed", m->seed);
}

static int read(void *self, struct leat_reader *r)
{
    struct rp_son *m = &((struct stage *)self)->model;
    if (r->u64(r, "drawn", &m->t) != LEAT_OK) return LEAT_EDATA;
    if (son_read_numbers(r, "gram", (uint64_t)m->m * m->m, m->G) != LEAT_OK) return LEAT_EDATA;
    for (uint32_t k = 0; k < m->m; k++)
        if (m->G[(size_t)k * m->m + k] < 0) return r->refuse(r, "gram has a negative square");
    return son_read_numbers(r, "coefficients", m->m, m->c);
}

static const struct son_state_method state = {
    .method = &method,
    .size = sizeof(struct stage),
    .write = write,
    .same = same,
    .read = read,
    .no_merge = "two learners of one seed projected by the same signs: their sketches do not add "
                "up; learn.rfd_son and learn.fd_son merge"};

SON_CALLS(stage_, method)
SON_STATE_CALLS(stage_, state)

const struct leat_stage learn_rp_son = {
    .name = "learn.rp_son",
    .summary = "online Newton, curvature by random projection",
    .doc = "H = alpha0 I + B'B, each gradient row added to all m rows of B with random signs. "
           "O(m nnz + m^3) an example, 8 m bytes a feature. Sensitive to alpha0: a baseline of "
           "learn.rfd_son. Sources: H. Luo et al., NIPS 2016; D. Achlioptas, 2003." SON_DOC,
    .example = "leat.learn.rp_son { m = 10, alpha0 = 1000 }",
    SON_STAGE(stage_),
};
