/* expand.h -- stages that make other records of those that come: a worker's first step, if it has
 * leat_stage.expand.
 *
 *     in  [r0 r1 r2 r3]  --expand-->  out [a b c d] more,  out [e f] --> the other steps
 *
 * Each batch that comes makes at least one, so that those after it get answers and ticks, and
 * merges know when its turn is over (hbatch.more). It stays until the last that was made of it is
 * given back: its dead letters and theirs are written together, in the order of its records.
 * The source's last batch, which is empty, tells the stage that nothing comes any more.
 *
 * Where each input has a state (shard_plan.h), the records of a batch are those of one input, and
 * so are those that are made of them, at once or later: `out` has the input of `in`, and so finds
 * the same shard in the workers after this one. Answers are of all inputs: records that are made of
 * them have none. A batch without an input finds the stage's own instance, which keeps nothing.
 * The last batch is the end of every input: the stage gives what each of its instances has kept,
 * one after the other, and only then the last of all.
 *
 *     in  last, no input  -->  out [a b] input 3 more,  out [c] input 0 more,  out [] last
 *
 * Nothing ends where another run goes on: one that is stopped (its snapshot, or the states of its
 * inputs, have what was kept), and a source that only shows states (no leat_stage.durable). */
#ifndef LEAT_HOST_EXEC_WORKER_EXPAND_H
#define LEAT_HOST_EXEC_WORKER_EXPAND_H

#include "worker.h"

/* `in` has come: the first step gets the answer to its question, if that came with it. */
void expand_begin(struct worker *w, struct hbatch *in);
/* The next batch that the first step makes of `in`; *more: others follow. It is the worker's to run
 * and to deliver. */
struct hbatch *expand_next(struct worker *w, struct hbatch *in, bool *more);
/* All are delivered: `in` is at its end. */
void expand_end(struct worker *w, struct hbatch *in);

#endif
