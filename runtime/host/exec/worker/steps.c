/* steps.c -- implementation of steps.h. */
#include "steps.h"

#include <assert.h>

#include "core/time/clock.h"
#include "host/exec/crash/bisect.h"
#include "host/exec/crash/crash_marks.h"
#include "host/exec/instance/observe.h"
#include "host/log/log.h"
#include "visits.h"

static const uint64_t TICK_NS = UINT64_C(1000000000);

void steps_tick(struct instance *i, uint64_t now)
{
    if (!i->node->stage->tick || now < i->next_tick) return;
    i->next_tick = now + TICK_NS;
    instance_enter(i->own, "tick", now);
    int status = i->node->stage->tick(&i->ctx, i->self, (int64_t)now);
    status = instance_return(i->own, "tick", status);
    if (status < 0) instance_failed(i, "tick", status);
}

/* ---- calling the steps on a batch ---- */

void steps_count(struct instance *i, const struct leat_batch *b, uint32_t before, uint32_t rejected)
{
    instance_count(&i->count.in, before);
    instance_count(&i->count.out, b->n_sel);
    uint32_t gone = before - b->n_sel; /* records that are not selected any more */
    instance_count(&i->count.rejected, rejected < gone ? rejected : gone);
    instance_count(&i->count.filtered, rejected < gone ? gone - rejected : 0);
}

static int steps_call(struct worker *w, struct instance *i, struct hbatch *h)
{
    const struct leat_stage *stage = i->node->stage;
    if (!stage->process) return LEAT_OK;
    return stage->kind == LEAT_LEARNER ? slices_process(w, i, h)
                                       : stage->process(&i->ctx, i->self, &h->b);
}

/* Calls process and counts records. If the run is halted during the call, it is unknown which
 * records passed, so only incoming and rejected records are counted. */
static void steps_process(struct worker *w, struct instance *i, struct hbatch *h)
{
    const uint32_t before = h->b.n_sel, examples = h->b.n_examples, rejected = h->n_rejections;
    instance_prepare(i, h);
    crash_mark_enter(i, CRASH_PROCESS, before);
    if (w->run->crashes.n) bisect_batch(w, i, h, "process", steps_call);
    if (!control_halted(&w->run->control)) {
        observe_before(i, h, h);
        int status = instance_check(i, "process", steps_call(w, i, h));
        observe_after(i, h, h, status);
        if (status < 0) instance_failed(i, "process", status);
    }
    crash_mark_leave(i);
    if (control_halted(&w->run->control)) {
        instance_count(&i->own->count.in, before);
        instance_count(&i->own->count.rejected, h->n_rejections - rejected);
        return;
    }
    i->changes++;
    batch_select(h, examples);
    observe_passed(i, h);
    steps_count(i->own, &h->b, before, h->n_rejections - rejected);
    rejects_late(&w->run->rejects, i, w->last_barrier);
}

/* With on_error = "fail", fails the run as soon as a stage has rejected a record. Later stages do
 * not get the batch, so they neither write it nor learn from it. In a segment with lanes the run
 * fails only after the lanes are collected, because an earlier batch in another lane may have a bad
 * record, too. */
static void steps_fail_at_once(struct worker *w, struct hbatch *h)
{
    if (w->run->graph->options.on_error == ON_ERROR_FAIL && h->n_rejections &&
        w->segment->lanes == 1 && !control_halted(&w->run->control))
        rejects_fail(&w->run->rejects, h);
}

/* Calls one stage on the batch, then its tick and queries if they are due, and passes it its
 * answers. Returns the time after that. */
static uint64_t steps_one(struct worker *w, struct instance *i, struct hbatch *h, uint64_t now)
{
    if (!control_halted(&w->run->control)) {
        instance_enter(i->own, "process", now);
        call_trap_works_on(h, instance_describe);
        atomic_store_explicit(&i->own->works_on, h, memory_order_release);
        if (h->b.n) steps_process(w, i, h);
        instance_leave(i->own);
        steps_tick(i, now);
        if (i->own->learning.n_asks) ask_questions(i->own, h, now, false);
    }
    if (h->n_tables) ask_show(i, h);
    uint64_t after = clock_ns();
    instance_count(&i->own->count.ns, after - now);
    return after;
}

void steps_run(struct worker *w, struct hbatch *h, uint32_t first, uint32_t end)
{
    assert(first <= end && end <= w->n_steps);
    uint64_t now = clock_ns();
    steps_fail_at_once(w, h);
    if (h->input != BATCH_NO_INPUT) w->run->shard_hooks->enter(w, h->input);
    for (uint32_t k = first; k < end; k++) {
        now = steps_one(w, w->step[k], h, now);
        steps_fail_at_once(w, h);
    }
}

/* ---- starting and stopping the steps ---- */

void steps_start(struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps && !control_halted(&w->run->control); k++) {
        int status = instance_start(w->step[k]);
        if (status < 0) instance_failed(w->step[k], "start", status);
    }
}

void steps_stop_one(struct instance *i)
{
    instance_memory_used(i); /* updates most_used for the summary */
    if (i->phase != INSTANCE_STARTED || !i->node->stage->stop) return;
    if (i->node->stage->kind == LEAT_SINK) log_bar_end();
    instance_enter(i, "stop", clock_ns());
    int status = instance_return(i, "stop", i->node->stage->stop(&i->ctx, i->self));
    if (status < 0 && !control_halted(&i->run->control)) instance_failed(i, "stop", status);
}

void steps_stop(struct worker *w)
{
    const struct shard_hooks *shards = w->run->shard_hooks;
    if (shards) shards->leave(w);
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = w->step[k];
        if (shards && !control_halted(&w->run->control)) shards->gather(i);
        if (i->learning.n_asks) ask_questions(i, w->end, clock_ns(), true);
        ask_show(i, w->end);
        steps_stop_one(i);
        rejects_late(&w->run->rejects, i, w->last_barrier);
    }
    if (shards) shards->stop(w);
}
