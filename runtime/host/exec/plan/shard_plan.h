/* shard_plan.h -- which stages have an instance for each input, and what these take.
 *
 * A source whose plan says `shards` gives out inputs (plugin.h): every transform and learner that
 * has a state then has an instance for each of them (checkpoint/shards.h, node.by_input). Those
 * that make other records have one as well: what they have kept of an input belongs to it.
 *
 *     source --> window --> learner --> top (result) --> map
 *                [0 1 2]    [0 1 2]     one              one
 *
 * A stage that makes records of answers has only one instance, because the answers are of all
 * inputs, and so have all that come after it. What these keep is the process's: none of them may
 * depend on earlier records, for nobody saves that. */
#ifndef LEAT_HOST_EXEC_PLAN_SHARD_PLAN_H
#define LEAT_HOST_EXEC_PLAN_SHARD_PLAN_H

#include "plan.h"

/* What the stages take as they are planned now, for p->shards inputs. */
uint64_t shard_plan_bytes(const struct plan *p, const struct graph *g);

/* Sets p->shards, and by_input of the nodes. Stages that cannot have shards, and a second source,
 * go to d. */
void shard_plan_make(struct plan *p, struct graph *g, struct diag *d);

#endif
