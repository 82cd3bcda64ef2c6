/* letter_places.c -- see letter_places.h. */
#include "letter_places.h"

#include <string.h>

#include "host/plugin/params.h"

/* The text of the parameter that needs no name: the topic of sink.dead_letters. NULL: the stage has
 * no such. */
static const char *target_of(const struct node *n)
{
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        bool text = p->type == LEAT_STRING || p->type == LEAT_PATH;
        if (text && p->flags & LEAT_POSITIONAL && !(p->flags & LEAT_SECRET))
            return params_text(p, n->cfg, 0);
    }
    return NULL;
}

static const char *with(const char *list, const char *place, struct arena *a)
{
    return list ? arena_printf(a, "%s and %s", list, place) : place;
}

const char *letter_places(const struct graph *g)
{
    const char *file = g->options.dead_letters, *list = NULL;
    if (file && *file) list = strcmp(file, "-") ? file : "standard output";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || !n->stage->letters->take) continue;
        const char *target = target_of(n);
        list = with(list, target ? arena_printf(g->arena, "%s (%s)", target, n->name) : n->label,
                    g->arena);
    }
    return list;
}
