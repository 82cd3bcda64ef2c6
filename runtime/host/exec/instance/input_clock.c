/* input_clock.c -- implementation of input_clock.h. */
#include "input_clock.h"

#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "host/exec/run.h"

/* ---- sources ---- */

void input_clock_open_inputs(struct instance *source, uint32_t n)
{
    struct event_marks *m = &source->reading.marks;
    m->open = m->open == EVENT_UNMARKED ? n : m->open + n;
}

int input_clock_close_input(struct instance *source, uint32_t input, uint32_t row)
{
    struct event_marks *m = &source->reading.marks;
    if (m->n_closing == LEAT_CLOSING) return LEAT_EFULL;
    m->row[m->n_closing] = row;
    m->closing[m->n_closing++] = input;
    return LEAT_OK;
}

void input_clock_mark(struct instance *source, struct hbatch *h, bool ended)
{
    struct event_marks *m = &source->reading.marks;
    h->marks = *m;
    h->marks.ended = ended;
    if (m->open == EVENT_UNMARKED) { /* one input, which is closed while nothing comes */
        h->marks.n_closing = !h->b.n;
        h->marks.closing[0] = EVENT_WHOLE;
        h->marks.row[0] = UINT32_MAX;
        return;
    }
    m->open -= m->n_closing < m->open ? m->n_closing : m->open;
    m->n_closing = 0;
}

/* ---- the clock of a stage ---- */

/* Returns the number of paths from one node to another; 2 if there are more. */
static uint32_t input_clock_paths(const struct graph *g, const struct node *from,
                                  const struct node *to)
{
    uint32_t paths = from == to;
    for (uint32_t k = 0; k < from->n_out && paths < 2; k++)
        paths += input_clock_paths(g, &g->node[g->edge[from->out[k]].to], to);
    return paths < 2 ? paths : 2;
}

/* True if a stage with LEAT_CLOCK is before the node, which gives records in the order of time. */
static bool input_clock_is_behind(const struct graph *g, const struct node *n)
{
    bool found = false;
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        const struct node *from = &g->node[k];
        if (from->stage && from->stage->caps & LEAT_CLOCK)
            found |= input_clock_paths(g, from, n) > 0;
    }
    return found;
}

static bool input_clock_is_needed(const struct instance *i)
{
    if (i->node->stage->caps & LEAT_CLOCK) return true;
    return i->learning.asked.counts && !input_clock_is_behind(i->run->graph, i->node);
}

int input_clock_open(struct instance *i)
{
    const struct graph *g = i->run->graph;
    uint32_t n = 0;
    if (!input_clock_is_needed(i)) return LEAT_OK;
    i->clock = calloc(1, sizeof *i->clock);
    if (!i->clock) return LEAT_ENOMEM;
    i->clock->source = calloc(g->n_nodes, sizeof *i->clock->source);
    if (!i->clock->source) return LEAT_ENOMEM;
    for (uint32_t k = 0; k < g->n_nodes; k++) {
        const struct node *from = &g->node[k];
        bool reads = from->stage && from->stage->kind == LEAT_SOURCE;
        uint32_t paths = reads ? input_clock_paths(g, from, i->node) : 0;
        if (paths) i->clock->source[n++] = (struct clock_source){from, paths > 1};
    }
    return event_clock_init(&i->clock->times, n ? n : 1) ? LEAT_OK : LEAT_ENOMEM;
}

void input_clock_close(struct instance *i)
{
    if (!i->clock) return;
    event_clock_fini(&i->clock->times);
    free(i->clock->source);
    free(i->clock);
    i->clock = NULL;
}

static uint32_t input_clock_source_of(const struct instance_clock *c, const struct hbatch *h)
{
    uint32_t s = 0;
    while (h->source && s + 1 < c->times.n_sources && c->source[s].node != h->source->node)
        s++;
    return s;
}

/* Returns a key by which a later run finds the input again: a hash of its name. */
static uint64_t input_clock_key(const struct instance *source, uint32_t input)
{
    const char *name = input == EVENT_WHOLE || !source ? NULL : instance_input_name(source, input);
    uint64_t key = 0;
    for (; name && *name; name++)
        key = mix64(key + (unsigned char)*name + 1);
    return key;
}

/* Returns the input of record r; NULL after a failure, which it has reported. */
static struct event_input *input_clock_input(struct instance *i, uint32_t source, struct hbatch *h,
                                             uint32_t r)
{
    struct event_clock *c = &i->clock->times;
    uint32_t input = batch_clock_input(h, r);
    struct event_input *in = event_clock_find(c, source, input);
    const uint64_t key = in ? 0 : input_clock_key(h->source, input);
    if (!in) in = event_clock_continue(c, source, input, key);
    if (!in) in = event_clock_add(c, source, input, key);
    if (in) return in;
    instance_fail(i, LEAT_ENOMEM,
                  "the event times of more than %d inputs cannot be kept apart: read fewer files "
                  "or partitions in one process",
                  EVENT_INPUTS);
    return NULL;
}

/* Takes the marks of the batch up to row r. Inputs that close, and have not come since the
 * snapshot, are found by their names. */
static void input_clock_take_marks(struct instance_clock *i, uint32_t source,
                                   const struct hbatch *h, uint32_t r)
{
    struct event_clock *c = &i->times;
    for (uint32_t k = 0; c->unbound && k < h->marks.n_closing; k++) {
        uint32_t input = h->marks.closing[k];
        if (!event_clock_find(c, source, input))
            event_clock_continue(c, source, input, input_clock_key(h->source, input));
    }
    event_clock_mark(c, source, h->b.seq, &h->marks);
    if (r != LEAT_NULL && !i->source[source].branches) event_clock_reach(c, r);
}

bool input_clock_has_several(struct instance *i, const struct hbatch *h)
{
    if (!i->clock) return false;
    const struct event_clock *c = &i->clock->times;
    input_clock_take_marks(i->clock, input_clock_source_of(i->clock, h), h, LEAT_NULL);
    return c->n_sources > 1 || c->source[0].open > 1;
}

uint32_t input_clock_take_run(struct instance *i, struct hbatch *h, uint32_t k, uint32_t n,
                              int64_t max_ahead, int64_t until, struct leat_clock *out)
{
    struct event_clock *c = &i->clock->times;
    const uint32_t source = input_clock_source_of(i->clock, h), *row = h->b.sel + k;
    input_clock_take_marks(i->clock, source, h, n ? *row : LEAT_NULL);
    struct event_input *in = n ? event_clock_find(c, source, batch_clock_input(h, *row)) : NULL;
    if (!in) return 0;
    n = batch_clock_same(h, row, n);
    return event_clock_take_run(c, in, h->b.timestamp, row, n, max_ahead, until, out);
}

int input_clock_take(struct instance *i, struct hbatch *h, uint32_t r, int64_t max_ahead,
                     struct leat_clock *out)
{
    struct event_clock *c = &i->clock->times;
    uint32_t source = input_clock_source_of(i->clock, h);
    input_clock_take_marks(i->clock, source, h, r);
    if (r == LEAT_NULL || h->b.timestamp[r] < 0) {
        event_clock_look(c, out);
        return LEAT_OK;
    }
    struct event_input *in = input_clock_input(i, source, h, r);
    if (!in) return LEAT_ENOMEM;
    event_clock_take(c, in, h->b.timestamp[r], max_ahead, out);
    return LEAT_OK;
}
