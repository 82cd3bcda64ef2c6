/* checkpoint_file.c -- the state directory: the snapshot of each checkpoint is written, and a run
 * continues from the newest valid one. No thread and no lock of its own. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report/byte_size.h"
#include "core/time/clock.h"
#include "host/log/log.h"
#include "host/plugin/status_text.h"
#include "checkpoint_inside.h"
#include "host/exec/run.h"
#include "host/graph/outside/files.h"
#include "instance_state.h"
#include "run_position.h"

uint32_t checkpoint_count_instances(const struct run *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage) n += (uint32_t)r->graph->node[i].lanes;
    return n;
}

struct instance *checkpoint_next_instance(const struct run *r, struct instance_cursor *at)
{
    for (; at->node < r->graph->n_nodes; at->node++, at->lane = 0) {
        const struct node *n = &r->graph->node[at->node];
        if (n->stage && at->lane < (uint32_t)n->lanes) return run_instance(r, n, at->lane++);
    }
    return NULL;
}

/* ---- writing ---- */

/* Outputs are on disk before the snapshot that knows their lengths. */
static int sync_outputs(struct checkpoints *c)
{
    struct instance_cursor at = {0};
    int failed = rejects_sync(&c->run->rejects);
    const char *what = "the file of dead letters";
    for (struct instance *i; !failed && (i = checkpoint_next_instance(c->run, &at));) {
        if (i->writing.output <= 0 || !fdatasync(i->writing.output)) continue;
        failed = errno;
        what = i->node->label;
    }
    if (failed)
        snprintf(c->dir.error, sizeof c->dir.error, "%s could not be synced to disk: %s", what,
                 strerror(failed));
    return failed ? LEAT_EIO : LEAT_OK;
}

/* All states are handed in, and nobody changes them. */
static int write_file(struct checkpoints *c, uint64_t checkpoint, const char *transaction)
{
    struct run *r = c->run;
    struct instance_cursor at = {0};
    struct state_writer run = {0};
    struct snapshot_section *section =
        calloc(2 * checkpoint_count_instances(r) + 4, sizeof *section);
    uint32_t n = 2;
    int status = section ? instance_state_run_write(&run, r) : LEAT_ENOMEM;
    if (status == LEAT_OK) {
        section[0] = (struct snapshot_section){"pipeline", c->fingerprint, strlen(c->fingerprint)};
        section[1] = (struct snapshot_section){"run", run.bytes, run.n};
        if (transaction)
            section[n++] =
                (struct snapshot_section){"transaction", transaction, strlen(transaction)};
        else if (c->commit.sink)
            section[n++] = commit_section(&c->commit, r->graph->arena);
        if (c->after_end) section[n++] = (struct snapshot_section){"ended", "", 0};
        for (struct instance *i; (i = checkpoint_next_instance(r, &at));)
            n += instance_state_sections(i->saved, i, section + n);
        status = r->control.failed ? r->control.failed : sync_outputs(c);
        if (status == LEAT_OK) status = snapshot_dir_write(&c->dir, checkpoint, section, n);
    }
    if (status == LEAT_ENOMEM)
        snprintf(c->dir.error, sizeof c->dir.error, "there is not enough memory for a snapshot");
    c->bytes = 0;
    for (uint32_t i = 0; section && i < n; i++)
        c->bytes += section[i].n;
    free(section);
    state_writer_free(&run);
    return status;
}

int checkpoint_write(struct checkpoints *c, uint64_t checkpoint, const char *transaction)
{
    char size[BYTE_SIZE_TEXT];
    uint64_t from = clock_ns();
    int status = c->options->dir ? write_file(c, checkpoint, transaction)
                                 : shards_pack(&c->shards, checkpoint);
    uint64_t took = clock_ns() - from;
    if (status != LEAT_OK || !c->options->dir) return status;
    c->written++;
    if (took > c->write_ns) c->write_ns = took;
    log_message(LEAT_DEBUG, "snapshot %llu: %s in %.1f ms", (unsigned long long)checkpoint,
                byte_size(c->bytes, size), (double)took / 1e6);
    return LEAT_OK;
}

/* ---- opening, and resuming ---- */

/* A model must not continue without the states that belong to its past. */
static void check_stages(const struct graph *g, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || n->stage->state->snapshot) continue;
        if (n->stage->kind == LEAT_SOURCE || n->stage->kind == LEAT_LEARNER ||
            n->stage->caps & LEAT_STATEFUL)
            diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                     "the stage cannot save its state: run the pipeline without --state");
    }
}

