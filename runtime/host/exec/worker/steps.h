/* steps.h -- a batch through the stages of a worker: their calls, and the answers that learners
 * give to sinks.
 *
 * A step is an instance that the worker calls (worker.step). After a failure of a stage none is
 * called any more (run_halt); answers are still given back. All functions run on the
 * worker's thread.
 */
#ifndef LEAT_HOST_EXEC_WORKER_STEPS_H
#define LEAT_HOST_EXEC_WORKER_STEPS_H

#include "worker.h"

void steps_start(struct worker *w);
/* Calls the steps from `first` on, shows the answers that are due, and counts records. */
void steps_run(struct worker *w, struct hbatch *h, uint32_t first);
/* Brings the last answers, and calls every stage's stop in order; after the last batch. */
void steps_stop(struct worker *w);

/* The last call of an instance that has started. */
void steps_stop_one(struct instance *i);

/* For a source's step 0, which is called for a batch instead of on one. */
void steps_tick(struct instance *i, uint64_t now);
/* `before` records came in, b->n_sel are still valid, `rejected` of the others were rejected. */
void steps_count(struct instance *i, const struct leat_batch *b, uint32_t before,
                 uint32_t rejected);

#endif
