/* expand.c -- the stages that make other records: a worker's first step with leat_stage.expand.
 *
 *   in  [r0 r1 r2 r3]  --expand-->  out [a b c d] more,  out [e f] --> the other steps
 *
 * Each batch that comes makes at least one, so that later stages get answers and ticks, and merges
 * know when its turn is over (hbatch.more). It stays until the last batch made of it is given back,
 * so that all their dead letters are written together, in the order of its records. The source's
 * last batch, which is empty, tells the stage that no more records come.
 *
 * If each input has a state (plan.c), the records of a batch are of one input, and so are the
 * records that are made of them, at once or later. `out` has the input of `in`, so later workers
 * find the same shard. Answers are of all inputs, so records made of them have no input. A batch
 * without an input goes to the stage's own instance, which keeps nothing. The last batch is the end
 * of every input. The stage emits the records that each of its instances has kept, one after the
 * other, and then the last batch itself.
 *
 *   in  last, no input  -->  out [a b] input 3 more,  out [c] input 0 more,  out [] last
 *
 * Inputs do not end if another run continues: when the run was stopped (its snapshot, or the states
 * of its inputs, hold the kept records), or when the source only shows states (no
 * leat_stage.durable). */
#include <assert.h>

#include "core/time/clock.h"
#include "host/exec/answers/ask.h"
#include "host/exec/instance/observe.h"
#include "steps.h"

/* True if a later run continues. That holds for a stopped run whose states are kept, and for a run
 * whose inputs will grow (--keep-open). */
static bool expand_goes_on(const struct run *r)
{
    return (atomic_load(&r->control.stopping) || r->graph->keeps_open) &&
           (r->graph->snapshots || r->shard_hooks);
}

/* True at the end. A run that continues after its end has another end only when more has come. */
static bool expand_is_end(struct instance *i, const struct hbatch *in)
{
    uint64_t now = atomic_load(&i->count.in) + in->b.n_sel + 1;
    return in->last && !expand_goes_on(i->run) && i->ended_after != now;
}

/* True at the end of all inputs, if each has a state. */
static bool expand_ends_inputs(const struct worker *w, const struct hbatch *in)
{
    return w->step[0]->node->by_input && in->last && !in->b.n_sel && !expand_goes_on(w->run) &&
           in->source->node->stage->source->durable;
}

/* Puts the instances of the input into the worker's steps, in place of another input's. */
static void expand_enter_input(struct worker *w, uint32_t input)
{
    if (!w->run->shard_hooks) return;
    if (input == BATCH_NO_INPUT)
        w->run->shard_hooks->leave(w);
    else
        w->run->shard_hooks->enter(w, input);
}

/* Goes on to the next input that ends; to BATCH_NO_INPUT, the stage's own instance, after all. */
static void expand_end_next(struct worker *w, struct hbatch *in)
{
    do {
        w->ending = w->run->shard_hooks->next(w->run, w->ending);
        expand_enter_input(w, w->ending);
    } while (w->ending != BATCH_NO_INPUT && !expand_is_end(w->step[0], in));
    in->b.kind = w->ending == BATCH_NO_INPUT ? LEAT_BATCH_DATA : LEAT_BATCH_END;
}

/* Fails the run: LEAT_AGAIN means that `out` is full. */
static int expand_refuse_empty(struct instance *i)
{
    return instance_fail(i, LEAT_EDATA,
                         "expand returned %d (LEAT_AGAIN) with an empty batch: it may do so "
                         "only if `out` is full (leat/stage.h)",
                         LEAT_AGAIN);
}

/* Calls expand. Returns true if the stage has more to give. */
static bool expand_call(struct instance *i, struct hbatch *in, struct hbatch *out)
{
    if (control_halted(&i->run->control)) return false;
    out->b.fields = i->ctx.out->fields;
    out->b.n_columns = i->ctx.out->n_columns;
    bool end = in->b.kind == LEAT_BATCH_END;
    observe_before(i, in, out);
    int status = i->node->stage->expand(&i->ctx, i->self, &in->b, &out->b);
    if (end && status == LEAT_OK) i->ended_after = atomic_load(&i->count.in) + in->b.n_sel + 1;
    status = instance_check(i, "expand", status);
    observe_after(i, in, out, status);
    if (status == LEAT_AGAIN && !out->b.n) status = expand_refuse_empty(i);
    if (status < 0) instance_failed(i, "expand", status);
    i->changed = true;
    return status == LEAT_AGAIN;
}

static void expand_select_all(struct leat_batch *b)
{
    for (uint32_t r = 0; r < b->n; r++)
        b->sel[r] = r;
    b->n_sel = b->n;
}

/* Shows the stage its answers. They stay with `in` until the stage has made records of them. */
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

/* Passes the answers of earlier learners on to later stages. */
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

/* Converts columns. The stage does not see records that cannot be converted; they count as in. */
static void expand_convert(struct worker *w, struct instance *i, struct hbatch *in)
{
    uint32_t before = in->b.n_sel;
    instance_convert(i, in);
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
    *more = expand_call(i, in, out);
    instance_leave(own);
    batch_derive(out, in, &by);
    if (w->ending != BATCH_NO_INPUT) out->input = w->ending;
    if (i->node->asked) out->input = BATCH_NO_INPUT;
    if (!*more && w->ending != BATCH_NO_INPUT) {
        expand_end_next(w, in);
        *more = true;
    }
    expand_select_all(&out->b);
    batch_select(out, 0);
    out->more = in->more | (*more ? w->segment->more_bit : 0);
    out->last = in->last && !*more;
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
    if (i != own) instance_count(&i->count.in, before); /* ended_after depends on this count */
    instance_count(&own->count.in, before);
    instance_count(&own->count.rejected, rejected < gone ? rejected : gone);
    instance_count(&own->count.filtered, rejected < gone ? gone - rejected : 0);
    rejects_passed(&w->run->rejects, in, 0, w->last_barrier);
    pool_release(in);
}
