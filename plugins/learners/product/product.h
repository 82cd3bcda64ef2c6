/* product.h -- glue of a sketched product: two growing tables of features, the kernel's sketch over
 * them, and the batch's pairs of examples that it learns from.
 *
 * A record's first example is a column of X, its second one the column of Y. Used by the learner
 * and by the sink that judges sketches.
 */
#ifndef LEAT_LEARNERS_PRODUCT_PRODUCT_H
#define LEAT_LEARNERS_PRODUCT_PRODUCT_H

#include <math.h>

#include "kernels/product/product.h"
#include "learners/growing.h"

static const char *const product_methods[] = {"scod",    "cod",     "fd_amm",
                                              "sfd_amm", "columns", "projection",
                                              "hashing", NULL}; /* enum product_method */

struct product_model {
    struct growing side[2];
    struct product sketch;
    void *block, *scratch;
    struct product_column column[2]; /* in scratch */
    uint32_t max_row;                /* entries of a side */
};

static inline size_t product_scratch_bytes(uint32_t max_row)
{
    return 2 * (size_t)max_row * (sizeof(double) + sizeof(uint32_t));
}

static inline void product_close(struct leat_ctx *ctx, struct product_model *m)
{
    if (!m) return;
    ctx->host->free(ctx, m->scratch);
    ctx->host->free(ctx, m->block);
    growing_close(ctx, &m->side[1]);
    growing_close(ctx, &m->side[0]);
    ctx->host->free(ctx, m);
}

static inline int product_open_blocks(struct leat_ctx *ctx, const struct product_options *o,
                                      struct product_model *m)
{
    const struct leat_host *h = ctx->host;
    struct feature_table *x = &m->side[0].table, *y = &m->side[1].table;
    struct product_room room = product_room_for(o, x->capacity, y->capacity, m->max_row);
    m->block = h->alloc(ctx, product_bytes(o, &room));
    m->scratch = h->alloc(ctx, product_scratch_bytes(m->max_row));
    if (!m->block || !m->scratch)
        return h->fail(ctx, LEAT_ENOMEM, "no memory for a sketch of %u columns", o->l);
    m->column[0].value = m->scratch;
    m->column[1].value = m->column[0].value + m->max_row;
    m->column[0].feature = (uint32_t *)(void *)(m->column[1].value + m->max_row);
    m->column[1].feature = m->column[0].feature + m->max_row;
    product_init(&m->sketch, o, &room, x, y, m->block);
    return LEAT_OK;
}

static inline int product_open(struct leat_ctx *ctx, const struct growing_cfg *c,
                               const struct product_options *o, struct product_model **model)
{
    struct product_model *m = *model = ctx->host->alloc(ctx, sizeof *m);
    if (!m) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for a sketch");
    m->max_row = growing_max_row(c, ctx->in);
    int status = growing_open(ctx, c, product_stride(o), &m->side[0]);
    if (status == LEAT_OK) status = growing_open(ctx, c, product_stride(o), &m->side[1]);
    if (status == LEAT_OK) status = product_open_blocks(ctx, o, m);
    if (status != LEAT_OK) {
        product_close(ctx, m);
        *model = NULL;
    }
    return status;
}

/* After the tables: a block for as many features. */
static inline int product_follow(struct leat_ctx *ctx, struct product_model *m)
{
    const struct product *p = &m->sketch;
    uint32_t x = m->side[0].table.capacity, y = m->side[1].table.capacity;
    if (x == p->room.features[0] && y == p->room.features[1]) return LEAT_OK;
    struct product_room room = product_room_for(&p->opt, x, y, m->max_row);
    void *block = ctx->host->alloc(ctx, product_bytes(&p->opt, &room));
    if (!block) return ctx->host->fail(ctx, LEAT_ENOMEM, "no memory for %u + %u features", x, y);
    product_grow(&m->sketch, &room, block);
    ctx->host->free(ctx, m->block);
    m->block = block;
    return LEAT_OK;
}

static inline void product_take(struct product_model *m, int side, const struct leat_batch *b,
                                uint32_t e)
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

/* Learn examples x and y, which product_refuse() took. */
static inline int product_learn(struct leat_ctx *ctx, struct product_model *m,
                                const struct leat_batch *b, uint32_t x, uint32_t y)
{
    const uint32_t n[2] = {b->ex_start[x + 1] - b->ex_start[x],
                           b->ex_start[y + 1] - b->ex_start[y]};
    growing_make_room(ctx, &m->side[0], n[0]);
    growing_make_room(ctx, &m->side[1], n[1]);
    int status = product_follow(ctx, m);
    if (status != LEAT_OK) return status;
    product_take(m, 0, b, x);
    product_take(m, 1, b, y);
    if (product_add(&m->sketch, m->column, (double)b->ex_weight[x])) return LEAT_OK;
    return ctx->host->fail(ctx, LEAT_ENONFINITE, "the sketch's numbers became too large");
}

/* ---- which pairs ---- */

static inline int product_refuse_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    for (uint32_t i = b->ex_start[e]; i < b->ex_start[e + 1]; i++) {
        if (isfinite(b->value[i])) continue;
        ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE,
                          "value %u of feature %llu is %g", i - b->ex_start[e] + 1,
                          (unsigned long long)b->id[i], (double)b->value[i]);
        return 1;
    }
    return 0;
}

/* The record of a pair that cannot be learned from is rejected here: true. */
static inline int product_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t x, uint32_t y,
                                 uint32_t most)
{
    float weight = b->ex_weight[x];
    for (int s = 0; s < 2; s++) {
        uint32_t e = s ? y : x, n = b->ex_start[e + 1] - b->ex_start[e];
        if (n > most) {
            ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_TOO_LARGE,
                              "%u entries, max_entries is %u", n, most);
            return 1;
        }
        if (product_refuse_values(ctx, b, e)) return 1;
    }
    if (weight >= 0 && isfinite(weight)) return 0;
    ctx->host->reject(ctx, b, b->ex_record[x], LEAT_R_NONFINITE, "importance weight %g",
                      (double)weight);
    return 1;
}

/* The next pair of sides among the selected examples from place *k on: false when there is none.
 * Records with one example only are rejected. */
static inline int product_next(struct leat_ctx *ctx, struct leat_batch *b, uint32_t most,
                               uint32_t *k, uint32_t *x, uint32_t *y)
{
    while (*k < b->n_ex_sel) {
        *x = b->ex_sel[(*k)++];
        if (*k == b->n_ex_sel || b->ex_record[b->ex_sel[*k]] != b->ex_record[*x]) {
            ctx->host->reject(ctx, b, b->ex_record[*x], LEAT_R_FIELDS,
                              "one example: a left and a right side were expected");
            continue;
        }
        *y = b->ex_sel[(*k)++];
        if (!product_refuse(ctx, b, *x, *y, most)) return 1;
    }
    return 0;
}

/* In negotiate. feature.sides leaves one whole example, no longer selected, before its two sides.
 */
static inline int product_check_sides(struct leat_negotiation *n)
{
    if (n->in->examples_per_record == 2 || n->in->examples_per_record == 3) return LEAT_OK;
    n->diag->error(n->diag, NULL,
                   "a record makes %u example%s, not two sides: put feature.sides before it",
                   n->in->examples_per_record, n->in->examples_per_record == 1 ? "" : "s");
    return LEAT_EARG;
}

#endif
