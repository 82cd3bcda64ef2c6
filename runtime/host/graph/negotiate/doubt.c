/* doubt.c -- see doubt.h. */
#include "doubt.h"

/* A stage that takes all columns, such as a sink, has named none. */
static bool is_named(const struct node *n)
{
    return n->n_found && n->n_found < n->schema_in.n_columns;
}

static bool is_found_after(const struct graph *g, const struct node *n, const bool *found)
{
    for (uint32_t j = 0; j < n->n_out; j++)
        if (found[g->edge[n->out[j]].to]) return true;
    return false;
}

bool doubt_headers(struct graph *g)
{
    bool some = false;
    bool *found = arena_alloc(g->arena, g->n_nodes * sizeof *found); /* there, or after it */
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        struct node *n = g->order[i];
        const bool after = is_found_after(g, n, found);
        bool parser = n->stage && n->stage->caps & LEAT_PARSER;
        n->doubted = parser && n->warned && !after;
        found[n->index] = after || is_named(n);
        some |= n->doubted;
    }
    return some;
}

void doubt_none(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        g->node[i].doubted = false;
}
