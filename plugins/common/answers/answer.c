/* answer.c -- implementation of answer.h: answers to the query LEAT_QUERY_TOP. */
#include "answer.h"

#include <math.h>
#include <string.h>

#include "core/odds.h"
#include "core/pow10.h"
#include "kernels/base/likelihood.h"
#include "kernels/base/loss.h"

struct leat_query answer_query(const struct leat_query *q)
{
    struct leat_query all = {0};
    memcpy(&all, q, q->size < sizeof all ? q->size : sizeof all);
    return all;
}

double answer_about(double count)
{
    double unit = count > 100 ? pow10_of(pow10_exponent(count) - 1) : 1;
    return round(count / unit) * unit;
}

void answer_tell_k(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n, uint32_t most,
                   bool *told)
{
    if (q->beside || *told || n < most || q->k <= most) return;
    *told = true;
    ctx->host->log(ctx, LEAT_WARN,
                   "a later stage asks for %u features and budget has room for %u: raise budget, "
                   "or lower that stage's k",
                   q->k, most);
}

/* ---- columns and rows ---- */

static const char *const columns[] = {"weight",          "relative_risk", "support_outliers",
                                      "support_inliers", "count",         "spread"};
static const char *const spread_columns[] = {"weight",           "spread",          "relative_risk",
                                             "support_outliers", "support_inliers", "count"};

const char *const *answer_names(bool counts, bool spread, uint32_t *n)
{
    *n = (counts ? 5u : 1u) + spread;
    return spread ? spread_columns : columns;
}

int answer_columns(struct leat_result *out, bool counts, enum answer_spread spread)
{
    uint32_t n;
    bool last = counts && spread == ANSWER_SPREAD_LAST;
    const char *const *names = answer_names(counts, spread && !last, &n);
    return out->columns(out, names, n + last);
}

int answer_row(struct leat_result *out, const struct sgd *s, const char *name, size_t len,
               const struct answer_weight *w, const uint32_t *count)
{
    double v[6] = {w->weight}, *more = v + 1;
    if (w->where == ANSWER_SPREAD) *more++ = w->spread;
    if (count) {
        double N1 = sgd_records(s, 1), N0 = sgd_records(s, 0);
        double n1 = sgd_counted(s, count[1]), n0 = sgd_counted(s, count[0]);
        more[0] = odds_relative_risk(n1, n0, N1, N0, false);
        /* Limited to 1, because a record may have a feature twice, and estimated counts may be too
         * high. */
        more[1] = N1 > 0 ? fmin(1, n1 / N1) : (double)NAN;
        more[2] = N0 > 0 ? fmin(1, n0 / N0) : (double)NAN;
        more[3] = n1 + n0;
        more += 4;
    }
    if (w->where == ANSWER_SPREAD_LAST) *more = w->spread;
    return out->row(out, name, len, v);
}

bool answer_takes_twins(const struct leat_result *out)
{
    return out->size >= offsetof(struct leat_result, also) + sizeof out->also && out->also;
}

/* ---- conditions ---- */

bool answer_filters(const struct leat_query *q)
{
    return q->min_support > 0 || q->min_risk_ratio > 0 || q->min_odds_gain > 0 || q->order ||
           q->positive;
}

bool answer_passes(const struct leat_query *q, const struct sgd *s, const uint32_t *count)
{
    if (!count) return true;
    double n1 = sgd_counted(s, count[1]), n0 = sgd_counted(s, count[0]);
    double N1 = sgd_records(s, 1), N0 = sgd_records(s, 0);
    if (n1 + n0 < q->min_count || n1 < q->min_support * N1) return false;
    return q->min_risk_ratio <= 0 || odds_relative_risk(n1, n0, N1, N0, false) >= q->min_risk_ratio;
}

double answer_order_key(const struct leat_query *q, const struct sgd *s, const uint32_t *count)
{
    return answer_order_key_of(q, sgd_counted(s, count[1]), sgd_counted(s, count[0]),
                               sgd_records(s, 1), sgd_records(s, 0));
}

double answer_order_key_of(const struct leat_query *q, double n1, double n0, double N1, double N0)
{
    switch (q->order) {
    case LEAT_ORDER_RISK:
        return loss_log(odds_relative_risk(n1, n0, N1, N0, false));
    case LEAT_ORDER_SHARE:
        return n1;
    case LEAT_ORDER_CHANGE:
        return fabs(n1 - n0);
    case LEAT_ORDER_GAIN:
        return likelihood_gain(n1, n0, N1, N0);
    default:
        return n1 + n0;
    }
}

/* ---- conjunctions ---- */

struct redundancy_parts answer_parts(const struct leat_batch *b, uint32_t i)
{
    uint64_t key[3];
    uint32_t n = 0;
    for (; b->name && n < 3 && b->name[i].part[n]; n++) {
        const struct leat_part *p = &b->part[b->name[i].part[n] - 1];
        const char *field = p->field == LEAT_NO_FIELD ? "" : b->fields[p->field];
        bool has_value = p->value.len != LEAT_NULL;
        key[n] = redundancy_key(field, strlen(field), has_value ? leat_text(b, p->value) : NULL,
                                has_value ? p->value.len : 0);
    }
    return redundancy_parts_of(key, n);
}

uint64_t answer_redundant_bytes(uint32_t n) { return redundancy_scratch_bytes(n) + n; }

int answer_redundant(struct leat_ctx *ctx, const struct leat_query *q, uint32_t n,
                     const struct redundancy_parts *parts, const double *weight,
                     uint8_t **redundant)
{
    const struct leat_host *h = ctx->host;
    *redundant = NULL;
    if (!(q->min_odds_gain > 0) || !n) return LEAT_OK;
    void *scratch = h->alloc(ctx, redundancy_scratch_bytes(n));
    *redundant = h->alloc(ctx, n);
    if (scratch && *redundant)
        redundancy_mark(n, parts, weight, loss_log(q->min_odds_gain), scratch, *redundant);
    h->free(ctx, scratch);
    if (scratch && *redundant) return LEAT_OK;
    h->free(ctx, *redundant);
    *redundant = NULL;
    return h->fail(ctx, LEAT_ENOMEM,
                   "there is not enough memory to compare %u features with their parts", n);
}
