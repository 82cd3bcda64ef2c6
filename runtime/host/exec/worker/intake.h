/* intake.h -- what a worker takes from its rings, and in which order.
 *
 * Lanes are collected in turn, as they were dealt. A merge takes all copies of a batch of the
 * source whose next batch begins at the smallest share of its input, so that long and short streams
 * end together; if the length of some source is not known (run.paced), sources take turns. The
 * order of the copies, and why waiting for them ends, is in merge_turns.h.
 *
 * Barriers are aligned: an input on which the barrier of a checkpoint has come is not taken from
 * until the barrier has come on all others, or these have ended. A source passes a barrier between
 * two batches, so a merge never meets one within a turn.
 *
 *     input 0   b b b | . .        taken up to its barrier |, then it waits
 *     input 1   b b b b b |        taken until its barrier has come, too
 *     output    b b b b b b b b |  one barrier after all batches before it
 */
#ifndef LEAT_HOST_EXEC_WORKER_INTAKE_H
#define LEAT_HOST_EXEC_WORKER_INTAKE_H

#include "worker.h"

/* The next batch; w->barrier, with the number of the checkpoint, when the barrier has come on all
 * inputs that have not ended; NULL when all have ended. Answers that came with an end are put into
 * w->end. On the worker's thread. */
struct hbatch *intake_next(struct worker *w);
/* The barrier was passed on: the inputs that waited are taken from again. */
void intake_continue(struct worker *w);

#endif
