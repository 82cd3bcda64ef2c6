/* pieces.c -- implementation of pieces.h. */
#include "pieces.h"

#include "host/exec/answers/ask.h"
#include "steps.h"

/* Shortens the batch to its next piece. Returns true if there are more. The last batch of the
 * stream ends with a piece without records, which carries the last answers. So an answer that is
 * due with the last record is not lost in them. */
static bool pieces_cut(struct worker *w, struct hbatch *h, struct slicing *s)
{
    bool first = !s->records && !s->examples;
    slice_rest(s, &h->b);
    uint32_t rest = h->b.n_sel;
    uint32_t row = ask_row(w->step[w->segment->cutter], h, first);
    slice_upto(s, &h->b, row);
    return !slice_was_last(s) || (h->last && rest);
}

/* Calls the learner on a piece of h, and queries it. */
static void pieces_learn(struct worker *w, struct hbatch *h, bool more)
{
    const bool last = h->last;
    h->last &= !more;
    steps_run(w, h, w->segment->cutter, w->segment->cutter + 1);
    h->last = last;
}

/* Moves answers from h to the piece: those of the learner, or all with the last piece. Answers of
 * earlier learners came after the whole batch. */
static void pieces_pass_answers(const struct instance *learner, struct hbatch *h,
                                struct hbatch *piece, bool more)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->n_tables; k++)
        if (!more || h->table[k]->ask->learner == learner)
            piece->table[piece->n_tables++] = h->table[k];
        else
            h->table[kept++] = h->table[k];
    h->n_tables = kept;
}

struct hbatch *pieces_next(struct worker *w, struct hbatch *h, struct slicing *s, bool *more)
{
    const struct segment *g = w->segment;
    bool first = !s->records && !s->examples;
    *more = pieces_cut(w, h, s);
    pieces_learn(w, h, *more);
    if (first && !*more) return h;
    struct hbatch *piece = pool_take(w->piece_pool, &w->idle);
    batch_borrow(piece, h, &g->node[g->cutter]->schema_out);
    if (*more) piece->more |= g->more_bit;
    piece->last &= !*more;
    pieces_pass_answers(w->step[g->cutter]->own, h, piece, *more);
    rejects_derived(&w->run->rejects, piece);
    h->later_piece = true;
    if (*more) return piece;
    rejects_passed(&w->run->rejects, h, 0, w->last_barrier);
    pool_release(h);
    return piece;
}
