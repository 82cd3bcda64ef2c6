/* expand.c -- calls a stage with expand, which is always the first step of its worker.
 *
 *   in  [r0 r1 r2 r3]  --expand-->  out [a b c d] more,  out [e f] --> the other steps
 *
 * From each incoming batch at least one batch is made, so that later stages get answers and ticks,
 * and merges know when the turn of the incoming batch is over (hbatch.more). The incoming batch
 * stays until the last batch made from it is given back. So all their dead letters are written
 * together, in the order of the incoming records. An empty last batch of the source tells the stage
 * that no more records come.
 *
 * If inputs have shards (plan.c), the records of a batch are of one input, and so are the records
 * made from them, at once or later. `out` has the input of `in`, so later workers use the same
 * shard. Records made from answers have no input, because an answer is about all inputs. A batch
 * without an input goes to the stage's own instance, which holds no records back. The last batch
 * ends every input: the stage's instance in each shard emits the records that it has held back, one
 * shard after the other, and then comes the last batch itself.
 *
 *   in  last, no input  -->  out [a b] input 3 more,  out [c] input 0 more,  out [] last
 *
 * In two cases the inputs do not end. If the run was stopped and a later run continues, the
 * snapshot or the states of the shards have the records that were held back. If the source has no
 * `durable`, it only shows states. */
#include <assert.h>

#include "core/time/clock.h"
#include "host/exec/answers/ask.h"
#include "host/exec/crash/bisect.h"
#include "host/exec/crash/crash_marks.h"
#include "host/exec/instance/input_clock.h"
#include "host/exec/instance/observe.h"
#include "steps.h"

/* True if a later run continues this run: the run was stopped, or its inputs may grow
 * (--keep-open), and its states are saved. */
static bool expand_goes_on(const struct run *r)
{
    return (atomic_load(&r->control.stopping) || r->graph->keeps_open) &&
           (r->graph->snapshots || r->shard_hooks);
}

/* True if the stage must get the end of the stream now, as a LEAT_BATCH_END. A stage that already
 * got it in the previous run does not get it again, unless records have come since. */
static bool expand_is_end(struct instance *i, const struct hbatch *in)
{
    uint64_t now = atomic_load(&i->count.in) + in->b.n_sel + 1;
    return in->last && !expand_goes_on(i->run) && i->ended_after != now;
}

/* True if `in` ends all inputs and inputs have shards. */
static bool expand_ends_inputs(const struct worker *w, const struct hbatch *in)
{
    return w->step[0]->node->by_input && in->last && !in->b.n_sel && !expand_goes_on(w->run) &&
           !w->run->plan.shows_states;
}

/* Puts the instances of the input's shard into w->step. For BATCH_NO_INPUT, puts the stages' own
 * instances there. */
static void expand_enter_input(struct worker *w, uint32_t input)
{
    if (!w->run->shard_hooks) return;
    if (input == BATCH_NO_INPUT)
        w->run->shard_hooks->leave(w);
    else
        w->run->shard_hooks->enter(w, input);
}

/* Sets w->ending to the next input that must end, and enters its shard. After the last input, sets
 * w->ending to BATCH_NO_INPUT and enters the stage's own instance. */
static void expand_end_next(struct worker *w, struct hbatch *in)
{
    do {
        w->ending = w->run->shard_hooks->next(w->run, w->ending);
        expand_enter_input(w, w->ending);
    } while (w->ending != BATCH_NO_INPUT && !expand_is_end(w->step[0], in));
    in->b.kind = w->ending == BATCH_NO_INPUT ? LEAT_BATCH_DATA : LEAT_BATCH_END;
}

/* Fails the run, because the stage returned LEAT_AGAIN, which means that `out` is full, with an
 * empty `out`. */
static int expand_refuse_empty(struct instance *i)
{
    return instance_fail(i, LEAT_EDATA,
                         "expand returned %d (LEAT_AGAIN) with an empty batch: it may do so "
                         "only if `out` is full (leat/stage.h)",
                         LEAT_AGAIN);
}

/* Calls expand. Returns true if the stage will make more records from `in`. */
static bool expand_call(struct instance *i, struct hbatch *in, struct hbatch *out)
{
    if (control_halted(&i->run->control)) return false;
    out->b.fields = i->ctx.out->fields;
    out->b.n_columns = i->ctx.out->n_columns;
    bool end = in->b.kind == LEAT_BATCH_END;
    observe_before(i, in, out);
    int status = i->node->stage->expand(&i->ctx, i->self, &in->b, &out->b);
    if (end && status == LEAT_OK) i->ended_after = atomic_load(&i->count.in) + in->b.n_sel + 1;
    if (end && status == LEAT_OK && i->clock) event_clock_restart(&i->clock->times);
    status = instance_check(i, "expand", status);
    observe_after(i, in, out, status);
    if (status == LEAT_AGAIN && !out->b.n) status = expand_refuse_empty(i);
    if (status < 0) instance_failed(i, "expand", status);
    i->changes++;
    return status == LEAT_AGAIN;
}

static void expand_select_all(struct leat_batch *b)
{
    for (uint32_t r = 0; r < b->n; r++)
        b->sel[r] = r;
    b->n_sel = b->n;
}

/* Passes the stage its answers. Their tables stay with `in` until the stage has made records from
 * them. */
