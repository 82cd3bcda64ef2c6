/* shard_plan.c -- see shard_plan.h. */
#include "shard_plan.h"

#include "host/metrics/progressive.h"

/* Does the stage keep something of the stream, and not of what it reads or writes? */
static bool keeps(const struct node *n)
{
    return n->stage && n->stage->state->snapshot &&
           (n->stage->kind == LEAT_TRANSFORM || n->stage->kind == LEAT_LEARNER);
}

static bool makes_answers(const struct node *n)
{
    return n->stage && n->stage->expand && n->stage->asker->ask;
}

/* The first stage before n that makes records of answers; NULL: there is none. Of a node that comes
 * before n, `from` knows it. */
static const struct node *answers_before(const struct graph *g, const struct node *n,
                                         const struct node *const *from)
{
    const struct node *found = NULL;
    for (uint32_t k = 0; k < n->n_in && !found; k++) {
        const struct node *before = &g->node[g->edge[n->in[k]].from];
        found = makes_answers(before) ? before : from[before->index];
    }
    return found;
}

static uint64_t bytes_of(const struct node *n)
{
    const struct leat_plan *p = &n->plan;
    uint64_t state = p->state_bytes + p->names_bytes;
    if (n->stage->kind == LEAT_LEARNER) state += progressive_bytes(graph_score(n));
    return 3 * state + p->work_bytes; /* alive, as saved, and as bytes to be sent */
}

/* What a stage that makes records of answers keeps, and a sink, is of these answers alone. */
static void check_node(const struct graph *g, const struct node *n, const struct node *answers,
                       struct diag *d)
{
    const char *why = NULL;
    if (!n->stage) return;
    bool depends = n->stage->kind == LEAT_LEARNER || n->stage->caps & LEAT_STATEFUL;
    if (depends && !n->stage->state->snapshot)
        why = "cannot save its state";
    else if (depends && answers && n->stage->kind != LEAT_SINK && !makes_answers(n))
        why = arena_printf(g->arena,
                           "the records of %s (line %d), which come to it, are of all inputs. Put "
                           "it before that stage, or into another branch of a leat.tee",
                           answers->label, answers->at.line);
    else if (n->stage->kind == LEAT_LEARNER && !n->stage->state->merge)
        why = "its models cannot be merged to answer for all";
    else if (n->by_input && n->lanes > 1)
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
        if (g->node[i].by_input) bytes += p->shards * bytes_of(&g->node[i]);
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
    const struct node **answers = arena_alloc(g->arena, (g->n_nodes + 1) * sizeof *answers);
    for (uint32_t i = 0; i < g->n_nodes && source; i++) {
        struct node *n = g->order[i];
        answers[n->index] = answers_before(g, n, answers);
        n->by_input = keeps(n) && !makes_answers(n) && !answers[n->index];
        check_node(g, n, answers[n->index], d);
        if (n->stage && n->stage->kind == LEAT_SOURCE && n != source) other = n;
    }
    if (other)
        diag_add(
            d, DIAG_ERROR, source->at, source->label, NULL,
            "a source with a state for each of its inputs must be the only source; also found: %s "
            "(line %d)",
            other->label, other->at.line);
}
