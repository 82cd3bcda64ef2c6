/* resume.c -- continues a run from the newest snapshot, or from the position that a sink keeps. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checkpoint.h"
#include "core/report/byte_size.h"
#include "core/time/clock.h"
#include "host/exec/crash/crash_marks.h"
#include "host/exec/run.h"
#include "host/graph/outside/files.h"
#include "host/store/snapshot_file.h"
#include "host/log/log.h"
#include "host/plugin/status_text.h"
#include "instance_state.h"

/* Checks that the states of all stages can be saved. A model may continue only together with the
 * states of the other stages. */
static void resume_check_stages(const struct graph *g, struct diag *d)
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

/* Checks that the state of a split can be merged with others, and written. */
static void resume_check_split(const struct graph *g, const struct checkpoint_options *o,
                               struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (n->stage && n->stage->kind == LEAT_LEARNER && !n->stage->state->merge)
            diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                     "models of this learner cannot be merged, so it cannot learn a split: choose "
                     "another one, or learn all records in one run");
    }
    const char *why = strcmp(o->out, "-") ? snapshot_file_fault(o->out, d->arena) : NULL;
    if (why)
        diag_add(d, DIAG_FILE, (struct location){g->script, 0}, NULL, "--state",
                 "the state cannot be written to %s: %s", o->out, why);
}

/* Makes room for the saved state of each instance. */
static int resume_make_saved(struct run *r)
{
    struct instance_cursor at = {0};
    for (struct instance *i; (i = instance_state_next(r, &at));)
        if (!(i->saved = calloc(1, sizeof *i->saved)))
            return control_fail(&r->control, LEAT_ENOMEM,
                                "there is not enough memory for snapshots");
    return LEAT_OK;
}

int checkpoint_open_dir(struct checkpoints *c)
{
    struct run *r = c->run;
    const struct checkpoint_options *o = c->options;
    if (!checkpoint_saves(o)) return LEAT_OK;
    if (c->shards.n)
        return control_fail(
            &r->control, LEAT_EARG,
            "--state %s cannot be used: remove it, because the source itself stores the states "
            "of its inputs",
            o->dir ? o->dir : o->out);
    if (o->out) c->fingerprint = fingerprint_of_learned(r->graph);
    if (o->out) return resume_make_saved(r);
    int status = snapshot_dir_open(&c->dir, o->dir);
    if (status != LEAT_OK) control_fail(&r->control, status, "%s", c->dir.error);
    if (status == LEAT_OK) status = resume_make_saved(r);
    if (status != LEAT_OK) return status;
    crash_notes_keep(c->dir.fd);
    crash_marks_read(c->dir.fd);
    if (c->options->stop_on_crash)
        crash_notes_remove(c->dir.fd);
    else
        crash_notes_read(&r->crashes, c->dir.fd, r->graph->arena);
    c->fingerprint = fingerprint_make(r->graph);
    return LEAT_OK;
}

static bool resume_has_host_of(const struct graph *g, const char *id, const struct snapshot *from)
{
    return snapshot_find(from, arena_printf(g->arena, "host/%s/0", id)) != NULL;
}

bool checkpoint_inherits(const struct graph *g, const struct node *n, const struct snapshot *from)
{
    return n->was && !resume_has_host_of(g, n->id, from) && resume_has_host_of(g, n->was, from);
}

bool checkpoint_is_reset(const struct checkpoint_options *o, const struct node *n)
{
    return free_change_restarts(&o->resets, n->id);
}

static void resume_tell_of_heirs(const struct checkpoints *c, const struct snapshot *from)
{
    for (uint32_t i = 0; i < c->run->graph->n_nodes; i++) {
        const struct node *n = &c->run->graph->node[i];
        if (n->stage && !checkpoint_is_reset(c->options, n) &&
            checkpoint_inherits(c->run->graph, n, from))
            log_line(arena_printf(c->run->graph->arena, "leat: %s: takes over the state of '%s'",
                                  n->label, n->was));
    }
}

/* True if the stage restarts, or has changed. A stage that may change has no state, except the
 * random numbers of a Lua function. */
static bool resume_restarts(const struct checkpoints *c, const struct node *n)
{
    return checkpoint_is_reset(c->options, n) || fingerprint_has_changed(&c->changes, n->id);
}

static int resume_restore_all(struct checkpoints *c, const struct snapshot *from)
{
    struct instance_cursor at = {0};
    int status = instance_state_run_read(c->run, from);
    for (struct instance *i; status == LEAT_OK && (i = instance_state_next(c->run, &at));)
        status = instance_state_restore(i, from, resume_restarts(c, i->node));
    return status;
}

/* Warns if a source restarts while later stages continue, because these stages get records again
 * that their states already include. */
