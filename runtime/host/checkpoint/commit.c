/* commit.c -- implementation of commit.h: the position of a run, commits, valid snapshots. */
#include "commit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "host/plugin/status_text.h"
#include "host/store/fault.h"
#include "host/log/diag.h"
#include "host/log/log.h"
#include "core/time/clock.h"
#include "checkpoint.h"
#include "host/exec/run.h"
#include "host/graph/pure_calls.h"
#include "instance_state.h"

/* True if the sink can commit positions in the format of this source. */
static bool commit_accepts(const struct node *sink, const struct node *source)
{
    const char *format = pure_position_format(source);
    const char *const *known = sink->stage->transaction->accepts;
    while (known && *known && format && strcmp(*known, format) != 0)
        known++;
    return known && *known && format;
}

bool commit_takes_position_of(const struct commit *commit, const struct node *source)
{
    return commit->sink && source->stage && source->stage->kind == LEAT_SOURCE &&
           commit_accepts(commit->sink->node, source);
}

/* Returns a source that stores, with its position, a state for each of its inputs (shards.h); NULL
 * if there is none. */
static const struct node *commit_find_shards(const struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        struct leat_plan p = {.size = sizeof p};
        if (!n->configured || n->stage->kind != LEAT_SOURCE || !n->stage->plan) continue;
        pure_plan(n, &p);
        if (p.shards) return n;
    }
    return NULL;
}

static void commit_check_sink(const struct node *n, const struct node *shards, const char *dir,
                              struct diag *d)
{
    if (shards && !commit_accepts(n, shards))
        diag_add(d, DIAG_ERROR, n->at, n->label, "transaction",
                 "%s stores the states of its inputs itself, but this sink cannot commit them "
                 "in its transactions: keep one state for all inputs, with --state DIR",
                 shards->label);
    else if (!shards && !dir)
        diag_add(d, DIAG_ERROR, n->at, n->label, "transaction",
                 "exactly once needs --state DIR, or a source that stores states itself: output, "
                 "position and models must roll back together");
}

void commit_check(const struct graph *g, const char *dir, struct diag *d)
{
    const struct node *first = NULL, *shards = commit_find_shards(g);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || !pure_transaction(n)) continue;
        if (first)
            diag_add(
                d, DIAG_ERROR, n->at, n->label, "transaction",
                "%s already commits the checkpoints: a pipeline can have only one transactional "
                "sink",
                first->label);
        else
            commit_check_sink(n, shards, dir, d);
        first = first ? first : n;
    }
}

/* ---- the position of a run, for a sink that keeps it ---- */

static bool run_position_carries(const struct instance *i, const struct snapshot_section *section,
                                 uint32_t n)
{
    uint32_t kind = i->node->stage->kind;
    return kind == LEAT_SOURCE ||
           (kind != LEAT_LEARNER && (n < 2 || section[1].n <= RUN_POSITION_STATE));
}

/* Collects the sections of the instances' states, at most 2 each, from section[2] on. Returns the
 * number of sections, including the first two. */
static uint32_t run_position_states(struct run *r, struct snapshot_section *section)
{
    struct instance_cursor at = {0};
    uint32_t n = 2;
    for (struct instance *i; (i = instance_state_next(r, &at));) {
        uint32_t more = instance_state_sections(i->saved, i, section + n);
        n += run_position_carries(i, section + n, more) ? more : 0;
    }
    return n;
}

static int run_position_reserve(struct run_position *p, size_t n)
{
    char *bytes = n > p->cap ? realloc(p->bytes, n) : p->bytes;
    if (!bytes) return LEAT_ENOMEM;
    p->cap = n > p->cap ? n : p->cap;
    p->bytes = bytes;
    p->n = n;
    return LEAT_OK;
}

static int run_position_make(struct run_position *p, struct run *r, const char *fingerprint,
                             uint64_t checkpoint)
{
    struct state_writer run = {0};
    struct snapshot_section *section = calloc(2 * instance_state_count(r) + 4, sizeof *section);
    int status = section ? instance_state_run_write(&run, r, false) : LEAT_ENOMEM;
    if (status == LEAT_OK) {
        section[0] = (struct snapshot_section){"pipeline", fingerprint, strlen(fingerprint)};
        section[1] = (struct snapshot_section){"run", run.bytes, run.n};
        uint32_t n = run_position_states(r, section);
        status = r->control.failed ? r->control.failed
                                   : run_position_reserve(p, snapshot_bytes(section, n));
        if (status == LEAT_OK) snapshot_put(p->bytes, checkpoint, section, n);
    }
    if (status == LEAT_ENOMEM)
        control_fail(&r->control, status,
                     "there is not enough memory for the position of a checkpoint");
    free(section);
    state_writer_free(&run);
    return status;
}

static void run_position_free(struct run_position *p)
{
    free(p->bytes);
    *p = (struct run_position){0};
}

