/* constant.c -- label.constant: every record of a stream gets the same label.
 *
 * A label then says which stream a record came from: two streams, +1 and -1, joined by
 * leat.merge. */
#include <leat/plugin.h>

#include "label.h"
#include "labels/docs.h"

struct constant_label_cfg {
    double value;
};

static const struct leat_param constant_label_params[] = {
    LEAT_PARAM(struct constant_label_cfg, value, LEAT_FLOAT,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL, .min = -3e38, .max = 3e38,
               .doc = "the label; classifiers want +1 and -1"),
};

static int constant_label_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct constant_label_cfg *c = ctx->cfg;
    float label = (float)c->value;
    for (LEAT_EACH_RECORD(b, r))
        b->label[r] = label;
    return LEAT_OK;
}

const struct leat_stage label_constant = {
    .name = "label.constant",
    .summary = "gives every record the same label",
    .doc = constant_doc,
    .example = "leat.label.constant { value = 1 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_RECORDS, LEAT_HAS_LABEL),
    LEAT_PARAMS(constant_label_params, struct constant_label_cfg),
    .instance_size = 1,
    .negotiate = label_negotiate,
    .process = constant_label_process,
};
