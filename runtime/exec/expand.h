/* expand.h -- stages that make other records of those that come: a worker's first step, if it has
 * leat_stage.expand.
 *
 *     in  [r0 r1 r2 r3]  --expand-->  out [a b c d] more,  out [e f] --> the other steps
 *
 * Each batch that comes makes at least one, so that those after it get answers and ticks, and
 * merges know when its turn is over (hbatch.more). It stays until the last that was made of it is
 * given back: its dead letters and theirs are written together, in the order of its records.
 * The source's last batch, which is empty, tells the stage that nothing comes any more. */
#ifndef LEAT_EXEC_EXPAND_H
#define LEAT_EXEC_EXPAND_H

#include "worker.h"

/* `in` has come: the first step gets the answer to its question, if that came with it. */
void expand_begin(struct worker *w, struct hbatch *in);
/* The next batch that the first step makes of `in`; *more: others follow. It is the worker's to run
 * and to deliver. */
struct hbatch *expand_next(struct worker *w, struct hbatch *in, bool *more);
/* All are delivered: `in` is at its end. */
void expand_end(struct worker *w, struct hbatch *in);

#endif
