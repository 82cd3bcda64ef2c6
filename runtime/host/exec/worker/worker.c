/* worker.c -- implementation of worker.h: takes batches, passes them on, sends barriers.
 *
 * Batches of lanes are collected in the order in which they were dealt. A merge takes the batches
 * of the source whose next batch begins at the smallest share of its input, so that long and short
 * streams end together. If the length of some source is unknown (run.paced), the sources take
 * turns. plan.c explains in which order a merge takes the copies of a batch, and why it never waits
 * for ever.
 *
 * Barriers are aligned. When the barrier of a checkpoint has arrived on an input, the worker takes
 * nothing more from that input until the barrier has arrived on all inputs that have not ended. A
 * source sends a barrier only between two batches, so a merge never gets one within a turn.
 *
 *   input 0   b b b | . .        taken up to the barrier |, then it waits
 *   input 1   b b b b b |        taken until the barrier arrives here, too
 *   output    b b b b b b b b |  one barrier, after all batches before it
 */
#include "worker.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/time/clock.h"
#include "host/exec/instance/input_clock.h"
#include "host/exec/instance/observe.h"
#include "pieces.h"
#include "steps.h"
#include "visits.h"

static const uint64_t IDLE_NS = UINT64_C(1000000000);

/* ---- intake: taking batches and messages from the rings of `in` ---- */

static bool intake_waits(const struct worker *w, uint32_t i)
{
    return w->in_barred[i] || atomic_load_explicit(&w->in_ended[i], memory_order_relaxed);
}

/* True if the merge may take a batch of the source of this turn. It is enough to look at the turn's
 * first input, because all inputs that a source reaches get the same barriers, and end after the
 * source. */
static bool intake_may_go_on(const struct worker *w, uint32_t turn)
{
    return isfinite(w->next[turn]) && !intake_waits(w, w->segment->turn[turn].input[0]);
}

/* Returns the turn whose source's next batch has the smallest position; the first among equals;
 * n_turns if no source has a next batch now. */
static uint32_t intake_earliest(const struct worker *w)
{
    uint32_t n = w->segment->n_turns, earliest = n;
    for (uint32_t k = 0; k < n; k++)
        if (intake_may_go_on(w, k) && (earliest == n || w->next[k] < w->next[earliest]))
            earliest = k;
    return earliest;
}

/* Returns the input from which to take the next batch or message. In a merge, if no source has a
 * next batch, each input that does not wait has a barrier or an end next. */
static uint32_t intake_input(struct worker *w)
{
    const struct segment *s = w->segment;
    if (s->merges && !w->taken && !w->early) w->turn = intake_earliest(w);
    if (s->merges && w->turn < s->n_turns) return s->turn[w->turn].input[w->taken];
    uint32_t i = w->turn_in;
    while (intake_waits(w, i))
        i = (i + 1) % w->n_in;
    w->turn_in = (i + 1) % w->n_in;
    return i;
}

static uint32_t intake_turn_of(const struct worker *w, const struct node *source)
{
    uint32_t k = 0;
    while (w->segment->turn[k].source != source)
        k++;
    assert(k < w->segment->n_turns);
    return k;
}

/* True if the batch belongs to the current turn. Only the last batch of a source may come early,
 * because an earlier merge took it while all other sources waited after a barrier. In that case the
 * turn of that source begins now, and the batch is held until its place in the turn. */
static bool intake_is_in_turn(struct worker *w, uint32_t i, struct hbatch *h)
{
    if (!w->segment->merges) return true;
    uint32_t k = intake_turn_of(w, h->source->node);
    if (k == w->turn) return true;
    assert(!w->taken && !w->early && isinf(h->next));
    w->held[i] = h;
    w->turn = k;
    w->early = true;
    return false;
}

static struct hbatch *intake_take(struct worker *w, uint32_t i)
{
    struct hbatch *h = w->held[i];
    w->held[i] = NULL;
    if (!h) h = ring_pop(w->in[i], &w->idle);
    if (h->pool) w->idle.fed_by = h->pool; /* a message has no pool */
    return h;
}

