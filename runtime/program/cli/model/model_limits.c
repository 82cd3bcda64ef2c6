/* model_limits.c -- see model_limits.h. */
#include "model_limits.h"

#include <string.h>

#include "core/text/plain_text.h"
#include "host/graph/fingerprint/free_change.h"
#include "model_setting.h"

/* ---- the largest ---- */

static void take_larger(struct model *first, struct node *n, const struct model *other)
{
    const struct node *there = graph_find(&other->graph, n->id);
    for (uint32_t i = 0; there && i < n->stage->n_params; i++) {
        const char *name = n->stage->params[i].name, *here = model_setting(first, n, name),
                   *value = model_setting(other, there, name);
        if (limit_change(n->stage, name, here, value, &first->arena) == LIMIT_RAISED)
            model_setting_change(first, n, name, value);
    }
}

/* ---- --set ---- */

static int refuse(const struct argument *a, const char *why)
{
    plain_text_line(stderr, "leat: --set %s=%s: %s", a->key, a->value, why);
    return LEAT_EARG;
}

static int set_one(struct model *m, const struct argument *a)
{
    const char *dot = strrchr(a->key, '.'), *why;
    if (!dot) return refuse(a, "model merge takes STAGE.max_features=N and the like");
    struct node *n = model_find(m, arena_strndup(&m->arena, a->key, (size_t)(dot - a->key)));
    if (!n) return LEAT_EARG;
    const struct leat_param *p = limit_change_param(n->stage, dot + 1);
    const char *now = p ? model_setting(m, n, p->name) : NULL;
    if (!now)
        return refuse(a, "model merge takes max_features, names_budget and name_bytes of a learner "
                         "that grows");
    const char *shown = model_setting_read(p, a->value, &m->arena, &why);
    if (!shown) return refuse(a, why);
    if (limit_change(n->stage, p->name, now, shown, &m->arena) == LIMIT_LOWERED)
        return refuse(a,
                      arena_printf(&m->arena, "it is %s in an input, and may only be raised", now));
    model_setting_change(m, n, p->name, shown);
    return LEAT_OK;
}

int model_limits_raise(struct model *m, size_t n, const struct command_line *c)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++)
        for (size_t k = 1; k < n; k++)
            take_larger(m, &m->graph.node[i], &m[k]);
    for (size_t i = 0; i < c->n_args && status == LEAT_OK; i++)
        status = set_one(m, &c->args[i]);
    return status;
}
