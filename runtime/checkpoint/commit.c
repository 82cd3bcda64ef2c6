/* commit.c -- see commit.h. */
#include "commit.h"

#include <string.h>

#include "base/diag.h"
#include "base/fault.h"
#include "graph/graph.h"
#include "base/log.h"
#include "exec/run.h"
#include "store/snapshot_dir.h"

static const char *name_of(const struct node *n)
{
    return n->configured && n->stage->transaction ? n->stage->transaction(n->cfg) : NULL;
}

/* Does a source keep a state for each of its inputs, and with it where it stands? */
static int has_shards(const struct graph *g)
{
    int found = 0;
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
                "%s commits the checkpoints: one transaction holds all of one, so there is one "
                "such sink in a pipeline",
                first->label);
        else if (!kept)
            diag_add(
                d, DIAG_ERROR, n->at, n->label, "transaction",
                "exactly once needs --state DIR, or a source that keeps states itself: what was "
                "put out, what was read and what was learned go back together");
        first = first ? first : n;
    }
}

static void tell(struct run *r, const struct node *n, int64_t checkpoint_ns, int committed)
{
    for (int lane = 0; lane < n->lanes; lane++) {
        struct instance *i = run_instance(r, n, (uint32_t)lane);
        i->ctx.checkpoint_ns = checkpoint_ns;
        i->ctx.transactional = (uint32_t)committed;
    }
}

void commit_init(struct commit *c, struct run *r, int64_t checkpoint_ns)
{
    const struct graph *g = r->graph;
    *c = (struct commit){.position = arena_alloc(g->arena, g->n_nodes * sizeof *c->position)};
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage && name_of(&g->node[i])) {
            c->sink = run_instance(r, &g->node[i], 0);
            c->name = name_of(&g->node[i]);
        }
    for (uint32_t i = 0; i < g->n_nodes; i++)
        if (g->node[i].stage) tell(r, &g->node[i], checkpoint_ns, c->sink != NULL);
}

int commit_position(const struct commit *c, struct instance *i)
{
    if (!c->sink || !i->node->stage->position) return LEAT_OK;
    int status = i->node->stage->position(&i->ctx, i->self, &i->position);
    i->position.source = i->node->id;
    return status >= 0 ? LEAT_OK
                       : run_fail(i->run, status, "%s: position failed (status %d)", i->node->label,
                                  status);
}

static uint32_t collect_positions(struct commit *c, struct run *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->position)
            c->position[n++] = run_instance(r, &r->graph->node[i], 0)->position;
    return n;
}

/* A source that has ended hands in no other position, and the same one twice may be refused: its
 * group may have given up on it meanwhile. */
static void settle_positions(struct run *r)
{
    for (uint32_t i = 0; i < r->graph->n_nodes; i++)
        if (r->graph->node[i].stage && r->graph->node[i].stage->position)
            run_instance(r, &r->graph->node[i], 0)->position.n = 0;
}

int commit_checkpoint(struct commit *c, struct run *r, uint64_t checkpoint)
{
    const struct leat_stage *stage = c->sink->node->stage;
    fault("snapshot_prepared");
    uint32_t n = collect_positions(c, r);
    int status = stage->commit(&c->sink->ctx, c->sink->self, checkpoint, c->position, n);
    if (status < 0)
        return run_fail(r, status, "%s: checkpoint %llu cannot be committed (status %d)",
                        c->sink->node->label, (unsigned long long)checkpoint, status);
    fault("transaction_committed");
    settle_positions(r);
    c->done = checkpoint;
    return LEAT_OK;
}

/* ---- going on ---- */

static int holds(const struct commit *c, const struct snapshot *s)
{
    const struct snapshot_section *t = snapshot_find(s, "transaction");
    if (!t) return 1;
    return c->name && t->n == strlen(c->name) && !memcmp(t->bytes, c->name, t->n) &&
           s->checkpoint <= c->done;
}

int commit_ask(struct commit *c, struct run *r)
{
    struct instance *i = c->sink;
    if (!i) return LEAT_OK;
    int status = i->node->stage->fence(&i->ctx, i->self, &c->done);
    if (status < 0)
        run_fail(r, status, "%s: what was committed last cannot be known (status %d)",
                 i->node->label, status);
    return status;
}

/* What was learned between the two is in no snapshot any more. Checkpoint 0: there is none at all.
 * */
static void warn_if_behind(const struct commit *c, uint64_t checkpoint)
{
    if (checkpoint < c->done)
        log_message(
            LEAT_WARN,
            "transaction %s has committed checkpoint %llu, and the newest snapshot that can be "
            "used is of checkpoint %llu: nothing is put out twice, but what was learned in "
            "between is lost",
            c->name, (unsigned long long)c->done, (unsigned long long)checkpoint);
}

static int none_holds(struct run *r, const struct snapshot *newest)
{
    const struct snapshot_section *t = snapshot_find(newest, "transaction");
    return run_fail(
        r, LEAT_EDATA,
        "no snapshot of %s holds: the newest, of checkpoint %llu, belongs to transaction "
        "%.*s, which the sink does not know to be committed; another --state DIR "
        "begins anew",
        r->checkpoints.options->dir, (unsigned long long)newest->checkpoint, (int)t->n,
        (const char *)t->bytes);
}

int commit_newest(struct commit *c, struct run *r, struct snapshot *s)
{
    struct snapshot newest;
    struct snapshot_dir *dir = &r->checkpoints.dir;
    int status = commit_ask(c, r);
    *s = (struct snapshot){0};
    if (status != LEAT_OK) return status;
    if ((status = snapshot_dir_newest(dir->path, &newest)) != LEAT_OK || holds(c, &newest)) {
        *s = newest;
        if (status == LEAT_OK || status == LEAT_AGAIN) warn_if_behind(c, s->checkpoint);
        return status;
    }
    uint64_t before = newest.checkpoint;
    while ((status = snapshot_dir_newest_before(dir->path, before, s)) == LEAT_OK && !holds(c, s)) {
        before = s->checkpoint;
        snapshot_free(s);
    }
    if (status == LEAT_OK) {
        log_message(LEAT_INFO, "checkpoint %llu was not committed; its snapshot is dropped",
                    (unsigned long long)newest.checkpoint);
        warn_if_behind(c, s->checkpoint);
        snapshot_dir_cut(dir, s->checkpoint);
    } else {
        status = none_holds(r, &newest);
    }
    snapshot_free(&newest);
    return status;
}
