/* asked.c -- implementation of asked.h. */
#include "asked.h"

#include "core/report/answer_report.h"

const char *const asked_orders[] = {"weight", "risk", "support", "share", "gain", "change", NULL};
const char *const asked_signs[] = {"both", "positive", NULL};
const char *const asked_twins[] = {"apart", "together", NULL};
const char *const asked_clocks[] = {[ASKED_WALL] = "wall", [ASKED_EVENT] = "event", NULL};

int asked_check(const void *config, struct leat_diag *d)
{
    const struct asked *q = config;
    if (q->clock == ASKED_EVENT && q->every.ns <= 0)
        d->error(d, "clock",
                 "\"event\" needs a time, and `every` %s: set it to a time such as \"10min\"",
                 q->every.examples ? "is a number of examples" : "is not set");
    if (q->min_odds_gain > 0 && q->min_odds_gain < 1)
        d->error(d, "min_odds_gain", "%g is below 1: give a factor of at least 1, or 0 to show all",
                 q->min_odds_gain);
    return LEAT_OK;
}

int asked_validate(const void *config, struct leat_diag *d)
{
    asked_check(config, d);
    return out_validate(config, d);
}

int asked_top(const void *config, struct leat_ask *a)
{
    const struct asked *q = config;
    a->kind = LEAT_QUERY_TOP;
    a->of = q->of;
    a->k = (uint32_t)q->k;
    a->min_count = (uint32_t)q->min_count;
    a->min_support = q->min_support;
    a->min_risk_ratio = q->min_risk_ratio;
    a->min_odds_gain = q->min_odds_gain;
    a->max_luck = q->max_luck;
    a->every = q->every;
    a->order = (uint32_t)q->order;
    a->positive = (uint32_t)q->sign;
    a->together = (uint32_t)q->twins;
    a->event_time = q->clock == ASKED_EVENT;
    return LEAT_OK;
}

int asked_figures(const void *config, struct leat_ask *a)
{
    int status = asked_top(config, a);
    a->kind = LEAT_QUERY_METRICS;
    a->k = 1;
    return status;
}

void asked_tell_unmet(struct leat_ctx *ctx, const struct leat_table *t, bool *told)
{
    struct leat_ask want = {.size = sizeof want};
    asked_top(ctx->cfg, &want);
    const char *unmet = *told ? NULL : answer_report_unmet(t, &want);
    if (!unmet) return;
    *told = true;
    ctx->host->log(ctx, LEAT_WARN, "%s: %s " ANSWER_UNMET, unmet, t->learner);
}