static void resume_warn_of_repeats(const struct graph *g, const struct checkpoint_options *o,
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
                 "--reset %s: the source begins again, so %s will see records again that are in "
                 "the snapshot already. Add%s, unless the source has new data",
                 source->id, ids, resets);
}

static void resume_check_repeats(const struct graph *g, const struct checkpoint_options *o,
                                 const struct snapshot *from, struct diag *d)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (n->stage && n->stage->kind == LEAT_SOURCE && checkpoint_is_reset(o, n) &&
            snapshot_find(from, arena_printf(g->arena, "stage/%s/0", n->id)))
            resume_warn_of_repeats(g, o, n, d);
    }
}

/* Compares the pipeline with the snapshot's. Returns LEAT_OK; LEAT_EARG after reporting to d; or
 * LEAT_EDATA. */
static int resume_compare_pipeline(const struct graph *g, const struct checkpoint_options *o,
                                   const struct snapshot *from, const char *what,
                                   struct fingerprint_changes *free, struct diag *d)
{
    const struct snapshot_section *made = snapshot_find(from, "pipeline");
    int status =
        made ? fingerprint_compare(g, made->bytes, made->n, &o->resets, free, d) : LEAT_EDATA;
    if (status == LEAT_EARG)
        diag_add(d, DIAG_ERROR, g->at, NULL, NULL,
                 "the pipeline differs from the %s (see the other errors): use --reset STAGE to "
                 "restart changed stages, or another --state DIR",
                 what);
    resume_check_repeats(g, o, from, d);
    return status;
}

/* Compares the pipeline with the snapshot's. `what` names the snapshot in messages. Returns
 * LEAT_OK; LEAT_EARG after reporting to d; or the status with which the run failed. */
static int resume_compare(struct checkpoints *c, const struct snapshot *from, const char *what,
                          struct diag *d)
{
    int status = resume_compare_pipeline(c->run->graph, c->options, from, what, &c->changes, d);
    if (status == LEAT_EDATA)
        control_fail(&c->run->control, status, "the %s: section pipeline cannot be read", what);
    return status;
}

/* Reports stages whose states a merge has left out, because they cannot be merged (model_merge.c).
 * A sink may lack its state; it then writes from the beginning. Returns LEAT_OK, or LEAT_EARG after
 * reporting to d. */
static int resume_check_left_out(const struct graph *g, const struct checkpoint_options *o,
                                 const struct snapshot *from,
                                 const struct fingerprint_changes *free, struct diag *d)
{
    int status = LEAT_OK;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || !n->stage->state->restore || n->stage->kind == LEAT_SINK ||
            checkpoint_is_reset(o, n) || fingerprint_has_changed(free, n->id))
            continue;
        const char *id = checkpoint_inherits(g, n, from) ? n->was : n->id;
        if (!resume_has_host_of(g, id, from) ||
            snapshot_find(from, arena_printf(g->arena, "stage/%s/0", id)))
            continue;
        diag_add(d, DIAG_ERROR, n->at, n->label, NULL,
                 "the snapshot has its counts but not its state, because it is a merge, and "
                 "such states cannot be merged; --reset %s starts the stage from nothing",
                 n->id);
        status = LEAT_EARG;
    }
    return status;
}

static const char *resume_snapshot_in(const struct graph *g, const struct checkpoint_options *o)
{
    return arena_printf(g->arena, "snapshot in %s", o->dir);
}

void checkpoint_check(const struct graph *g, const struct checkpoint_options *o, struct diag *d)
{
    if (!checkpoint_saves(o)) return;
    resume_check_stages(g, d);
    if (o->out) {
        resume_check_split(g, o, d);
        return;
    }
    const char *why = files_folder_fault(o->dir, d->arena);
    if (why)
        diag_add(d, DIAG_FILE, (struct location){g->script, 0}, NULL, "--state",
                 "cannot keep snapshots in %s: %s", o->dir, why);
}

void checkpoint_check_snapshot(const struct graph *g, const struct checkpoint_options *o,
                               const struct snapshot *from, struct fingerprint_changes *free,
                               struct diag *d)
{
    if (resume_compare_pipeline(g, o, from, resume_snapshot_in(g, o), free, d) == LEAT_EDATA)
        diag_add(d, DIAG_ERROR, (struct location){g->script, 0}, NULL, "--state",
                 "the snapshot in %s: section pipeline cannot be read", o->dir);
    resume_check_left_out(g, o, from, free, d);
}

/* ---- continuing from the position that a sink keeps ---- */

/* Parses a run's position into `to`, which the caller has zeroed. `to` stays zero if the sink keeps
 * no position of a run. */
