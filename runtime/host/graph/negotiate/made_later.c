/* made_later.c -- see made_later.h. */
#include "made_later.h"

#include <string.h>

static bool is_noted(const struct node *parser, const char *name)
{
    for (uint32_t i = 0; i < parser->n_made; i++)
        if (!strcmp(parser->made[i].name, name)) return true;
    return false;
}

static void note(struct node *parser, const char *name, const struct node *by, struct arena *a)
{
    if (is_noted(parser, name)) return;
    if (parser->n_made == parser->made_cap)
        parser->made =
            arena_grow(a, parser->made, parser->n_made, &parser->made_cap, sizeof *parser->made);
    parser->made[parser->n_made++] = (struct made_column){name, by};
}

static void note_columns(struct node *parser, const struct node *by, struct arena *a)
{
    const struct leat_schema *out = &by->schema_out;
    if (by->stage->caps & LEAT_REPLACES) return;
    for (uint32_t i = by->schema_in.n_columns; i < out->n_columns; i++)
        note(parser, out->column[i].name, by, a);
}

static bool is_fed_by_one(const struct graph *g, const struct node *n, const bool *reached)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (reached[g->edge[n->in[i]].from]) return true;
    return false;
}

static void note_later(struct graph *g, struct node *parser)
{
    bool *reached = arena_alloc(g->arena, g->n_nodes * sizeof *reached);
    parser->n_made = 0;
    reached[parser->index] = true;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = g->order[i];
        if (n == parser || !is_fed_by_one(g, n, reached) || (n->stage && n->stage->expand))
            continue;
        reached[n->index] = true;
        if (n->stage) note_columns(parser, n, g->arena);
    }
}

void made_later_note(struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].named_later) note_later(g, &g->node[i]);
}
