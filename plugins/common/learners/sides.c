/* sides.c -- implementation of sides.h. */
#include "sides.h"

#include <math.h>

static bool sides_refuse_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
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
        if (sides_refuse_values(ctx, b, e)) return true;
    }
    if (weight >= 0 && isfinite(weight)) return false;
    ctx->host->reject(ctx, b, b->ex_record[x], LEAT_R_NONFINITE,
                      "importance weight %g is not a finite number of at least 0", (double)weight);
    return true;
}

bool sides_next(struct leat_ctx *ctx, struct leat_batch *b, uint32_t max_row, uint32_t *k,
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
int sides_check(struct leat_negotiation *n)
{
    if (n->in->examples_per_record == 2 || n->in->examples_per_record == 3) return LEAT_OK;
    n->diag->error(
        n->diag, NULL,
        "a record makes %u example%s, not two sides: put feature.sides before this stage",
        n->in->examples_per_record, n->in->examples_per_record == 1 ? "" : "s");
    return LEAT_EARG;
}
