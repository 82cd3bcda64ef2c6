/* fork.c -- see fork.h. */
#include "fork.h"

#include <assert.h>
#include <string.h>

#include "flow/convert.h"

enum { NO_BRANCH = UINT16_MAX };

/* ---- records ---- */

/* The branch for a value of its column; NO_BRANCH: none has it. */
static uint16_t branch_of(const struct worker *w, const char *value, uint32_t len, uint16_t *star)
{
    const struct graph *g = w->run->graph;
    const struct node *fork = w->segment->fork;
    for (uint32_t j = 0; j < w->n_out; j++) {
        const char *key = g->edge[fork->out[j]].key;
        size_t n = strlen(key);
        if (n == 1 && *key == '*')
            *star = (uint16_t)j;
        else if (len == n && !memcmp(value, key, n))
            return (uint16_t)j;
    }
    return NO_BRANCH;
}

/* Which branch of a route each selected record takes; a record that matches none is filtered. */
static void choose_branches(struct worker *w, struct hbatch *h)
{
    const struct node *fork = w->segment->fork;
    struct leat_batch *b = &h->b;
    uint32_t column = w->run->graph->edge[*fork->out].by_column, lost = 0;
    uint32_t type = fork->schema_in.column[column].type;
    for (LEAT_EACH_RECORD(b, r)) {
        uint16_t star = NO_BRANCH;
        char out[CONVERT_TEXT];
        size_t n = 0;
        const char *text = convert_cell(b, column, type, r, out, &n);
        uint32_t len = text ? (uint32_t)n : LEAT_NULL;
        uint16_t to = branch_of(w, text, len, &star);
        if (to == NO_BRANCH) {
            route_seen_unnamed(&w->seen, text, len);
            to = star;
        }
        w->branch[r] = to;
        if (to == NO_BRANCH)
            lost++;
        else
            w->seen.taken[to]++;
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
    bool route = fork->kind == NODE_ROUTE && !run_halted(w->run);
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
