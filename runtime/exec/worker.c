/* worker.c -- take a batch, call the stages of the segment on it, hand it on; until the end.
 *
 * The end of a stream is a batch of its own (LEAT_BATCH_END, no records) that every worker makes
 * for those after it once all its inputs have ended. It carries the last answers to the sinks.
 * After a failure of a stage batches go on travelling, so that nobody waits for ever, but nothing
 * is called.
 */
#include "worker.h"

#include <string.h>

#include "base/clock.h"
#include "base/log.h"

#define SECOND UINT64_C(1000000000)
enum { NO_BRANCH = UINT16_MAX };

static int halted(const struct worker *w)
{
    return atomic_load_explicit(&w->run->halted, memory_order_relaxed) != 0;
}

/* A call failed. If the stage has said why, that stands. When a source fails, what it has delivered
 * is still worked off; when another stage does, nothing more is called. */
static void on_failure(struct instance *i, const char *call, int status)
{
    run_fail(i->run, status, "%s: %s failed (status %d)", i->node->label, call, status);
    if (i->node->stage->kind != LEAT_SOURCE) run_halt(i->run);
}

static void tick(struct instance *i, uint64_t now)
{
    if (!i->node->stage->tick || now < i->next_tick) return;
    i->next_tick = now + SECOND;
    int status = i->node->stage->tick(&i->ctx, i->self, (int64_t)now);
    if (status < 0) on_failure(i, "tick", status);
}

/* Answers that are due after what the learner has just seen. */
static void put_questions(struct instance *learner, struct hbatch *h, uint64_t now, int last)
{
    struct shards *shards = &learner->run->shards;
    uint64_t examples = shards->n ? shards_examples(shards, learner->node)
                                  : progressive_examples(learner->progressive);
    int gathered = !shards->n || last; /* in the end they are anyway */
    for (uint32_t k = 0; k < learner->n_asks; k++) {
        if (!last && !ask_due(learner->asks[k], examples, now)) continue;
        if (!gathered) shards_gather(shards, learner);
        gathered = 1;
        h->table[h->n_tables++] = ask_put(learner->asks[k], learner->run->start, now, last);
    }
}

static void show_answers(struct worker *w, struct instance *sink, struct hbatch *h)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < h->n_tables; k++) {
        struct table *t = h->table[k];
        if (t->ask->sink != sink) {
            h->table[kept++] = t;
            continue;
        }
        int status = halted(w) || !sink->node->stage->show
                         ? LEAT_OK
                         : sink->node->stage->show(&sink->ctx, sink->self, &t->t);
        table_release(t);
        if (status < 0) on_failure(sink, "show", status);
    }
    h->n_tables = kept;
}

/* What the stage did to the records, told apart by their status. */
static void count_records(struct instance *i, const struct leat_batch *b, uint32_t before,
                          uint32_t rejected)
{
    instance_count(&i->in, before);
    instance_count(&i->out, b->n_sel);
    uint32_t gone = before - b->n_sel; /* a record that was out before cannot go again */
    instance_count(&i->rejected, rejected < gone ? rejected : gone);
    instance_count(&i->filtered, rejected < gone ? gone - rejected : 0);
}

static void process(struct instance *i, struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    uint32_t before = b->n_sel, examples = b->n_examples, rejections = h->n_rejections;
    b->fields = i->ctx.out->fields;
    b->n_columns = i->ctx.out->n_columns;
    int status = i->node->stage->process ? i->node->stage->process(&i->ctx, i->self, b) : LEAT_OK;
    if (status < 0) on_failure(i, "process", status);
    if (i->progressive && status >= 0) progressive_add(i->progressive, b);
    i->changed = 1;
    batch_select(h, examples);
    count_records(i->whole, b, before, h->n_rejections - rejections);
}

/* on_error = "fail" acts at once, but not inside lanes: the first bad record in order is the one.
 */
static void fail_at_once(struct worker *w, struct hbatch *h)
{
    if (w->run->graph->options.on_error == ON_ERROR_FAIL && h->n_rejections &&
        w->segment->lanes == 1)
        rejects_flush(&w->run->rejects, h, w->handed_in);
}

static void run_steps(struct worker *w, struct hbatch *h, uint32_t first)
{
    uint64_t now = clock_ns();
    fail_at_once(w, h);
    if (w->run->shards.n && h->b.n) shards_enter(&w->run->shards, w, h->b.run[0].input);
    for (uint32_t k = first; k < w->n_steps; k++) {
        struct instance *i = w->step[k];
        if (halted(w)) {
            show_answers(w, i, h);
            continue;
        }
        if (h->b.n) process(i, h);
        tick(i, now);
        if (i->whole->n_asks && !halted(w)) put_questions(i->whole, h, now, 0);
        if (h->n_tables) show_answers(w, i, h);
        uint64_t after = clock_ns();
        i->whole->ns += after - now;
        w->busy_ns += after - now;
        now = after;
        fail_at_once(w, h);
    }
}

