/* perceptron.c -- learn.perceptron: a weight for each feature id below 1024; no log odds as
 * margins. */
#include <stdio.h>

#include <leat/plugin.h>

enum { IDS = 1024 };
struct perceptron {
    float w[IDS];
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    n->out->score = LEAT_SCORE_DECISION;
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    float *w = ((struct perceptron *)self)->w;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        float z = 0, y = b->ex_label[e] > 0 ? 1.0f : -1.0f;
        for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++)
            z += w[b->id[i] % IDS] * b->value[i];
        b->score[e] = z;
        for (uint32_t i = b->ex_start[e]; (z >= 0) != (y > 0) && i < b->ex_start[e + 1]; i++)
            w[b->id[i] % IDS] += y * b->value[i];
    }
    return LEAT_OK;
}

static const struct leat_stage learn_perceptron = {
    .name = "learn.perceptron",
    .summary = "a perceptron",
    .doc = "A perceptron of few features.",
    .example = "leat.learn.perceptron {}",
    .kind = LEAT_LEARNER,
    LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE),
    LEAT_INSTANCE(struct perceptron, NULL, NULL),
    .negotiate = negotiate,
    .process = process,
};
LEAT_PLUGIN("perceptron", "1.0", "Apache-2.0", "test: margins without odds", &learn_perceptron);
