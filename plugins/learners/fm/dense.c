/* dense.c -- stages learn.fm_ftrl, learn.ogd and learn.ocg: a number for every pair of features.
 *
 * The algorithms of these factorization machines are in kernels/fm/fm_exact.c and ocg.c. An
 * instance begins with struct dense, which begins with struct factored. A model reserves one or two
 * triangular matrices for max_features features, but touches only the part for the features that it
 * knows. */
#include <float.h>
#include <string.h>

#include "factored.h"
#include "kernels/fm/fm_exact.h"
#include "kernels/fm/ocg.h"
#include "learners/fm/docs.h"

enum { DENSE_MAX_PARTS = 2 };

/* clang-format off */
#define DENSE_PARAMS                                                                               \
    {.name = "max_features", .type = LEAT_INT, .def = "4096", .min = 2, .max = 65536,              \
     .offset = offsetof(struct factored_cfg, growing.max_features), .unit = "features",            \
     .doc = GROWING_DOC "; memory is 4 max_features^2 bytes a matrix"},                            \
    FACTORED_OTHER_PARAMS, GROWING_OTHER_PARAMS(offsetof(struct factored_cfg, growing)),           \
    FACTORED_TOP_PARAM
/* clang-format on */

struct dense {
    struct factored common;
    double *part[DENSE_MAX_PARTS]; /* triangular matrices */
    uint32_t n_parts;
};

static uint32_t dense_stride(const void *cfg) { return 1; }

static bool dense_one(const void *cfg) { return true; }

/* ---- memory ---- */

/* Returns the bytes of n_parts triangular matrices and `vectors` vectors of doubles for `features`
 * features. */
static uint64_t dense_bytes(uint32_t features, uint32_t n_parts, uint32_t vectors)
{
    return 8 * (n_parts * triangle_size(features) + (uint64_t)vectors * features);
}

static void dense_close(struct leat_ctx *ctx, void *self)
{
    struct dense *d = self;
    for (int i = 0; i < DENSE_MAX_PARTS; i++)
        ctx->host->free(ctx, d->part[i]);
}

static int dense_open(struct leat_ctx *ctx, struct dense *d, uint32_t n_parts)
{
    const struct leat_host *h = ctx->host;
    uint32_t max = d->common.g.table.max_capacity;
    d->n_parts = n_parts;
    for (uint32_t i = 0; i < n_parts; i++)
        if (!(d->part[i] = h->alloc(ctx, triangle_size(max) * sizeof(double))))
            return h->fail(
                ctx, LEAT_ENOMEM,
                "there is not enough memory for all pairs of max_features = %u: lower it", max);
    return LEAT_OK;
}

static void dense_report(struct leat_ctx *ctx, const struct dense *d)
{
    size_t doubles = d->n_parts * triangle_size(d->common.g.table.capacity);
    factored_report_bytes(ctx, &d->common, doubles * sizeof(double));
}

/* ---- answers ---- */

static double dense_weight(const struct dense *d, const double *triangle, uint32_t feature)
{
    uint32_t one = feature_table_find(&d->common.g.table, FM_ONE);
    return one == FEATURE_TABLE_NONE ? 0 : 2 * triangle[triangle_at(feature, one)];
}

static void dense_pairs(const struct dense *d, const double *triangle, double scale,
                        struct pairs *out)
{
    for (uint32_t j = 1; j < d->common.g.table.n; j++)
        for (uint32_t i = 0; i < j; i++)
            if (!factored_is_one(&d->common, i) && !factored_is_one(&d->common, j))
                pairs_offer(out, i, j, 2 * scale * triangle[triangle_at(i, j)]);
}

/* ---- state ---- */

struct dense_triangles {
    uint64_t numbers; /* number of elements of each matrix for the known features */
    double *part[DENSE_MAX_PARTS];
};

