/* forecast.c -- implementation of forecast.h. */
#include "forecast.h"

#include <string.h>
#include <unistd.h>

static struct forecast_stage *forecast_add(struct forecast *f, const char *id,
                                           enum forecast_outcome outcome, const char *why)
{
    f->stage[f->n] = (struct forecast_stage){id, outcome, why};
    return &f->stage[f->n++];
}

/* Returns all errors of the stage as one text, or all warnings if `warnings`; NULL if there are
 * none. */
static const char *forecast_said_of(const struct node *n, const struct diag *d, bool warnings)
{
    const char *all = NULL;
    for (const struct problem *p = d->first; p; p = p->next)
        if ((p->severity == DIAG_WARNING) == warnings && p->stage == n->label)
            all = all ? arena_printf(d->arena, "%s; %s", all, p->text) : p->text;
    return all;
}

/* Returns all permitted changes of the stage as one text; NULL if there are none. */
static const char *forecast_changes_of(const struct forecast *f, const char *id,
                                       struct arena *arena)
{
    const char *all = NULL;
    for (const struct fingerprint_change *c = f->changes.first; c; c = c->next)
        if (!strcmp(c->id, id)) all = all ? arena_printf(arena, "%s; %s", all, c->what) : c->what;
    return all;
}

static void forecast_add_node(struct forecast *f, const struct graph *g,
                              const struct checkpoint_options *o, const struct snapshot *from,
                              const struct node *n, const struct diag *found)
{
    const char *change = forecast_changes_of(f, n->id, g->arena);
    const char *fault = forecast_said_of(n, found, false);
    bool inherits = f->has_snapshot && checkpoint_inherits(g, n, from);
    const char *section = arena_printf(g->arena, "stage/%s/0", inherits ? n->was : n->id);
    if (fault)
        forecast_add(f, n->id, FORECAST_REFUSED, fault);
    else if (change || !n->stage->state->snapshot)
        forecast_add(f, n->id, FORECAST_KEEPS_NOTHING, change);
    else if (!f->has_snapshot)
        forecast_add(f, n->id, FORECAST_STARTS, "there is no snapshot");
    else if (checkpoint_is_reset(o, n))
        forecast_add(f, n->id, FORECAST_STARTS, "--reset");
    else if (!snapshot_find(from, section))
        forecast_add(f, n->id, FORECAST_STARTS, "the snapshot has no state of this stage");
    else
        forecast_add(f, n->id, FORECAST_RESUMES,
                     inherits ? arena_printf(g->arena, "from the state of '%s'", n->was)
                              : forecast_said_of(n, found, true));
}

struct forecast_dropped {
    struct forecast *f;
    const struct graph *g;
    const struct checkpoint_options *o;
};

/* Adds stage `id` of the snapshot if the pipeline does not have it. */
static void forecast_add_dropped(void *to, const char *id)
{
    const struct forecast_dropped *l = to;
    const struct node like = {.id = id};
    for (uint32_t i = 0; i < l->g->n_nodes; i++) {
        const struct node *n = &l->g->node[i];
        if (n->was && !strcmp(n->was, id) && !checkpoint_is_reset(l->o, &like)) return;
    }
    if (graph_find(l->g, id)) return;
    id = arena_strdup(l->g->arena, id);
    if (checkpoint_is_reset(l->o, &like))
        forecast_add(l->f, id, FORECAST_DROPPED, "--reset");
    else if (fingerprint_has_changed(&l->f->changes, id))
        forecast_add(l->f, id, FORECAST_DROPPED, "the stage had no state");
    else
        forecast_add(l->f, id, FORECAST_REFUSED,
                     arena_printf(l->g->arena,
                                  "the pipeline lacks this stage; --reset %s drops its state", id));
}

static void forecast_copy_problems(const struct diag *from, struct diag *to)
{
    for (const struct problem *p = from->first; p; p = p->next)
        diag_add(to, p->severity, p->at, p->stage, p->param, "%s", p->text);
}

static void forecast_stages(struct forecast *f, const struct graph *g,
                            const struct checkpoint_options *o, const struct snapshot *from,
                            struct diag *found)
{
    const struct snapshot_section *made = f->has_snapshot ? snapshot_find(from, "pipeline") : NULL;
    uint32_t more = made ? fingerprint_stages(made->bytes, made->n, NULL, NULL) : 0;
    f->stage = arena_alloc(g->arena, (g->n_nodes + more + 1) * sizeof *f->stage);
    f->checkpoint = from->checkpoint;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->order[i]->stage) forecast_add_node(f, g, o, from, g->order[i], found);
    if (made)
        fingerprint_stages(made->bytes, made->n, forecast_add_dropped,
                           &(struct forecast_dropped){f, g, o});
}

void forecast_make(struct forecast *f, const struct graph *g, const struct checkpoint_options *o,
                   struct diag *d)
{
    struct snapshot from = {0};
    struct diag found = {.arena = g->arena};
    *f = (struct forecast){.n = 0};
    if (!o->dir) return;
    bool begun = !access(o->dir, F_OK); /* false before a first run */
    int status = begun ? snapshot_dir_newest(o->dir, &from) : LEAT_AGAIN;
    f->has_snapshot = status == LEAT_OK;
    if (status == LEAT_EDATA) {
        diag_add(d, DIAG_FILE, (struct location){g->script, 0}, NULL, "--state",
                 "%s contains no intact snapshot: move the directory away to start from the "
                 "beginning",
                 o->dir);
        return;
    }
    if (status == LEAT_AGAIN) checkpoint_check_resets(g, o, d);
    if (f->has_snapshot) checkpoint_check_snapshot(g, o, &from, &f->changes, &found);
    forecast_stages(f, g, o, &from, &found);
    forecast_copy_problems(&found, d);
    snapshot_free(&from);
}

/* ---- the stages that a reload restarts ---- */

/* True if the snapshot would be refused if all reset stages except the k-th restarted. */
static bool forecast_reload_needs(const struct graph *g, const struct free_change_resets *all,
                                  size_t k, const struct snapshot_section *made)
{
    struct diag unheard = {.arena = g->arena};
    struct fingerprint_changes free = {0};
    const char **others = arena_alloc(g->arena, all->n * sizeof *others);
    struct free_change_resets left = {others, 0};
    for (size_t i = 0; i < all->n; i++)
        if (strcmp(all->id[i], all->id[k]) != 0) others[left.n++] = all->id[i];
    return fingerprint_compare(g, made->bytes, made->n, &left, &free, &unheard) != LEAT_OK;
}

void checkpoint_reload_resets(const struct graph *g, struct checkpoint_options *o)
{
    struct snapshot from;
    if (!o->dir || !o->resets.n || snapshot_dir_newest(o->dir, &from) != LEAT_OK) return;
    const struct snapshot_section *made = snapshot_find(&from, "pipeline");
    const char **needed = arena_alloc(g->arena, o->resets.n * sizeof *needed);
    size_t n = 0;
    for (size_t k = 0; made && k < o->resets.n; k++)
        if (forecast_reload_needs(g, &o->resets, k, made)) needed[n++] = o->resets.id[k];
    if (made) o->resets = (struct free_change_resets){needed, n};
    snapshot_free(&from);
}
