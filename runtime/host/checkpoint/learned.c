/* learned.c -- implementation of learned.h. */
#include "learned.h"

#include <stdlib.h>
#include <string.h>

#include "host/exec/run.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "instance_state.h"

/* Allocates room for the sections of all stages, and for pipeline, run and splits. */
static bool learned_reserve(struct learned *l, const struct graph *g)
{
    *l = (struct learned){.n_states = g->n_nodes};
    l->section = calloc(2 * (size_t)g->n_nodes + 3, sizeof *l->section);
    l->state = calloc((size_t)g->n_nodes + 1, sizeof *l->state);
    return l->section && l->state;
}

int learned_begin(struct learned *l, struct run *r, const char *fingerprint)
{
    int status = learned_reserve(l, r->graph) ? LEAT_OK : LEAT_ENOMEM;
    if (status == LEAT_OK) status = instance_state_run_write(&l->run, r, true);
    if (status != LEAT_OK)
        return control_fail(&r->control, status, "there is not enough memory for a snapshot");
    l->section[l->n++] = (struct snapshot_section){"pipeline", fingerprint, strlen(fingerprint)};
    l->section[l->n++] = (struct snapshot_section){"run", l->run.bytes, l->run.n};
    return LEAT_OK;
}

int learned_collect(struct learned *l, struct run *r, const char *fingerprint)
{
    const struct graph *g = r->graph;
    int status = learned_begin(l, r, fingerprint);
    for (uint32_t i = 0; status == LEAT_OK && i < g->n_nodes; i++) {
        if (!fingerprint_learns(g->order[i])) continue;
        l->n += instance_state_learned(&l->state[i], r, g->order[i], l->section + l->n);
        status = r->control.failed;
    }
    return status;
}

void learned_add_splits(struct learned *l, json_t *splits)
{
    l->splits = json_dumps(splits, JSON_INDENT(1));
    json_decref(splits);
    l->section[l->n++] = (struct snapshot_section){"splits", l->splits, strlen(l->splits)};
}

void learned_free(struct learned *l)
{
    for (uint32_t i = 0; l->state && i < l->n_states; i++)
        instance_state_free(&l->state[i]);
    state_writer_free(&l->run);
    free(l->section);
    free(l->state);
    free(l->splits);
    *l = (struct learned){0};
}
