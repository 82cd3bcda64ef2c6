/* guess.c -- two learners so simple that tests can compute their predictions.
 *
 * learn.average predicts the average label so far, learn.fixed always the same. */
#include <leat/plugin.h>

struct cfg {
    double eta0, value;
};

struct average {
    double mean;
    uint64_t n;
};

static const struct leat_param average_params[] = {
    LEAT_PARAM(struct cfg, eta0, LEAT_FLOAT, .def = "0", .max = 1, .doc = "smallest step"),
};
static const struct leat_param fixed_params[] = {
    LEAT_PARAM(struct cfg, value, LEAT_FLOAT, .doc = "it"),
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = LEAT_SCORE_VALUE;
    return LEAT_OK;
}

static int average(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    struct average *st = self;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        b->score[e] = (float)st->mean;
        if (b->ex_weight[e] == 0) continue;
        double step = 1.0 / (double)++st->n;
        st->mean += (step > c->eta0 ? step : c->eta0) * ((double)b->ex_label[e] - st->mean);
    }
    return LEAT_OK;
}

static int fixed(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    for (LEAT_EACH_EXAMPLE(b, e))
        b->score[e] = (float)((const struct cfg *)ctx->cfg)->value;
    return LEAT_OK;
}

#define GUESS                                                                                      \
    .kind = LEAT_LEARNER, .needs = LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, .makes = LEAT_HAS_SCORE,    \
    .instance_size = sizeof(struct average), .negotiate = negotiate

static const struct leat_stage stage[] = {
    {.name = "learn.average",
     .summary = "the average label so far",
     .doc = "As it says.",
     .example = "leat.learn.average {}",
     LEAT_PARAMS(average_params, struct cfg),
     GUESS,
     .process = average},
    {.name = "learn.fixed",
     .summary = "always the same",
     .doc = "As it says.",
     .example = "leat.learn.fixed { value = 3 }",
     LEAT_PARAMS(fixed_params, struct cfg),
     GUESS,
     .process = fixed},
};
LEAT_PLUGIN("guess", "1.0", "Apache-2.0", "plain learners of numbers", &stage[0], &stage[1]);