static bool intake_all_ended(const struct worker *w)
{
    uint32_t k = 0;
    while (k < w->segment->n_turns && isinf(w->next[k]))
        k++;
    return k == w->segment->n_turns;
}

/* Returns the place in the turn after batch h; the turn's length if the turn is over. */
static uint32_t intake_next_place(const struct worker *w, const struct hbatch *h)
{
    const struct merge_turn *t = &w->segment->turn[w->turn];
    for (uint32_t i = 0; i < t->n_loops; i++)
        if (t->loop[i].last == w->taken && h->more & t->loop[i].bit) return t->loop[i].from;
    return w->taken + 1;
}

/* Advances the turn by batch h. Updates the position of the source's next batch only when the turn
 * is over, so that the merge does not change to another source before that. */
static void intake_note(struct worker *w, struct hbatch *h)
{
    if (!w->segment->merges) return;
    h->last = false;
    w->taken = intake_next_place(w, h);
    if (w->taken < w->segment->turn[w->turn].n) return;
    w->taken = 0;
    w->early = false;
    w->next[w->turn] = h->next;
    h->last = intake_all_ended(w);
}

/* Keeps the answers that came with the end message of an input, in order to send them with this
 * worker's own end message. After a fork and a merge, the same answer may come twice. */
static void intake_keep_answers(struct worker *w, const struct hbatch *from)
{
    for (uint32_t k = 0; k < from->n_tables; k++) {
        uint32_t j = 0;
        while (j < w->end->n_tables && w->end->table[j] != from->table[k])
            j++;
        if (j == w->end->n_tables) w->end->table[w->end->n_tables++] = from->table[k];
    }
}

/* Returns the next batch. Returns w->barrier, with the checkpoint's number, when the barrier has
 * arrived on all inputs that have not ended. Returns NULL when all inputs have ended. Answers that
 * came with end messages are then in w->end. */
static struct hbatch *intake_next(struct worker *w)
{
    assert(w->n_in > 0);
    while (w->ended + w->barred < w->n_in) {
        uint32_t i = intake_input(w);
        struct hbatch *h = intake_take(w, i);
        if (h->b.kind == LEAT_BATCH_BARRIER) {
            w->barrier->b.seq = h->b.seq;
            w->in_barred[i] = true;
            w->barred++;
        } else if (h->b.kind == LEAT_BATCH_END) {
            atomic_store(&w->in_ended[i], true);
            w->ended++;
            intake_keep_answers(w, h);
        } else if (intake_is_in_turn(w, i, h)) {
            intake_note(w, h);
            return h;
        }
    }
    return w->barred ? w->barrier : NULL;
}

/* Lets the worker take from all inputs again, after it has sent the barrier. */
static void intake_continue(struct worker *w)
{
    memset(w->in_barred, 0, w->n_in * sizeof *w->in_barred);
    w->barred = 0;
}

/* ---- delivery: to the next segment, to the branches of a fork, or back to the pool ---- */

/* Sets w->branch for each selected record, and counts records that no branch takes; they are
 * filtered. */
static void fork_choose(struct worker *w, struct hbatch *h)
{
    const struct node *fork = w->segment->fork;
    struct leat_batch *b = &h->b;
    uint32_t lost = 0;
    for (LEAT_EACH_RECORD(b, r)) {
        w->branch[r] = route_branch(&w->seen, w->run->graph, fork, b, r);
        lost += w->branch[r] == NO_BRANCH;
    }
    instance_count(&w->fork_in, b->n_sel);
    instance_count(&w->fork_filtered, lost);
}

static void fork_keep(struct worker *w, struct hbatch *h, uint32_t branch)
{
    for (LEAT_EACH_RECORD(&h->b, r))
        if (w->branch[r] != branch) leat_filter(&h->b, r);
    batch_select(h, h->b.n_examples);
}

