/* shards_splits.h -- the section `splits` of a shard: what its state was learned from (splits.h).
 *
 * The input of the shard is a split whose id is the shard's name, such as TOPIC/PARTITION. A shard
 * that began with a model from elsewhere carries the splits of that model along. So `leat model
 * merge` tells two states of one input apart, and finds the model in the shard. */
#ifndef LEAT_HOST_CHECKPOINT_SHARDS_SPLITS_H
#define LEAT_HOST_CHECKPOINT_SHARDS_SPLITS_H

#include "host/store/snapshot.h"

struct run;
struct shard;

/* Reads the splits of the state from which the shard begins. Returns LEAT_OK; LEAT_EDATA after a
 * message. */
int shard_splits_read(struct shard *shard, const struct run *r, const struct snapshot *from);
/* Appends the section to the n sections of the shard's state. It is valid until the next call. */
void shard_splits_put(struct shard *shard, const struct run *r, struct snapshot_section *section,
                      uint32_t n);
void shard_splits_free(struct shard *shard);

#endif
