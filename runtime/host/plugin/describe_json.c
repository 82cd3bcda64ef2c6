/* describe_json.c -- describes stages as JSON, for editors and scripts.
 *
 * The key of an absent value is missing, never null: without a default there is no "default".
 * Defaults are text as a script may write it. "min" and "max" have the unit of a plain number of
 * the type. */
#include "describe.h"
#include "stage_tables.h"

#include <jansson.h>
#include <math.h>

#include "host/log/json_text.h"
#include "host/params/param_type.h"

/* Adds a text to the object. Omits the key if the text is not UTF-8, which jansson refuses. */
static void describe_json_put_text(json_t *object, const char *key, const char *text)
{
    json_t *value = text ? json_string(text) : NULL;
    if (value) json_object_set_new(object, key, value);
}

static json_t *text_array(const char *const *text)
{
    json_t *array = json_array();
    for (size_t i = 0; text[i]; i++)
        json_array_append_new(array, json_string(text[i]));
    return array;
}

static void put_range(json_t *object, const struct leat_param *p)
{
    if (p->min == 0 && p->max == 0) return;
    if (isfinite(p->min)) json_object_set_new(object, "min", json_real(p->min));
    if (isfinite(p->max)) json_object_set_new(object, "max", json_real(p->max));
}

static json_t *param_json(const struct leat_param *p)
{
    json_t *o = json_object();
    describe_json_put_text(o, "name", p->name);
    describe_json_put_text(o, "type", param_type_name(p->type));
    describe_json_put_text(o, "doc", p->doc);
    describe_json_put_text(o, "unit", p->unit);
    put_range(o, p);
    if (p->type == LEAT_CHOICE) json_object_set_new(o, "choices", text_array(p->choices));
    if (!(p->flags & LEAT_REQUIRED)) describe_json_put_text(o, "default", p->def);
    json_object_set_new(o, "reads_file", json_boolean(p->flags & LEAT_READS_FILE));
    json_object_set_new(o, "writes_file", json_boolean(p->flags & LEAT_WRITES_FILE));
    json_object_set_new(o, "required", json_boolean(p->flags & LEAT_REQUIRED));
    json_object_set_new(o, "positional", json_boolean(p->flags & LEAT_POSITIONAL));
    json_object_set_new(o, "advanced", json_boolean(p->flags & LEAT_ADVANCED));
    return o;
}

static json_t *has_json(uint32_t has)
{
    struct arena a = {0};
    json_t *array = json_array();
    for (uint32_t bit = 1; bit <= LEAT_HAS_SCORE; bit <<= 1)
        if (has & bit) json_array_append_new(array, json_string(describe_has(bit, &a)));
    arena_free(&a);
    return array;
}

static json_t *plugin_json(const struct stage_type *t)
{
    json_t *o = json_object();
    describe_json_put_text(o, "name", t->plugin->name);
    describe_json_put_text(o, "version", t->plugin->version);
    describe_json_put_text(o, "license", t->plugin->license);
    describe_json_put_text(o, "summary", t->plugin->summary);
    describe_json_put_text(o, "file", t->file);
    return o;
}

static json_t *reasons_json(const struct leat_stage *s)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < s->n_reasons; i++) {
        json_t *o = json_object();
        describe_json_put_text(o, "word", s->reasons[i].word);
        describe_json_put_text(o, "doc", s->reasons[i].doc);
        json_array_append_new(all, o);
    }
    return all;
}

static json_t *figures_json(const struct leat_stage *s)
{
    json_t *all = json_array();
    for (uint32_t i = 0; i < s->n_figures; i++) {
        const struct leat_figure *f = &s->figures[i];
        json_t *o = json_object();
        describe_json_put_text(o, "name", f->name);
        describe_json_put_text(o, "kind", f->kind == LEAT_COUNTER ? "counter" : "gauge");
        describe_json_put_text(o, "unit", f->unit);
        describe_json_put_text(o, "doc", f->doc);
        json_array_append_new(all, o);
    }
    return all;
}

static json_t *describe_json_stage_json(const struct stage_type *t)
{
    const struct leat_stage *s = t->stage;
    json_t *o = json_object(), *params = json_array();
    describe_json_put_text(o, "name", s->name);
    describe_json_put_text(o, "kind", describe_kind(s));
    describe_json_put_text(o, "summary", s->summary);
    describe_json_put_text(o, "doc", s->doc);
    describe_json_put_text(o, "example", s->example);
    json_object_set_new(o, "needs", has_json(s->needs));
    json_object_set_new(o, "makes", has_json(s->makes));
    describe_json_put_text(o, "reads", stage_tables_reads(s));
    describe_json_put_text(o, "writes", stage_tables_writes(s));
    json_object_set_new(o, "learns", json_boolean(stage_tables_learns(s)));
    json_object_set_new(o, "parallel", json_boolean(s->caps & LEAT_PARALLEL));
    json_object_set_new(o, "keeps_state",
                        json_boolean(describe_in_snapshots(s) || s->caps & LEAT_STATEFUL));
    json_object_set_new(o, "in_snapshots", json_boolean(describe_in_snapshots(s)));
    for (uint32_t i = 0; i < s->n_params; i++)
        json_array_append_new(params, param_json(&s->params[i]));
    json_object_set_new(o, "params", params);
    json_object_set_new(o, "reasons", reasons_json(s));
    json_object_set_new(o, "figures", figures_json(s));
    if (t->plugin) json_object_set_new(o, "plugin", plugin_json(t));
    return o;
}

void describe_stage_json(const struct stage_type *t, FILE *out)
{
    json_print(describe_json_stage_json(t), JSON_INDENT(2), out);
}

void describe_json(const struct registry *r, FILE *out)
{
    json_t *all = json_array();
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(all, describe_json_stage_json(r->type[i]));
    json_print(all, JSON_INDENT(2), out);
}
