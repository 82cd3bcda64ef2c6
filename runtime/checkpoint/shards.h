/* shards.h -- a model for each input: what stages keep of the stream, kept apart by where it came
 * from.
 *
 * A source whose plan says `shards` gives out inputs (plugin.h). For each of them there is an
 * instance of every stage that keeps something, and the batches of an input go through those. So a
 * shard is all that was learned of one input, and its state, with the place in the input, can move
 * to another process.
 *
 *   place      a shard for each number of an input, or NULL. The source's thread fills and empties
 *              it; others only read of it what batches name, or hold `mu`
 *   instance   of a shard, by node; node NULL where the stage has no shards
 *   bytes      the shard as a snapshot (snapshot.h, checkpoint 0) of the last checkpoint that is over, or is
 *              being committed
 *
 * The stages' own instances stand in their steps' places where there is no input (the end of the
 * stream), count for all shards, and hold the merge of all living shards where somebody wants an
 * answer: shards_gather makes it.
 *
 * The end of a shard: batches of it may be on their way. The source marks it; each worker lets its
 * instances go with the first barrier that was sent after that, and the last one gives the place
 * back. So a number never means two shards at once.
 *
 * Locks: `mu` over `place`, and over saved states and bytes between the checkpoints' thread and
 * others.
 */
#ifndef LEAT_CHECKPOINT_SHARDS_H
#define LEAT_CHECKPOINT_SHARDS_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "exec/instance.h"
#include "metrics/progressive.h"
#include "instance_state.h"

struct diag;
struct graph;
struct plan;
struct worker;

#define SHARD_NONE UINT32_MAX

struct shard {
    char *name;
    struct progressive_table table; /* of its own, and never printed */
    int used;                       /* batches of it were sent   */
    int ended;
    uint64_t ended_at; /* the last barrier sent before that */
    uint32_t left;     /* workers that have let it go       */
    char *bytes;
    size_t n_bytes, cap;
    struct instance instance[]; /* by node */
};

struct shards {
    struct run *run;
    uint32_t n; /* places; 0: the pipeline has no shards, and nothing else here is set */
    struct shard **place;
    struct shard **living; /* room for all of them, in the order of their merge */
    const char *fingerprint;
    pthread_mutex_t mu;
    struct instance_state scratch; /* of a shard, on its way into a merge */
};

/* How many shards, and what they take; what cannot have any goes to d. */
void shards_plan(struct plan *p, struct graph *g, struct diag *d);

int shards_open(struct shards *s, struct run *r);
void shards_close(struct shards *s);

/* ---- the source's thread, and shards_state also the committing sink's; as in struct leat_host
 * ----
 */

int shards_begin(struct shards *s, const char *name, const void *state, size_t n, uint32_t *input);
void shards_state(struct shards *s, uint32_t input, const void **state, size_t *n);
void shards_end(struct shards *s, uint32_t input);

/* ---- workers ---- */

/* A batch of this input comes: its instances take the steps' places. */
void shards_enter(struct shards *s, struct worker *w, uint32_t input);
/* The end of the stream: the stages' own do. */
void shards_leave(struct shards *s, struct worker *w);
/* At a barrier: save what has changed of the worker's stages; then let go what has ended. */
void shards_save(struct shards *s, struct worker *w);
void shards_let_go(struct shards *s, struct worker *w, uint64_t checkpoint);
/* Make the stage's own instance the merge of all shards; of others than learners: nothing. LEAT_OK,
 * or a failure told to the run, which is halted. */
int shards_gather(struct shards *s, struct instance *whole);
/* Examples that all shards of a learner have learned. */
uint64_t shards_examples(struct shards *s, const struct node *n);

/* ---- the checkpoints' thread, all states being handed in ---- */

/* LEAT_OK, or a failure told to the run. */
int shards_pack(struct shards *s);

#endif
