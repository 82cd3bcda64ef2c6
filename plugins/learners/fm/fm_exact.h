/* fm_exact.h -- glue of learn.ftrl and learn.ogd: the exact factorization machine by either rule.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/fm_exact.c. EXACT_RULE is defined by who
 * includes this.
 */
#ifndef LEAT_LEARNERS_FM_FM_EXACT_H
#define LEAT_LEARNERS_FM_FM_EXACT_H

#include "kernels/fm/fm_exact.h"
#include "dense.h"

struct cfg {
    struct factored_cfg common;
    double eta;
};

struct stage {
    struct dense common;
    struct fm_exact model;
};

static const struct leat_param params[] = {
    {.name = "eta",
     .type = LEAT_FLOAT,
     .offset = offsetof(struct cfg, eta),
     .def = "0",
     .min = 0,
     .max = 1e6,
     .doc = "step; 0: from the examples' lengths"},
    DENSE_PARAMS,
};

static int open_model(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    const struct cfg *c = ctx->cfg;
    st->model = (struct fm_exact){
        .rule = EXACT_RULE, .loss = (enum factor_loss)c->common.loss, .eta = c->eta};
    return dense_open(ctx, &st->common, 1);
}

static int prepare(struct leat_ctx *ctx, void *self, uint32_t n)
{
    struct stage *st = self;
    (void)n;
    int status = dense_prepare(ctx, &st->common);
    st->model.theta = st->common.part[0];
    return status;
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return dense_plan(cfg, in, p, 1, 0);
}

static double learn(void *self, const struct factor_example *e)
{
    return fm_exact_learn(&((struct stage *)self)->model, e);
}

static double predict(void *self, const struct factor_example *e)
{
    return triangle_form(((struct stage *)self)->model.theta, e);
}

static void report(struct leat_ctx *ctx, void *self)
{
    struct stage *st = self;
    dense_report(ctx, &st->common);
    ctx->host->metric(ctx, "eta", fm_exact_rate(&st->model));
}

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    return dense_weight(&st->common, st->common.part[0], feature);
}

static int pairs(struct leat_ctx *ctx, void *self, struct pairs *out)
{
    struct stage *st = self;
    (void)ctx;
    dense_pairs(&st->common, st->common.part[0], 1, out);
    return LEAT_OK;
}

static void write_params(void *self, struct leat_writer *w)
{
    w->f64(w, "eta", ((struct stage *)self)->model.eta);
}

static int same_params(void *self, struct leat_reader *r)
{
    return r->same_f64(r, "eta", ((struct stage *)self)->model.eta);
}

static void write_model(void *self, struct leat_writer *w)
{
    struct stage *st = self;
    w->u64(w, "learned", st->model.t);
    w->f64(w, "reach", st->model.reach);
    dense_write(&st->common, w);
}

static int read_model(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct stage *st = self;
    if (r->u64(r, "learned", &st->model.t) != LEAT_OK ||
        r->f64(r, "reach", &st->model.reach) != LEAT_OK)
        return LEAT_EDATA;
    if (!(st->model.reach >= 0 && isfinite(st->model.reach)))
        return r->refuse(r, "reach is out of range");
    int status = dense_read(ctx, &st->common, r);
    st->model.theta = st->common.part[0];
    return status;
}

static const struct factored_kind kind = {
    FACTORED_KIND_MEMBERS,
    .stride = dense_stride,
    .one = dense_one,
    .open = open_model,
    .close = dense_close,
    .prepare = prepare,
    .pairs = pairs,
    .write_params = write_params,
    .same_params = same_params,
    .no_merge = DENSE_NO_MERGE,
};

FACTORED_STAGE(kind)

#define EXACT_DOC                                                                                  \
    " A 1 joins every example, so Theta holds weights of features as well as of pairs; the top "   \
    "looks at all of them. Memory is 4 d^2 bytes for d features, an example of n entries takes "   \
    "O(n^2). It is what learn.sftrl is "                                                           \
    "measured by." FACTORED_DOC FACTORED_TOP_DOC                                                   \
    "\n\nSnapshots hold the model bit for bit; they are not merged."

#endif
