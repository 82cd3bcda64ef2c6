/* intake.c -- see intake.h. */
#include "intake.h"

#include <assert.h>
#include <string.h>

static bool waits_or_ended(const struct worker *w, uint32_t i)
{
    return w->in_barred[i] || atomic_load_explicit(&w->in_ended[i], memory_order_relaxed);
}

/* The input of which the smallest share was taken; the first of equal ones. */
static uint32_t least_taken(const struct worker *w)
{
    uint32_t least = w->n_in;
    for (uint32_t i = 0; i < w->n_in; i++)
        if (!waits_or_ended(w, i) && (least == w->n_in || w->in_share[i] < w->in_share[least]))
            least = i;
    return least;
}

static uint32_t next_input(struct worker *w)
{
    if (w->segment->merges && w->run->paced) return least_taken(w);
    uint32_t i = w->turn_in;
    while (waits_or_ended(w, i))
        i = (i + 1) % w->n_in;
    w->turn_in = (i + 1) % w->n_in;
    return i;
}

/* A merge is as far as the input that is least far. */
static void note_share(struct worker *w, uint32_t i, struct hbatch *h)
{
    if (!w->segment->merges || !w->run->paced) return;
    w->in_share[i] = h->share;
    for (uint32_t k = 0; k < w->n_in; k++)
        if (!w->in_ended[k] && w->in_share[k] < h->share) h->share = w->in_share[k];
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
        struct hbatch *h = ring_pop(w->in[i]);
        if (h->b.kind == LEAT_BATCH_BARRIER) {
            w->barrier->b.seq = h->b.seq;
            w->in_barred[i] = true;
            w->barred++;
        } else if (h->b.kind == LEAT_BATCH_END) {
            atomic_store(&w->in_ended[i], true);
            w->ended++;
            keep_answers(w, h);
        } else {
            note_share(w, i, h);
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
