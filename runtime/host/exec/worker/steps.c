/* steps.c -- see steps.h. */
#include "steps.h"

#include <assert.h>

#include "core/time/clock.h"
#include "host/exec/instance/blocks.h"
#include "host/exec/instance/inspect.h"
#include "host/exec/instance/last_rows.h"
#include "host/log/log.h"
#include "host/plugin/status_text.h"
#include "slices.h"

static const uint64_t TICK_NS = UINT64_C(1000000000);

void steps_tick(struct instance *i, uint64_t now)
{
    if (!i->node->stage->tick || now < i->next_tick) return;
    i->next_tick = now + TICK_NS;
    instance_enter(i->own, "tick", now);
    int status = i->node->stage->tick(&i->ctx, i->self, (int64_t)now);
    if (instance_return(i->own, "tick", status) < 0) instance_failed(i, "tick", status);
}

/* ---- answers ---- */

/* A run that a later one continues has its last answer right after the last batch, and that of the
 * later run is due where the whole batch ends. */
static bool is_put_off(const struct instance *learner, const struct ask *a, const struct hbatch *h)
{
    return h->short_end && learner->run->graph->snapshots && a->want.every.examples > 0;
}

/* Answers that are due after what the learner has just learned. With shards the learner's own
 * instance is made their merge first; at the end it is that already. */
static void ask_learner(struct instance *learner, struct hbatch *h, uint64_t now, bool at_end)
{
    const struct shard_hooks *shards = learner->run->shard_hooks;
    uint64_t examples =
        shards ? shards->examples(learner) : progressive_examples(learner->learning.progressive);
    bool gathered = !shards || at_end;
    for (uint32_t k = 0; k < learner->learning.n_asks; k++) {
        struct ask *a = learner->learning.asks[k];
        bool makes_records = a->sink->node->stage->expand != NULL;
        bool last = makes_records ? h->last : at_end;
        if (makes_records && at_end) continue;
        if (!last && (is_put_off(learner, a, h) || !ask_due(a, examples, now))) continue;
        if (!gathered) shards->gather(learner);
        gathered = true;
        h->table[h->n_tables++] = ask_put(a, learner->run->start, now, last);
    }
    learner->learning.time_before = learner->learning.time_end;
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
        int status = LEAT_OK;
        if (!control_halted(&w->run->control) && sink->node->stage->asker->show) {
            log_bar_hold();
            instance_enter(sink->own, "show", clock_ns());
            status = sink->node->stage->asker->show(&sink->ctx, sink->self, &t->t);
            instance_leave(sink->own);
            log_bar_release();
        }
        ask_release(t);
        if (instance_check(sink, "show", status) < 0) instance_failed(sink, "show", status);
    }
    h->n_tables = kept;
}

/* ---- batches ---- */

void steps_count(struct instance *i, const struct leat_batch *b, uint32_t before, uint32_t rejected)
{
    instance_count(&i->count.in, before);
    instance_count(&i->count.out, b->n_sel);
    uint32_t gone = before - b->n_sel; /* a record that was out before cannot go again */
    instance_count(&i->count.rejected, rejected < gone ? rejected : gone);
    instance_count(&i->count.filtered, rejected < gone ? gone - rejected : 0);
}

/* The run ends in this batch: what becomes of its records is not known, but those that the stage
 * has rejected count for the run, too, when the batch is at its end (rejects_passed). */
static void count_rejected(struct instance *i, uint32_t before, uint32_t rejected)
{
    instance_count(&i->count.in, before);
    instance_count(&i->count.rejected, rejected);
}

/* What is inspected must be a whole batch. */
static int call_process(struct worker *w, struct instance *i, struct hbatch *h)
{
    const struct leat_stage *stage = i->node->stage;
    bool sliced = stage->kind == LEAT_LEARNER && !i->run->inspects &&
                  atomic_load_explicit(&i->run->visits.expected, memory_order_relaxed);
    if (!stage->process) return LEAT_OK;
    return sliced ? slices_process(w, i, h) : stage->process(&i->ctx, i->self, &h->b);
}

