/* slices.c -- see slices.h. */
#include "slices.h"

#include "core/time/clock.h"
#include "host/flow/slice.h"
#include "visits.h"

static const double SLICE_NS = 1e6;
static const uint32_t FIRST = 16; /* examples, while it is not known how long they take */

/* As many of the next as would take SLICE_NS. */
static uint32_t next_size(uint32_t n, uint64_t took)
{
    double size = n * SLICE_NS / (double)(took ? took : 1);
    return size < 1 ? 1 : size < UINT32_MAX ? (uint32_t)size : UINT32_MAX;
}

static void answer(struct worker *w, struct instance *learner, struct hbatch *h)
{
    instance_leave(learner->own);
    visits_answer(w);
    instance_enter(learner->own, "process", clock_ns());
    call_trap_works_on(h, instance_describe);
}

int slices_process(struct worker *w, struct instance *learner, struct hbatch *h)
{
    struct slicing s = slice_begin(&h->b);
    int status;
    for (;;) {
        uint64_t from = clock_ns();
        uint32_t n =
            slice_next(&s, &h->b, learner->learning.slice ? learner->learning.slice : FIRST);
        status = learner->node->stage->process(&learner->ctx, learner->self, &h->b);
        if (n) learner->learning.slice = next_size(n, clock_ns() - from);
        if (status < 0 || control_halted(&w->run->control) || slice_was_last(&s)) break;
        answer(w, learner, h);
    }
    slice_end(&s, &h->b);
    return status;
}