#define AT(member) STATE_MEMBER(struct dense_triangles, member)
static const struct state_field dense_fields[] = {
    {"matrix", STATE_COPIED, .at = AT(part[0]), .count = {AT(numbers)}},
    {"second_matrix", STATE_COPIED, .at = AT(part[1]), .count = {AT(numbers)}, .optional = true},
};
#undef AT

static struct dense_triangles dense_triangles_of(const struct dense *d)
{
    return (struct dense_triangles){triangle_size(d->common.g.table.n), {d->part[0], d->part[1]}};
}

static int dense_write(const void *self, struct leat_writer *w)
{
    struct dense_triangles t = dense_triangles_of(self);
    return state_write(w, STATE_TABLE(dense_fields), &t);
}

static int dense_read(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct dense_triangles t = dense_triangles_of(self);
    return state_read(r, STATE_TABLE(dense_fields), &t);
}

/* Members of struct factored_method that the three stages have in common. */
#define DENSE_METHOD                                                                               \
    .stride = dense_stride, .one = dense_one, .write = dense_write, .read = dense_read,            \
    .no_merge = "matrices of all pairs cannot be merged; learn.sftrl can, within its error bounds"

/* ---- learn.fm_ftrl, learn.ogd ---- */

struct exact_cfg {
    struct factored_cfg common;
    double eta, radius; /* learn.fm_ftrl does not use the radius */
    int64_t every;
};

struct exact_stage {
    struct dense common;
    struct fm_exact model;
};

#define ETA_PARAM                                                                                  \
    LEAT_PARAM(struct exact_cfg, eta, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e6,                \
               .doc = "step; 0: from the examples' lengths")

static const struct leat_param exact_params[] = {ETA_PARAM, DENSE_PARAMS};

static const struct leat_param ogd_params[] = {
    ETA_PARAM,
    LEAT_PARAM(struct exact_cfg, radius, LEAT_FLOAT, .def = "0", .min = 0, .max = 1e9,
               .doc = "largest trace norm of the matrix, kept by projection; 0: no projection"),
    LEAT_PARAM(struct exact_cfg, every, LEAT_INT, .def = "1", .min = 1, .max = 1e9,
               .unit = "examples",
               .doc = "examples between two projections, which take O(d^3) each"),
    DENSE_PARAMS,
};

/* ---- memory ---- */

static uint64_t exact_block(const void *cfg, uint32_t features, uint32_t max_row)
{
    const struct exact_cfg *c = cfg;
    return dense_bytes(features, 1, 0) + (c->radius > 0 ? trace_ball_bytes(features) : 0);
}

static int exact_prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct exact_stage *st = self;
    st->model.n = st->common.common.g.table.n;
    return LEAT_OK;
}

static void exact_close_model(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct exact_stage *)self)->model.work);
    dense_close(ctx, self);
}

static int exact_open_model(struct leat_ctx *ctx, struct exact_stage *st, enum fm_exact_rule rule)
{
    const struct exact_cfg *c = ctx->cfg;
    st->model = (struct fm_exact){.rule = rule,
                                  .loss = (enum fm_loss)c->common.loss,
                                  .eta = c->eta,
                                  .radius = c->radius,
                                  .every = (uint32_t)c->every};
    uint32_t max = st->common.common.g.table.max_capacity;
    int status = dense_open(ctx, &st->common, 1);
    if (status != LEAT_OK || !(c->radius > 0)) return status;
    st->model.work = ctx->host->alloc(ctx, trace_ball_bytes(max));
    if (st->model.work) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "there is not enough memory to project a matrix of max_features = %u: "
                           "lower it",
                           max);
}

/* ---- learning, answers ---- */

static double exact_learn(void *self, const struct fm_example *e)
{
    struct exact_stage *st = self;
    return fm_exact_learn(&st->model, st->common.part[0], e);
}

static double exact_predict(void *self, const struct fm_example *e)
{
    return triangle_form(((struct exact_stage *)self)->common.part[0], e);
}

