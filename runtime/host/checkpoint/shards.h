/* shards.h -- a model for each input: stages keep separate states by the origin of records.
 *
 * If a source's plan says `shards`, it hands out inputs (plugin.h). For each input there is an
 * instance of every stage that keeps a state (exec/plan/plan.c). The batches of an input, and the
 * batches that stages make of them (hbatch.input), go through these instances. So a shard holds
 * everything that is kept of one input, and its state, with the position in the input, can move to
 * another process.
 *
 *   slot       by number of an input: its shard, or NULL. The source's thread fills and empties
 *              slots; other threads read only slots that batches name, or hold `mu`
 *   instance   of a shard, by node; its node is NULL if the stage has no shards
 *   bytes      the shard as a snapshot (store/snapshot.h, checkpoint 0) of the last checkpoint that
 *              is over, or is being committed
 *
 * A stage's own instance is called without an input, and at the end of the stream. It counts the
 * records of all shards. When somebody wants an answer it becomes the merge of all living shards.
 *
 * The end of a shard. When the source marks a shard as ended, batches of it may still be under way,
 * or one may be being filled. Each worker closes its instances at the first barrier sent after the
 * end, and the last worker frees the slot. So a number never means two shards at once, and a
 * checkpoint whose barrier was sent before the end has the state that belongs to its position. The
 * records that the shard's stages have kept (open windows) are not emitted then: they are in the
 * state, and continue elsewhere. If the source ends by itself, they are emitted for each living
 * shard, in the order of names (exec/worker/expand.c); the state saved afterwards does not have
 * them.
 *
 * Locks: `mu` guards `slot`, and saved states and bytes between the checkpoint thread and others.
 */
#ifndef LEAT_HOST_CHECKPOINT_SHARDS_H
#define LEAT_HOST_CHECKPOINT_SHARDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/exec/instance/instance.h"
#include "instance_state.h"
#include "host/metrics/progressive.h"

struct worker;

struct shard {
    char *name;
    struct progressive_table table; /* the shard's own, never printed */
    bool used;                      /* batches of it were sent, or one is being filled */
    bool ended;
    uint64_t ended_at; /* last barrier sent before the end */
    uint32_t left;     /* workers that have closed their instances */
    char *bytes;
    size_t n_bytes, cap;
    struct instance instance[]; /* by node */
};

struct shards {
    struct run *run;
    uint32_t n; /* slots; 0: the pipeline has no shards, and no other member is set */
    struct shard **slot;
    struct shard **living; /* room for all shards, in the order of their merge */
    uint32_t *entered;     /* by worker: the input whose instances are its steps; BATCH_NO_INPUT:
                            * the stages' own. Each worker writes its own */
    const char *fingerprint;
    pthread_mutex_t mu;
    struct instance_state scratch; /* of a shard that is being merged */
};

/* Opens the shards of an open run whose plan has them. Workers and the host's services reach them
 * by run.shard_hooks. Makes a first shard, so that a model that cannot merge is known before the
 * first record. Returns LEAT_OK; or a failure of the run. */
int shards_open(struct shards *s, struct run *r);
void shards_close(struct shards *s);

/* Saves the changed shards of a worker's stages, on its thread at the checkpoint's barrier. */
void shards_save(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Closes, after shards_save, the worker's instances of shards that ended before this barrier. */
void shards_let_go(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Packs the changed shards into bytes. Called on the checkpoint thread, after all states are handed
 * in. Returns LEAT_OK, or a failure of the run. */
int shards_pack(struct shards *s, uint64_t checkpoint);

#endif