static bool fork_reaches(const struct graph *g, const struct node *from, const struct node *to)
{
    if (from == to) return true;
    for (uint32_t j = 0; j < from->n_out; j++)
        if (fork_reaches(g, &g->node[g->edge[from->out[j]].to], to)) return true;
    return false;
}

static void fork_pass_answers(struct worker *w, struct hbatch *h, struct hbatch *to,
                              uint32_t branch)
{
    const struct graph *g = w->run->graph;
    const struct node *start = &g->node[g->edge[w->segment->fork->out[branch]].to];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->n_tables; k++)
        if (fork_reaches(g, start, h->table[k]->ask->sink->node))
            to->table[to->n_tables++] = h->table[k];
        else
            h->table[kept++] = h->table[k];
    h->n_tables = kept;
}

/* Sends each branch a batch of the branch's pool that borrows from h. In a route, only the records
 * that take the branch are selected in it. Each answer goes to the first branch that leads to its
 * sink. h returns to its pool when no branch uses it any more. */
static void fork_deliver(struct worker *w, struct hbatch *h)
{
    const struct node *fork = w->segment->fork;
    assert(fork && w->n_out == fork->n_out);
    bool route = fork->kind == NODE_ROUTE && !control_halted(&w->run->control);
    rejects_passed(&w->run->rejects, h, w->n_out, w->last_barrier);
    if (route) fork_choose(w, h);
    for (uint32_t j = 0; j < w->n_out; j++) {
        struct hbatch *to = pool_take(w->branch_pool[j], &w->idle);
        batch_borrow(to, h, &fork->schema_in);
        fork_pass_answers(w, h, to, j);
        if (route) fork_keep(w, to, j);
        ring_push(w->out[j], to, &w->idle);
    }
    pool_release(h);
}

static void worker_deliver(struct worker *w, struct hbatch *h)
{
    if (w->segment->fork) {
        fork_deliver(w, h);
    } else if (w->n_out) {
        ring_push(w->out[w->turn_out], h, &w->idle);
        w->turn_out = (w->turn_out + 1) % w->n_out;
    } else {
        rejects_passed(&w->run->rejects, h, 0, w->last_barrier);
        pool_release(h);
    }
}

/* Calls the steps from number `first` on with the batch, and delivers it, or the pieces that a
 * learner cuts it into. */
static void worker_pass(struct worker *w, struct hbatch *h, uint32_t first)
{
    const uint32_t cutter = w->segment->cutter;
    if (!w->piece_pool) {
        steps_run(w, h, first, w->n_steps);
        worker_deliver(w, h);
        return;
    }
    steps_run(w, h, first, cutter);
    struct slicing s = slice_begin(&h->b);
    for (bool more = true; more;) {
        struct hbatch *piece = pieces_next(w, h, &s, &more);
        steps_run(w, piece, cutter + 1, w->n_steps);
        worker_deliver(w, piece);
    }
}

/* Sends a message to all rings of `out`, for lanes and branches. All get the same struct, so it
 * must not change until they have read it. */
static void worker_send_message(struct worker *w, struct hbatch *message)
{
    for (uint32_t j = 0; j < w->n_out; j++)
        ring_push(w->out[j], message, &w->idle);
}

/* ---- passing barriers on ---- */

/* Saves the states of the worker's stages, sends the barrier, and lets the sink commit, if the
 * worker has it. The barrier goes first, because the commit waits for later workers. */
static void worker_pass_barrier(struct worker *w)
{
    const struct checkpoint_hooks *hooks = w->run->checkpoint_hooks;
    uint64_t checkpoint = w->barrier->b.seq;
    assert(checkpoint > w->last_barrier);
    hooks->hand_in(w, checkpoint);
    w->last_barrier = checkpoint;
    intake_continue(w);
    worker_send_message(w, w->barrier);
    hooks->commit(w);
}