static void exact_report(struct leat_ctx *ctx, void *self)
{
    struct exact_stage *st = self;
    dense_report(ctx, &st->common);
    ctx->host->metric(ctx, "eta", fm_exact_rate(&st->model));
}

static double exact_weight(void *self, uint32_t feature)
{
    struct exact_stage *st = self;
    return dense_weight(&st->common, st->common.part[0], feature);
}

static int exact_pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct exact_stage *st = self;
    dense_pairs(&st->common, st->common.part[0], 1, out);
    return LEAT_OK;
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct exact_stage, model.member)
static const struct state_field exact_same[] = {
    {"eta", STATE_SAME, .at = AT(eta)},
};
static const struct state_field ogd_same[] = {
    {"eta", STATE_SAME, .at = AT(eta)},
    {"radius", STATE_SAME, .at = AT(radius)},
    {"every", STATE_SAME, .at = AT(every)},
};

static const struct state_field exact_fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"sum_norm4", STATE_VALUE, .at = AT(sum_norm4), .max = DBL_MAX},
};
static const struct state_field ogd_fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"sum_norm4", STATE_VALUE, .at = AT(sum_norm4), .max = DBL_MAX},
    {"norm", STATE_VALUE, .at = AT(norm), .max = DBL_MAX},
};
#undef AT

/* ---- the stages ---- */

#define EXACT_METHOD                                                                               \
    DENSE_METHOD, .instance_size = sizeof(struct exact_stage), .learn = exact_learn,               \
                  .predict = exact_predict, .report = exact_report, .weight = exact_weight,        \
                  .block = exact_block, .prepare = exact_prepare, .close = exact_close_model,      \
                  .pairs = exact_pairs

static int fm_ftrl_open_model(struct leat_ctx *ctx, void *self)
{
    return exact_open_model(ctx, self, FM_EXACT_FTRL);
}

static int ogd_open_model(struct leat_ctx *ctx, void *self)
{
    return exact_open_model(ctx, self, FM_EXACT_OGD);
}

static const struct factored_method fm_ftrl_method = {
    EXACT_METHOD,
    .open = fm_ftrl_open_model,
    .params = {STATE_TABLE(exact_same)},
    .fields = {STATE_TABLE(exact_fields)},
};
static const struct factored_method ogd_method = {
    EXACT_METHOD,
    .open = ogd_open_model,
    .params = {STATE_TABLE(ogd_same)},
    .fields = {STATE_TABLE(ogd_fields)},
};

static int fm_ftrl_plan(const void *cfg, const struct leat_schema *in,
                        const struct leat_schema *out, struct leat_plan *p)
{
    return factored_plan(&fm_ftrl_method, cfg, in, p);
}

static int fm_ftrl_open(struct leat_ctx *ctx, void *self)
{
    return factored_open(ctx, &fm_ftrl_method, self);
}

static int ogd_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                    struct leat_plan *p)
{
    return factored_plan(&ogd_method, cfg, in, p);
}

static int ogd_open(struct leat_ctx *ctx, void *self)
{
    return factored_open(ctx, &ogd_method, self);
}

static const struct leat_figure fm_ftrl_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"eta", "1", "current step size of the learner", LEAT_GAUGE},
};

const struct leat_stage learn_fm_ftrl = {
    .name = "learn.fm_ftrl",
    .doc = fm_ftrl_doc,
    FACTORED_STAGE(struct exact_stage),
    LEAT_PARAMS(exact_params, struct exact_cfg),
    LEAT_FIGURES(fm_ftrl_figures),
    .validate = factored_validate,
    .plan = fm_ftrl_plan,
    .open = fm_ftrl_open,
    .summary = "exact factorization machine of few features, by follow-the-regularized-leader",
    .example = "leat.learn.fm_ftrl { eta = 0.02, min = 1, max = 5 }",
};

