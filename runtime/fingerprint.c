/* fingerprint.c -- see fingerprint.h. */
#include "fingerprint.h"

#include <string.h>

#include <jansson.h>

#include "json_text.h"
#include "param_type.h"

/* Does what this stage does reach a state? */
static int matters(const struct node *n)
{
    return n->stage && (n->stage->kind != LEAT_SINK || n->stage->snapshot);
}

static json_t *parameters(const struct graph *g, const struct node *n)
{
    json_t *o = json_object();
    for (uint32_t i = 0; i < n->stage->n_params; i++) {
        const struct leat_param *p = &n->stage->params[i];
        const char *text = p->type == LEAT_FUNCTION ? NULL : param_show(p, n->cfg, g->arena);
        if (text) json_object_set_new(o, p->name, json_text(text));
    }
    return o;
}

static json_t *stage_json(const struct graph *g, const struct node *n)
{
    return json_pack("{s:s, s:s, s:i, s:o}", "id", n->id, "stage", n->name, "version",
                     (int)n->stage->state_version, "parameters", parameters(g, n));
}

static json_t *graph_json(const struct graph *g)
{
    json_t *stages = json_array();
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (matters(g->order[i])) json_array_append_new(stages, stage_json(g, g->order[i]));
    return json_pack("{s:s, s:I, s:o}", "pipeline", g->name, "seed", (json_int_t)g->options.seed,
                     "stages", stages);
}

const char *fingerprint_make(const struct graph *g)
{
    json_t *o = graph_json(g);
    char *text = json_dumps(o, JSON_INDENT(1));
    const char *kept = text ? arena_strdup(g->arena, text) : "";
    free(text);
    json_decref(o);
    return kept;
}

struct comparison {
    const struct graph *g;
    struct diag *d;
    const char *const *fresh;
    size_t n_fresh;
    int differs;
};

static int is_fresh(const struct comparison *c, const char *id)
{
    for (size_t i = 0; i < c->n_fresh; i++)
        if (!strcmp(c->fresh[i], id)) return 1;
    return 0;
}

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "nothing";
}

static void differ(struct comparison *c, const struct node *n, const char *param, const char *there,
                   const char *here)
{
    c->differs = 1;
    diag_add(c->d, DIAG_ERROR, n ? n->at : c->g->at, n ? n->label : NULL, param,
             "%s is %s here and %s in the snapshot", param, here, there);
}

static void compare_parameters(struct comparison *c, const struct node *n, const json_t *there)
{
    json_t *here = parameters(c->g, n);
    const char *key;
    json_t *value;
    json_object_foreach(here, key, value) if (strcmp(json_string_value(value), text_of(there, key)))
        differ(c, n, key, text_of(there, key), json_string_value(value));
    json_object_foreach((json_t *)there, key, value) if (!json_object_get(here, key))
        differ(c, n, key, text_of(there, key), "nothing");
    json_decref(here);
}

static const json_t *stage_of(const json_t *all, const char *id)
{
    size_t i;
    json_t *s;
    json_array_foreach(all, i, s) if (!strcmp(text_of(s, "id"), id)) return s;
    return NULL;
}

static void compare_stage(struct comparison *c, const struct node *n, const json_t *all)
{
    const json_t *there = stage_of(all, n->id);
    if (is_fresh(c, n->id)) return;
    if (!there) {
        c->differs = 1;
        diag_add(c->d, DIAG_ERROR, n->at, n->label, NULL,
                 "is not in the snapshot; --fresh %s lets it begin now", n->id);
    } else if (strcmp(text_of(there, "stage"), n->name)) {
        differ(c, n, "stage", text_of(there, "stage"), n->name);
    } else {
        compare_parameters(c, n, json_object_get(there, "parameters"));
    }
}

static void look_for_lost(struct comparison *c, const json_t *all)
{
    size_t i;
    json_t *s;
    json_array_foreach(all, i, s)
    {
        const char *id = text_of(s, "id");
        const struct node *n = graph_find(c->g, id);
        if ((n && matters(n)) || is_fresh(c, id)) continue;
        c->differs = 1;
        diag_add(c->d, DIAG_ERROR, c->g->at, NULL, NULL,
                 "the snapshot has a stage %s (%s) that is not here; --fresh %s drops it", id,
                 text_of(s, "stage"), id);
    }
}

int fingerprint_compare(const struct graph *g, const char *json, size_t n, const char *const *fresh,
                        size_t n_fresh, struct diag *d)
{
    struct comparison c = {g, d, fresh, n_fresh, 0};
    json_t *there = json_loadb(json, n, 0, NULL);
    const json_t *all = json_object_get(there, "stages");
    if (!json_is_array(all)) {
        json_decref(there);
        return LEAT_EDATA;
    }
    json_int_t seed = json_integer_value(json_object_get(there, "seed"));
    if (seed != (json_int_t)g->options.seed)
        differ(&c, NULL, "seed", arena_printf(g->arena, "%lld", (long long)seed),
               arena_printf(g->arena, "%lld", (long long)g->options.seed));
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (matters(g->order[i])) compare_stage(&c, g->order[i], all);
    look_for_lost(&c, all);
    json_decref(there);
    return c.differs ? LEAT_EARG : LEAT_OK;
}
