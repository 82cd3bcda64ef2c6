/* model_limits.c -- see model_limits.h. */
#include "model_limits.h"

#include <string.h>

#include "base/text/plain_text.h"
#include "graph/fingerprint/limit_change.h"
#include "plugin/param_type.h"

static json_t *parameters_of(const struct model *m, const struct node *n)
{
    const json_t *stages = json_object_get(m->pipeline, "stages");
    return json_object_get(json_array_get(stages, n->index), "parameters");
}

static const char *value_of(const struct model *m, const struct node *n, const char *name)
{
    return json_string_value(json_object_get(parameters_of(m, n), name));
}

/* In the fingerprint that is written, and for the stage that is opened. */
static void set_value(struct model *m, struct node *n, const char *name, const char *shown)
{
    json_object_set_new(parameters_of(m, n), name, json_string(shown));
    for (size_t i = 0; i < n->n_settings; i++)
        if (!strcmp(n->settings[i].key, name))
            n->settings[i].value = param_unshow(shown, &m->arena);
}

/* ---- the largest ---- */

static void take_larger(struct model *first, struct node *n, const struct model *other)
{
    const struct node *there = graph_find(&other->graph, n->id);
    for (uint32_t i = 0; there && i < n->stage->n_params; i++) {
        const char *name = n->stage->params[i].name, *here = value_of(first, n, name),
                   *value = value_of(other, there, name);
        if (limit_change(n->stage, name, here, value, &first->arena) == LIMIT_RAISED)
            set_value(first, n, name, value);
    }
}

/* ---- --set ---- */

static int refuse(const struct argument *a, const char *why)
{
    plain_text_line(stderr, "leat: --set %s=%s: %s", a->key, a->value, why);
    return LEAT_EARG;
}

/* As a fingerprint has it; NULL: it is no value of the parameter, and *why says so. */
static const char *as_shown(const struct leat_param *p, const char *value, struct arena *a,
                            const char **why)
{
    struct leat_param alone = *p;
    union param_cell cell = {0};
    struct value v = param_unshow(value, a);
    alone.offset = 0;
    *why = param_read(&alone, &v, a, &cell);
    return *why ? NULL : param_show(&alone, &cell, a);
}

static int set_one(struct model *m, const struct argument *a)
{
    const char *dot = strrchr(a->key, '.'), *why;
    if (!dot) return refuse(a, "model merge takes STAGE.max_features=N and the like");
    struct node *n = model_find(m, arena_strndup(&m->arena, a->key, (size_t)(dot - a->key)));
    if (!n) return LEAT_EARG;
    const struct leat_param *p = limit_change_param(n->stage, dot + 1);
    const char *now = p ? value_of(m, n, p->name) : NULL;
    if (!now)
        return refuse(a, "model merge takes max_features, names_budget and name_bytes of a learner "
                         "that grows");
    const char *shown = as_shown(p, a->value, &m->arena, &why);
    if (!shown) return refuse(a, why);
    if (limit_change(n->stage, p->name, now, shown, &m->arena) == LIMIT_LOWERED)
        return refuse(a,
                      arena_printf(&m->arena, "it is %s in an input, and may only be raised", now));
    set_value(m, n, p->name, shown);
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