static int ogd_validate(const void *cfg, struct leat_diag *d)
{
    const struct exact_cfg *c = cfg;
    uint32_t most = growing_max_capacity(c->common.growing.max_features);
    if (!(c->radius > 0) || most <= TRACE_BALL_MAX) return factored_validate(cfg, d);
    d->error(d, "radius",
             "matrices of at most %u features can be projected, and max_features is %lld: lower it",
             TRACE_BALL_MAX, (long long)c->common.growing.max_features);
    return LEAT_EARG;
}

const struct leat_stage learn_ogd = {
    .name = "learn.ogd",
    .doc = ogd_doc,
    FACTORED_STAGE(struct exact_stage),
    LEAT_PARAMS(ogd_params, struct exact_cfg),
    LEAT_FIGURES(fm_ftrl_figures),
    .validate = ogd_validate,
    .plan = ogd_plan,
    .open = ogd_open,
    .summary = "exact factorization machine of few features, by online gradient descent",
    .example = "leat.learn.ogd { eta = 0.5, min = 1, max = 5 }",
};

/* ---- learn.ocg ---- */

struct ocg_cfg {
    struct factored_cfg common;
    double radius, eta;
    int64_t every;
};

struct ocg_stage {
    struct dense common;
    struct ocg model;
    double *u; /* scratch memory for an eigenvector */
    void *work;
};

static const struct leat_param ocg_stage_params[] = {
    LEAT_PARAM(struct ocg_cfg, radius, LEAT_FLOAT, .def = "5", .min = 1e-9, .max = 1e9,
               .doc =
                   "largest trace norm of the matrix; a constant prediction z needs a norm of z"),
    LEAT_PARAM(struct ocg_cfg, every, LEAT_INT, .def = "1", .min = 1, .max = 1e9,
               .unit = "examples", .doc = "examples between two steps, which take O(d^2) each"),
    LEAT_PARAM(struct ocg_cfg, eta, LEAT_FLOAT, .def = "0.1", .min = 1e-12, .max = 1e9,
               .doc = "weight of the gradients relative to |C|^2"),
    DENSE_PARAMS,
};

static uint64_t ocg_stage_block(const void *cfg, uint32_t features, uint32_t max_row)
{
    return dense_bytes(features, 2, 2) + lanczos_bytes(features);
}

static void ocg_stage_close_model(struct leat_ctx *ctx, void *self)
{
    struct ocg_stage *st = self;
    ctx->host->free(ctx, st->u);
    ctx->host->free(ctx, st->work);
    dense_close(ctx, self);
}

static int ocg_stage_take_vectors(struct leat_ctx *ctx, struct ocg_stage *st)
{
    const struct leat_host *h = ctx->host;
    uint32_t max = st->common.common.g.table.max_capacity;
    struct ocg *m = &st->model;
    st->u = h->alloc(ctx, 2ull * max * sizeof *st->u);
    st->work = h->alloc(ctx, lanczos_bytes(max));
    if (!st->u || !st->work)
        return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for an eigenvector");
    m->gradient = st->common.part[0];
    m->kept = st->common.part[1];
    m->u = st->u;
    m->v = st->u + max;
    m->work = st->work;
    return LEAT_OK;
}

static int ocg_stage_open_model(struct leat_ctx *ctx, void *self)
{
    struct ocg_stage *st = self;
    const struct ocg_cfg *c = ctx->cfg;
    st->model = (struct ocg){.loss = (enum fm_loss)c->common.loss,
                             .eta = c->eta,
                             .radius = c->radius,
                             .every = (uint32_t)c->every,
                             .seed = ctx->host->seed(ctx),
                             .scale = 1};
    int status = dense_open(ctx, &st->common, 2);
    return status == LEAT_OK ? ocg_stage_take_vectors(ctx, st) : status;
}

static int ocg_stage_prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct ocg_stage *st = self;
    st->model.n = st->common.common.g.table.n;
    return LEAT_OK;
}

