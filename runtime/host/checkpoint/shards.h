/* shards.h -- a model for each input: what stages keep of the stream, kept apart by where it came
 * from.
 *
 * A source whose plan says `shards` gives out inputs (plugin.h). For each of them there is an
 * instance of every stage that keeps something (exec/plan/plan.c), and the batches of an
 * input go through these, with what stages make of them (hbatch.input). So a shard is all that is
 * kept of one input, and its state, with the position in the input, can move to another process.
 *
 *   slot       for each number of an input its shard, or NULL. The source's thread fills and
 *              empties slots; others read only those that batches name, or hold `mu`
 *   instance   of a shard, by node; its node is NULL where the stage has no shards
 *   bytes      the shard as a snapshot (store/snapshot.h, checkpoint 0) of the last checkpoint that
 *              is over, or is being committed
 *
 * A stage's own instance is called where there is no input, at the end of the stream. It counts the
 * records of all shards, and it is made the merge of all living shards when somebody wants an
 * answer.
 *
 * The end of a shard: batches of it may be on their way, or one is being filled. The source marks
 * it; each worker closes its instances at the first barrier that was sent after that, and the last
 * worker frees the slot. So a number never means two shards at once, and a checkpoint whose barrier
 * was sent before the end has the state, which its position goes with. What its stages have kept
 * (the windows that are open) is not given then: it is in the state, and goes on elsewhere. It is
 * given when the source ends by itself, of each living shard in the order of their names
 * (exec/worker/expand.h); the state that is saved after that is without it.
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
    struct progressive_table table; /* of its own, and never printed */
    bool used;                      /* batches of it were sent, or one is being filled */
    bool ended;
    uint64_t ended_at; /* the last barrier sent before that */
    uint32_t left;     /* workers that have closed their instances */
    char *bytes;
    size_t n_bytes, cap;
    struct instance instance[]; /* by node */
};

struct shards {
    struct run *run;
    uint32_t n; /* slots; 0: the pipeline has no shards, and nothing else here is set */
    struct shard **slot;
    struct shard **living; /* for all of them, in the order of their merge                   */
    uint32_t *entered;     /* by worker: the input whose instances are its steps, BATCH_NO_INPUT:
                            * the stages' own. Each worker's own                             */
    const char *fingerprint;
    pthread_mutex_t mu;
    struct instance_state scratch; /* of a shard, on its way into a merge */
};

/* Opens the shards of an open run whose plan has them: workers and the host's services find them by
 * run.shard_hooks. A first shard is made, so that models that do not merge are known before the
 * first record. Returns LEAT_OK; or a failure of the run. */
int shards_open(struct shards *s, struct run *r);
void shards_close(struct shards *s);

/* Saves the changed shards of a worker's stages, on its thread at the checkpoint's barrier. */
void shards_save(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Closes, after shards_save, the worker's instances of shards that ended before this barrier. */
void shards_let_go(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Makes the bytes of the changed shards, on the checkpoint thread, after all states are handed in
 * for the checkpoint. LEAT_OK, or a failure of the run. */
int shards_pack(struct shards *s, uint64_t checkpoint);

#endif
