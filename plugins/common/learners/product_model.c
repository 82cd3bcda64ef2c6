/* product_model.c -- implementation of product_model.h. */
#include "product_model.h"

#include <math.h>

#include "products.h"

const char *const product_model_methods[] = {"scod",    "cod",        "fd_amm",  "sfd_amm",
                                             "columns", "projection", "hashing", NULL};

const char *const product_model_forms[] = {"leat", "paper", NULL};

size_t product_model_scratch_bytes(uint32_t max_row)
{
    return 2 * (size_t)max_row * (sizeof(double) + sizeof(uint32_t));
}

void product_model_plan(struct leat_plan *p, const struct product_options *o, uint32_t max,
                        uint32_t row)
{
    struct product_capacity capacity = product_capacity_for(o, max, max, row);
    p->state_bytes += sizeof(struct product_model) +
                      2 * feature_table_bytes(max, product_stride(o)) + product_bytes(o, &capacity);
}

void product_model_close(struct leat_ctx *ctx, struct product_model *m)
{
    if (!m) return;
    ctx->host->free(ctx, m->scratch);
    ctx->host->free(ctx, m->block);
    growing_close(ctx, &m->side[1]);
    growing_close(ctx, &m->side[0]);
    ctx->host->free(ctx, m);
}

static int open_blocks(struct leat_ctx *ctx, const struct product_options *o,
                       struct product_model *m)
{
    const struct leat_host *h = ctx->host;
    struct feature_table *x = &m->side[0].table, *y = &m->side[1].table;
    struct product_capacity capacity =
        product_capacity_for(o, x->max_capacity, y->max_capacity, m->max_row);
    m->block = h->alloc(ctx, product_bytes(o, &capacity));
    m->scratch = h->alloc(ctx, product_model_scratch_bytes(m->max_row));
    if (!m->block || !m->scratch)
        return h->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a sketch of %u columns",
                       o->l);
    m->column[0].value = m->scratch;
    m->column[1].value = m->column[0].value + m->max_row;
    m->column[0].feature = (uint32_t *)(void *)(m->column[1].value + m->max_row);
    m->column[1].feature = m->column[0].feature + m->max_row;
    product_init(&m->sketch, o, &capacity, x, y, m->block);
    return LEAT_OK;
}

int product_model_open(struct leat_ctx *ctx, const struct growing_cfg *c,
                       const struct product_options *o, struct product_model **model)
{
    struct product_model *m = *model = ctx->host->alloc(ctx, sizeof *m);
    if (!m) return ctx->host->fail(ctx, LEAT_ENOMEM, "there is not enough memory for a sketch");
    products_open(ctx);
    m->max_row = examples_max_entries(c->max_entries, ctx->in);
    int status = growing_open(ctx, c, product_stride(o), &m->side[0]);
    if (status == LEAT_OK) status = growing_open(ctx, c, product_stride(o), &m->side[1]);
    if (status == LEAT_OK) status = open_blocks(ctx, o, m);
    if (status != LEAT_OK) {
        product_model_close(ctx, m);
        *model = NULL;
    }
    return status;
}

/* ---- learning ---- */

static void take_side(struct product_model *m, int side, const struct leat_batch *b, uint32_t e)
{
    struct product_column *c = &m->column[side];
    c->n = 0;
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        uint32_t f = growing_enroll(&m->side[side], b, i);
        if (f == FEATURE_TABLE_NONE) continue;
        c->feature[c->n] = f;
        c->value[c->n++] = (double)b->value[i];
    }
}

int product_model_learn(struct leat_ctx *ctx, struct product_model *m, const struct leat_batch *b,
                        uint32_t x, uint32_t y)
{
    growing_reserve(ctx, &m->side[0], b->ex_start[x + 1] - b->ex_start[x]);
    m->side[1].told |= m->side[0].told; /* one warning about max_features is for both sides */
    growing_reserve(ctx, &m->side[1], b->ex_start[y + 1] - b->ex_start[y]);
    m->side[0].told |= m->side[1].told;
    take_side(m, 0, b, x);
    take_side(m, 1, b, y);
    if (product_add(&m->sketch, m->column, (double)b->ex_weight[x])) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENONFINITE, "the sketch's numbers became too large");
}
