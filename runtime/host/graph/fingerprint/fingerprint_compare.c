/* fingerprint_compare.c -- compares a pipeline with the fingerprint of a snapshot. */
#include <string.h>

#include "fingerprint_inside.h"
#include "free_change.h"
#include "host/params/param_type.h"

struct fingerprint_compare_comparison {
    const struct graph *g;
    struct diag *d;
    struct free_change_resets resets;
    const json_t *here, *there;
    struct fingerprint_changes *free;
    bool differs;
};

static const char *fingerprint_compare_text_of(const json_t *o, const char *key)
{
    return json_string_value(json_object_get(o, key));
}

static bool fingerprint_compare_same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* ---- which differences are permitted ---- */

/* True for an operational parameter. Snapshots of older versions may still contain one. */
static bool is_operational(const struct node *n, const char *name)
{
    for (uint32_t i = 0; name && n && n->stage && i < n->stage->n_params; i++)
        if (fingerprint_compare_same(n->stage->params[i].name, name))
            return n->stage->params[i].flags & LEAT_OPERATIONAL;
    return false;
}

static enum limit_change limit_of(const struct fingerprint_compare_comparison *c,
                                  const struct fingerprint_difference *k, const struct node *n)
{
    if (!n || !n->stage) return LIMIT_OTHER;
    return limit_change(n->stage, k->name, k->b, k->a, c->g->arena);
}

/* True if free_change_may() allows the stage to change, in each of the two fingerprints that
 * contains it. */
static bool may_change(const void *of, const json_t *all, const json_t *stage)
{
    const struct fingerprint_compare_comparison *c = of;
    const char *id = fingerprint_compare_text_of(stage, "id");
    const json_t *both[][2] = {{c->here, fingerprint_stage(c->here, id)},
                               {c->there, fingerprint_stage(c->there, id)}};
    bool may = id;
    for (int k = 0; k < 2; k++)
        if (both[k][1]) may &= free_change_may(both[k][0], both[k][1], &c->resets);
    return may;
}

/* True if the stage has the same inputs in both pipelines. Ignores inputs that may change, because
 * these may also move. */
static bool has_same_inputs(const struct fingerprint_compare_comparison *c, const char *id)
{
    const struct fingerprint_feeders here = {c->here, c->there, may_change, c},
                                     there = {c->there, c->here, may_change, c};
    json_t *a = fingerprint_inputs(&here, fingerprint_stage(c->here, id));
    json_t *b = fingerprint_inputs(&there, fingerprint_stage(c->there, id));
    bool equal = json_equal(a, b);
    json_decref(a);
    json_decref(b);
    return equal;
}

/* Returns the reason why a stage without a state may not change: another stage has learned from it.
 * Returns "" if there is no such reason. */
static const char *fingerprint_compare_why_not(const struct fingerprint_compare_comparison *c,
                                               const char *id)
{
    const json_t *all[] = {c->here, c->there};
    const char *what, *by = NULL;
    for (int k = 0; k < 2 && !by; k++) {
        const json_t *stage = fingerprint_stage(all[k], id);
        if (stage && json_is_false(json_object_get(stage, "keeps")))
            by = free_change_learned(all[k], stage, &c->resets, &what);
    }
    return by ? arena_printf(c->g->arena, ", and %s has learned from the old %s", by, what) : "";
}

/* ---- errors and warnings about a difference ---- */

static void fingerprint_compare_add_error(const struct fingerprint_compare_comparison *c,
                                          const struct fingerprint_difference *k,
                                          const struct node *n)
{
    struct location at = n ? n->at : c->g->at;
    const char *label = n ? n->label : NULL,
               *why = k->id ? fingerprint_compare_why_not(c, k->id) : "";
    if (limit_of(c, k, n) == LIMIT_LOWERED)
        diag_add(c->d, DIAG_ERROR, at, label, k->name,
                 "%s is %s here and %s in the snapshot: it may be raised, but not lowered; set "
                 "it to %s or more, or start the stage from nothing by --reset %s",
                 k->name, k->a, k->b, k->b, k->id);
    else if (k->name)
        diag_add(c->d, DIAG_ERROR, at, label, k->name, "%s is %s here and %s in the snapshot%s%s%s",
                 k->name, k->a ? k->a : "nothing", k->b ? k->b : "nothing", why,
                 *why ? "; the change is accepted by --reset " : "", *why ? k->id : "");
    else if (k->a && *why)
        diag_add(c->d, DIAG_ERROR, at, label, NULL,
                 "the snapshot has no such stage%s; --reset %s accepts it", why, k->id);
    else if (k->a)
        diag_add(c->d, DIAG_ERROR, at, label, NULL,
                 "the snapshot has no state of this stage; --reset %s starts it from nothing",
                 k->id);
    else
        diag_add(c->d, DIAG_ERROR, c->g->at, NULL, NULL,
                 "the snapshot has a stage %s (%s) that the pipeline lacks%s; --reset %s drops it",
                 k->id, k->b, why, k->id);
}

