/* free_change.c -- implementation of free_change.h. */
#include "free_change.h"

#include <string.h>

#include "host/params/param_type.h"

enum { MEANS = LEAT_HAS_LABEL | LEAT_HAS_EXAMPLES | LEAT_HAS_TIMESTAMP };

bool free_change_keeps(const struct node *n)
{
    bool is_function = false, has_state = false;
    if (!n->stage || !n->stage->state->snapshot || n->stage->kind == LEAT_SOURCE) return false;
    for (uint32_t i = 0; i < n->stage->n_params; i++)
        is_function |= n->stage->params[i].type == LEAT_FUNCTION;
    for (size_t i = 0; i < n->n_settings; i++)
        has_state |= n->settings[i].key && !strcmp(n->settings[i].key, "state");
    return !is_function || has_state;
}

bool free_change_question(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; name && i < s->n_params; i++)
        if (!strcmp(name, s->params[i].name)) return s->params[i].flags & LEAT_QUESTION;
    return false;
}

/* Returns which of labels and event times stage n makes, by its declaration or through its
 * function. */
static uint32_t makes(const struct node *n)
{
    uint32_t new = n->schema_out.has & ~n->schema_in.has;
    return (n->stage->makes | new) & (LEAT_HAS_LABEL | LEAT_HAS_TIMESTAMP);
}

static bool adds_column(const struct node *n, const char *name)
{
    for (uint32_t c = n->schema_in.n_columns; c < n->schema_out.n_columns; c++)
        if (!strcmp(n->schema_out.column[c].name, name)) return true;
    return false;
}

/* True if `stage` has looked up a column that n adds. */
static bool free_change_reads(const struct node *stage, const struct node *n)
{
    for (uint32_t k = 0; k < stage->n_found; k++)
        if (adds_column(n, stage->schema_in.column[stage->found[k]].name)) return true;
    return false;
}

/* Returns which of labels and event times later stages make from columns that n adds. */
static uint32_t made_of(const struct graph *g, const struct node *n)
{
    bool *after = arena_alloc(g->arena, g->n_nodes * sizeof *after);
    uint32_t what = 0;
    after[n->index] = true;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *m = g->order[i];
        for (uint32_t k = 0; m && k < m->n_in; k++)
            after[m->index] |= after[g->edge[m->in[k]].from];
        if (m && m != n && m->stage && after[m->index] && free_change_reads(m, n)) what |= makes(m);
    }
    return what;
}

static uint32_t defines(const struct graph *g, const struct node *n)
{
    const struct leat_stage *s = n->stage;
    uint32_t what = makes(n) | made_of(g, n);
    bool unnamed = s->makes & LEAT_HAS_EXAMPLES && !(s->makes & LEAT_HAS_NAMES);
    bool rewrites = s->caps & LEAT_REWRITES && s->needs & LEAT_HAS_EXAMPLES;
    return unnamed || rewrites ? what | LEAT_HAS_EXAMPLES : what;
}

void free_change_note(json_t *stage, const struct graph *g, const struct node *n)
{
    bool keeps = free_change_keeps(n);
    json_object_set_new(stage, "keeps", json_boolean(keeps || n->stage->kind == LEAT_SOURCE));
    if (n->stage->kind == LEAT_SINK) return; /* a sink is not part of a model */
    uint32_t what = keeps ? n->stage->needs & MEANS : defines(g, n);
    if (what) json_object_set_new(stage, keeps ? "needs" : "defines", json_integer(what));
}

bool free_change_restarts(const struct free_change_resets *resets, const char *id)
{
    for (size_t i = 0; id && i < resets->n; i++)
        if (!strcmp(resets->id[i], id)) return true;
    return false;
}

static const char *free_change_text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static uint32_t bits_of(const json_t *o, const char *key)
{
    return (uint32_t)json_integer_value(json_object_get(o, key));
}

static void free_change_add_feeders(const json_t *all, const char *id, json_t *found)
{
    size_t i, k;
    json_t *s, *a;
    json_array_foreach(json_object_get(all, "stages"), i, s)
    {
        const char *own = free_change_text_of(s, "id");
        if (!own || strcmp(own, id) != 0) continue;
        json_array_foreach(json_object_get(s, "after"), k, a)
        {
            json_array_append(found, json_object_get(a, "id"));
        }
    }
}

enum { STEPS = 1000 }; /* most steps of a search, since a damaged fingerprint may have a cycle */

/* True if stage `id` feeds stage `later`, directly or through other stages. */
static bool feeds(const json_t *all, const char *id, const char *later)
{
    json_t *found = json_array();
    bool does = false;
    free_change_add_feeders(all, later, found);
    for (size_t k = 0; k < json_array_size(found) && k < STEPS && !does; k++) {
        const char *feeder = json_string_value(json_array_get(found, k));
        does = feeder && !strcmp(feeder, id);
        if (feeder && !does) free_change_add_feeders(all, feeder, found);
    }
    json_decref(found);
    return does;
}

static const char *word_of(uint32_t what)
{
    return what & LEAT_HAS_LABEL ? "labels" : what & LEAT_HAS_EXAMPLES ? "features" : "times";
}

const char *free_change_learned(const json_t *all, const json_t *stage,
                                const struct free_change_resets *resets, const char **what)
{
    size_t i;
    json_t *s;
    const char *id = free_change_text_of(stage, "id");
    uint32_t defined = bits_of(stage, "defines");
    json_array_foreach(json_object_get(all, "stages"), i, s)
    {
        const char *later = free_change_text_of(s, "id");
        uint32_t needed = bits_of(s, "needs") & defined;
        if (!id || !needed || free_change_restarts(resets, later) || !feeds(all, id, later))
            continue;
        *what = word_of(needed);
        return later;
    }
    return NULL;
}

bool free_change_may(const json_t *all, const json_t *stage,
                     const struct free_change_resets *resets)
{
    const char *what;
    return json_is_false(json_object_get(stage, "keeps")) &&
           !free_change_learned(all, stage, resets, &what);
}

static const struct leat_param *free_change_find(const struct leat_stage *s, const char *name)
{
    for (uint32_t i = 0; name && i < s->n_params; i++)
        if (!strcmp(s->params[i].name, name)) return &s->params[i];
    return NULL;
}

static bool is_limit(const char *name)
{
    return !strcmp(name, "max_features") || !strcmp(name, "names_budget") ||
           !strcmp(name, "name_bytes");
}

const struct leat_param *limit_change_param(const struct leat_stage *s, const char *name)
{
    const struct leat_param *p = free_change_find(s, name);
    bool grows = s->kind == LEAT_LEARNER && free_change_find(s, "max_features");
    bool whole = p && (p->type == LEAT_INT || p->type == LEAT_SIZE);
    return grows && whole && is_limit(name) ? p : NULL;
}

static bool limit_reads(const struct leat_param *p, const char *shown, struct arena *a,
                        int64_t *value)
{
    union param_cell cell = {0};
    if (!shown) return false;
    struct value v = param_unshow(shown, a);
    bool right = !param_read(p, &v, a, &cell);
    *value = cell.integer;
    return right;
}

enum limit_change limit_change(const struct leat_stage *s, const char *name, const char *from,
                               const char *to, struct arena *a)
{
    const struct leat_param *p = limit_change_param(s, name);
    int64_t before, after;
    if (!p || !limit_reads(p, from, a, &before) || !limit_reads(p, to, a, &after) ||
        before == after)
        return LIMIT_OTHER;
    return after > before ? LIMIT_RAISED : LIMIT_LOWERED;
}
