/* lag.c -- see lag.h. */
#include "lag.h"

#include <stdio.h>

#include "host/memory/memory.h"
#include "host/exec/run.h"

static struct lag *lag_of(struct instance *i)
{
    struct lag *l = atomic_load_explicit(&i->lag, memory_order_relaxed);
    if (l) return l;
    l = memory_take(sizeof *l);
    *l = (struct lag){.n = 0};
    return l;
}

void lag_take(struct instance *i, int64_t total, const struct leat_lag *worst, uint32_t n)
{
    struct lag *l = lag_of(i);
    l->n = n < LEAT_LAGS ? n : LEAT_LAGS;
    for (uint32_t k = 0; k < l->n; k++) {
        snprintf(l->worst[k].input, sizeof l->worst[k].input, "%s", worst[k].input);
        l->worst[k].records = worst[k].records;
    }
    atomic_store_explicit(&l->total, total, memory_order_relaxed);
    atomic_store_explicit(&i->lag, l, memory_order_release);
}

int64_t lag_total(const struct run *r)
{
    int64_t sum = LAG_NONE;
    for (uint32_t k = 0; k < r->graph->n_nodes; k++) {
        const struct node *n = &r->graph->node[k];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        struct lag *l = atomic_load_explicit(&run_instance(r, n, 0)->lag, memory_order_acquire);
        int64_t total = l ? atomic_load_explicit(&l->total, memory_order_relaxed) : LAG_NONE;
        if (total == LAG_NONE) continue;
        if (total < 0) return -1;
        sum = sum == LAG_NONE ? total : sum + total;
    }
    return sum;
}
