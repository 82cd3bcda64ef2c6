/* ocg.c -- learn.ocg: a factorization machine in a ball of the trace norm, as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/ocg.c.
 */
#include "kernels/fm/ocg.h"
#include "dense.h"

struct cfg {
    struct factored_cfg common;
    double radius, eta;
    int64_t every;
};

struct stage {
    struct dense common;
    struct ocg model;
    double *u; /* eigenvector, scratch */
    uint32_t u_for;
};

static const struct leat_param params[] = {
    {.name = "radius",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, radius),
     .def = "5",
     .min = 1e-9,
     .max = 1e9,
     .doc = "largest trace norm of the matrix; a constant prediction z takes a norm of z"},
    {.name = "every",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, every),
     .def = "1",
     .min = 1,
     .max = 1e9,
     .unit = "examples",
     .doc = "examples between two steps, which take O(d^2) each"},
    {.name = "eta",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, eta),
     .def = "0.1",
     .min = 1e-12,
     .max = 1e9,
     .doc = "weight of the gradients against |C|^2"},
    DENSE_PARAMS,
};

static void close_model(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct stage *)self)->u);
    dense_close(ctx, self);
}

/* The vectors follow the triangles. */
static int attach(struct leat_ctx *ctx, struct stage *st)
{
    struct ocg *m = &st->model;
    if (st->u_for != st->common.capacity) {
        double *u = ctx->host->alloc(ctx, 2ull * st->common.capacity * sizeof *u);
        if (!u) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for an eigenvector");
        if (st->u) memcpy(u, st->u, st->u_for * sizeof *u);
        ctx->host->free(ctx, st->u);
        st->u = u;
        st->u_for = st->common.capacity;
    }
    m->gradient = st->common.part[0];
    m->kept = st->common.part[1];
    m->u = st->u;
    m->v = st->u + st->u_for;
    m->n = st->common.common.g.table.n;
    return LEAT_OK;
}

static int open_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    st->model = (struct ocg){.loss = (enum factor_loss)c->common.loss,
                             .eta = c->eta,
                             .radius = c->radius,
                             .every = (uint32_t)c->every,
                             .scale = 1};
    int status = dense_open(ctx, &st->common, 2);
    return status == LEAT_OK ? attach(ctx, st) : status;
}

static int prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct stage *st = self;
    (void)n;
    int status = dense_prepare(ctx, &st->common);
    return status == LEAT_OK ? attach(ctx, st) : status;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return dense_plan(cfg, in, p, 2, 2);
}

static double learn(void *self, const struct factor_example *e)
{
    return ocg_learn(&((struct stage *)self)->model, e);
}

static double predict(void *self, const struct factor_example *e)
{
    return ocg_predict(&((struct stage *)self)->model, e);
}

static void report(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    dense_report(ctx, &st->common);
    ctx->host->metric(ctx, "steps", (double)st->model.steps);
}

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    return st->model.scale * dense_weight(&st->common, st->common.part[1], feature);
}

static int pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct stage *st = self;
    (void)ctx;
    dense_pairs(&st->common, st->common.part[1], st->model.scale, out);
    return LEAT_OK;
}

static void write_params(void *self, struct leat_writer *w)
{
    const struct ocg *m = &((struct stage *)self)->model;
    w->f64(w, "radius", m->radius);
    w->f64(w, "eta", m->eta);
    w->u64(w, "every", m->every);
}

static int same_params(void *self, struct leat_reader *r)
{
    const struct ocg *m = &((struct stage *)self)->model;
    int bad = r->same_f64(r, "radius", m->radius) | r->same_f64(r, "eta", m->eta) |
              r->same_u64(r, "every", m->every);
    return bad ? LEAT_EDATA : LEAT_OK;
}

static void write_model(void *self, struct leat_writer *w)
{
    struct stage *st = self;
    const struct ocg *m = &st->model;
    w->u64(w, "learned", m->t);
    w->u64(w, "steps", m->steps);
    w->f64(w, "scale", m->scale);
    w->array(w, "eigenvector", LEAT_F64, st->u, st->common.common.g.table.n);
    dense_write(&st->common, w);
}

static int read_model(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct stage *st = self;
    struct ocg *m = &st->model;
    const void *u;
    uint32_t n = st->common.common.g.table.n;
    if (r->u64(r, "learned", &m->t) != LEAT_OK || r->u64(r, "steps", &m->steps) != LEAT_OK ||
        r->f64(r, "scale", &m->scale) != LEAT_OK ||
        linear_read_array(r, "eigenvector", LEAT_F64, n, &u) != LEAT_OK)
        return LEAT_EDATA;
    if (!(m->scale > 0 && m->scale <= 1)) return r->refuse(r, "scale is out of range");
    for (uint32_t i = 0; i < n; i++)
        if (!(fabs(((const double *)u)[i]) <= 2)) return r->refuse(r, "no eigenvector");
    int status = dense_read(ctx, &st->common, r);
    if (status == LEAT_OK) status = attach(ctx, st);
    if (status == LEAT_OK && n) memcpy(st->u, u, n * sizeof *st->u);
    return status;
}

static const struct factored_kind kind = {
    FACTORED_KIND_MEMBERS,
    .stride = dense_stride,
    .one = dense_one,
    .open = open_model,
    .close = close_model,
    .prepare = prepare,
    .pairs = pairs,
    .write_params = write_params,
    .same_params = same_params,
    .no_merge = DENSE_NO_MERGE,
};

FACTORED_STAGE(kind)

const struct leat_stage learn_ocg = {
    .name = "learn.ocg",
    .summary = "exact factorization machine of few features, by online conditional gradient",
    .doc =
        "z = a' C a with C in the ball of trace norm `radius`. After every `every` examples, with "
        "G "
        "the sum of phi'(z) a a': the eigenvector u of M = eta G + 2 C for its largest eigenvalue "
        "lambda by size, by 4 steps of the power method from the last one; then C = (1 - gamma) C "
        "- "
        "gamma radius sign(lambda) u u', gamma = min(1, 2 / sqrt(step)). A 1 joins every example; "
        "the top looks at all pairs. Memory is 8 d^2 bytes for d features, a step takes O(d^2): "
        "the "
        "slow baseline." FACTORED_DOC FACTORED_TOP_DOC
        "\n\nSnapshots hold the model bit for bit; they are not merged.\n\n"
        "X. Lin et al., Online compact convexified factorization machine, WWW 2018.",
    .example = "leat.learn.ocg { radius = 5, every = 100, min = 1, max = 5 }",
    FACTORED_MEMBERS,
};
