/* plan_memory.h -- the bytes of a plan: upper bounds on the memory of each part of a run.
 *
 * A stage whose state grows counts with its largest size, plus the second copy that it needs while
 * a block is moved (stage.h, struct leat_plan). */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_MEMORY_H
#define LEAT_HOST_EXEC_PLAN_PLAN_MEMORY_H

#include "plan.h"

/* Calls the stage's `plan`, and returns its status. From then on host->alloc enforces the plan. */
int plan_memory_stage(const struct graph *g, struct node *n);
/* Calls the `plan` of every stage. Reports failures to d. */
void plan_memory_stages(struct plan *p, struct graph *g, struct diag *d);
/* Returns the bytes of the stage's state with the default of its parameter max_features, or with
 * its actual value if that is smaller; 0 if the stage has no such parameter. */
uint64_t plan_memory_usual(struct node *n);
/* Computes the bytes of pools, rings, stages, answers, shards, snapshots and the process, and their
 * sum. */
void plan_memory_add_up(struct plan *p, const struct graph *g);
/* Reports an error if a batch is too large, or if the plan exceeds the option `memory`. In the
 * second case the message suggests values of max_features with which the plan fits, if there are
 * any. */
void plan_memory_check(const struct plan *p, struct graph *g, struct diag *d);

/* ---- the system's limit on the addresses of the process (ulimit -v) ---- */

/* Warns if the plan exceeds the limit. Call it before the stages are open. */
void plan_memory_check_limit(const struct plan *p, const struct graph *g, struct diag *d);

/* Checks, when the stages are open, that the stacks of the threads fit. Returns NULL, or a
 * sentence, allocated in `a`, that says how much memory is missing. */
const char *plan_memory_fault(const struct plan *p, struct arena *a);

#endif