static void process(struct worker *w, struct instance *i, struct hbatch *h)
{
    struct leat_batch *b = &h->b;
    uint32_t before = b->n_sel, examples = b->n_examples, rejections = h->n_rejections;
    if (i->node->stage->caps & LEAT_UNPACKS) batch_keep_places(h);
    instance_convert(i, h);
    b->fields = i->ctx.out->fields;
    b->n_columns = i->ctx.out->n_columns;
    struct inspection seen;
    if (i->run->inspects) inspect_before(&seen, i, h);
    int status = call_process(w, i, h);
    if (i->run->inspects) inspect_after(&seen, i, h, status);
    status = instance_check(i, "process", status);
    if (status < 0) instance_failed(i, "process", status);
    if (control_halted(&i->run->control)) {
        count_rejected(i->own, before, h->n_rejections - rejections);
        return;
    }
    if (i->learning.progressive && status >= 0) progressive_add(i->learning.progressive, b);
    i->changed = true;
    batch_select(h, examples);
    if (i->own->writing.last_rows)
        last_rows_take(i->own->writing.last_rows, &i->node->schema_in, b);
    if ((i->own->learning.progressive || i->own->learning.n_asks) && b->timestamp)
        ask_note_time(i->own, b);
    steps_count(i->own, b, before, h->n_rejections - rejections);
}

/* on_error = "fail" ends the run with the first record of the first bad batch that its first stage
 * to find one found bad; no later stage sees the batch, so none writes or learns from it. Inside
 * lanes that record is known only where they are collected. */
static void fail_at_once(struct worker *w, struct hbatch *h)
{
    if (w->run->graph->options.on_error == ON_ERROR_FAIL && h->n_rejections &&
        w->segment->lanes == 1 && !control_halted(&w->run->control))
        rejects_fail(&w->run->rejects, h);
}

void steps_run(struct worker *w, struct hbatch *h, uint32_t first)
{
    assert(first <= w->n_steps);
    uint64_t now = clock_ns();
    fail_at_once(w, h);
    if (h->input != BATCH_NO_INPUT) w->run->shard_hooks->enter(w, h->input);
    for (uint32_t k = first; k < w->n_steps; k++) {
        struct instance *i = w->step[k];
        if (control_halted(&w->run->control)) {
            show_answers(w, i, h);
            continue;
        }
        instance_enter(i->own, "process", now);
        call_trap_works_on(h, instance_describe);
        if (h->b.n) process(w, i, h);
        instance_leave(i->own);
        steps_tick(i, now);
        if (i->own->learning.n_asks && !control_halted(&w->run->control))
            ask_learner(i->own, h, now, false);
        if (h->n_tables) show_answers(w, i, h);
        uint64_t after = clock_ns();
        instance_count(&i->own->count.ns, after - now);
        now = after;
        fail_at_once(w, h);
    }
}

/* ---- beginning and end ---- */

void steps_start(struct worker *w)
{
    for (uint32_t k = 0; k < w->n_steps && !control_halted(&w->run->control); k++) {
        struct instance *i = w->step[k];
        int status = instance_start(i);
        if (status < 0) instance_failed(i, "start", status);
    }
}

void steps_stop_one(struct instance *i)
{
    blocks_used(i); /* for the summary */
    if (i->phase != INSTANCE_STARTED || !i->node->stage->stop) return;
    if (i->node->stage->kind == LEAT_SINK) log_bar_end();
    instance_enter(i, "stop", clock_ns());
    int status = i->node->stage->stop(&i->ctx, i->self);
    if (instance_return(i, "stop", status) < 0 && !control_halted(&i->run->control))
        instance_failed(i, "stop", status);
}

void steps_stop(struct worker *w)
{
    const struct shard_hooks *shards = w->run->shard_hooks;
    if (shards) shards->leave(w);
    for (uint32_t k = 0; k < w->n_steps; k++) {
        struct instance *i = w->step[k];
        if (shards && !control_halted(&w->run->control)) shards->gather(i);
        if (i->learning.n_asks && !control_halted(&w->run->control))
            ask_learner(i, w->end, clock_ns(), true);
        show_answers(w, i, w->end);
        steps_stop_one(i);
    }
    if (shards) shards->stop(w);
}