static int position_parse(struct checkpoints *c, const struct leat_position *given,
                          struct snapshot *to)
{
    const struct commit *commit = &c->commit;
    if (strcmp(given->format, RUN_POSITION_FORMAT) != 0)
        return control_fail(
            &c->run->control, LEAT_EDATA,
            "transaction %s keeps a position in format %s, and this version of leat "
            "reads %s: use the version that wrote it",
            commit->name, given->format, RUN_POSITION_FORMAT);
    char *copy = malloc(given->n + 1);
    if (!copy)
        return control_fail(&c->run->control, LEAT_ENOMEM,
                            "there is not enough memory for the position of %s", commit->name);
    memcpy(copy, given->bytes, given->n);
    int status = snapshot_parse(to, copy, given->n);
    if (status != LEAT_OK)
        return control_fail(&c->run->control, status,
                            "the position in transaction %s cannot be used: it %s", commit->name,
                            to->error);
    if (to->checkpoint != commit->done)
        return control_fail(
            &c->run->control, LEAT_EDATA,
            "transaction %s has the position of checkpoint %llu, but has committed checkpoint "
            "%llu: its rows and its positions do not belong together",
            commit->name, (unsigned long long)to->checkpoint, (unsigned long long)commit->done);

    return LEAT_OK;
}

/* Gets the run's position from the sink and parses it. Ignores the positions of single sources. */
static int position_read(struct checkpoints *c, struct snapshot *to)
{
    const struct leat_position *list;
    uint32_t n;
    int status = commit_kept(&c->commit, c->run, &list, &n);
    for (uint32_t i = 0; status == LEAT_OK && i < n; i++)
        if (!*list[i].source && !to->n) status = position_parse(c, &list[i], to);
    return status;
}

/* Returns an array whose element node->index is true for the sink and for each node that feeds
 * it. */
static const bool *position_feeders(const struct graph *g, const struct node *sink)
{
    bool *feeds = arena_alloc(g->arena, g->n_nodes * sizeof *feeds);
    feeds[sink->index] = true;
    for (uint32_t k = g->n_nodes; k-- > 0;) {
        const struct node *n = g->order[k];
        for (uint32_t j = 0; j < n->n_out; j++)
            feeds[n->index] |= feeds[g->edge[n->out[j]].to];
    }
    return feeds;
}

/* Returns the reason why the sink would get different records if stage n continued without its
 * state of the checkpoint; NULL if the records stay the same. */
static const char *position_why_others(const struct checkpoints *c, const struct node *n)
{
    if (n->asked) return "its answers come from a lost model";
    if (n->stage->kind == LEAT_SOURCE && !commit_takes_position_of(&c->commit, n))
        return "its position in the input is lost";
    if (n->stage->kind != LEAT_TRANSFORM || !free_change_keeps(n)) return NULL;
    return n->stage->caps & LEAT_LEARNS ? NULL
                                        : "the records that it makes depend on its lost state";
}

static const char *position_newest(const struct checkpoints *c, const struct snapshot *from)
{
    struct arena *a = c->run->graph->arena;
    return from ? arena_printf(a, "the newest usable snapshot in %s is of checkpoint %llu",
                               c->options->dir, (unsigned long long)from->checkpoint)
                : arena_printf(a, "%s has no snapshot", c->options->dir);
}

static int position_refuse(struct checkpoints *c, const struct node *n, const char *why,
                           const struct snapshot *from)
{
    return control_fail(
        &c->run->control, LEAT_EDATA,
        "%s: %s. Transaction %s has committed checkpoint %llu, but %s: bring back a copy of the "
        "snapshots, or start over with another name of the transaction, another output and another "
        "--state DIR",
        n->label, why, c->commit.name, (unsigned long long)c->commit.done,
        position_newest(c, from));
}

/* Checks each stage whose state the position lacks. Lists in *lost the stages that lose their
 * progress since the snapshot. */
static int position_check_stages(struct checkpoints *c, const struct snapshot *kept,
                                 const struct snapshot *from, const char **lost)
{
    const struct graph *g = c->run->graph;
    const bool *feeds = position_feeders(g, c->commit.sink->node);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || checkpoint_is_reset(c->options, n)) continue;
        bool is_kept = instance_state_is_in(run_instance(c->run, n, 0), kept);
        const char *why = is_kept && !n->asked ? NULL : position_why_others(c, n);
        if (feeds[i] && why) return position_refuse(c, n, why, from);
        if (!is_kept && free_change_keeps(n))
            *lost = arena_printf(g->arena, "%s%s%s", *lost, **lost ? ", " : "", n->id);
    }
    return LEAT_OK;
}

static void position_report(const struct checkpoints *c, const struct snapshot *from,
                            const char *lost)
{
    log_message(
        *lost ? LEAT_WARN : LEAT_INFO,
        "transaction %s has committed checkpoint %llu, but %s: the records continue exactly "
        "after that checkpoint%s%s",
        c->commit.name, (unsigned long long)c->commit.done, position_newest(c, from),
        *lost ? ", and these stages have lost what they learned since then: " : "", lost);
}