bool fingerprint_has_changed(const struct fingerprint_changes *changes, const char *id)
{
    for (const struct fingerprint_change *c = changes->first; c; c = c->next)
        if (!strcmp(c->id, id)) return true;
    return false;
}

static void note_change(const struct fingerprint_compare_comparison *c, const char *id,
                        const char *what)
{
    struct fingerprint_change **link = &c->free->first;
    while (*link)
        link = &(*link)->next;
    *link = arena_alloc(c->g->arena, sizeof **link);
    **link = (struct fingerprint_change){arena_strdup(c->g->arena, id), what, NULL};
}

/* Warns of a permitted change, because it changes how records are processed. */
static void add_warning(const struct fingerprint_compare_comparison *c,
                        const struct fingerprint_difference *k, const struct node *n)
{
    struct arena *a = c->g->arena;
    const char *what = k->name ? arena_printf(a, "%s is %s here and %s in the snapshot", k->name,
                                              k->a ? k->a : "nothing", k->b ? k->b : "nothing")
                       : k->a  ? "the snapshot was made without it"
                               : "the pipeline lacks it";
    note_change(c, k->id, what);
    if (k->name)
        diag_add(c->d, DIAG_WARNING, n->at, n->label, k->name,
                 "%s; the stage has no state, and the new value counts from the next record on",
                 what);
    else if (k->a)
        diag_add(c->d, DIAG_WARNING, n->at, n->label, NULL,
                 "the snapshot was made without this stage, which has no state: it works from the "
                 "next record on");
    else
        diag_add(c->d, DIAG_WARNING, c->g->at, NULL, NULL,
                 "the snapshot has a stage %s (%s) that the pipeline lacks; the stage had no "
                 "state, and the run continues without it",
                 k->id, k->b);
}

/* Returns the reason why a stage may continue with its state although parameter k->name differs.
 * Returns NULL if it may not. */
static const char *why_continues(const struct fingerprint_compare_comparison *c,
                                 const struct fingerprint_difference *k, const struct node *n)
{
    if (limit_of(c, k, n) == LIMIT_RAISED)
        return "the stage keeps what it has learned, and has room for more";
    if (n && n->stage && free_change_question(n->stage, k->name))
        return "the new value counts from the next answer on";
    return NULL;
}

static void add_continued(const struct fingerprint_compare_comparison *c,
                          const struct fingerprint_difference *k, const struct node *n,
                          const char *why)
{
    diag_add(c->d, DIAG_WARNING, n->at, n->label, k->name,
             "%s is %s here and %s in the snapshot; %s", k->name, k->a ? k->a : "nothing",
             k->b ? k->b : "nothing", why);
}

/* True if parameter `of` names the same learner as before, although the learner has a new id
 * now. */
static bool asks_the_same(const struct fingerprint_compare_comparison *c,
                          const struct fingerprint_difference *k)
{
    if (!fingerprint_compare_same(k->name, "of") || !k->a || !k->b) return false;
    const struct value here = param_unshow(k->a, c->g->arena),
                       there = param_unshow(k->b, c->g->arena);
    const struct node *n = here.text ? graph_find(c->g, here.text) : NULL;
    return n && n->was && there.text && fingerprint_compare_same(n->was, there.text);
}

