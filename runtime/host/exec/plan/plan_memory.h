/* plan_memory.h -- the bytes of a plan: the most that each part of a run may take.
 *
 * All figures are upper bounds. A stage that grows counts with its final size, plus the second
 * block that it needs while a block moves (stage.h, struct leat_plan). */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_MEMORY_H
#define LEAT_HOST_EXEC_PLAN_PLAN_MEMORY_H

#include "plan.h"

/* Calls the stage's `plan`, and returns its status. From then on the plan limits the memory that
 * the host gives the stage. */
int plan_memory_stage(struct node *n);
/* Calls the `plan` of every stage. Failures go to d. */
void plan_memory_stages(struct plan *p, struct graph *g, struct diag *d);
/* Returns the bytes of the state of a stage that grows, with the default of max_features, or with
 * its own value if that is less; 0 if the stage does not grow. */
uint64_t plan_memory_usual(struct node *n);
/* Adds up what pools, rings, stages, answers, shards, snapshots and the process take. */
void plan_memory_add_up(struct plan *p, const struct graph *g);
/* Reports to d a batch that is too large, and a plan above the option `memory`. The report of the
 * latter suggests a max_features for growing stages with which everything fits, if there is one. */
void plan_memory_check(const struct plan *p, struct graph *g, struct diag *d);

/* ---- the system's limit on the addresses of the process (ulimit -v) ---- */

/* Warns of a plan above the limit, because a run may reach it. Call it before the stages are
 * open. */
void plan_memory_check_limit(const struct plan *p, const struct graph *g, struct diag *d);

/* Reserve the memory that libraries (OpenBLAS) need, in all threads of a run, or in one. Call them
 * before the stages are open. Return NULL, or a sentence about missing memory, allocated in `a`. */
const char *plan_memory_libraries(const struct plan *p, struct arena *a);
const char *plan_memory_library(struct arena *a);

/* Checks for the other memory that every run needs once the stages are open. Returns NULL, or a
 * sentence about missing memory. */
const char *plan_memory_fault(const struct plan *p, struct arena *a);

#endif
