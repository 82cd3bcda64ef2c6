/* label.c -- label.constant, and the implementation of label.h. */
#include "label.h"

#include "common/cells/cell.h"
#include "labels/docs.h"

const char *const label_missing_names[] = {"reject", "filter", NULL};

int label_negotiate(const void *cfg, struct leat_negotiation *n)
{
    if (n->in->has & LEAT_HAS_EXAMPLES)
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes examples, and their labels are final: put this "
                       "stage before it");
    else if (n->in->has & LEAT_HAS_LABEL)
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes labels: leave out that stage or this one");
    return LEAT_OK;
}

static int label_negotiate_column(const struct label_cfg *c, struct leat_negotiation *n,
                                  uint32_t types)
{
    uint32_t column;
    label_negotiate(c, n);
    int status = n->column(n, "column", c->column, types, &column);
    return status < 0 ? status : LEAT_OK;
}

int label_negotiate_number(const void *cfg, struct leat_negotiation *n)
{
    return label_negotiate_column(cfg, n, CELL_TAKES);
}

int label_negotiate_text(const void *cfg, struct leat_negotiation *n)
{
    return label_negotiate_column(cfg, n, LEAT_TAKES_TEXT);
}

void label_missing(struct leat_ctx *ctx, struct leat_batch *b, uint32_t r, int reason)
{
    const struct label_cfg *c = ctx->cfg;
    if (c->missing == LABEL_FILTER)
        leat_filter(b, r);
    else
        ctx->host->reject(ctx, b, r, reason, "column '%s' is empty", c->column);
}

void label_warn_of_missing(struct leat_ctx *ctx, uint64_t without_value, uint64_t records,
                           const char *except)
{
    const struct label_cfg *c = ctx->cfg;
    if (!without_value || c->missing != LABEL_FILTER) return;
    ctx->host->log(
        ctx, LEAT_WARN, "%llu of %llu records have no value in column '%s' and were left out%s",
        (unsigned long long)without_value, (unsigned long long)records, c->column, except);
}

/* ---- label.constant ---- */

/* Stage label.constant: all records of a stream get the same label. To tell apart the records of
 * two streams, label one with +1 and the other with -1, and join them by leat.merge. */

struct constant_label_cfg {
    double value;
};

static const struct leat_param constant_label_params[] = {
    LEAT_PARAM(struct constant_label_cfg, value, LEAT_FLOAT,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL, .min = -3e38, .max = 3e38,
               .doc = "the label; classifiers need +1 and -1"),
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
