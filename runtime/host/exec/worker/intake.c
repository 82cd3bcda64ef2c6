/* intake.c -- see intake.h. */
#include "intake.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static bool waits_or_ended(const struct worker *w, uint32_t i)
{
    return w->in_barred[i] || atomic_load_explicit(&w->in_ended[i], memory_order_relaxed);
}

/* A source goes on as long as its first input does: all inputs that it reaches have the same
 * barriers, and end after it. */
static bool may_go_on(const struct worker *w, uint32_t turn)
{
    return isfinite(w->next[turn]) && !waits_or_ended(w, w->segment->turn[turn].input[0]);
}

/* Whose next batch begins earliest; the first of equal ones. n_turns: nobody goes on. */
static uint32_t earliest_turn(const struct worker *w)
{
    uint32_t n = w->segment->n_turns, earliest = n;
    for (uint32_t k = 0; k < n; k++)
        if (may_go_on(w, k) && (earliest == n || w->next[k] < w->next[earliest])) earliest = k;
    return earliest;
}

/* When no source goes on, the inputs left have an end or a barrier. */
static uint32_t next_input(struct worker *w)
{
    const struct segment *s = w->segment;
    if (s->merges && !w->taken && !w->early) w->turn = earliest_turn(w);
    if (s->merges && w->turn < s->n_turns) return s->turn[w->turn].input[w->taken];
    uint32_t i = w->turn_in;
    while (waits_or_ended(w, i))
        i = (i + 1) % w->n_in;
    w->turn_in = (i + 1) % w->n_in;
    return i;
}

static uint32_t turn_of(const struct worker *w, const struct node *source)
{
    uint32_t k = 0;
    while (w->segment->turn[k].source != source)
        k++;
    assert(k < w->segment->n_turns);
    return k;
}

/* Only the last batch of a source comes before its turn: another merge took it early, since all
 * other sources waited after a barrier. It is held until its place in its turn,
 * which begins now. */
static bool is_in_turn(struct worker *w, uint32_t i, struct hbatch *h)
{
    if (!w->segment->merges) return true;
    uint32_t k = turn_of(w, h->source->node);
    if (k == w->turn) return true;
    assert(!w->taken && !w->early && isinf(h->next));
    w->held[i] = h;
    w->turn = k;
    w->early = true;
    return false;
}

static struct hbatch *take(struct worker *w, uint32_t i)
{
    struct hbatch *h = w->held[i];
    w->held[i] = NULL;
    if (!h) h = ring_pop(w->in[i], &w->idle);
    if (h->pool) w->idle.fed_by = h->pool; /* messages have none */
    return h;
}

static bool all_ended(const struct worker *w)
{
    uint32_t k = 0;
    while (k < w->segment->n_turns && isinf(w->next[k]))
        k++;
    return k == w->segment->n_turns;
}

/* Where its turn goes on after h; its length: it is over. */
static uint32_t next_in_turn(const struct worker *w, const struct hbatch *h)
{
    const struct merge_turn *t = &w->segment->turn[w->turn];
    for (uint32_t i = 0; i < t->n_loops; i++)
        if (t->loop[i].last == w->taken && h->more & t->loop[i].bit) return t->loop[i].from;
    return w->taken + 1;
}

/* Until its turn is over a source's next batch begins where it did: that keeps the turn. */
static void note_taken(struct worker *w, struct hbatch *h)
{
    if (!w->segment->merges) return;
    h->last = false;
    w->taken = next_in_turn(w, h);
    if (w->taken < w->segment->turn[w->turn].n) return;
    w->taken = 0;
    w->early = false;
    w->next[w->turn] = h->next;
    h->last = all_ended(w);
}

/* The answers of an end; after a fork and a merge the same answer may come twice. */
static void keep_answers(struct worker *w, const struct hbatch *from)
{
    for (uint32_t k = 0; k < from->n_tables; k++) {
        uint32_t j = 0;
        while (j < w->end->n_tables && w->end->table[j] != from->table[k])
            j++;
        if (j == w->end->n_tables) w->end->table[w->end->n_tables++] = from->table[k];
    }
}

struct hbatch *intake_next(struct worker *w)
{
    assert(w->n_in > 0);
    while (w->ended + w->barred < w->n_in) {
        uint32_t i = next_input(w);
        struct hbatch *h = take(w, i);
        if (h->b.kind == LEAT_BATCH_BARRIER) {
            w->barrier->b.seq = h->b.seq;
            w->in_barred[i] = true;
            w->barred++;
        } else if (h->b.kind == LEAT_BATCH_END) {
            atomic_store(&w->in_ended[i], true);
            w->ended++;
            keep_answers(w, h);
        } else if (is_in_turn(w, i, h)) {
            note_taken(w, h);
            return h;
        }
    }
    return w->barred ? w->barrier : NULL;
}

void intake_continue(struct worker *w)
{
    memset(w->in_barred, 0, w->n_in * sizeof *w->in_barred);
    w->barred = 0;
}
