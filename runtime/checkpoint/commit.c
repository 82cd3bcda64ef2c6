/* commit.c -- see commit.h. */
#include "commit.h"

#include <assert.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/status_text.h"
#include "exec/run.h"
#include "graph/graph.h"

static const char *name_of(const struct node *n)
{
    return n->configured && n->stage->transaction->name ? n->stage->transaction->name(n->cfg)
                                                        : NULL;
}

/* Does a source store a state for each of its inputs, and its position with it? */
static bool has_shards(const struct graph *g)
{
    bool found = false;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        struct leat_plan p = {.size = sizeof p};
        if (!n->configured || n->stage->kind != LEAT_SOURCE || !n->stage->plan) continue;
        n->stage->plan(n->cfg, &n->schema_in, &n->schema_out, &p);
        found |= p.shards > 0;
    }
    return found;
}

void commit_check(const struct graph *g, const char *dir, struct diag *d)
{
    const struct node *first = NULL;
    int kept = dir || has_shards(g);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const struct node *n = &g->node[i];
        if (!n->stage || !name_of(n)) continue;
        if (first)
            diag_add(
                d, DIAG_ERROR, n->at, n->label, "transaction",
                "%s already commits the checkpoints: a pipeline can have one transactional sink",
                first->label);
        else if (!kept)
            diag_add(
                d, DIAG_ERROR, n->at, n->label, "transaction",
                "exactly once needs --state DIR, or a source that stores states itself: output, "
                "position and models must roll back together");
        first = first ? first : n;
    }
}

static void tell_stage(struct run *r, const struct node *n, int64_t checkpoint_ns,
                       bool transactional, bool continued)
{
    for (int lane = 0; lane < n->lanes; lane++) {
        struct instance *i = run_instance(r, n, (uint32_t)lane);
        i->ctx.checkpoint_ns = checkpoint_ns;
        i->ctx.transactional = transactional;
        i->ctx.continued = continued;
    }
}

void commit_init(struct commit *commit, struct run *r, int64_t checkpoint_ns, bool continued)
{
    const struct graph *g = r->graph;
    *commit =
        (struct commit){.position = arena_alloc(g->arena, g->n_nodes * sizeof *commit->position),
                        .to_commit = arena_alloc(g->arena, g->n_nodes * sizeof *commit->to_commit)};
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && name_of(&g->node[i])) {
            commit->sink = run_instance(r, &g->node[i], 0);
            commit->name = name_of(&g->node[i]);
        }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage)
            tell_stage(r, &g->node[i], checkpoint_ns, commit->sink != NULL, continued);
}

int commit_position(const struct commit *commit, struct instance *i)
{
    if (!commit->sink || !i->node->stage->source->position) return LEAT_OK;
    struct leat_position *position = &commit->position[i->node->index];
    int status = i->node->stage->source->position(&i->ctx, i->self, position);
    position->source = i->node->id;
    return status >= 0 ? LEAT_OK
                       : run_fail(i->run, status, "%s: position failed: %s", i->node->label,
                                  status_text(status));
}

static bool has_position(const struct node *n) { return n->stage && n->stage->source->position; }

static uint32_t collect_positions(struct commit *commit, const struct graph *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_position(&g->node[i])) commit->to_commit[n++] = commit->position[i];
    return n;
}

/* A source that has ended hands in no other position, and the same one twice may be refused: its
 * group may have given up on it meanwhile. */
static void clear_positions(struct commit *commit, const struct graph *g)
{
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (has_position(&g->node[i])) commit->position[i].n = 0;
}

int commit_checkpoint(struct commit *commit, struct run *r, uint64_t checkpoint)
{
    assert(commit->sink && checkpoint > commit->done);
    const struct leat_stage *stage = commit->sink->node->stage;
    fault("snapshot_prepared");
    uint32_t n = collect_positions(commit, r->graph);
    instance_enter(commit->sink, "commit", clock_ns());
    int status = stage->transaction->commit(&commit->sink->ctx, commit->sink->self, checkpoint,
                                            commit->to_commit, n);
    instance_leave(commit->sink);
    if (status < 0)
        return run_fail(r, status, "%s: checkpoint %llu could not be committed: %s",
                        commit->sink->node->label, (unsigned long long)checkpoint,
                        status_text(status));
    fault("transaction_committed");
    clear_positions(commit, r->graph);
    commit->done = checkpoint;
    return LEAT_OK;
}

/* ---- which snapshot is valid ---- */

static bool is_valid(const struct commit *commit, const struct snapshot *s)
{
    const struct snapshot_section *t = snapshot_find(s, "transaction");
    if (!t) return true;
    return commit->name && t->n == strlen(commit->name) && !memcmp(t->bytes, commit->name, t->n) &&
           s->checkpoint <= commit->done;
}

int commit_ask(struct commit *commit, struct run *r)
{
    struct instance *i = commit->sink;
    if (!i) return LEAT_OK;
    instance_enter(i, "fence", clock_ns());
    int status = i->node->stage->transaction->fence(&i->ctx, i->self, &commit->done);
    instance_leave(i);
    if (status < 0)
        run_fail(r, status, "%s: could not find out which checkpoint was committed last: %s",
                 i->node->label, status_text(status));
    return status;
}

/* What was learned after that snapshot is in none. Checkpoint 0: there is no snapshot at all. */
static void warn_if_older(const struct commit *commit, uint64_t checkpoint)
{
    if (checkpoint < commit->done)
        log_message(
            LEAT_WARN,
            "transaction %s has committed checkpoint %llu, but the newest usable snapshot is of "
            "checkpoint %llu: the models lack what they learned in between, and sources without "
            "offsets in the transaction (files, topics without a group) are read again from there, "
            "so their results are repeated",
            commit->name, (unsigned long long)commit->done, (unsigned long long)checkpoint);
}

static int none_is_valid(struct run *r, const char *dir, const struct snapshot *newest)
{
    const struct snapshot_section *t = snapshot_find(newest, "transaction");
    return run_fail(
        r, LEAT_EDATA,
        "no usable snapshot in %s: the newest (checkpoint %llu) depends on transaction %.*s, which "
        "the sink does not list as committed. Use another --state DIR to start from the beginning",
        dir, (unsigned long long)newest->checkpoint, (int)t->n, (const char *)t->bytes);
}

int commit_newest(struct commit *commit, struct run *r, struct snapshot_dir *dir,
                  struct snapshot *s)
{
    struct snapshot newest;
    int status = commit_ask(commit, r);
    *s = (struct snapshot){0};
    if (status != LEAT_OK) return status;
    if ((status = snapshot_dir_newest(dir->path, &newest)) != LEAT_OK ||
        is_valid(commit, &newest)) {
        *s = newest;
        if (status == LEAT_OK || status == LEAT_AGAIN) warn_if_older(commit, s->checkpoint);
        return status;
    }
    uint64_t before = newest.checkpoint;
    while ((status = snapshot_dir_newest_before(dir->path, before, s)) == LEAT_OK &&
           !is_valid(commit, s)) {
        before = s->checkpoint;
        snapshot_free(s);
    }
    if (status == LEAT_OK) {
        log_message(LEAT_INFO, "checkpoint %llu was not committed: its snapshot is removed",
                    (unsigned long long)newest.checkpoint);
        warn_if_older(commit, s->checkpoint);
        snapshot_dir_cut(dir, s->checkpoint);
    } else {
        status = none_is_valid(r, dir->path, &newest);
    }
    snapshot_free(&newest);
    return status;
}
