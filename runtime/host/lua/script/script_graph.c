/* script_graph.c -- see script_graph.h. */
#include "script_graph.h"

#include <string.h>

#include "script_arguments.h"
#include "script_value.h"

static void must_table(lua_State *L) { builder_must(L, lua_istable(L, -1)); }

static enum node_kind kind_of(struct builder *b, int table)
{
    static const char *const names[] = {"stage", "tee", "merge", "route"};
    static const enum node_kind kinds[] = {NODE_STAGE, NODE_TEE, NODE_MERGE, NODE_ROUTE};
    const char *kind = script_value_text(b, table, "kind");
    size_t i = 0;
    while (i < 4 && kind && strcmp(names[i], kind))
        i++;
    builder_must(b->L, kind && i < 4);
    return kinds[i];
}

static void take_node(struct builder *b, int table, struct node *n)
{
    n->kind = kind_of(b, table);
    n->name = script_value_text(b, table, "name");
    n->at = script_value_location(b, table);
    n->by = script_value_text(b, table, "by");
    n->not_given = script_arguments_not_given(b, n->at.line, "");
    lua_getfield(b->L, table, "reported");
    n->reported = lua_toboolean(b->L, -1);
    lua_pop(b->L, 1);
    builder_must(b->L, n->name && (n->kind != NODE_ROUTE || n->by));
    lua_getfield(b->L, table, "args");
    if (lua_istable(b->L, -1))
        script_value_settings(b, lua_gettop(b->L), n->at, &n->settings, &n->n_settings);
    lua_pop(b->L, 1);
}

/* An edge names its origin by index, or by the id of a stage that the script makes later. */
static bool take_edge(struct builder *b, int table, struct edge *e)
{
    e->from = (uint32_t)script_value_int(b, table, "from") - 1;
    e->to = (uint32_t)script_value_int(b, table, "to") - 1;
    e->key = script_value_text(b, table, "key");
    const char *id = script_value_text(b, table, "id");
    builder_must(b->L, e->to < b->g->n_nodes && (id || e->from < b->g->n_nodes));
    builder_must(b->L, id || b->g->node[e->from].kind != NODE_ROUTE || e->key);
    if (!id) return true;
    for (uint32_t i = 0; i < b->g->n_nodes; i++)
        for (size_t j = 0; j < b->g->node[i].n_settings; j++) {
            const struct setting *s = &b->g->node[i].settings[j];
            if (s->key && !strcmp(s->key, "id") && s->value.type == VALUE_TEXT &&
                !strcmp(s->value.text, id)) {
                e->from = i;
                return true;
            }
        }
    diag_add(b->d, DIAG_ERROR, script_value_location(b, table), NULL, NULL,
             "leat.from(\"%s\"): no stage has id = \"%s\"", id, id);
    return false;
}

void script_graph_problems(struct builder *b, int flat)
{
    lua_State *L = b->L;
    lua_getfield(L, flat, "problems");
    for (lua_Integer i = 1; lua_geti(L, -1, i) == LUA_TTABLE; i++) {
        int t = lua_gettop(L);
        const char *text = script_value_text(b, t, "text");
        builder_must(L, text);
        diag_add(b->d, DIAG_ERROR, script_value_location(b, t), NULL, NULL, "%s", text);
        lua_pop(L, 1);
    }
    lua_pop(L, 2);
}

static void take_nodes(struct builder *b)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    must_table(L);
    g->n_nodes = (uint32_t)lua_rawlen(L, -1);
    g->node = arena_alloc(g->arena, g->n_nodes * sizeof *g->node);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        lua_rawgeti(L, -1, i + 1);
        must_table(L);
        g->node[i].index = i;
        take_node(b, lua_gettop(L), &g->node[i]);
        lua_pop(L, 1);
    }
}

static void take_edges(struct builder *b)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    must_table(L);
    uint32_t n = (uint32_t)lua_rawlen(L, -1);
    g->edge = arena_alloc(g->arena, (n + 1) * sizeof *g->edge);
    for (uint32_t i = 0; i < n; i++) {
        lua_rawgeti(L, -1, i + 1);
        must_table(L);
        g->n_edges += (uint32_t)take_edge(b, lua_gettop(L), &g->edge[g->n_edges]);
        lua_pop(L, 1);
    }
}

void script_graph_take(struct builder *b, int flat)
{
    lua_State *L = b->L;
    struct graph *g = b->g;
    g->name = script_value_text(b, flat, "name");
    builder_must(L, g->name);
    g->at = script_value_location(b, flat);
    lua_getfield(L, flat, "options");
    must_table(L);
    script_value_settings(b, lua_gettop(L), g->at, &g->settings, &g->n_settings);
    lua_getfield(L, flat, "nodes");
    take_nodes(b);
    lua_getfield(L, flat, "edges");
    take_edges(b);
    lua_pop(L, 3);
}
