/* steps.h -- calls the stages of a worker on a batch, and passes answers to sinks.
 *
 * A step is an instance that the worker calls (worker.step). When the run is halted, no stage is
 * called any more, but the tables of answers are still given back. Call all functions on the
 * worker's thread.
 */
#ifndef LEAT_HOST_EXEC_WORKER_STEPS_H
#define LEAT_HOST_EXEC_WORKER_STEPS_H

#include "worker.h"

void steps_start(struct worker *w);
/* Calls the steps from number `first` up to, not including, `end` with the batch. After each step
 * counts records, queries learners whose answers are due, and passes answers to sinks. */
void steps_run(struct worker *w, struct hbatch *h, uint32_t first, uint32_t end);
/* Ends each stage in order: queries it for last answers if it is a learner, passes it the last
 * answers to its own query, and calls its stop. Call this after the last batch. */
void steps_stop(struct worker *w);

/* Calls the stop of an instance, if it has started. */
void steps_stop_one(struct instance *i);

/* Calls the stage's tick if a second has passed since the last one. Call it for a source after
 * produce, because steps_run does not call sources. */
void steps_tick(struct instance *i, uint64_t now);
/* Adds to the counts of i: `before` records came in, b->n_sel are still selected, and `rejected` of
 * the others were rejected. */
void steps_count(struct instance *i, const struct leat_batch *b, uint32_t before,
                 uint32_t rejected);

#endif