int checkpoint_open_dir(struct checkpoints *c)
{
    struct run *r = c->run;
    if (!c->options->dir) return LEAT_OK;
    if (c->shards.n)
        return control_fail(
            &r->control, LEAT_EARG,
            "--state %s cannot be used: the source stores the states of its inputs itself, "
            "and the directory would stay empty",
            c->options->dir);
    struct instance_cursor at = {0};
    int status = snapshot_dir_open(&c->dir, c->options->dir);
    if (status != LEAT_OK) control_fail(&r->control, status, "%s", c->dir.error);
    for (struct instance *i; status == LEAT_OK && (i = checkpoint_next_instance(r, &at));) {
        i->saved = calloc(1, sizeof *i->saved);
        if (!i->saved)
            status =
                control_fail(&r->control, LEAT_ENOMEM, "there is not enough memory for snapshots");
    }
    if (status == LEAT_OK) c->fingerprint = fingerprint_make(r->graph);
    return status;
}

static bool has_host_of(const struct graph *g, const char *id, const struct snapshot *from)
{
    return snapshot_find(from, arena_printf(g->arena, "host/%s/0", id)) != NULL;
}

bool checkpoint_inherits(const struct graph *g, const struct node *n, const struct snapshot *from)
{
    return n->was && !has_host_of(g, n->id, from) && has_host_of(g, n->was, from);
}

bool checkpoint_is_reset(const struct checkpoint_options *o, const struct node *n)
{
    return free_change_restarts(&o->resets, n->id);
}

static void tell_of_heirs(const struct checkpoints *c, const struct snapshot *from)
{
    for (uint32_t i = 0; i < c->run->graph->n_nodes; i++) {
        const struct node *n = &c->run->graph->node[i];
        if (n->stage && !checkpoint_is_reset(c->options, n) &&
            checkpoint_inherits(c->run->graph, n, from))
            log_line(arena_printf(c->run->graph->arena, "leat: %s: takes over the state of '%s'",
                                  n->label, n->was));
    }
}

/* One that has changed keeps nothing, but a Lua function has random numbers. */
bool checkpoint_restarts(const struct checkpoints *c, const struct node *n)
{
    return checkpoint_is_reset(c->options, n) || fingerprint_has_changed(&c->changes, n->id);
}

static int restore_all(struct checkpoints *c, const struct snapshot *from)
{
    struct instance_cursor at = {0};
    int status = instance_state_run_read(c->run, from);
    for (struct instance *i; status == LEAT_OK && (i = checkpoint_next_instance(c->run, &at));)
        status = instance_state_restore(i, from, checkpoint_restarts(c, i->node));
    return status;
}

/* A source that restarts gives records again to stages after it that have them in their states. */
static void warn_of_repeats(const struct graph *g, const struct checkpoint_options *o,
                            const struct node *source, struct diag *d)
{
    bool *reached = arena_alloc(g->arena, g->n_nodes * sizeof *reached);
    const char *ids = "", *resets = "";
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = g->order[i];
        reached[n->index] = n == source;
        for (uint32_t j = 0; j < n->n_in; j++)
            reached[n->index] |= reached[g->edge[n->in[j]].from];
        if (!reached[n->index] || !free_change_keeps(n) || checkpoint_is_reset(o, n)) continue;
        ids = arena_printf(g->arena, "%s%s%s", ids, *ids ? ", " : "", n->id);
        resets = arena_printf(g->arena, "%s --reset %s", resets, n->id);
    }
    if (*ids)
        diag_add(d, DIAG_WARNING, source->at, source->label, NULL,
                 "--reset %s: the source begins again, and %s will see records a second time that "
                 "are in the snapshot already. Add%s, unless its data are others",
                 source->id, ids, resets);
}

static void check_repeats(const struct graph *g, const struct checkpoint_options *o,
                          const struct snapshot *from, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (n->stage && n->stage->kind == LEAT_SOURCE && checkpoint_is_reset(o, n) &&
            snapshot_find(from, arena_printf(g->arena, "stage/%s/0", n->id)))
            warn_of_repeats(g, o, n, d);
    }
}

/* LEAT_OK; LEAT_EARG, reported; or LEAT_EDATA. */
static int compare_pipeline(const struct graph *g, const struct checkpoint_options *o,
                            const struct snapshot *from, const char *what,
                            struct fingerprint_changes *free, struct diag *d)
{
    const struct snapshot_section *made = snapshot_find(from, "pipeline");
    int status =
        made ? fingerprint_compare(g, made->bytes, made->n, &o->resets, free, d) : LEAT_EDATA;
    if (status == LEAT_EARG)
        diag_add(d, DIAG_ERROR, g->at, NULL, NULL,
                 "the pipeline differs from the %s, as the other errors say. Use "
                 "--reset STAGE to restart changed stages, or another --state DIR",
                 what);
    check_repeats(g, o, from, d);
    return status;
}

int checkpoint_compare(struct checkpoints *c, const struct snapshot *from, const char *what,
                       struct diag *d)
{
    int status = compare_pipeline(c->run->graph, c->options, from, what, &c->changes, d);
    if (status == LEAT_EDATA)
        control_fail(&c->run->control, status, "the %s: section pipeline cannot be read", what);
    return status;
}

/* A merge leaves out the states that cannot be merged (model_merge.c). A sink without one writes
 * from the beginning. LEAT_OK, or LEAT_EARG, reported. */
