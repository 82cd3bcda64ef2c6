/* predict_path.c -- see predict_path.h. */
#include "predict_path.h"

/* What it adds to a batch. */
static uint32_t added(const struct node *n)
{
    return (n->schema_out.has & ~n->schema_in.has) | n->stage->makes;
}

/* Neither columns nor features depend on it: it labels; it weighs, or makes examples up; or it
 * chooses records by those that came before. */
static bool is_left_out(const struct node *n)
{
    const struct leat_stage *s = n->stage;
    if (s->kind != LEAT_TRANSFORM) return true;
    if (n->schema_out.n_columns != n->schema_in.n_columns || added(n) & ~(uint32_t)LEAT_HAS_LABEL)
        return false;
    if (s->makes & LEAT_HAS_LABEL || s->caps & LEAT_LEARNS) return true;
    return (s->caps & (LEAT_STATEFUL | LEAT_REWRITES)) == LEAT_STATEFUL;
}

static struct node *before(const struct graph *g, const struct node *n)
{
    return n->n_in ? &g->node[g->edge[n->in[0]].from] : NULL;
}

const char *predict_path_find(struct predict_path *p, const struct graph *g, struct node *learner,
                              struct arena *a)
{
    *p = (struct predict_path){.step = arena_alloc(a, (g->n_nodes + 1) * sizeof *p->step)};
    for (struct node *n = before(g, learner); n; n = before(g, n)) {
        if (!n->stage) continue;
        if (n->stage->kind == LEAT_SOURCE) {
            p->source = n;
        } else if (n->stage->expand) {
            return arena_printf(a,
                                "%s makes other records of those that come, so that a record "
                                "alone has no prediction",
                                n->label);
        } else if (!is_left_out(n)) {
            p->step[p->n_steps++] = n;
        }
    }
    for (uint32_t i = 0; i < p->n_steps / 2; i++) {
        struct node *first = p->step[i];
        p->step[i] = p->step[p->n_steps - 1 - i];
        p->step[p->n_steps - 1 - i] = first;
    }
    return NULL;
}
