/* shard_plan.h -- which stages have an instance for each input, and what these take.
 *
 * A source whose plan says `shards` gives out inputs (plugin.h): every transform and learner that
 * has a state then has an instance for each of them (checkpoint/shards.h). */
#ifndef LEAT_EXEC_SHARD_PLAN_H
#define LEAT_EXEC_SHARD_PLAN_H

#include "plan.h"

/* Does the stage keep something of the stream, and not of what it reads or writes? */
bool shard_plan_covers(const struct node *n);

/* What the stages take as they are planned now, for p->shards inputs. */
uint64_t shard_plan_bytes(const struct plan *p, const struct graph *g);

/* Sets p->shards. Stages that cannot have shards, and a second source, go to d. */
void shard_plan_make(struct plan *p, struct graph *g, struct diag *d);

#endif
