/* constant.c -- label.constant: every record of a stream gets the same label.
 *
 * What a label means is then where a record came from: two streams, +1 and -1, joined by
 * leat.merge. */
#include <leat/plugin.h>

struct cfg {
    double value;
};

static const struct leat_param params[] = {
    {.name = "value",
     .type = LEAT_FLOAT,
     .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, value),
     .min = -3e38,
     .max = 3e38,
     .doc = "the label; classifiers want +1 and -1"},
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "examples are made by an earlier stage, and have their labels from then: "
                       "put label.constant before it");
    else if (n->in->has & LEAT_HAS_LABEL)
        n->diag->error(n->diag, NULL, "an earlier stage makes labels: leave out one of the two");
    return LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *c = ctx->cfg;
    float label = (float)c->value;
    (void)self;
    for (LEAT_EACH_RECORD(b, r))
        b->label[r] = label;
    return LEAT_OK;
}

const struct leat_stage label_constant = {
    .name = "label.constant",
    .summary = "gives every record the same label",
    .doc =
        "The label of each record becomes `value`. With leat.merge it turns the question what sets "
        "two streams apart into one for a classifier:\n"
        "  leat.merge { { leat.source.file \"a.csv\", leat.parse.csv {}, leat.label.constant(1) "
        "},\n"
        "               { leat.source.file \"b.csv\", leat.parse.csv {}, leat.label.constant(-1) } "
        "}",
    .example = "leat.label.constant { value = 1 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    .needs = LEAT_HAS_RECORDS,
    .makes = LEAT_HAS_LABEL,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = 1,
    .negotiate = negotiate,
    .process = process,
};