static double ocg_stage_learn(void *self, const struct fm_example *e)
{
    return ocg_learn(&((struct ocg_stage *)self)->model, e);
}

static double ocg_stage_predict(void *self, const struct fm_example *e)
{
    return ocg_predict(&((struct ocg_stage *)self)->model, e);
}

static void ocg_stage_report(struct leat_ctx *ctx, void *self)
{
    struct ocg_stage *st = self;
    dense_report(ctx, &st->common);
    ctx->host->metric(ctx, "steps", (double)st->model.steps);
    ctx->host->metric(ctx, "products", (double)st->model.products);
}

static double ocg_stage_weight(void *self, uint32_t feature)
{
    struct ocg_stage *st = self;
    return st->model.scale * dense_weight(&st->common, st->common.part[1], feature);
}

static int ocg_stage_pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct ocg_stage *st = self;
    dense_pairs(&st->common, st->common.part[1], st->model.scale, out);
    return LEAT_OK;
}

/* ---- state ---- */

static const struct state_field ocg_stage_same[] = {
#define AT(member) STATE_MEMBER(struct ocg_stage, model.member)
    {"radius", STATE_SAME, .at = AT(radius)},
    {"eta", STATE_SAME, .at = AT(eta)},
    {"every", STATE_SAME, .at = AT(every)},
    {"seed", STATE_SAME, .at = AT(seed)},
};

static const struct state_field ocg_stage_fields[] = {
    {"learned", STATE_VALUE, .at = AT(t), .max = COUNT_MAX},
    {"steps", STATE_VALUE, .at = AT(steps), .max = COUNT_MAX},
    {"products", STATE_VALUE, .at = AT(products), .max = COUNT_MAX},
    {"scale", STATE_VALUE, .at = AT(scale), .min = DBL_MIN, .max = 1},
    {"eigenvector", STATE_COPIED, .at = AT(u), .count = {AT(n)}, .min = -2, .max = 2},
#undef AT
};

/* ---- the stage ---- */

static const struct factored_method ocg_stage_method = {
    DENSE_METHOD,
    .instance_size = sizeof(struct ocg_stage),
    .learn = ocg_stage_learn,
    .predict = ocg_stage_predict,
    .report = ocg_stage_report,
    .weight = ocg_stage_weight,
    .block = ocg_stage_block,
    .prepare = ocg_stage_prepare,
    .open = ocg_stage_open_model,
    .close = ocg_stage_close_model,
    .pairs = ocg_stage_pairs,
    .params = {STATE_TABLE(ocg_stage_same)},
    .fields = {STATE_TABLE(ocg_stage_fields)},
};

static int ocg_stage_plan(const void *cfg, const struct leat_schema *in,
                          const struct leat_schema *out, struct leat_plan *p)
{
    return factored_plan(&ocg_stage_method, cfg, in, p);
}

static int ocg_stage_open(struct leat_ctx *ctx, void *self)
{
    return factored_open(ctx, &ocg_stage_method, self);
}

static const struct leat_figure ocg_figures[] = {
    FIGURE_MODEL_BYTES,
    GROWING_FIGURES,
    {"steps", "1", "steps of the conditional gradient", LEAT_COUNTER},
    {"products", "1", "products of the matrix with a vector", LEAT_COUNTER},
};

const struct leat_stage learn_ocg = {
    .name = "learn.ocg",
    .doc = ocg_doc,
    FACTORED_STAGE(struct ocg_stage),
    LEAT_PARAMS(ocg_stage_params, struct ocg_cfg),
    LEAT_FIGURES(ocg_figures),
    .validate = factored_validate,
    .plan = ocg_stage_plan,
    .open = ocg_stage_open,
    .summary = "exact factorization machine of few features, by online conditional gradient",
    .example = "leat.learn.ocg { radius = 5, every = 100, min = 1, max = 5 }",
};
