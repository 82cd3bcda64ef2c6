/* label.c -- see label.h. */
#include "label.h"

#include "common/cells/cell.h"

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
