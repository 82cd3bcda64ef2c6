/* merge_turns.c -- see merge_turns.h. */
#include "merge_turns.h"

#include <string.h>

#include "plan.h"

struct walk {
    const struct graph *g;
    struct plan *p;
    const struct node *source;
    const struct segment *too_many; /* the merge that gets more copies than it may, or NULL */
    bool expands;                   /* a stage after the source makes other records         */
};

static struct merge_turn *turn_of(const struct walk *w, struct segment *merge)
{
    for (uint32_t i = 0; i < merge->n_turns; i++)
        if (merge->turn[i].source == w->source) return &merge->turn[i];
    struct merge_turn *t = &merge->turn[merge->n_turns++];
    *t = (struct merge_turn){.source = w->source};
    return t;
}

static void add_input(struct walk *w, struct segment *merge, const struct link *l)
{
    uint16_t i = 0;
    struct merge_turn *t = turn_of(w, merge);
    while (merge->in[i] != l)
        i++;
    if (t->n == MERGE_COPIES_MAX) {
        w->too_many = merge;
        return;
    }
    if (t->n == t->cap) {
        t->cap = t->cap ? 2 * t->cap : 8;
        uint16_t *larger = arena_alloc(w->g->arena, t->cap * sizeof *larger);
        if (t->n) memcpy(larger, t->input, t->n * sizeof *larger);
        t->input = larger;
    }
    t->input[t->n++] = i;
}

static void add_loop(struct walk *w, struct merge_turn *t, uint32_t from, uint64_t bit)
{
    if (t->n == from) return;
    if (t->n_loops == t->cap_loops) {
        t->cap_loops = t->cap_loops ? 2 * t->cap_loops : 4;
        struct merge_loop *larger = arena_alloc(w->g->arena, t->cap_loops * sizeof *larger);
        if (t->n_loops) memcpy(larger, t->loop, t->n_loops * sizeof *larger);
        t->loop = larger;
    }
    t->loop[t->n_loops++] = (struct merge_loop){from, t->n - 1, bit};
}

static void follow(struct walk *w, const struct segment *s);

/* How long the source's turn is at a merge so far. */
static uint32_t length_at(const struct walk *w, const struct segment *merge)
{
    for (uint32_t i = 0; i < merge->n_turns; i++)
        if (merge->turn[i].source == w->source) return merge->turn[i].n;
    return 0;
}

static void follow_expanding(struct walk *w, const struct segment *s)
{
    uint32_t *from = arena_alloc(w->g->arena, w->p->n_segments * sizeof *from);
    for (uint32_t i = 0; i < w->p->n_segments; i++)
        from[i] = length_at(w, &w->p->segment[i]);
    w->expands = true;
    follow(w, s);
    for (uint32_t i = 0; i < w->p->n_segments; i++)
        if (length_at(w, &w->p->segment[i]) > from[i])
            add_loop(w, turn_of(w, &w->p->segment[i]), from[i], s->more_bit);
}

/* Follows one batch from the end of a segment on, as one thread would. */
static void follow(struct walk *w, const struct segment *s)
{
    for (uint32_t j = 0; j < s->n_out && !w->too_many; j++) {
        struct segment *to = s->out[j]->to;
        if (to->merges) add_input(w, to, s->out[j]);
        if (segment_expands(to))
            follow_expanding(w, to);
        else
            follow(w, to);
    }
}

static void give_bits(struct plan *p, struct diag *d)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n_segments; i++) {
        struct segment *s = &p->segment[i];
        if (!segment_expands(s)) continue;
        s->more_bit = UINT64_C(1) << n % EXPANDS_MAX;
        if (n++ == EXPANDS_MAX)
            diag_add(
                d, DIAG_ERROR, s->node[0]->at, s->node[0]->label, NULL,
                "the pipeline has more than %d stages that make other records: put the work of "
                "some into one",
                EXPANDS_MAX);
    }
}

static void follow_source(struct walk *w, struct segment *s)
{
    w->expands = false;
    follow(w, s);
    s->ends_apart = w->expands;
}

static void mark_shared(struct plan *p, const struct segment *merge)
{
    for (uint32_t i = 0; i < p->n_segments && merge->n_turns > 1; i++)
        for (uint32_t k = 0; k < merge->n_turns && !p->segment[i].n_in; k++)
            p->segment[i].ends_apart |= p->segment[i].node[0] == merge->turn[k].source;
}

void merge_turns_make(struct plan *p, const struct graph *g, struct diag *d)
{
    struct walk w = {.g = g, .p = p};
    give_bits(p, d);
    for (uint32_t i = 0; i < p->n_segments; i++)
        if (p->segment[i].merges)
            p->segment[i].turn = arena_alloc(g->arena, g->n_nodes * sizeof *p->segment[i].turn);
    for (uint32_t i = 0; i < g->n_nodes && !w.too_many; i++) {
        w.source = &g->node[i];
        for (uint32_t k = 0; k < p->n_segments && !w.too_many; k++)
            if (!p->segment[k].n_in && p->segment[k].node[0] == w.source)
                follow_source(&w, &p->segment[k]);
    }
    for (uint32_t i = 0; i < p->n_segments; i++)
        mark_shared(p, &p->segment[i]);
    if (w.too_many)
        diag_add(d, DIAG_ERROR, w.too_many->at->at, NULL, NULL,
                 "leat.merge() receives more than %d parts of each batch, one for each path that "
                 "leads to it: put fewer tees or routes in a row before it",
                 MERGE_COPIES_MAX);
}
