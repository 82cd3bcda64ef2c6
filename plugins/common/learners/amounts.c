/* amounts.c -- implementation of amounts.h. */
#include "amounts.h"

#include <math.h>
#include <stdio.h>

#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "kernels/base/count.h"

void amounts_negotiate(const struct amounts_cfg *cfg, struct leat_negotiation *n)
{
    uint32_t column;
    if (cfg->column) n->column(n, "amount", cfg->column, CELL_TAKES, &column);
}

void amounts_open(struct leat_ctx *ctx, const struct amounts_cfg *cfg, struct amounts *a)
{
    *a = (struct amounts){.cfg = cfg, .per_unit = cfg->unit < 1 ? 1 / cfg->unit : 0};
    if (cfg->column) a->column = columns_known(ctx, cfg->column, CELL_TAKES);
}

double amounts_of(const struct amounts *a, double units)
{
    return a->per_unit > 0 ? units / a->per_unit : units * a->cfg->unit;
}

static bool amounts_refuse(struct leat_ctx *ctx, const struct amounts *a, struct leat_batch *b,
                           uint32_t r, double x)
{
    const char *column = a->cfg->column;
    if (x < 0)
        ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                          "column '%s': %g is below 0, and only amounts of at least 0 add up to "
                          "shares: filter such records, or add them up apart",
                          column, x);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE,
                          "column '%s': %g is above %g, the largest amount with amount_unit = %g: "
                          "set a larger amount_unit",
                          column, x, amounts_of(a, AMOUNTS_MOST), a->cfg->unit);
    return false;
}

bool amounts_read(struct leat_ctx *ctx, struct amounts *a, struct leat_batch *b, uint32_t r,
                  uint64_t *units)
{
    double x;
    enum cell cell = cell_number(ctx, b, r, a->column, &x);
    if (cell == CELL_MISSING)
        ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                          "column '%s' is empty, and the record's amount is unknown: filter such "
                          "records, or write 0",
                          a->cfg->column);
    if (cell != CELL_NUMBER) return false;
    double whole = round(a->per_unit > 0 ? x * a->per_unit : x / a->cfg->unit);
    if (x < 0 || whole > AMOUNTS_MOST) return amounts_refuse(ctx, a, b, r, x);
    a->rounded += fabs(amounts_of(a, whole) - x) > 0.01 * x;
    *units = (uint64_t)whole;
    return true;
}

int amounts_overflow(struct leat_ctx *ctx, const struct amounts *a, double most)
{
    return ctx->host->fail(ctx, LEAT_ENOMEM,
                           "the amounts in column '%s' add up to more than %g, the most with "
                           "amount_unit = %g: set a larger amount_unit",
                           a->cfg->column, amounts_of(a, most), a->cfg->unit);
}

bool amounts_fit(const uint64_t own[2], const uint64_t more[2], double weight)
{
    uint64_t all = 0;
    for (int y = 0; y < 2; y++)
        all += count_add_up_to(2 * AMOUNTS_TOTAL, own[y], more[y], weight);
    return all <= AMOUNTS_TOTAL;
}

const char *amounts_no_room(const struct amounts_cfg *cfg, char text[AMOUNTS_TEXT])
{
    snprintf(text, AMOUNTS_TEXT,
             "the amounts of column '%s' add up to more than %g, the most with amount_unit = %g: "
             "merge fewer of them, or learn all of them with a larger amount_unit",
             cfg->column, (double)AMOUNTS_TOTAL * cfg->unit, cfg->unit);
    return text;
}

void amounts_tell(struct leat_ctx *ctx, const struct amounts *a)
{
    if (a->rounded)
        ctx->host->log(ctx, LEAT_WARN,
                       "%llu amounts in column '%s' changed by more than 1 %% when they were "
                       "rounded to amount_unit = %g: set a smaller amount_unit",
                       (unsigned long long)a->rounded, a->cfg->column, a->cfg->unit);
}
