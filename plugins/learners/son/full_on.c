/* full_on.c -- learn.full_on: the exact online Newton step as a stage. Only glue; the algorithm is
 * in plugins/kernels/son/full_on.c. */
#include "kernels/son/full_on.h"
#include "son.h"
#include "son_state.h"

struct cfg {
    struct son_cfg newton;
};

struct stage {
    struct son_stage newton;
    struct full_on model;
};

static const struct leat_param stage_params[] = {
    SON_PARAMS("1", 1e-10, "H = alpha0 I at first"),
    {GROWING_PARAM(offsetof(struct son_cfg, growing), max_features, LEAT_INT), .def = "2048",
     .min = 1, .max = FULL_ON_MAX_FEATURES, .unit = "features",
     .doc = "features, rounded up to a power of two; later ones are ignored and counted. Memory: "
            "their square"},
    GROWING_OTHER_PARAMS(offsetof(struct son_cfg, growing)),
};

static uint32_t stride(const void *cfg)
{
    (void)cfg;
    return FULL_ON_STRIDE;
}

static size_t bytes(const void *cfg, uint32_t features, uint32_t touched)
{
    (void)cfg, (void)touched;
    return full_on_bytes(features);
}

static void init(struct leat_ctx *ctx, void *self, uint32_t features, uint32_t touched, void *block)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    struct son_options o = son_options(&c->newton);
    (void)touched;
    full_on_init(&st->model, &o, features, block);
}

static void grow(void *self, uint32_t features, uint32_t touched, void *block)
{
    struct stage *st = self;
    (void)touched;
    full_on_grow(&st->model, features, block);
}

static enum son_result learn(void *self, const struct son_features *f, double *z)
{
    struct stage *st = self;
    return full_on_learn(&st->model, f, &st->newton.row, z);
}

static double weight(const void *self, const struct son_features *f, uint32_t feature)
{
    (void)self;
    return full_on_weight(f, feature);
}

static const struct son_method method = {
    .stride = stride, .bytes = bytes, .init = init, .grow = grow, .learn = learn, .weight = weight};

/* U without what is zero: row i from its diagonal on, one behind the other. */
static int write(struct leat_ctx *ctx, const void *self, struct leat_writer *w)
{
    const struct full_on *m = &((const struct stage *)self)->model;
    const struct leat_host *h = ctx->host;
    size_t n = m->n, k = 0;
    double *packed = h->alloc(ctx, n * (n + 1) / 2 * sizeof *packed + 1);
    if (!packed) return h->fail(ctx, LEAT_ENOMEM, "no memory for a copy of %zu x %zu / 2", n, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            packed[k++] = m->U[i * m->capacity + j];
    w->u64(w, "rows", n);
    int status = w->array(w, "factor", LEAT_F64, packed, k);
    h->free(ctx, packed);
    return status;
}

static int same(const void *live, struct leat_reader *r)
{
    (void)live, (void)r;
    return LEAT_OK;
}

static int read(void *self, struct leat_reader *r)
{
    struct stage *st = self;
    struct full_on *m = &st->model;
    const void *v;
    uint64_t n;
    if (r->u64(r, "rows", &n) != LEAT_OK) return LEAT_EDATA;
    if (n > st->newton.growing.table.n) return r->refuse(r, "more rows than features");
    if (linear_read_array(r, "factor", LEAT_F64, n * (n + 1) / 2, &v) != LEAT_OK) return LEAT_EDATA;
    const double *packed = v;
    for (size_t i = 0; i < n; i++) {
        if (!(*packed > 0)) return r->refuse(r, "its factor is not positive");
        for (size_t j = i; j < n; j++, packed++) {
            if (!(fabs(*packed) <= SON_LIMIT)) return r->refuse(r, "its factor is not finite");
            m->U[i * m->capacity + j] = *packed;
        }
    }
    m->n = (uint32_t)n;
    return LEAT_OK;
}

static const struct son_state_method state = {
    .method = &method,
    .size = sizeof(struct stage),
    .write = write,
    .same = same,
    .read = read,
    .no_merge = "a full_on is a baseline of one stream: no merge of two is offered"};

SON_CALLS(stage_, method)
SON_STATE_CALLS(stage_, state)

const struct leat_stage learn_full_on = {
    .name = "learn.full_on",
    .summary = "exact online Newton step, for a few thousand features",
    .doc = "H = alpha0 I + sum of mu g g', exact, as a Cholesky factor that takes in row by row. "
           "O(d^2) time an example and 8 d^2 bytes (at the next power of two), d the features "
           "seen: the baseline of learn.rfd_son." SON_DOC,
    .example = "leat.learn.full_on { alpha0 = 10 }",
    SON_STAGE(stage_),
};
