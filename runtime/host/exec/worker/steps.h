/* steps.h -- runs a batch through the stages of a worker, and brings sinks their answers.
 *
 * A step is an instance that the worker calls (worker.step). After a failure no stage is called any
 * more (control_halt); answers are still given back. All functions run on the worker's thread.
 */
#ifndef LEAT_HOST_EXEC_WORKER_STEPS_H
#define LEAT_HOST_EXEC_WORKER_STEPS_H

#include "worker.h"

void steps_start(struct worker *w);
/* Calls the steps from `first` on, shows the answers that are due, and counts records. */
void steps_run(struct worker *w, struct hbatch *h, uint32_t first);
/* Brings the last answers, then calls every stage's stop in order. Call it after the last batch. */
void steps_stop(struct worker *w);

/* Makes the last call of an instance that has started. */
void steps_stop_one(struct instance *i);

/* Calls the stage's tick if it is due; the source's step 0 needs this, because it is never called
 * on a batch. */
void steps_tick(struct instance *i, uint64_t now);
/* Counts a batch: `before` records came in, b->n_sel are still valid, and `rejected` of the others
 * were rejected. */
void steps_count(struct instance *i, const struct leat_batch *b, uint32_t before,
                 uint32_t rejected);

#endif
