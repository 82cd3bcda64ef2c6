/* reload_resets.c -- which stages a reload restarts, see checkpoint.h. */
#include <string.h>

#include "checkpoint_inside.h"

/* Would the snapshot be refused if the k-th did not restart? */
static bool is_needed(const struct graph *g, const struct free_change_resets *all, size_t k,
                      const struct snapshot_section *made)
{
    struct diag unheard = {.arena = g->arena};
    struct fingerprint_changes free = {NULL};
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
        if (is_needed(g, &o->resets, k, made)) needed[n++] = o->resets.id[k];
    if (made) o->resets = (struct free_change_resets){needed, n};
    snapshot_free(&from);
}
