/* model_setting.c -- see model_setting.h. */
#include "model_setting.h"

#include <string.h>

#include "host/plugin/param_type.h"

static json_t *parameters_of(const struct model *m, const struct node *n)
{
    const json_t *stages = json_object_get(m->pipeline, "stages");
    return json_object_get(json_array_get(stages, n->index), "parameters");
}

const char *model_setting(const struct model *m, const struct node *n, const char *name)
{
    return json_string_value(json_object_get(parameters_of(m, n), name));
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
    json_object_set_new(parameters_of(m, n), name, json_string(shown));
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
    json_object_del(parameters_of(m, n), name);
    for (size_t i = 0; i < n->n_settings; i++)
        if (strcmp(n->settings[i].key, name)) n->settings[kept++] = n->settings[i];
    n->n_settings = kept;
}