static void worker_pass_due_barriers(struct worker *source)
{
    const struct checkpoint_hooks *hooks = source->run->checkpoint_hooks;
    if (!hooks) return;
    for (uint64_t checkpoint; (checkpoint = hooks->next_barrier(source));) {
        source->barrier->b.seq = checkpoint;
        worker_pass_barrier(source);
    }
}

/* True if some stage has expand, and so may emit records at the end. */
static bool worker_has_expander(const struct graph *g)
{
    bool found = false;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        found |= g->node[i].stage && g->node[i].stage->expand;
    return found;
}

/* Sends the barrier before the end. A later run continues from this checkpoint, not from a later
 * one. */
static void worker_pass_end_barrier(struct worker *source)
{
    const struct checkpoint_hooks *hooks = source->run->checkpoint_hooks;
    if (!hooks || source->at_end) return;
    source->at_end = true;
    uint64_t checkpoint = hooks->end_barrier(source);
    if (!checkpoint) return;
    source->barrier->b.seq = checkpoint;
    worker_pass_barrier(source);
}

/* ---- a worker that has a source ---- */

static bool worker_is_full(const struct leat_batch *b)
{
    return b->n >= b->cap || b->n_bytes >= b->fill_bytes;
}

/* Adds the time that produce has waited: the time that it took minus its processor time. The
 * processor time costs a system call, so it is not read while the source fills its batches. */
static void worker_note_waiting(struct worker *w, const struct leat_batch *b, uint64_t took,
                                uint64_t worked)
{
    if (!b->n) worked = 0;
    if (worked < took) instance_count(&w->step[0]->reading.waited_ns, took - worked);
    w->flows = worker_is_full(b);
}

static int worker_produce(struct worker *w, struct hbatch *h)
{
    struct instance *i = w->step[0];
    bool may_wait = !w->flows;
    bool last = atomic_load_explicit(&w->run->control.stopping, memory_order_relaxed);
    if (last && (control_halted(&w->run->control) || atomic_load(&w->run->control.failed)))
        return LEAT_EOS;
    uint64_t worked = may_wait ? clock_thread_ns() : 0, from = clock_ns();
    instance_enter(i, "produce", from);
    call_trap_works_on(h, instance_describe);
    i->reading.filling = &h->b;
    int status = i->node->stage->source->produce(&i->ctx, i->self, &h->b);
    status = instance_check(i, "produce", status);
    observe_after(i, NULL, h, status);
    instance_leave(i);
    uint64_t now = clock_ns();
    instance_count(&i->count.ns, now - from);
    worker_note_waiting(w, &h->b, now - from, may_wait ? clock_thread_ns() - worked : now - from);
    steps_tick(i, now);
    if (status < 0) {
        instance_failed(i, "produce", status);
        return LEAT_EOS;
    }
    bool kept = status == LEAT_LATER && w->run->graph->keeps_open;
    return last || kept ? LEAT_EOS : status;
}

/* True if the batch should be sent: it has records, or an empty batch is due. An empty batch is due
 * once a second, so that later stages get ticks, and if a checkpoint waits for it. It is also due
 * if the source's position has changed, because merges and barriers must use the same position. */
static bool worker_worth_sending(struct worker *w, const struct hbatch *h)
{
    uint64_t now = clock_ns();
    bool moved = run_position(w->step[0]) != w->position;
    if (!h->b.n && !moved && !w->awaited && !input_clock_is_due(w->step[0]) &&
        now - w->last_ns < IDLE_NS)
        return false;
    w->last_ns = now;
    return true;
}

/* Prepares a batch that the source has filled: selects all records that the source has not
 * rejected, sets number, source and position, and counts. */
