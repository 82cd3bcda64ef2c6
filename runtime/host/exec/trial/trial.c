/* trial.c -- implementation of trial.h. */
#include "trial.h"

#include <stdlib.h>

#include "core/time/clock.h"
#include "host/graph/stage_columns.h"
#include "host/plugin/stage_tables.h"

struct hbatch *trial_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n)
{
    struct batch_shape shape = {.own_records = true, .own_examples = true};
    batch_shape_widen(&shape, &source->schema_out, &r->graph->options);
    for (uint32_t i = 0; i < n; i++) {
        struct leat_schema room = stage_columns_room(stage[i]);
        batch_shape_widen(&shape, &room, &r->graph->options);
        shape.places |= (stage[i]->stage->caps & LEAT_UNPACKS) != 0;
        if (!stage[i]->stage->expand) continue;
        shape.derived = true; /* trial_expand() needs a second batch of this shape */
        batch_shape_widen(&shape, &stage[i]->schema_out, &r->graph->options);
    }
    struct hbatch *h = batch_new(&shape);
    if (!h) control_fail(&r->control, LEAT_ENOMEM, "there is not enough memory for a batch");
    return h;
}

bool trial_begin(struct run *r, struct node *n)
{
    return run_open_lane(r, n, 0) == LEAT_OK && trial_start(r, n);
}

bool trial_start(struct run *r, struct node *n)
{
    struct instance *i = run_instance(r, n, 0);
    return instance_start(i) >= 0;
}

void trial_end(struct run *r, struct node *n, bool judges)
{
    struct instance *i = run_instance(r, n, 0);
    instance_enter(i, "stop", clock_ns());
    /* A learner's stop is not called, because its messages after so few records are useless. */
    if (i->phase == INSTANCE_STARTED && n->stage->stop && n->stage->kind != LEAT_LEARNER)
        instance_check(i, "stop", n->stage->stop(&i->ctx, i->self));
    instance_leave(i);
    instance_enter(i, "finish", clock_ns());
    if (i->phase == INSTANCE_STARTED && judges && n->stage->finish)
        n->stage->finish(&i->ctx, &i->self, 1);
    instance_leave(i);
}

int trial_process(struct instance *i, struct hbatch *h)
{
    uint32_t examples = h->b.n_examples;
    instance_prepare(i, h);
    instance_enter(i, "process", clock_ns());
    int status = i->node->stage->process(&i->ctx, i->self, &h->b);
    instance_leave(i);
    batch_select(h, examples);
    return instance_check(i, "process", status);
}

static void trial_select_all(struct hbatch *h)
{
    for (uint32_t r = 0; r < h->b.n; r++)
        h->b.sel[r] = r;
    h->b.n_sel = h->b.n;
    batch_select(h, 0);
}

int trial_expand(struct instance *i, struct hbatch *in, struct hbatch *out, bool again)
{
    const struct batch_maker by = {i, i->node->index, atomic_load(&i->count.out)};
    if (!again) instance_convert(i, in);
    batch_reset(out);
    out->b.fields = i->ctx.out->fields;
    out->b.n_columns = i->ctx.out->n_columns;
    instance_enter(i, "expand", clock_ns());
    int status = i->node->stage->expand(&i->ctx, i->self, &in->b, &out->b);
    instance_leave(i);
    batch_derive(out, in, &by);
    trial_select_all(out);
    /* batch_derive() numbers records that are made from no other record by count.out. */
    instance_count(&i->count.out, out->b.n_sel);
    return instance_check(i, "expand", status);
}

const char *trial_rejection(const struct hbatch *h, uint32_t record, const char **reason, size_t *n)
{
    for (uint32_t k = 0; k < h->n_rejections; k++) {
        const struct rejection *j = &h->rejection[k];
        if (j->record != record) continue;
        *reason = stage_tables_reason(j->by->node->stage, j->reason);
        *n = j->text_len;
        return h->reject_text + j->text_off;
    }
    return NULL;
}

/* ---- the contribution of each feature ---- */

struct contributions {
    struct hbatch *batch;
};

struct contributions *contributions_new(const struct node *learner, uint32_t n)
{
    enum leat_score kind = graph_score(learner);
    const struct batch_shape shape = {.records = n + 1,
                                      .bytes = 64,
                                      .extents = 1,
                                      .examples = n + 1,
                                      .entries = n + 1,
                                      .parts = 1,
                                      .timestamps = true,
                                      .names = true,
                                      .own_records = true,
                                      .own_examples = true,
                                      .columns = learner->schema_in.n_columns};
    if (kind == LEAT_SCORE_NONE || kind == LEAT_SCORE_CLASS) return NULL;
    struct contributions *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->batch = batch_new(&shape);
    if (c->batch) return c;
    free(c);
    return NULL;
}

void contributions_free(struct contributions *c)
{
    if (c) batch_free(c->batch);
    free(c);
}

/* Adds an example with one feature, or without features if id is NULL. */
static void contributions_add(struct leat_batch *b, const uint64_t *id, float value)
{
    uint32_t r = (uint32_t)leat_add_record(b, 0, 0);
    b->label[r] = b->weight[r] = 0;
    b->sel[r] = r;
    b->n_sel = b->n;
    leat_add_example(b, r);
    if (!id) return;
    int i = leat_add_entry(b, *id, value);
    b->name[i] = (struct leat_name){{0}};
}

bool contributions_take(struct contributions *c, struct instance *learner, const uint64_t *id,
                        const float *value, uint32_t n, double *base, double *each)
{
    struct leat_batch *b = &c->batch->b;
    batch_reset(c->batch);
    contributions_add(b, NULL, 0);
    for (uint32_t i = 0; i < n; i++)
        contributions_add(b, &id[i], value[i]);
    batch_select(c->batch, 0);
    if (trial_process(learner, c->batch) != LEAT_OK || b->n_ex_sel != n + 1) return false;
    *base = (double)b->score[0];
    for (uint32_t i = 0; i < n; i++)
        each[i] = (double)b->score[i + 1] - *base;
    return true;
}