static void commit_tell_stage(const struct commit *commit, struct run *r, const struct node *n,
                              int64_t checkpoint_ns, bool continued)
{
    for (int lane = 0; lane < n->lanes; lane++) {
        struct leat_ctx *ctx = &run_instance(r, n, (uint32_t)lane)->ctx;
        ctx->checkpoint_ns = checkpoint_ns;
        ctx->transactional = commit->sink != NULL;
        ctx->continued = continued;
        ctx->position_committed = commit_takes_position_of(commit, n);
    }
}

void commit_init(struct commit *commit, struct run *r, int64_t checkpoint_ns, bool continued)
{
    const struct graph *g = r->graph;
    *commit = (struct commit){
        .position = arena_alloc(g->arena, g->n_nodes * sizeof *commit->position),
        .to_commit = arena_alloc(g->arena, (g->n_nodes + 1) * sizeof *commit->to_commit)};
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && pure_transaction(&g->node[i])) {
            commit->sink = run_instance(r, &g->node[i], 0);
            commit->name = pure_transaction(&g->node[i]);
        }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage) commit_tell_stage(commit, r, &g->node[i], checkpoint_ns, continued);
}

void commit_close(struct commit *commit) { run_position_free(&commit->run); }

int commit_position(const struct commit *commit, struct instance *i)
{
    if (!i->ctx.position_committed) return LEAT_OK;
    const struct leat_source *role = i->node->stage->source;
    struct leat_position *position = &commit->position[i->node->index];
    instance_enter(i, "position", clock_ns());
    int status = role->position(&i->ctx, i->self, position);
    status = instance_return(i, "position", status);
    position->source = i->node->id;
    position->format = pure_position_format(i->node);
    return status >= 0 ? LEAT_OK
                       : instance_fail(i, status, "position failed: %s", status_text(status));
}

/* Collects the sources' positions, and the run's position if the sink keeps it. */
static int commit_collect_positions(struct commit *commit, struct run *r, uint64_t checkpoint,
                                    uint32_t *n)
{
    const struct graph *g = r->graph;
    const struct checkpoints *c = r->checkpoints;
    int status = LEAT_OK;
    *n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (commit_takes_position_of(commit, &g->node[i]))
            commit->to_commit[(*n)++] = commit->position[i];
    if (!commit->sink->node->stage->transaction->positions || !c->options->dir) return LEAT_OK;
    status = run_position_make(&commit->run, r, c->fingerprint, checkpoint);
    commit->to_commit[(*n)++] =
        (struct leat_position){"", RUN_POSITION_FORMAT, commit->run.bytes, commit->run.n};
    return status;
}

/* Clears the sources' positions after a commit. A source that has ended sends no new position.
 * Committing its old one again might fail, because its consumer group may have moved the
 * partition. */
static void commit_clear_positions(struct commit *commit, const struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        commit->position[i].n = 0;
}

int commit_checkpoint(struct commit *commit, struct run *r, uint64_t checkpoint)
{
    assert(commit->sink && checkpoint > commit->done);
    const struct leat_stage *stage = commit->sink->node->stage;
    uint32_t n;
    fault("snapshot_prepared");
    int status = commit_collect_positions(commit, r, checkpoint, &n);
    if (status != LEAT_OK) return status;
    instance_enter(commit->sink, "commit", clock_ns());
    status = stage->transaction->commit(&commit->sink->ctx, commit->sink->self, checkpoint,
                                        commit->to_commit, n);
    status = instance_return(commit->sink, "commit", status);
    if (status < 0)
        return instance_fail(commit->sink, status, "checkpoint %llu could not be committed: %s",
                             (unsigned long long)checkpoint, status_text(status));
    fault("transaction_committed");
    commit_clear_positions(commit, r->graph);
    pthread_mutex_lock(&r->checkpoints->mu);
    commit->done = checkpoint;
    pthread_mutex_unlock(&r->checkpoints->mu);
    return LEAT_OK;
}

/* ---- finding the newest valid snapshot ---- */

static bool commit_is_valid(const struct commit *commit, const struct snapshot *s)
{
    const struct snapshot_section *t = snapshot_find(s, "transaction");
    if (!t) return true;
    return commit->name && t->n == strlen(commit->name) && !memcmp(t->bytes, commit->name, t->n) &&
           s->checkpoint <= commit->done;
}

/* True if a run can continue from the snapshot. */
static bool commit_is_usable(const struct commit *commit, const struct snapshot *s)
{
    return commit_is_valid(commit, s) && !snapshot_find(s, "ended");
}

int commit_ask(struct commit *commit, struct run *r)
{
    struct instance *i = commit->sink;
    if (!i) return LEAT_OK;
    instance_enter(i, "fence", clock_ns());
    int status = i->node->stage->transaction->fence(&i->ctx, i->self, &commit->done);
    status = instance_return(i, "fence", status);
    if (status < 0)
        instance_fail(i, status, "the last committed checkpoint could not be read: %s",
                      status_text(status));
    return status;
}

