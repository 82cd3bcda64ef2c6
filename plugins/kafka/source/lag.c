/* lag.c -- see lag.h. */
#include "lag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNKNOWN = -1, NAME_BYTES = 264 };

/* The worst partitions, the worst first. */
struct worst {
    struct {
        const struct partition *p;
        int64_t lag;
    } v[LEAT_LAGS];
    uint32_t n;
};

static int64_t lag_of(const struct consumer *c, const struct partition *p)
{
    int64_t low, high;
    if (p->next < 0 || rd_kafka_get_watermark_offsets(c->rk, p->topic, p->number, &low, &high) ||
        high < 0)
        return UNKNOWN;
    return high > p->next ? high - p->next : 0;
}

/* What is not known comes last, and equals in their order. */
static void rank(struct worst *w, const struct partition *p, int64_t lag)
{
    uint32_t k = w->n;
    while (k && w->v[k - 1].lag < lag)
        k--;
    if (k == LEAT_LAGS) return;
    uint32_t last = w->n < LEAT_LAGS ? w->n++ : LEAT_LAGS - 1;
    memmove(&w->v[k + 1], &w->v[k], (last - k) * sizeof w->v[0]);
    w->v[k].p = p;
    w->v[k].lag = lag;
}

static void tell(struct leat_ctx *ctx, int64_t total, const struct worst *w)
{
    char name[LEAT_LAGS][NAME_BYTES];
    struct leat_lag rows[LEAT_LAGS];
    for (uint32_t k = 0; k < w->n; k++) {
        snprintf(name[k], sizeof name[k], "%s/%d", w->v[k].p->topic, (int)w->v[k].p->number);
        rows[k] = (struct leat_lag){name[k], w->v[k].lag};
    }
    ctx->host->lag(ctx, total, rows, w->n);
    ctx->host->metric(ctx, "lag", total < 0 ? (double)NAN : (double)total);
}

void lag_tell(struct leat_ctx *ctx, const struct consumer *c)
{
    struct worst w = {.n = 0};
    int64_t total = c->partitions.n ? 0 : UNKNOWN; /* none was assigned yet */
    for (uint32_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = &c->partitions.v[i];
        if (!p->assigned) continue;
        int64_t lag = lag_of(c, p);
        total = lag < 0 || total < 0 ? UNKNOWN : total + lag;
        rank(&w, p, lag);
    }
    tell(ctx, total, &w);
}
