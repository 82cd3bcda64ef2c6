/* late.c -- see late.h. */
#include "late.h"

#include <string.h>

#include "host/log/log.h"
#include "core/time/clock.h"
#include "host/exec/run.h"

static const uint64_t LATE_NS = UINT64_C(1000000000);

/* When the call began that the source is in; 0: it is in no produce. */
static uint64_t produce_since(const struct instance *source)
{
    const char *call = atomic_load_explicit(&source->call, memory_order_acquire);
    return call && !strcmp(call, "produce") ? atomic_load(&source->call_ns) : 0;
}

static void look_at(struct instance *source, bool in_turn, uint64_t now)
{
    uint64_t since = produce_since(source), before = source->reading.seen_ns;
    source->reading.seen_ns = since;
    if (!since || since != before || !in_turn || now - since < LATE_NS || source->reading.told_late)
        return;
    source->reading.told_late = true;
    log_message(
        LEAT_WARN,
        "%s: produce has not returned for %.1f s: until it does, the stages after it are "
        "not told that time passes, nothing is flushed or shown, and no checkpoint is made. "
        "It must return LEAT_AGAIN within 100 ms when nothing has come (leat/stage.h)",
        source->node->label, (double)(now - since) / 1e9);
}

void late_look(struct run *r)
{
    uint64_t now = clock_ns();
    bool in_turn = now - r->looked_ns < 3 * LATE_LOOK_NS;
    r->looked_ns = now;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++) {
        const struct node *n = &r->graph->node[i];
        if (n->stage && n->stage->kind == LEAT_SOURCE && !n->plan.shards)
            look_at(run_instance(r, n, 0), in_turn, now);
    }
}