int commit_kept(struct commit *commit, struct run *r, const struct leat_position **list,
                uint32_t *n)
{
    struct instance *i = commit->sink;
    const struct leat_transaction *role = i->node->stage->transaction;
    *list = NULL;
    *n = 0;
    if (!role->positions) return LEAT_OK;
    instance_enter(i, "positions", clock_ns());
    int status = role->positions(&i->ctx, i->self, list, n);
    status = instance_return(i, "positions", status);
    if (status < 0)
        instance_fail(i, status, "the positions of checkpoint %llu could not be read: %s",
                      (unsigned long long)commit->done, status_text(status));
    return status;
}

struct snapshot_section commit_section(const struct commit *commit, struct arena *a)
{
    const char *text = arena_printf(a, "%llu %s", (unsigned long long)commit->done, commit->name);
    return (struct snapshot_section){"committed", text, strlen(text)};
}

/* Reads the number in section `committed` of a snapshot. Returns false if there is none, or if it
 * belongs to another transaction. */
static bool commit_read_committed(const struct commit *commit, const struct snapshot *s,
                                  uint64_t *out)
{
    const struct snapshot_section *of = snapshot_find(s, "committed");
    char text[32];
    if (!commit->name || !of) return false;
    const char *space = memchr(of->bytes, ' ', of->n);
    size_t digits = space ? (size_t)(space - (const char *)of->bytes) : sizeof text;
    if (digits >= sizeof text || of->n - digits - 1 != strlen(commit->name) ||
        memcmp(space + 1, commit->name, of->n - digits - 1) != 0)
        return false;
    memcpy(text, of->bytes, digits);
    text[digits] = 0;
    *out = strtoull(text, NULL, 10);
    return true;
}

bool commit_is_ahead(const struct commit *commit, const struct snapshot *s)
{
    uint64_t known = s ? s->checkpoint : 0;
    if (s) commit_read_committed(commit, s, &known);
    return commit->done > known;
}

/* Checks that the output was not set back to an earlier state. A cluster may forget the number of
 * the last commit; a sink that keeps positions does not. */
static int commit_check_output(const struct commit *commit, struct run *r, const char *dir,
                               const struct snapshot *s)
{
    uint64_t known;
    bool keeps = commit->sink && commit->sink->node->stage->transaction->positions;
    if (!commit_read_committed(commit, s, &known) || commit->done >= known) return LEAT_OK;
    if (!commit->done && !keeps) return LEAT_OK;
    return instance_fail(
        commit->sink, LEAT_EDATA,
        "transaction %s has committed checkpoint %llu, but %llu according to the snapshots in "
        "%s: its output was replaced by another or older one. Bring it back, or start over with "
        "another --state DIR",
        commit->name, (unsigned long long)commit->done, (unsigned long long)known, dir);
}

static int commit_none_is_valid(struct run *r, const char *dir, const struct snapshot *newest)
{
    const struct snapshot_section *t = snapshot_find(newest, "transaction");
    return control_fail(
        &r->control, LEAT_EDATA,
        "no usable snapshot in %s: the newest (checkpoint %llu) depends on transaction %.*s, which "
        "the sink does not list as committed. Use another --state DIR to start from the beginning",
        dir, (unsigned long long)newest->checkpoint, (int)t->n, (const char *)t->bytes);
}

/* If `s`, the snapshot before the end of the input, was found (status LEAT_OK), frees `newest`.
 * Otherwise warns and continues with `newest`. */
static int commit_before_end(int status, struct snapshot *newest, struct snapshot *s)
{
    if (status == LEAT_OK) {
        snapshot_free(newest);
        return status;
    }
    log_message(LEAT_WARN,
                "the snapshot before the end of the last run's input cannot be read: windows "
                "that were open then are not updated, and new records for them go out "
                "separately");
    *s = *newest;
    return LEAT_OK;
}

int commit_newest(struct commit *commit, struct run *r, struct snapshot_dir *dir,
                  struct snapshot *s)
{
    struct snapshot newest;
    int status = commit_ask(commit, r);
    *s = (struct snapshot){0};
    if (status != LEAT_OK) return status;
    status = snapshot_dir_newest(dir->path, &newest);
    if (status != LEAT_OK || commit_is_usable(commit, &newest)) {
        *s = newest;
        return status == LEAT_OK ? commit_check_output(commit, r, dir->path, s) : status;
    }
    uint64_t before = newest.checkpoint;
    while ((status = snapshot_dir_newest_before(dir->path, before, s)) == LEAT_OK &&
           !commit_is_usable(commit, s)) {
        before = s->checkpoint;
        snapshot_free(s);
    }
    if (commit_is_valid(commit, &newest)) return commit_before_end(status, &newest, s);
    if (status == LEAT_OK) status = commit_check_output(commit, r, dir->path, s);
    if (status == LEAT_OK) {
        log_message(LEAT_INFO, "checkpoint %llu was not committed: its snapshot is removed",
                    (unsigned long long)newest.checkpoint);
        snapshot_dir_cut(dir, s->checkpoint);
    } else if (!r->control.failed) {
        status = commit_none_is_valid(r, dir->path, &newest);
    }
    snapshot_free(&newest);
    return status;
}
