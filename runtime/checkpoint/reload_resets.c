/* reload_resets.c -- which stages a reload restarts, see checkpoint.h. */
#include <string.h>

#include "checkpoint_inside.h"
#include "graph/fingerprint.h"

struct candidates {
    const struct graph *g;
    const struct snapshot *from;
    const char **id;
    size_t n;
};

/* A stage of the snapshot. One that kept nothing may go. */
static void add_former(void *to, const char *id, bool is_stateless)
{
    struct candidates *c = to;
    const char *section = arena_printf(c->g->arena, "stage/%s/0", id);
    if (graph_find(c->g, id) || (!is_stateless && snapshot_find(c->from, section))) return;
    c->id[c->n++] = arena_strdup(c->g->arena, id);
}

/* What was asked for, and all that keeps nothing. */
static struct candidates candidates(const struct graph *g, const struct checkpoint_options *o,
                                    const struct snapshot *from,
                                    const struct snapshot_section *made)
{
    size_t former = fingerprint_stages(made->bytes, made->n, NULL, NULL);
    struct candidates c = {g, from, NULL, o->n_reset};
    c.id = arena_alloc(g->arena, (o->n_reset + g->n_nodes + former + 1) * sizeof *c.id);
    if (o->n_reset) memcpy(c.id, o->reset, o->n_reset * sizeof *c.id);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (n->stage && n->stage->kind != LEAT_SOURCE && !checkpoint_keeps(n)) c.id[c.n++] = n->id;
    }
    fingerprint_stages(made->bytes, made->n, add_former, &c);
    return c;
}

/* Would the snapshot be refused if the k-th did not restart? */
static bool is_needed(const struct candidates *c, size_t k, const struct snapshot_section *made)
{
    struct diag unheard = {.arena = c->g->arena};
    const char **others = arena_alloc(c->g->arena, c->n * sizeof *others);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->id[i], c->id[k]) != 0) others[n++] = c->id[i];
    return fingerprint_compare(c->g, made->bytes, made->n, others, n, &unheard) != LEAT_OK;
}

void checkpoint_reload_resets(const struct graph *g, struct checkpoint_options *o)
{
    struct snapshot from;
    if (!o->dir || snapshot_dir_newest(o->dir, &from) != LEAT_OK) return;
    const struct snapshot_section *made = snapshot_find(&from, "pipeline");
    if (made) {
        struct candidates c = candidates(g, o, &from, made);
        size_t n = 0;
        const char **needed = arena_alloc(g->arena, (c.n + 1) * sizeof *needed);
        for (size_t k = 0; k < c.n; k++)
            if (is_needed(&c, k, made)) needed[n++] = c.id[k];
        o->reset = needed;
        o->n_reset = n;
    }
    snapshot_free(&from);
}
