/* plan_memory.h -- the bytes of a plan: what each part of a run may take at most.
 *
 * All figures are upper bounds. A stage that grows is counted at the size where it stops, with what
 * it takes besides while a block moves (stage.h, struct leat_plan). */
#ifndef LEAT_HOST_EXEC_PLAN_PLAN_MEMORY_H
#define LEAT_HOST_EXEC_PLAN_PLAN_MEMORY_H

#include "plan.h"

/* Asks the stage what it will take, and returns what `plan` did. From then on the host gives no
 * more. */
int plan_memory_stage(struct node *n);
/* Asks every stage what it will take. Stages that cannot say go to d. */
void plan_memory_stages(struct plan *p, struct graph *g, struct diag *d);
/* Bytes of the state of a stage that grows, at the default of max_features or what it has if that
 * is less; 0: it does not grow. */
uint64_t plan_memory_usual(struct node *n);
/* Adds up what pools, rings, stages, answers, shards, snapshots and the process take. */
void plan_memory_add_up(struct plan *p, const struct graph *g);
/* A batch too large, or more than the option `memory` allows, goes to d: there with a max_features
 * of each growing stage at which all fits, if there is one. */
void plan_memory_check(const struct plan *p, struct graph *g, struct diag *d);

/* ---- the limit that the system sets to the addresses of the process (ulimit -v) ---- */

/* Warns of a plan that is larger than the limit, before the stages are open: a run may come to it.
 */
void plan_memory_check_limit(const struct plan *p, const struct graph *g, struct diag *d);

/* Takes the memory that libraries need (OpenBLAS), in the threads of a run, or in one; before the
 * stages are open. Returns NULL if it is there; else what is missing, in memory of `a`. */
const char *plan_memory_libraries(const struct plan *p, struct arena *a);
const char *plan_memory_library(struct arena *a);

/* Returns NULL if the memory is there that every run needs besides, once stages are open; else what
 * is missing. */
const char *plan_memory_fault(const struct plan *p, struct arena *a);

#endif
