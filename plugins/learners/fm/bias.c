/* bias.c -- learn.bias: the mean and a bias for every feature, as a stage.
 *
 * Only glue; the algorithm is in plugins/kernels/fm/bias.c.
 */
#include "kernels/fm/bias.h"
#include "factored.h"
#include "factored_state.h"

struct cfg {
    struct factored_cfg common;
};

struct stage {
    struct factored common;
    struct bias model;
};

static const struct leat_param params[] = {FACTORED_PARAMS};

static uint32_t stride(const void *cfg)
{
    (void)cfg;
    return 1 + BIAS_STRIDE;
}

static int open_model(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    ((struct stage *)self)->model = (struct bias){(enum factor_loss)c->common.loss, 1, 0, 0};
    return LEAT_OK;
}

static double predict(void *self, const struct factor_example *e)
{
    struct stage *st = self;
    return bias_predict(&st->model, &st->common.g.table, e);
}

static double learn(void *self, const struct factor_example *e)
{
    struct stage *st = self;
    double z = predict(self, e);
    bias_learn(&st->model, &st->common.g.table, e, z);
    return z;
}

static double weight(void *self, uint32_t feature)
{
    struct stage *st = self;
    return bias_weight(&st->model, &st->common.g.table, feature);
}

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)out;
    return factored_plan(&(struct factored_kind){.stride = stride}, cfg, in, p, 0, 0);
}

static void report(struct leat_ctx *ctx, void *self)
{
    factored_report_bytes(ctx, self, 0);
    ctx->host->metric(ctx, "centre", bias_centre(&((struct stage *)self)->model));
}

static void write_model(void *self, struct leat_writer *w)
{
    struct stage *st = self;
    w->f64(w, "mass", st->model.mass);
    w->f64(w, "sum", st->model.sum);
}

static int read_model(struct leat_ctx *ctx, void *self, struct leat_reader *r)
{
    struct stage *st = self;
    (void)ctx;
    if (r->f64(r, "mass", &st->model.mass) != LEAT_OK ||
        r->f64(r, "sum", &st->model.sum) != LEAT_OK)
        return LEAT_EDATA;
    const char *wrong = bias_check(&st->model, &st->common.g.table);
    return wrong ? r->refuse(r, "%s", wrong) : LEAT_OK;
}

static int merge_models(struct leat_ctx *ctx, void *self, const struct factored_merger *merger)
{
    struct stage *st = self, *side[2] = {merger->a, merger->b};
    (void)ctx;
    for (int k = 0; k < 2; k++) {
        const struct feature_table *from = &side[k]->common.g.table;
        double count = k ? merger->count : 1;
        for (uint32_t i = 0; i < from->n; i++)
            bias_merge_feature(&st->model,
                               feature_table_row(&st->common.g.table, k ? merger->number[i] : i),
                               feature_table_row(from, i), count);
        bias_merge_centre(&st->model, &side[k]->model, count);
    }
    return LEAT_OK;
}

static const struct factored_kind kind = {
    FACTORED_KIND_MEMBERS,
    .stride = stride,
    .open = open_model,
    .merge = merge_models,
};

FACTORED_STAGE(kind)

const struct leat_stage learn_bias = {
    .name = "learn.bias",
    .summary = "the mean label and a bias for every feature: what pairs have to improve on",
    .doc =
        "z = centre + sum w_j x_j. The centre is the mean label so far (log odds of +1 with the "
        "logistic loss, half a record added to each side). The weight of a feature in n examples "
        "so far, with mean square s of its values, moves by -phi'(z) x / (h s (5 + min(n, 45))), h "
        "the largest curvature of the loss: of ratings the biases of users and items, drawn to 0 "
        "while they are few, following changes later. O(1) a feature." FACTORED_DOC
        "\n\nSnapshots hold the model bit for bit. A merge averages each weight by the examples "
        "that had the feature; counts and sums add up.",
    .example = "leat.learn.bias { min = 1, max = 5 }",
    FACTORED_MEMBERS,
};
