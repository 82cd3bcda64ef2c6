/* settings_json.c -- see settings_json.h. */
#include "settings_json.h"

#include <string.h>

#include "host/log/json_text.h"
#include "host/plugin/param_type.h"

/* As param_show writes it; NULL: it has none. */
static const char *default_of(const struct leat_stage *s, const struct leat_param *p,
                              struct arena *a)
{
    union param_cell cell;
    size_t size = param_type_size(p->type);
    char *cfg = arena_alloc(a, s->cfg_size + sizeof cell);
    if (p->type == LEAT_FUNCTION || p->flags & LEAT_REQUIRED) return NULL;
    if (param_default(p, a, &cell)) return NULL;
    memcpy(cfg + p->offset, &cell, size);
    return param_show(p, cfg, a);
}

static void add_default(const struct leat_stage *s, const struct leat_param *p, const char *value,
                        json_t *defaults, struct arena *a)
{
    const char *text = default_of(s, p, a);
    if (value && text && !strcmp(value, text)) return;
    if (!value && !text) return;
    json_object_set_new(defaults, p->name, json_text_or_null(text));
}

static void add(json_t *parameters, const struct leat_stage *declared, json_t *to, struct arena *a)
{
    json_t *defaults = json_object();
    for (uint32_t i = 0; declared && i < declared->n_params; i++) {
        const struct leat_param *p = &declared->params[i];
        const char *value = json_string_value(json_object_get(parameters, p->name));
        if (p->type != LEAT_FUNCTION) add_default(declared, p, value, defaults, a);
    }
    json_object_set_new(to, "parameters", parameters);
    json_object_set_new(to, "defaults", defaults);
}

void settings_json_add(const struct node *n, json_t *to, struct arena *a)
{
    json_t *parameters = json_object();
    for (uint32_t i = 0; n->configured && i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        const char *text = p->type == LEAT_FUNCTION ? NULL : param_show(p, n->cfg, a);
        if (text) json_object_set_new(parameters, p->name, json_text(text));
    }
    add(parameters, n->configured ? n->stage : NULL, to, a);
}

void settings_json_add_saved(const json_t *parameters, const struct leat_stage *declared,
                             json_t *to, struct arena *a)
{
    add(json_is_object(parameters) ? json_deep_copy(parameters) : json_object(), declared, to, a);
}