static int check_left_out(const struct graph *g, const struct checkpoint_options *o,
                          const struct snapshot *from, const struct fingerprint_changes *free,
                          struct diag *d)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || !n->stage->state->restore || n->stage->kind == LEAT_SINK ||
            checkpoint_is_reset(o, n) || fingerprint_has_changed(free, n->id))
            continue;
        const char *id = checkpoint_inherits(g, n, from) ? n->was : n->id;
        if (!has_host_of(g, id, from) ||
            snapshot_find(from, arena_printf(g->arena, "stage/%s/0", id)))
            continue;
        diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                 "the snapshot has its counts, but not its state, which a merge leaves out where "
                 "states cannot be merged; --reset %s starts the stage from nothing",
                 n->id);
        status = LEAT_EARG;
    }
    return status;
}

static const char *snapshot_in(const struct graph *g, const struct checkpoint_options *o)
{
    return arena_printf(g->arena, "snapshot in %s", o->dir);
}

void checkpoint_check(const struct graph *g, const struct checkpoint_options *o, struct diag *d)
{
    if (!o->dir) return;
    check_stages(g, d);
    const char *why = files_folder_fault(o->dir, d->arena);
    if (why)
        diag_add(d, DIAG_FILE, (struct location){g->script, 0}, NULL, "--state",
                 "cannot keep snapshots in %s: %s", o->dir, why);
}

void checkpoint_check_snapshot(const struct graph *g, const struct checkpoint_options *o,
                               const struct snapshot *from, struct fingerprint_changes *free,
                               struct diag *d)
{
    if (compare_pipeline(g, o, from, snapshot_in(g, o), free, d) == LEAT_EDATA)
        diag_add(d, DIAG_ERROR, (struct location){g->script, 0}, NULL, "--state",
                 "the snapshot in %s: section pipeline cannot be read", o->dir);
    check_left_out(g, o, from, free, d);
}

/* Without a directory only the numbers of checkpoints continue. */
static int continue_numbers(struct checkpoints *c)
{
    int status = commit_ask(&c->commit, c->run);
    c->checkpoint = c->last = c->commit.done;
    return status;
}

static int continue_from(struct checkpoints *c, const struct snapshot *from, struct diag *d)
{
    int status = checkpoint_compare(c, from, snapshot_in(c->run->graph, c->options), d);
    if (status == LEAT_OK) status = check_left_out(c->run->graph, c->options, from, &c->changes, d);
    if (status == LEAT_OK) status = restore_all(c, from);
    if (status == LEAT_OK) tell_of_heirs(c, from);
    if (status == LEAT_OK) c->resumed = from->checkpoint;
    return status;
}

static int report_unreadable(struct checkpoints *c, int status)
{
    if (c->run->control.failed) return status;
    if (status == LEAT_ENOMEM || status == LEAT_EIO)
        return control_fail(&c->run->control, status,
                            "the newest snapshot in %s cannot be read: %s", c->options->dir,
                            status_text(status));
    if (status == LEAT_EDATA)
        return control_fail(
            &c->run->control, status,
            "%s contains no intact snapshot: move the directory away to start from the beginning",
            c->options->dir);
    return status;
}

int checkpoint_check_resets(const struct graph *g, const struct checkpoint_options *o,
                            struct diag *d)
{
    int status = LEAT_OK;
    for (size_t i = 0; i < o->resets.n; i++) {
        if (graph_find(g, o->resets.id[i])) continue;
        diag_add(d, DIAG_ERROR, g->at, NULL, NULL,
                 "--reset %s: the pipeline has no such stage, and %s has no snapshot yet",
                 o->resets.id[i], o->dir);
        status = LEAT_EARG;
    }
    return status;
}

/* found: LEAT_OK, or without a snapshot LEAT_AGAIN, in which case all stages start afresh. */
static int resume_from(struct checkpoints *c, int found, const struct snapshot *from,
                       struct diag *d)
{
    const struct snapshot *snapshot = found == LEAT_OK ? from : NULL;
    if (found != LEAT_OK && found != LEAT_AGAIN) return found;
    if (commit_is_ahead(&c->commit, snapshot)) return run_position_resume(c, snapshot, d);
    return snapshot ? continue_from(c, snapshot, d)
                    : checkpoint_check_resets(c->run->graph, c->options, d);
}

int checkpoint_resume(struct checkpoints *c, struct diag *d)
{
    struct snapshot from;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    if (!c->options->dir) return continue_numbers(c);
    int listed = snapshot_dir_list(c->options->dir, checkpoint);
    if (listed < 0)
        return control_fail(&c->run->control, LEAT_EIO, "--state %s cannot be read: %s",
                            c->options->dir, strerror(errno));
    if (listed > 0) c->checkpoint = checkpoint[0];
    int found = commit_newest(&c->commit, c->run, &c->dir, &from);
    if (c->commit.done > c->checkpoint) c->checkpoint = c->commit.done;
    c->last = c->checkpoint;
    int status = report_unreadable(c, resume_from(c, found, &from, d));
    snapshot_free(&from);
    return status;
}