static void expand_show_answers(struct instance *i, struct hbatch *in)
{
    const struct leat_stage *stage = i->node->stage;
    for (uint32_t k = 0; k < in->n_tables; k++) {
        const struct table *t = in->table[k];
        bool goes_on = t->t.last && in->b.kind != LEAT_BATCH_END;
        if (t->ask->sink != i || goes_on || control_halted(&i->run->control)) continue;
        instance_enter(i, "show", clock_ns());
        int status = stage->asker->show(&i->ctx, i->self, &t->t);
        if (instance_return(i, "show", status) < 0) instance_failed(i, "show", status);
    }
}

/* Moves answers for later stages from `in` to `out`. */
static void expand_pass_answers(struct instance *i, struct hbatch *in, struct hbatch *out)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < in->n_tables; k++)
        if (in->table[k]->ask->sink == i)
            in->table[kept++] = in->table[k];
        else
            out->table[out->n_tables++] = in->table[k];
    in->n_tables = kept;
}

/* Makes all records from `in`, in a trial, and loses them. */
static int expand_try(struct worker *w, struct instance *i, struct hbatch *in)
{
    int status;
    do {
        batch_reset(w->trial);
        w->trial->b.fields = i->ctx.out->fields;
        w->trial->b.n_columns = i->ctx.out->n_columns;
        status = i->node->stage->expand(&i->ctx, i->self, &in->b, &w->trial->b);
    } while (status == LEAT_AGAIN && w->trial->b.n);
    return status;
}

/* Rejects records at which an earlier run ended in expand. */
static void expand_bisect(struct worker *w, struct instance *i, struct hbatch *in)
{
    if (!w->run->crashes.n || !in->b.n_sel) return;
    w->trial = pool_take(w->made_pool, &w->idle);
    instance_enter(i->own, "expand", clock_ns());
    call_trap_works_on(in, instance_describe);
    bisect_batch(w, i, in, "expand", expand_try);
    instance_leave(i->own);
    pool_release(w->trial);
}

/* Converts columns of `in` for the stage, and looks for records that it does not bear. Records that
 * are rejected before the stage gets them count as incoming records of the stage. */
static void expand_convert(struct worker *w, struct instance *i, struct hbatch *in)
{
    uint32_t before = in->b.n_sel;
    instance_convert(i, in);
    expand_bisect(w, i, in);
    instance_count(&i->count.in, before - in->b.n_sel);
    instance_count(&i->count.rejected, before - in->b.n_sel);
    w->rejections = in->n_rejections;
}

void expand_begin(struct worker *w, struct hbatch *in)
{
    w->ending = BATCH_NO_INPUT;
    expand_enter_input(w, in->input);
    struct instance *i = w->step[0];
    bool end = !i->node->by_input && expand_is_end(i, in);
    w->rejections = in->n_rejections;
    in->b.kind = end ? LEAT_BATCH_END : LEAT_BATCH_DATA;
    expand_show_answers(i, in);
    if (!control_halted(&i->run->control)) expand_convert(w, i, in);
    if (expand_ends_inputs(w, in)) expand_end_next(w, in);
}

struct hbatch *expand_next(struct worker *w, struct hbatch *in, bool *more)
{
    expand_enter_input(w, w->ending != BATCH_NO_INPUT ? w->ending : in->input);
    struct instance *i = w->step[0], *own = i->own;
    struct hbatch *out = pool_take(w->made_pool, &w->idle);
    const struct batch_maker by = {own, i->node->index, atomic_load(&own->count.out)};
    uint64_t from = clock_ns();
    instance_enter(own, "expand", from);
    call_trap_works_on(in, instance_describe);
    atomic_store_explicit(&own->works_on, in, memory_order_release);
    crash_mark_enter(i, CRASH_EXPAND, in->b.n_sel);
    *more = expand_call(i, in, out);
    crash_mark_leave(i);
    instance_leave(own);
    batch_derive(out, in, &by);
    if (w->ending != BATCH_NO_INPUT) out->input = w->ending;
    if (i->node->asked) out->input = BATCH_NO_INPUT;
    if (i->clock) out->marks = (struct event_marks){.open = EVENT_UNMARKED}; /* of one input */
    if (!*more && w->ending != BATCH_NO_INPUT) {
        expand_end_next(w, in);
        *more = true;
    }
    expand_select_all(&out->b);
    batch_select(out, 0);
    out->more = in->more | (*more ? w->segment->more_bit : 0);
    out->last = in->last && !*more;
    out->marks.ended = in->marks.ended && !*more;
    instance_count(&own->count.out, out->b.n_sel);
    expand_pass_answers(own, in, out);
    rejects_derived(&w->run->rejects, out);
    uint64_t now = clock_ns();
    instance_count(&own->count.ns, now - from);
    steps_tick(i, now);
    return out;
}

void expand_end(struct worker *w, struct hbatch *in)
{
    expand_enter_input(w, in->input);
    struct instance *i = w->step[0], *own = i->own;
    in->b.kind = LEAT_BATCH_DATA;
    while (in->n_tables)
        ask_release(in->table[--in->n_tables]);
    uint32_t before = in->b.n_sel, rejected = in->n_rejections - w->rejections;
    batch_select(in, in->b.n_examples);
    uint32_t gone = before - in->b.n_sel;
    /* expand_is_end() compares count.in with ended_after. */
    if (i != own) instance_count(&i->count.in, before);
    instance_count(&own->count.in, before);
    instance_count(&own->count.rejected, rejected < gone ? rejected : gone);
    instance_count(&own->count.filtered, rejected < gone ? gone - rejected : 0);
    rejects_passed(&w->run->rejects, in, 0, w->last_barrier);
    pool_release(in);
}
