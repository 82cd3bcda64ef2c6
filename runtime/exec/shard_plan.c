/* shard_plan.c -- see shard_plan.h. */
#include "shard_plan.h"

#include "metrics/progressive.h"

bool shard_plan_covers(const struct node *n)
{
    return n->stage && n->stage->state->snapshot &&
           (n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER);
}

static uint64_t bytes_of(const struct node *n)
{
    const struct leat_plan *p = &n->plan;
    uint64_t state = p->state_bytes + p->names_bytes;
    if (n->stage->kind == LEAT_LEARNER) state += progressive_bytes(graph_score(n));
    return 3 * state + p->work_bytes; /* alive, as saved, and as bytes to be sent */
}

static void check_node(const struct node *n, struct diag *d)
{
    const char *why = NULL;
    if (!n->stage) return;
    int keeps = n->stage->kind == LEAT_LEARNER || n->stage->caps & LEAT_STATEFUL;
    if (keeps && !n->stage->state->snapshot)
        why = "cannot save its state";
    else if (n->stage->expand)
        why = "it makes records of those of all inputs";
    else if (n->stage->kind == LEAT_LEARNER && !n->stage->state->merge)
        why = "its models cannot be merged to answer for all";
    else if (shard_plan_covers(n) && n->lanes > 1)
        why = "it runs in several lanes";
    if (why)
        diag_add(
            d, DIAG_ERROR, n->at, n->label, NULL,
            "the source keeps a state for each of its inputs, and this stage cannot have one for "
            "each: %s",
            why);
}

uint64_t shard_plan_bytes(const struct plan *p, const struct graph *g)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; p->shards && i < g->n_nodes; i++)
        if (shard_plan_covers(&g->node[i])) bytes += p->shards * bytes_of(&g->node[i]);
    return bytes;
}

void shard_plan_make(struct plan *p, struct graph *g, struct diag *d)
{
    const struct node *source = NULL, *other = NULL;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || n->stage->kind != LEAT_SOURCE) continue;
        if (n->plan.shards) source = n;
        if (n->plan.shards > p->shards) p->shards = n->plan.shards;
    }
    for (uint32_t i = 0; i < g->n_nodes && source; i++) {
        const struct node *n = &g->node[i];
        check_node(n, d);
        if (n->stage && n->stage->kind == LEAT_SOURCE && n != source) other = n;
    }
    if (other)
        diag_add(
            d, DIAG_ERROR, source->at, source->label, NULL,
            "a source with a state for each of its inputs must be the only source; also found: %s "
            "(line %d)",
            other->label, other->at.line);
}
