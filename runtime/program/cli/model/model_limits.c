/* model_limits.c -- implementation of model.h: parameters of stages before they are opened. */
#include <string.h>

#include "model.h"
#include "core/text/plain_text.h"
#include "host/graph/fingerprint/free_change.h"
#include "host/params/param_type.h"

/* ---- largest limits ---- */

static bool take_larger(struct model *first, struct node *n, const struct model *other)
{
    bool raised = false;
    const struct node *there = graph_find(&other->graph, n->id);
    for (uint32_t i = 0; there && i < n->stage->n_params; i++) {
        const char *name = n->stage->params[i].name, *here = model_setting(first, n, name),
                   *value = model_setting(other, there, name);
        if (limit_change(n->stage, name, here, value, &first->arena) != LIMIT_RAISED) continue;
        model_setting_change(first, n, name, value);
        raised = true;
    }
    return raised;
}

/* ---- --set ---- */

static int model_refuse(const struct argument *a, const char *why)
{
    plain_text_line(stderr, "leat: --set %s=%s: %s", a->key, a->value, why);
    return LEAT_EARG;
}

static int model_set_one(struct model *m, const struct argument *a)
{
    const char *dot = strrchr(a->key, '.'), *why;
    if (!dot)
        return model_refuse(a, "model merge takes STAGE.LIMIT=N, such as "
                               "learner.max_features=100000");
    struct node *n = model_find(m, arena_strndup(&m->arena, a->key, (size_t)(dot - a->key)));
    if (!n) return LEAT_EARG;
    const struct leat_param *p = limit_change_param(n->stage, dot + 1);
    const char *now = p ? model_setting(m, n, p->name) : NULL;
    if (!now)
        return model_refuse(
            a, "model merge takes only max_features, names_budget and name_bytes, of a learner "
               "that has them");
    const char *shown = model_setting_read(p, a->value, &m->arena, &why);
    if (!shown) return model_refuse(a, why);
    if (limit_change(n->stage, p->name, now, shown, &m->arena) == LIMIT_LOWERED)
        return model_refuse(a, arena_printf(&m->arena,
                                            "this limit is %s in one of the merged snapshots: "
                                            "give that value or a higher one",
                                            now));
    model_setting_change(m, n, p->name, shown);
    return LEAT_OK;
}

bool model_limits_raise(struct model *m, const struct model *other)
{
    bool raised = false;
    for (uint32_t i = 0; i < m->graph.n_nodes; i++)
        raised |= take_larger(m, &m->graph.node[i], other);
    return raised;
}

int model_limits_set(struct model *m, const struct command_line *c)
{
    int status = LEAT_OK;
    for (size_t i = 0; i < c->n_args && status == LEAT_OK; i++)
        status = model_set_one(m, &c->args[i]);
    return status;
}

/* ---- parameters of a stage of a snapshot ---- */

static json_t *model_parameters_of(const struct model *m, const struct node *n)
{
    const json_t *stages = json_object_get(m->pipeline, "stages");
    return json_object_get(json_array_get(stages, n->index), "parameters");
}

const char *model_setting(const struct model *m, const struct node *n, const char *name)
{
    return json_string_value(json_object_get(model_parameters_of(m, n), name));
}

const char *model_setting_read(const struct leat_param *p, const char *value, struct arena *a,
                               const char **why)
{
    struct leat_param alone = *p;
    union param_cell cell = {0};
    struct value v = {.type = VALUE_TEXT, .text = value, .n = strlen(value)};
    alone.offset = 0;
    *why = param_read(&alone, &v, a, &cell);
    return *why ? NULL : param_show(&alone, &cell, a);
}

static void add_setting(struct model *m, struct node *n, const struct setting *s)
{
    size_t bytes = (n->n_settings + 1) * sizeof *s;
    struct setting *more = arena_alloc(&m->arena, bytes);
    memcpy(more, n->settings, bytes - sizeof *s);
    more[n->n_settings++] = *s;
    n->settings = more;
}

void model_setting_change(struct model *m, struct node *n, const char *name, const char *shown)
{
    const struct setting s = {name, param_unshow(shown, &m->arena)};
    json_object_set_new(model_parameters_of(m, n), name, json_string(shown));
    for (size_t i = 0; i < n->n_settings; i++)
        if (!strcmp(n->settings[i].key, name)) {
            n->settings[i] = s;
            return;
        }
    add_setting(m, n, &s);
}

void model_setting_drop(struct model *m, struct node *n, const char *name)
{
    size_t kept = 0;
    json_object_del(model_parameters_of(m, n), name);
    for (size_t i = 0; i < n->n_settings; i++)
        if (strcmp(n->settings[i].key, name)) n->settings[kept++] = n->settings[i];
    n->n_settings = kept;
}
