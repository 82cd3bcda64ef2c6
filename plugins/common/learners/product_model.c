/* product_model.c -- implementation of product_model.h. */
#include "product_model.h"

#include <math.h>

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

/* ---- pairs of examples ---- */

static bool refuse_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        if (isfinite(b->value[i])) continue;
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE,
                          "feature %llu has the value %g", (unsigned long long)b->id[i],
                          (double)b->value[i]);
        return true;
    }
    return false;
}

/* Rejects the record of a pair that the model cannot learn. Returns true if it does. */
static bool refuse_pair(struct leat_ctx *ctx, struct leat_batch *b, uint32_t x, uint32_t y,
                        uint32_t max_row)
{
    float weight = b->ex_weight[x];
    for (int s = 0; s < 2; s++) {
        uint32_t e = s ? y : x, n = b->ex_start[e + 1] - b->ex_start[e];
        if (n > max_row) {
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_TOO_LARGE,
                              "a side has %u entries, more than max_entries = %u", n, max_row);
            return true;
        }
        if (refuse_values(ctx, b, e)) return true;
    }
    if (weight >= 0 && isfinite(weight)) return false;
    ctx->host->reject(ctx, b, b->ex_record[x], LEAT_R_NONFINITE,
                      "importance weight %g is not a finite number of at least 0", (double)weight);
    return true;
}

bool product_model_next(struct leat_ctx *ctx, struct leat_batch *b, uint32_t max_row, uint32_t *k,
                        uint32_t *x, uint32_t *y)
{
    while (*k < b->n_ex_sel) {
        *x = b->ex_sel[(*k)++];
        if (*k == b->n_ex_sel || b->ex_record[b->ex_sel[*k]] != b->ex_record[*x]) {
            ctx->host->reject(
                ctx, b, b->ex_record[*x], LEAT_R_FIELDS,
                "the record makes only one example and must make two, a left and a right side");
            continue;
        }
        *y = b->ex_sel[(*k)++];
        if (!refuse_pair(ctx, b, *x, *y, max_row)) return true;
    }
    return false;
}

/* Accepts 3 examples as well, because feature.sides leaves the whole example, not selected, before
 * its two sides. */
int product_model_check_sides(struct leat_negotiation *n)
{
    if (n->in->examples_per_record == 2 || n->in->examples_per_record == 3) return LEAT_OK;
    n->diag->error(
        n->diag, NULL,
        "a record makes %u example%s, not two sides: put feature.sides before this stage",
        n->in->examples_per_record, n->in->examples_per_record == 1 ? "" : "s");
    return LEAT_EARG;
}
