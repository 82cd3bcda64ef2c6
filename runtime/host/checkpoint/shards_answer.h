/* shards_answer.h -- merges the states of all shards into a learner's own instance, for an answer.
 *
 * A merge that nothing has changed since is not repeated. A shard has instances, or it only holds
 * the states of its learners as bytes (shards.h). */
#ifndef LEAT_HOST_CHECKPOINT_SHARDS_ANSWER_H
#define LEAT_HOST_CHECKPOINT_SHARDS_ANSWER_H

#include <stdint.h>

struct instance;
struct shard_held;
struct shards;

/* Opens the instances of the spare shard again, so that a state can be restored in them. Call it
 * with mu held. Returns LEAT_OK, or a failure that the run reports. */
int shards_answer_reopen(struct shards *s);
/* Copies the states of the spare shard's learners to held[node->index]. Call it with mu held.
 * Returns as shards_answer_reopen(). */
int shards_answer_hold(struct shards *s, struct shard_held *held);

/* Implement gather and examples of struct shard_hooks (exec/run.h). */
int shards_answer_gather(struct instance *own);
uint64_t shards_answer_examples(const struct instance *own);

#endif