static int position_restore(struct checkpoints *c, const struct snapshot *kept,
                            const struct snapshot *from)
{
    struct instance_cursor at = {0};
    const struct snapshot *run = kept->n ? kept : from;
    int status = run ? instance_state_run_read(c->run, run) : LEAT_OK;
    for (struct instance *i; status == LEAT_OK && (i = instance_state_next(c->run, &at));) {
        const struct snapshot *of = instance_state_is_in(i, kept) ? kept : from;
        if (of) status = instance_state_restore(i, of, resume_restarts(c, i->node));
    }
    return status;
}

static int position_resume(struct checkpoints *c, const struct snapshot *from, struct diag *d)
{
    struct snapshot kept = {0};
    const char *lost = "";
    int status = position_read(c, &kept);
    if (status == LEAT_OK && kept.n) status = resume_compare(c, &kept, "position in the sink", d);
    if (status == LEAT_OK && from) status = resume_compare(c, from, "snapshot", d);
    if (status == LEAT_OK) status = position_check_stages(c, &kept, from, &lost);
    if (status == LEAT_OK) position_report(c, from, lost);
    if (status == LEAT_OK) status = position_restore(c, &kept, from);
    snapshot_free(&kept);
    return status;
}

/* ---- continuing from a snapshot ---- */

/* Continues the numbering of checkpoints. Without a directory, only the sink knows the last
 * number. */
static int resume_continue_numbers(struct checkpoints *c)
{
    int status = commit_ask(&c->commit, c->run);
    c->checkpoint = c->last = c->commit.done;
    return status;
}

/* Keeps the splits that the snapshot holds, for the snapshots of this run, unless all learners
 * start anew. */
static void resume_keep_splits(struct checkpoints *c, const struct snapshot *from)
{
    const struct graph *g = c->run->graph;
    const struct snapshot_section *s = snapshot_find(from, "splits");
    bool goes_on = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        goes_on |= g->node[i].stage && g->node[i].stage->kind == LEAT_LEARNER &&
                   !checkpoint_is_reset(c->options, &g->node[i]);
    if (!s || !goes_on) return;
    c->splits = *s;
    c->splits.bytes = arena_strndup(g->arena, s->bytes, s->n);
}

static int resume_continue_from(struct checkpoints *c, const struct snapshot *from, struct diag *d)
{
    int status = resume_compare(c, from, resume_snapshot_in(c->run->graph, c->options), d);
    if ((status == LEAT_OK || status == LEAT_EARG) &&
        resume_check_left_out(c->run->graph, c->options, from, &c->changes, d) != LEAT_OK)
        status = LEAT_EARG;
    if (status == LEAT_OK) status = resume_restore_all(c, from);
    if (status == LEAT_OK) resume_tell_of_heirs(c, from);
    if (status == LEAT_OK) resume_keep_splits(c, from);
    if (status == LEAT_OK) c->resumed = from->checkpoint;
    return status;
}

static int resume_report_unreadable(struct checkpoints *c, int status)
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

/* Resumes the run. `found` is LEAT_OK if there is a snapshot, or LEAT_AGAIN if there is none. In
 * the latter case all stages start without a state. */
static int resume_from(struct checkpoints *c, int found, const struct snapshot *from,
                       struct diag *d)
{
    const struct snapshot *snapshot = found == LEAT_OK ? from : NULL;
    if (found != LEAT_OK && found != LEAT_AGAIN) return found;
    if (commit_is_ahead(&c->commit, snapshot)) return position_resume(c, snapshot, d);
    return snapshot ? resume_continue_from(c, snapshot, d)
                    : checkpoint_check_resets(c->run->graph, c->options, d);
}

int checkpoint_resume(struct checkpoints *c, struct diag *d)
{
    struct snapshot from;
    uint64_t checkpoint[SNAPSHOT_DIR_CHECKPOINTS];
    if (!c->options->dir) return resume_continue_numbers(c);
    int listed = snapshot_dir_list(c->options->dir, checkpoint);
    if (listed < 0)
        return control_fail(&c->run->control, LEAT_EIO, "--state %s cannot be read: %s",
                            c->options->dir, strerror(errno));
    if (listed > 0) c->checkpoint = checkpoint[0];
    int found = commit_newest(&c->commit, c->run, &c->dir, &from);
    if (c->commit.done > c->checkpoint) c->checkpoint = c->commit.done;
    c->last = c->checkpoint;
    int status = resume_report_unreadable(c, resume_from(c, found, &from, d));
    snapshot_free(&from);
    return status;
}
