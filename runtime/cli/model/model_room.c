/* model_room.c -- see model_room.h. */
#include "model_room.h"

#include <string.h>

#include "plugin/param_type.h"

static bool is_room(const struct leat_param *p)
{
    return p->flags & LEAT_OPERATIONAL && (p->type == LEAT_INT || p->type == LEAT_SIZE);
}

static struct setting *setting_of(const struct node *n, const char *name)
{
    for (size_t i = 0; i < n->n_settings; i++)
        if (n->settings[i].key && !strcmp(n->settings[i].key, name)) return &n->settings[i];
    return NULL;
}

/* false: there is none, or a damaged snapshot has something else. */
static bool read_number(struct model *m, const struct leat_param *p, const struct setting *s,
                        int64_t *number)
{
    union param_cell cell;
    if (!s || param_read(p, &s->value, &m->arena, &cell)) return false;
    *number = cell.integer;
    return true;
}

/* The stage of the fingerprint, which the merged snapshot gets. */
static json_t *operational_of(const struct model *m, const struct node *n)
{
    const json_t *stage = json_array_get(json_object_get(m->pipeline, "stages"), n->index);
    return json_object_get(stage, "operational");
}

static void take_parameter(struct model *m, const struct node *n, const struct model *other,
                           const struct node *there, const struct leat_param *p)
{
    struct setting *ours = setting_of(n, p->name);
    const struct setting *theirs = setting_of(there, p->name);
    json_t *shown = json_object_get(operational_of(other, there), p->name);
    int64_t a, b;
    if (!shown || !read_number(m, p, ours, &a) || !read_number(m, p, theirs, &b) || b <= a) return;
    ours->value = theirs->value;
    json_object_set(operational_of(m, n), p->name, shown);
}

void model_room_take(struct model *m, const struct model *other)
{
    for (uint32_t k = 0; k < m->graph.n_nodes; k++) {
        const struct node *n = &m->graph.node[k], *there = graph_find(&other->graph, n->id);
        for (uint32_t i = 0; there && n->type && i < n->stage->n_params; i++)
            if (is_room(&n->stage->params[i]))
                take_parameter(m, n, other, there, &n->stage->params[i]);
    }
}
