/* hooks.h -- the functions of checkpoints and shards that workers and the host's services call.
 *
 * exec/ knows neither: the room checkpoint/, which lies above, puts a table of functions and a
 * pointer of its own into struct run before the threads start. Where a run has no checkpoints, or
 * no shards, the table is NULL. Functions of a worker are called on its thread.
 */
#ifndef LEAT_HOST_EXEC_HOOKS_H
#define LEAT_HOST_EXEC_HOOKS_H

#include <stddef.h>
#include <stdint.h>

struct instance;
struct run;
struct worker;

/* At barriers, and at the end of a worker (checkpoint/checkpoint.h). */
struct checkpoint_hooks {
    /* Source, before each batch: the checkpoint whose barrier it passes now, and then it asks
     * again; 0: the batch may begin. Blocks while the source is far ahead of others. */
    uint64_t (*next_barrier)(struct worker *source);
    /* Source, once, after all records but those that may still grow, and before the stages that
     * make other records hear of the end: the checkpoint that a later run continues from, whose
     * barrier it passes now; 0: there is none, and what is given from here on counts. */
    uint64_t (*end_barrier)(struct worker *source);
    /* The barrier is at this worker: save the states of its stages as they are now. */
    void (*hand_in)(struct worker *w, uint64_t checkpoint);
    /* The worker has sent the barrier on: if it has the sink that commits, it waits and commits. */
    void (*commit)(struct worker *w);
    /* The worker's inputs have ended: save the states for the last time. */
    void (*hand_in_last)(struct worker *w);
    /* The worker has sent its end on: if it has the sink that commits, it commits the checkpoints
     * of the other workers until they have ended. */
    void (*commit_rest)(struct worker *w);
    /* Any thread: the next checkpoint is due now. */
    void (*request)(struct run *r);
    /* Any thread: wakes workers that wait for a checkpoint, so that they look whether they are
     * asked (flow/idle.h). */
    void (*stir)(struct run *r);
    /* Any thread: the run is asked to end from now on. */
    void (*stopping)(struct run *r);
};

/* A model for each input (checkpoint/shards.h). */
struct shard_hooks {
    /* A batch of this input comes: the instances of its shard take their places in worker.step. */
    void (*enter)(struct worker *w, uint32_t input);
    /* The stages' own instances take their places again. */
    void (*leave)(struct worker *w);
    /* The worker ends: its instances of all shards are stopped. */
    void (*stop)(struct worker *w);
    /* At the end of the stream: the living shard that comes after that of input `after`
     * (BATCH_NO_INPUT: the first), by their names. Its input; BATCH_NO_INPUT: there is none. */
    uint32_t (*next)(struct run *r, uint32_t after);
    /* Make a learner's own instance the merge of its shards; other stages stay as they are.
     * LEAT_OK, or a failure that the run reports; it is halted then. */
    int (*gather)(struct instance *own);
    /* Examples that all shards of a learner have learned. */
    uint64_t (*examples)(const struct instance *own);
    /* The services of the same names in struct leat_host. */
    int (*begin)(struct run *r, const char *name, const void *state, size_t n, uint32_t *input);
    void (*state)(struct run *r, uint32_t input, const void **state, size_t *n);
    void (*end)(struct run *r, uint32_t input);
};

#endif
