/* negotiate.c -- walking the graph from the sources, schema by schema. */
#include "negotiate.h"

#include <assert.h>
#include <stdbool.h>

#include "host/graph/column_index.h"
#include "deal.h"
#include "doubt.h"
#include "made_later.h"
#include "negotiate_framing.h"
#include "negotiate_merge.h"
#include "negotiate_stage.h"
#include "host/graph/node_diag.h"

static void negotiate_route(struct graph *g, struct node *n, struct diag *d)
{
    n->column_index = (struct column_index){0};
    for (uint32_t j = 0; j < n->n_out; j++) {
        struct edge *e = &g->edge[n->out[j]];
        struct deal deal;
        deal_init(&deal, g, n, d);
        int status = deal_find_column(&deal, NULL, n->by, &e->by_column);
        if (status == LEAT_OK && n->schema_in.column[e->by_column].type == LEAT_NUMBER)
            node_error(d, n, NULL, "column '%s' holds numbers; a route needs a text column", n->by);
        if (status != LEAT_OK) return;
    }
}

static bool inputs_have_schemas(const struct graph *g, const struct node *n)
{
    for (uint32_t i = 0; i < n->n_in; i++)
        if (!g->node[g->edge[n->in[i]].from].has_schema) return false;
    return true;
}

/* From its inputs to its output. Where something is wrong, which is reported, the output is a guess
 * that makes no further errors: the stages behind it still find those of their own. */
static void negotiate_node(struct graph *g, struct node *n, struct diag *d)
{
    const struct node *before = graph_before(g, n);
    size_t errors = d->errors;
    n->n_found = 0;
    bool begins = n->stage && n->stage->kind == LEAT_SOURCE; /* others without an input lack one */
    n->has_schema = inputs_have_schemas(g, n) && (n->n_in || begins);
    n->schema_in = before ? before->schema_out
                          : (struct leat_schema){.size = sizeof n->schema_in, .open = !begins};
    if (n->kind == NODE_STAGE && n->stage) {
        negotiate_stage(g, n, d);
        return;
    }
    if (n->kind == NODE_MERGE && n->has_schema) negotiate_merge(g, n, d);
    if (n->kind == NODE_ROUTE) negotiate_route(g, n, d);
    n->schema_out = n->schema_in;
    n->has_schema &= n->kind != NODE_STAGE && d->errors == errors;
    if (!n->has_schema && n->kind != NODE_ROUTE) n->schema_out.open = 1;
}

/* asking: parsers whose columns are named later keep their schemas open, for more names. */
static void negotiate_all(struct graph *g, bool asking, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        struct node *n = g->order[i];
        if (n->stage && n->stage->kind == LEAT_SOURCE) negotiate_framing(g, n, d);
        negotiate_node(g, n, d);
        if (asking && n->named_later) n->schema_out.open = 1;
    }
}

static bool has_named_later(const struct graph *g)
{
    bool has = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        has |= g->node[i].stage && g->node[i].stage->caps & LEAT_NAMED_LATER;
    return has;
}

static size_t count_wanted(const struct graph *g)
{
    size_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        n += g->node[i].n_wanted;
    return n;
}

/* A stage may look up its second column once it knows the first: until no more are asked. */
static void ask_later_stages(struct graph *g)
{
    size_t before;
    do {
        struct diag draft = {.arena = g->arena};
        before = count_wanted(g);
        negotiate_all(g, true, &draft);
    } while (count_wanted(g) > before);
}

/* Which stages would name columns is known once all are right. */
static bool are_all_configured(const struct graph *g)
{
    bool all = true;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        all &= g->node[i].kind != NODE_STAGE || g->node[i].configured;
    return all;
}

static void check_wanted(struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; are_all_configured(g) && i < g->n_nodes; i++)
        if (g->node[i].named_later && !g->node[i].n_wanted)
            node_error(d, &g->node[i], NULL,
                       "nothing names the columns: no later stage uses one; set `columns`");
}

/* Where no later stage finds a column of a parser that warns of its header, the warning is the
 * cause of what they report, and stands alone. */
static void negotiate_for(struct graph *g, struct diag *d)
{
    struct diag sure = {.arena = g->arena}, guess = {.arena = g->arena}, *said = &sure;
    doubt_none(g);
    negotiate_all(g, false, &sure);
    if (sure.errors && doubt_headers(g)) {
        negotiate_all(g, false, &guess);
        if (guess.errors + guess.warnings < sure.errors + sure.warnings) said = &guess;
        doubt_none(g);
    }
    for (const struct problem *p = said->first; p; p = p->next)
        diag_add(d, p->severity, p->at, p->stage, p->param, "%s", p->text);
}

int negotiate(struct graph *g, struct diag *d)
{
    size_t before = d->errors;
    assert(!graph_has_cycle(g));
    if (has_named_later(g)) ask_later_stages(g);
    negotiate_for(g, d);
    if (d->errors == before) check_wanted(g, d);
    made_later_note(g);
    return d->errors > before ? LEAT_EARG : LEAT_OK;
}
