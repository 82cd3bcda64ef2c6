/* fork.c -- see fork.h. */
#include "fork.h"

#include <assert.h>
#include <string.h>

/* ---- records ---- */

/* Which branch of a route each selected record takes; a record that matches none is filtered. */
static void choose_branches(struct worker *w, struct hbatch *h)
{
    const struct node *fork = w->segment->fork;
    struct leat_batch *b = &h->b;
    uint32_t lost = 0;
    for (LEAT_EACH_RECORD(b, r)) {
        w->branch[r] = route_seen_branch(&w->seen, w->run->graph, fork, b, r);
        lost += w->branch[r] == NO_BRANCH;
    }
    instance_count(&w->fork_in, b->n_sel);
    instance_count(&w->fork_filtered, lost);
}

static void keep_branch(struct worker *w, struct hbatch *h, uint32_t branch)
{
    for (LEAT_EACH_RECORD(&h->b, r))
        if (w->branch[r] != branch) leat_filter(&h->b, r);
    batch_select(h, h->b.n_examples);
}

/* ---- answers ---- */

static bool reaches(const struct graph *g, const struct node *from, const struct node *to)
{
    if (from == to) return true;
    for (uint32_t j = 0; j < from->n_out; j++)
        if (reaches(g, &g->node[g->edge[from->out[j]].to], to)) return true;
    return false;
}

static void pass_answers(struct worker *w, struct hbatch *h, struct hbatch *to, uint32_t branch)
{
    const struct graph *g = w->run->graph;
    const struct node *start = &g->node[g->edge[w->segment->fork->out[branch]].to];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->n_tables; k++)
        if (reaches(g, start, h->table[k]->ask->sink->node))
            to->table[to->n_tables++] = h->table[k];
        else
            h->table[kept++] = h->table[k];
    h->n_tables = kept;
}

void fork_deliver(struct worker *w, struct hbatch *h)
{
    const struct node *fork = w->segment->fork;
    assert(fork && w->n_out == fork->n_out);
    bool route = fork->kind == NODE_ROUTE && !control_halted(&w->run->control);
    rejects_passed(&w->run->rejects, h, w->n_out, w->last_barrier);
    if (route) choose_branches(w, h);
    for (uint32_t j = 0; j < w->n_out; j++) {
        struct hbatch *to = pool_take(w->branch_pool[j], &w->idle);
        batch_borrow(to, h, &fork->schema_in);
        pass_answers(w, h, to, j);
        if (route) keep_branch(w, to, j);
        ring_push(w->out[j], to, &w->idle);
    }
    pool_release(h);
}
