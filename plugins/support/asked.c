/* asked.c -- see asked.h. */
#include "asked.h"

const char *const asked_orders[] = {"weight", "risk", "support", "share", NULL};
const char *const asked_signs[] = {"both", "positive", NULL};
const char *const asked_twins[] = {"apart", "together", NULL};

int asked_validate(const void *config, struct leat_diag *d)
{
    const struct asked *q = config;
    if (q->min_odds_gain > 0 && q->min_odds_gain < 1)
        d->error(d, "min_odds_gain", "%g is below 1: give a factor of at least 1, or 0 to show all",
                 q->min_odds_gain);
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
    a->every = q->every;
    a->order = (uint32_t)q->order;
    a->positive = (uint32_t)q->sign;
    a->together = (uint32_t)q->twins;
    return LEAT_OK;
}
