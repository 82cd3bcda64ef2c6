/* apart.c -- see apart.h. */
#include "apart.h"

#include "base/clock.h"
#include "conversions.h"
#include "graph/stage_columns.h"
#include "returned.h"

struct hbatch *apart_batch(struct run *r, const struct node *source, struct node *const *stage,
                           uint32_t n)
{
    struct batch_shape shape = {.own_records = true, .own_examples = true};
    batch_shape_widen(&shape, &source->schema_out, &r->graph->options);
    for (uint32_t i = 0; i < n; i++) {
        struct leat_schema room = stage_columns_room(stage[i]);
        batch_shape_widen(&shape, &room, &r->graph->options);
        shape.places |= (stage[i]->stage->caps & LEAT_UNPACKS) != 0;
    }
    struct hbatch *h = batch_new(&shape);
    if (!h) run_fail(r, LEAT_ENOMEM, "there is not enough memory for a batch");
    return h;
}

bool apart_begin(struct run *r, struct node *n)
{
    struct instance *i = run_instance(r, n, 0);
    if (run_open_lane(r, n, 0) != LEAT_OK) return false;
    instance_enter(i, "start", clock_ns());
    int status = n->stage->start ? n->stage->start(&i->ctx, i->self) : LEAT_OK;
    instance_leave(i);
    i->started = returned(i, "start", status) >= 0;
    return i->started;
}

void apart_end(struct run *r, struct node *n, bool judges)
{
    struct instance *i = run_instance(r, n, 0);
    instance_enter(i, "stop", clock_ns());
    /* What a learner would say of so few records at its end is no news of the others. */
    if (i->started && n->stage->stop && n->stage->kind != LEAT_LEARNER)
        returned(i, "stop", n->stage->stop(&i->ctx, i->self));
    instance_leave(i);
    instance_enter(i, "finish", clock_ns());
    if (i->started && judges && n->stage->finish) n->stage->finish(&i->ctx, &i->self, 1);
    instance_leave(i);
}

int apart_process(struct instance *i, struct hbatch *h)
{
    uint32_t examples = h->b.n_examples;
    if (i->node->stage->caps & LEAT_UNPACKS) batch_keep_places(h);
    conversions_run(i, h);
    h->b.fields = i->ctx.out->fields;
    h->b.n_columns = i->ctx.out->n_columns;
    instance_enter(i, "process", clock_ns());
    int status = i->node->stage->process(&i->ctx, i->self, &h->b);
    instance_leave(i);
    batch_select(h, examples);
    return returned(i, "process", status);
}
