/* doubt.c -- see doubt.h. */
#include "doubt.h"

/* A stage that takes all columns, such as a sink, has named none. */
static bool is_named(const struct node *n)
{
    return n->n_found && n->n_found < n->schema_in.n_columns;
}

static bool is_found(const struct graph *g, const struct node *n)
{
    for (uint32_t j = 0; j < n->n_out; j++) {
        const struct node *to = &g->node[g->edge[n->out[j]].to];
        if (is_named(to) || is_found(g, to)) return true;
    }
    return false;
}

bool doubt_headers(struct graph *g)
{
    bool some = false;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = &g->node[i];
        bool parser = n->stage && n->stage->caps & LEAT_PARSER;
        n->doubted = parser && n->warned && !is_found(g, n);
        some |= n->doubted;
    }
    return some;
}

void doubt_none(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        g->node[i].doubted = false;
}
