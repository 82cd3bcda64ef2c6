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
/* Has the process loaded this library, "/libopenblas"? */
bool plan_memory_uses(const char *library);
/* Bytes of the state of a stage that grows, at the default of max_features or what it has if that
 * is less; 0: it does not grow. */
uint64_t plan_memory_usual(struct node *n);
/* Adds up what pools, rings, stages, answers, shards, snapshots and the process take. */
void plan_memory_add_up(struct plan *p, const struct graph *g);
/* A batch too large, or more than the option `memory` allows, goes to d: there with a max_features
 * of each growing stage at which all fits, if there is one. */
void plan_memory_check(const struct plan *p, struct graph *g, struct diag *d);

#endif
