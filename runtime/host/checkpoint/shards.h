/* shards.h -- a model for each input: stages keep a separate state for each input of a source.
 *
 * If a source's plan sets `shards`, the source announces its inputs to the host (plugin.h). For
 * each input there is a separate instance of every stage that keeps a state (exec/plan/plan.c). The
 * batches of an input, and the batches that stages make of them (hbatch.input), go through these
 * instances. So a shard, the instances of one input, holds everything that is learned from the
 * input. Its state, with the position in the input, can move to another process.
 *
 *     slot       by number of an input: its shard, or NULL. The source's thread fills and empties
 *                slots. Other threads read only slots that batches name, or hold `mu`
 *     instance   instance[node->index] of each stage; its `node` is NULL if the stage has no shards
 *     bytes      the shard as a snapshot (store/snapshot.h, checkpoint 0), from the last checkpoint
 *                that is over or is being committed
 *
 * A stage's own instance, which belongs to no shard, runs for batches without an input, and at the
 * end of the stream. It counts the records of all shards. To answer a query, the host merges all
 * living shards into it.
 *
 * The end of a shard. When the source marks a shard as ended, batches of it may still be under way,
 * or the source may be filling one. Each worker closes its instances at the first barrier sent
 * after the end, and the last worker frees the slot. So a number never means two shards at once,
 * and a checkpoint whose barrier was sent before the end has the state that belongs to its
 * position. Records that the shard's stages still hold (open windows) are not emitted then: they
 * are part of the state, and continue in another process. If the source itself ends, they are
 * emitted for each living shard, in the order of names (exec/worker/expand.c). The state saved
 * after that does not contain them.
 *
 * A source without `durable` only shows states (plan.shows_states): no batch belongs to an input.
 * Then a shard has no instances. It holds the states of its learners as bytes, and `spare` has the
 * instances in which a new state is restored to check it.
 *
 * Locks: `mu` guards `slot` and `spare`. It also guards saved states and `bytes`, which the
 * checkpoint thread and other threads use. */
#ifndef LEAT_HOST_CHECKPOINT_SHARDS_H
#define LEAT_HOST_CHECKPOINT_SHARDS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "host/exec/instance/instance.h"
#include "instance_state.h"
#include "host/metrics/progressive.h"

struct worker;

/* State of a learner in a shard without instances. */
struct shard_held {
    struct instance_state state;
    uint64_t examples;
};

/* Tells whether a shard has begun, ended or changed since the last merge. */
struct shards_version {
    uint64_t generation, changes;
};

struct shard {
    char *name;
    struct progressive_table table; /* table for this shard only; never printed */
    bool used;                      /* batches of the shard were sent, or one is being filled */
    bool ended;
    uint64_t ended_at; /* number of the last barrier sent before the end */
    uint32_t left;     /* number of workers that have closed their instances */
    char *bytes;
    size_t n_bytes, cap;
    /* For the section `splits` (shards_splits.h): splits of the model with which the shard began,
     * the examples of that model, and the text of the section. */
    json_t *carried;
    uint64_t examples_before;
    char *splits;
    struct shard_held *held;    /* held[node->index] of each learner; NULL: it has instances */
    struct instance instance[]; /* instance[node->index] */
};

struct shards {
    struct run *run;
    uint32_t n; /* number of slots; 0: the pipeline has no shards, and no other member is set */
    struct shard **slot;
    struct shard **living; /* space for all shards, to sort them before a merge */
    /* entered[index of a worker]: input whose shard the worker's steps belong to; BATCH_NO_INPUT if
     * they are the stages' own instances. Each worker writes only its own element. */
    uint32_t *entered;
    struct shard *spare;             /* NULL: shards have instances */
    uint64_t generation;             /* grows when a shard begins or ends */
    struct shards_version *gathered; /* of each learner's last merge, by node->index */
    const char *fingerprint;
    pthread_mutex_t mu;
    struct instance_state scratch; /* buffer for the state of a shard that is being merged */
};

/* Sets up the shards of an open run whose plan has them, and run.shard_hooks, by which workers and
 * host services reach them. Makes a first shard to find a model that cannot merge before the first
 * record is read. Returns LEAT_OK, or the status with which the run failed. */
int shards_open(struct shards *s, struct run *r);
void shards_close(struct shards *s);

/* Saves the states of this worker's instances in all shards that have changed. Call it on the
 * worker's thread, at the checkpoint's barrier. */
void shards_save(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Closes this worker's instances of shards that ended before the barrier. Call it after
 * shards_save. */
void shards_let_go(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Packs the shards that have changed into `bytes`. Call it on the checkpoint thread, after all
 * workers have handed in. Returns LEAT_OK, or the status with which the run failed. */
int shards_pack(struct shards *s, uint64_t checkpoint);

#endif