static void worker_begin_batch(struct worker *w, struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    for (uint32_t r = 0; r < b->n; r++)
        b->sel[r] = r;
    b->n_sel = b->n;
    b->seq = w->step[0]->reading.batches++;
    h->next = w->position = run_position(w->step[0]);
    if (w->run->shard_hooks && b->n) h->input = b->extent[0].input;
    input_clock_mark(w->step[0], h, false);
    batch_select(h, 0);
    steps_count(w->step[0], b, b->n, h->n_rejections);
}

/* Sends an empty last batch, which tells merges of several sources, and stages with expand, that
 * the source has ended. If the run was stopped, a later one may continue: no input closes. */
static void worker_send_last(struct worker *w, struct hbatch *h)
{
    h->source = w->step[0];
    h->next = INFINITY;
    h->last = true;
    h->b.seq = w->step[0]->reading.batches;
    if (atomic_load_explicit(&w->run->control.stopping, memory_order_relaxed))
        h->marks = (struct event_marks){.open = 0};
    else
        input_clock_mark(w->step[0], h, true);
    worker_pass(w, h, 1);
}

static void worker_source_loop(struct worker *w)
{
    for (int status = LEAT_OK; status != LEAT_EOS;) {
        struct hbatch *h = pool_take(w->source_pool, &w->idle);
        h->source = w->step[0];
        do {
            visits_answer(w);
            worker_pass_due_barriers(w);
            w->filled = h;
            /* An empty batch brings a source that had no records to the cut. Another source
             * reaches it by its records, so that checkpoints do not change their order. */
            if (!w->awaited || status != LEAT_AGAIN) status = worker_produce(w, h);
            w->filled = NULL;
        } while (status != LEAT_EOS && status != LEAT_LATER && !worker_worth_sending(w, h));
        bool ends = status == LEAT_EOS || status == LEAT_LATER;
        if (!ends || h->b.n || input_clock_is_due(w->step[0])) {
            worker_begin_batch(w, h);
            worker_pass(w, h, 1);
        } else {
            pool_release(h);
        }
        if (status == LEAT_LATER) worker_pass_end_barrier(w);
    }
    if (!w->segment->ends_apart) return;
    if (worker_has_expander(w->run->graph)) worker_pass_end_barrier(w);
    worker_send_last(w, pool_take(w->source_pool, &w->idle));
}

/* ---- a worker that has inputs ---- */

static void worker_make_others(struct worker *w, struct hbatch *in)
{
    expand_begin(w, in);
    for (bool more = true; more;) {
        struct hbatch *h = expand_next(w, in, &more);
        worker_pass(w, h, 1);
    }
    expand_end(w, in);
}

static void worker_ring_loop(struct worker *w)
{
    for (struct hbatch *h; (h = intake_next(w));) {
        visits_answer(w);
        if (h == w->barrier) {
            worker_pass_barrier(w);
        } else if (w->made_pool) {
            worker_make_others(w, h);
        } else {
            worker_pass(w, h, 0);
        }
    }
}

/* Ends a worker. The states are saved before learners are queried for the last answers, because a
 * run that continues from the snapshot gets its own last answers. */
static void worker_finish(struct worker *w)
{
    const struct checkpoint_hooks *hooks = w->run->checkpoint_hooks;
    if (hooks) hooks->hand_in_last(w);
    steps_stop(w);
    worker_send_message(w, w->end);
    if (hooks) hooks->commit_rest(w);
}

/* Waits until run_start has started all threads. Returns false if the system refused one; the
 * workers then end, because they would wait for the missing one for ever. */
static bool worker_all_have_threads(struct run *r)
{
    pthread_mutex_lock(&r->control.mu);
    bool all = r->control.n_threads == r->n_workers;
    pthread_mutex_unlock(&r->control.mu);
    return all;
}

void *worker_main(void *worker)
{
    struct worker *w = worker;
    if (!worker_all_have_threads(w->run)) return NULL;
    steps_start(w);
    if (w->source_pool)
        worker_source_loop(w);
    else
        worker_ring_loop(w);
    worker_finish(w);
    visits_end(w);
    control_worker_ended(&w->run->control);
    return NULL;
}