/* True if the snapshot has what was learned, without its inputs, which may have another layout. */
static bool compare_left_out(const struct fingerprint_compare_comparison *c,
                             const struct fingerprint_difference *k)
{
    size_t i;
    json_t *s;
    json_array_foreach(json_object_get(c->there, "stages"), i, s)
    {
        const char *kind = fingerprint_compare_text_of(s, "kind");
        if (kind && !strcmp(kind, "source")) return false;
    }
    return fingerprint_is_layout(c->here, k) && (!k->a || !k->b);
}

static void add_difference(void *to, const struct fingerprint_difference *k)
{
    struct fingerprint_compare_comparison *c = to;
    const struct node *n = k->id ? graph_find(c->g, k->id) : NULL;
    const json_t *stage = fingerprint_stage(n ? c->here : c->there, k->id);
    const char *continues = why_continues(c, k, n);
    if (free_change_restarts(&c->resets, k->id) || is_operational(n, k->name)) return;
    if (compare_left_out(c, k)) return;
    if (asks_the_same(c, k)) return;
    if (fingerprint_is_linalg(k)) {
        diag_add(c->d, DIAG_WARNING, c->g->at, "pipeline", "linalg",
                 "the snapshot was learned with %s, and this run computes with %s: results differ "
                 "in their last digits",
                 k->b, k->a);
        return;
    }
    if (stage && may_change(c, n ? c->here : c->there, stage)) {
        add_warning(c, k, n);
    } else if (continues) {
        add_continued(c, k, n, continues);
    } else if (!fingerprint_compare_same(k->name, "input") || !has_same_inputs(c, k->id)) {
        c->differs = true;
        fingerprint_compare_add_error(c, k, n);
    }
}

/* Reports an error if a stage of --reset exists nowhere: it is probably misspelt, and the stage
 * that should restart would continue. */
static void check_reset(struct fingerprint_compare_comparison *c)
{
    for (size_t i = 0; i < c->resets.n; i++) {
        const char *id = c->resets.id[i];
        if (graph_find(c->g, id) || fingerprint_stage(c->there, id)) continue;
        c->differs = true;
        diag_add(c->d, DIAG_ERROR, c->g->at, NULL, NULL,
                 "--reset %s: neither the pipeline nor the snapshot has this stage", id);
    }
}

/* ---- stages that had another id ---- */

static void rename_feeder(json_t *stage, const struct node *n)
{
    size_t i;
    json_t *a;
    json_array_foreach(json_object_get(stage, "after"), i, a)
    {
        if (fingerprint_compare_same(fingerprint_compare_text_of(a, "id"), n->was))
            json_object_set_new(a, "id", json_string(n->id));
    }
}

/* Renames the snapshot's stage n->was to n->id, the stage's id in this pipeline. Does nothing if
 * the snapshot has no stage n->was, as in later snapshots. */
static void rename_stage(struct fingerprint_compare_comparison *c, json_t *there,
                         const struct node *n)
{
    size_t i;
    json_t *s, *old = (json_t *)fingerprint_stage(there, n->was);
    if (!old || free_change_restarts(&c->resets, n->was)) return;
    if (fingerprint_stage(there, n->id)) {
        c->differs = true;
        diag_add(c->d, DIAG_ERROR, n->at, n->label, "was",
                 "parameter was = \"%s\": the snapshot has states of both %s and %s; --reset %s "
                 "drops the former",
                 n->was, n->was, n->id, n->was);
        return;
    }
    json_object_set_new(old, "id", json_string(n->id));
    if (!fingerprint_compare_text_of(old, "was"))
        json_object_set_new(old, "was", json_string(n->was));
    json_array_foreach(json_object_get(there, "stages"), i, s) { rename_feeder(s, n); }
}

int fingerprint_compare(const struct graph *g, const char *json, size_t n,
                        const struct free_change_resets *resets, struct fingerprint_changes *free,
                        struct diag *d)
{
    json_t *there = json_loadb(json, n, 0, NULL);
    if (!json_is_array(json_object_get(there, "stages"))) {
        json_decref(there);
        return LEAT_EDATA;
    }
    json_t *here = fingerprint_json(g);
    struct fingerprint_compare_comparison c = {g, d, *resets, here, there, free, false};
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].was) rename_stage(&c, there, &g->node[i]);
    fingerprint_differences(here, there, add_difference, &c);
    check_reset(&c);
    json_decref(here);
    json_decref(there);
    return c.differs ? LEAT_EARG : LEAT_OK;
}
