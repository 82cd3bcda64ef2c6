/* outliers.c -- implementation of outliers.h. */
#include "outliers.h"

#include <math.h>

#include "common/cells/cell.h"

const char *const outliers_missing_names[] = {"reject", "filter", "keep", NULL};

int outliers_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct outliers_cfg *c = cfg;
    uint32_t column;
    if (!c->adds) return label_negotiate_number(cfg, n);
    if (!(n->in->has & LEAT_HAS_LABEL))
        n->diag->error(n->diag, "adds", "no earlier stage makes labels: leave out adds");
    int status = n->column(n, "column", c->label.column, CELL_TAKES, &column);
    return status < 0 ? status : LEAT_OK;
}

/* Leaves the label of record r unknown, or filters the record. */
static bool outliers_leave(const struct outliers_cfg *c, struct leat_batch *b, uint32_t r)
{
    b->label[r] = NAN;
    if (c->label.missing != OUTLIERS_KEEP) leat_filter(b, r);
    return false;
}

bool outliers_label(struct leat_ctx *ctx, struct outliers *o, struct leat_batch *b, uint32_t r,
                    bool beyond, bool warm)
{
    const struct outliers_cfg *c = ctx->cfg;
    float before = c->adds ? b->label[r] : -1;
    if (!warm || (isnan(before) && !beyond)) return outliers_leave(c, b, r);
    b->label[r] = beyond ? 1 : before;
    o->labelled++;
    o->positive += b->label[r] == 1;
    o->beyond += beyond;
    return true;
}

bool outliers_value(struct leat_ctx *ctx, struct outliers *o, struct leat_batch *b, uint32_t r,
                    uint32_t column, double *x)
{
    const struct outliers_cfg *c = ctx->cfg;
    enum cell cell = cell_number(ctx, b, r, column, x);
    o->records++;
    if (cell != CELL_MISSING) return cell == CELL_NUMBER;
    o->without_value++;
    if (c->adds && b->label[r] == 1)
        outliers_label(ctx, o, b, r, false, true); /* an earlier stage has decided */
    else if (c->label.missing == LABEL_REJECT)
        label_missing(ctx, b, r, LEAT_R_LABEL);
    else
        outliers_leave(c, b, r);
    return false;
}

void outliers_report(struct leat_ctx *ctx, const struct outliers *o)
{
    ctx->host->metric(ctx, "labelled", (double)o->labelled);
    ctx->host->metric(ctx, "positive", (double)o->positive);
    ctx->host->metric(ctx, "beyond", (double)o->beyond);
    ctx->host->metric(ctx, "without_value", (double)o->without_value);
}

void outliers_finish(struct leat_ctx *ctx, const struct outliers *o)
{
    const struct outliers_cfg *c = ctx->cfg;
    label_warn_of_missing(ctx, o->without_value, o->records,
                          c->adds ? ", except outliers by another column" : "");
}