/* Which branch of a route each selected record takes; the one without a match is filtered. */
static void choose_branches(struct worker *w, struct hbatch *h)
{
    const struct graph *g = w->run->graph;
    const struct node *fork = w->segment->fork;
    struct leat_batch *b = &h->b;
    uint32_t lost = 0;
    for (LEAT_EACH_RECORD(b, r)) {
        uint16_t star = NO_BRANCH, found = NO_BRANCH;
        for (uint32_t j = 0; j < w->n_out && found == NO_BRANCH; j++) {
            const struct edge *e = &g->edge[fork->out[j]];
            struct leat_str cell = b->column[e->by_column].text[r];
            size_t n = strlen(e->key);
            if (n == 1 && *e->key == '*')
                star = (uint16_t)j;
            else if (cell.len == n && !memcmp(leat_text(b, cell), e->key, n))
                found = (uint16_t)j;
        }
        w->branch[r] = found != NO_BRANCH ? found : star;
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

static int reaches(const struct graph *g, const struct node *from, const struct node *to)
{
    if (from == to) return 1;
    for (uint32_t j = 0; j < from->n_out; j++)
        if (reaches(g, &g->node[g->edge[from->out[j]].to], to)) return 1;
    return 0;
}

/* Each answer goes down one branch, the first that leads to its sink: it is shown once. */
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

static void deliver_fork(struct worker *w, struct hbatch *h)
{
    const struct node *fork = w->segment->fork;
    int route = fork->kind == NODE_ROUTE && !halted(w);
    rejects_passed(&w->run->rejects, h, w->handed_in);
    if (route) choose_branches(w, h);
    for (uint32_t j = 0; j < w->n_out; j++) {
        struct hbatch *to = pool_take(w->branch_pool[j]);
        batch_borrow(to, h, &fork->schema_in);
        pass_answers(w, h, to, j);
        if (route) keep_branch(w, to, j);
        ring_push(w->out[j], to);
    }
    batch_release(h);
}

static void deliver(struct worker *w, struct hbatch *h)
{
    if (w->segment->fork) {
        deliver_fork(w, h);
    } else if (w->n_out) {
        ring_push(w->out[w->turn_out], h);
        w->turn_out = (w->turn_out + 1) % w->n_out;
    } else {
        rejects_passed(&w->run->rejects, h, w->handed_in);
        batch_release(h);
    }
}

static void stop_step(struct worker *w, struct instance *i)
{
    if (i->started && i->node->stage->stop) {
        int status = i->node->stage->stop(&i->ctx, i->self);
        if (status < 0 && !halted(w)) on_failure(i, "stop", status);
    }
}

/* Last answers, then every stage's stop, in order; then the end goes to those after. The closing
 * snapshot is from before that: a run that goes on from it has not had these answers yet. */
static void finish(struct worker *w)
{
    if (checkpoint_on(&w->run->checkpoints)) checkpoint_hand_in_last(&w->run->checkpoints, w);
    if (w->run->shards.n) shards_leave(&w->run->shards, w);
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = w->step[k];
        if (w->run->shards.n && !halted(w)) shards_gather(&w->run->shards, i);
        if (i->n_asks && !halted(w)) put_questions(i, w->end, clock_ns(), 1);
        show_answers(w, i, w->end);
        stop_step(w, i);
    }
    for (uint32_t j = 0; j < w->n_out; j++)
        ring_push(w->out[j], w->end);
    checkpoint_commit_rest(&w->run->checkpoints, w);
}

/* Answers that came with an end; behind a fork and a merge the same may come twice. */
static void take_answers(struct worker *w, const struct hbatch *from)
{
    for (uint32_t k = 0; k < from->n_tables; k++) {
        uint32_t j = 0;
        while (j < w->end->n_tables && w->end->table[j] != from->table[k])
            j++;
        if (j == w->end->n_tables) w->end->table[w->end->n_tables++] = from->table[k];
    }
}

/* The input of a merge of which the smallest share was taken, of those that have not ended nor
 * stand still; equal ones: the first. n_in: there is none. */
static uint32_t least_taken(const struct worker *w)
{
    uint32_t least = w->n_in;
    for (uint32_t i = 0; i < w->n_in; i++)
        if (!w->in_ended[i] && !w->in_barred[i] &&
            (least == w->n_in || w->in_share[i] < w->in_share[least]))
            least = i;
    return least;
}

/* Which input is next: lanes are collected in turn, and so are the inputs of a merge when some
 * source's length is unknown. Otherwise long and short streams are to end together. */
static uint32_t next_input(struct worker *w)
{
    if (w->segment->merges && w->run->paced) return least_taken(w);
    uint32_t i = w->turn_in;
    while (w->in_ended[i] || w->in_barred[i])
        i = (i + 1) % w->n_in;
    w->turn_in = (i + 1) % w->n_in;
    return i;
}

/* What comes out of a merge is as far as the least of what goes in. */
static void note_share(struct worker *w, uint32_t i, struct hbatch *h)
{
    if (!w->segment->merges || !w->run->paced) return;
    w->in_share[i] = h->share;
    for (uint32_t k = 0; k < w->n_in; k++)
        if (!w->in_ended[k] && w->in_share[k] < h->share) h->share = w->in_share[k];
}

/* The next batch; a barrier when it has come on all inputs that have not ended; NULL when all have.
 */
static struct hbatch *take(struct worker *w)
{
    while (w->ended + w->barred < w->n_in) {
        uint32_t i = next_input(w);
        struct hbatch *h = ring_pop(w->in[i]);
        if (h->b.kind == LEAT_BATCH_BARRIER) {
            w->barrier->b.seq = h->b.seq;
            w->in_barred[i] = 1;
            w->barred++;
            continue;
        }
        if (h->b.kind != LEAT_BATCH_END) {
            note_share(w, i, h);
            return h;
        }
        checkpoint_end_taken(&w->run->checkpoints, w, i);
        w->ended++;
        take_answers(w, h);
    }
    return w->barred ? w->barrier : NULL;
}

/* Hand in, let the inputs go on, and send the barrier to those after: they must not wait for what
 * the committing sink waits for. */
static void pass_barrier(struct worker *w)
{
    checkpoint_hand_in(&w->run->checkpoints, w, w->barrier->b.seq);
    if (w->run->shards.n) shards_let_go(&w->run->shards, w, w->barrier->b.seq);
    memset(w->in_barred, 0, w->n_in);
    w->barred = 0;
    for (uint32_t j = 0; j < w->n_out; j++)
        ring_push(w->out[j], w->barrier);
    checkpoint_commit(&w->run->checkpoints, w);
}

/* Everything the source has delivered is selected, except what it rejected itself. */
static void begin_batch(struct worker *w, struct hbatch *h, uint32_t rejections)
{
    struct leat_batch *b = &h->b;
    for (uint32_t r = 0; r < b->n; r++)
        b->sel[r] = r;
    b->n_sel = b->n;
    b->seq = w->step[0]->batches++;
    h->source = w->step[0];
    batch_select(h, 0);
    count_records(w->step[0], b, b->n, rejections);
}

static int produce(struct worker *w, struct hbatch *h)
{
    struct instance *i = w->step[0];
    if (atomic_load_explicit(&w->run->stopping, memory_order_relaxed)) return LEAT_EOS;
    uint64_t from = clock_ns();
    int status = i->node->stage->produce(&i->ctx, i->self, &h->b);
    uint64_t now = clock_ns();
    i->ns += now - from;
    w->busy_ns += now - from;
    tick(i, now);
    h->share = run_share(i);
    if (status < 0) {
        on_failure(i, "produce", status);
        return LEAT_EOS;
    }
    return status;
}

/* A quiet source still sends an empty batch once a second, so that time goes on downstream. */
static int worth_sending(struct worker *w, const struct hbatch *h)
{
    uint64_t now = clock_ns();
    if (!h->b.n && now - w->last_ns < SECOND) return 0;
    w->last_ns = now;
    return 1;
}

/* The source hears of a checkpoint that is over before it hands in for the next one. The message is
 * the same each time: it is written to only when none is on its way. */
static void between_batches(struct worker *w)
{
    struct checkpoints *e = &w->run->checkpoints;
    if (!checkpoint_on(e)) return;
    for (uint64_t checkpoint; (checkpoint = checkpoint_barrier(e, w));) {
        checkpoint_tell(e, w->step[0]);
        w->barrier->b.seq = checkpoint;
        pass_barrier(w);
    }
    checkpoint_tell(e, w->step[0]);
}

static void source_loop(struct worker *w)
{
    int status = LEAT_OK;
    while (status != LEAT_EOS) {
        struct hbatch *h = pool_take(w->source_pool);
        do {
            between_batches(w);
            status = produce(w, h);
        } while (status != LEAT_EOS && !worth_sending(w, h));
        if (status == LEAT_EOS && !h->b.n) {
            batch_release(h);
            return;
        }
        begin_batch(w, h, h->n_rejections);
        run_steps(w, h, 1);
        deliver(w, h);
    }
}

static void ring_loop(struct worker *w)
{
    for (struct hbatch *h; (h = take(w));) {
        if (h == w->barrier) {
            pass_barrier(w);
            continue;
        }
        run_steps(w, h, 0);
        deliver(w, h);
    }
}

static void start_steps(struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps && !halted(w); k++) {
        struct instance *i = w->step[k];
        int status = i->node->stage->start ? i->node->stage->start(&i->ctx, i->self) : LEAT_OK;
        i->started = status >= 0;
        if (status < 0) on_failure(i, "start", status);
    }
}

void *worker_main(void *arg)
{
    struct worker *w = arg;
    start_steps(w);
    if (w->source_pool)
        source_loop(w);
    else
        ring_loop(w);
    finish(w);
    atomic_fetch_sub(&w->run->at_work, 1);
    return NULL;
}
