/* pieces.h -- pieces of a batch: it is cut where answers of a learner are due.
 *
 * Answers that repeat by examples or by event time come at exactly their records, wherever batches
 * end. If an answer is due within a batch, the learner gets the batch in pieces. Each piece but the
 * last ends at a record after which an answer may be due. The rest of the worker's steps, and all
 * later workers, get each piece as a batch of its own.
 *
 *   h      r0 r1 r2 r3 r4 r5 r6 r7      an answer is due with r2 and with r5
 *   pieces [r0 r1 r2] answer  [r3 r4 r5] answer  [r6 r7]
 *
 * A piece borrows from h, as a branch of a fork does, and selects its records. It is taken from a
 * pool of the segment (plan.h). A batch within which no answer is due passes as it is, so it costs
 * nothing. A batch whose examples are not in the order of its records is not cut. The last batch of
 * the stream ends with a piece without records, which carries the last answers.
 */
#ifndef LEAT_HOST_EXEC_WORKER_PIECES_H
#define LEAT_HOST_EXEC_WORKER_PIECES_H

#include "worker.h"

/* Calls the learner that cuts batches on the next piece of h, and queries it. Returns the piece; h
 * if the whole batch is one piece. Sets *more if there are more. Gives h back after its last piece.
 * `s`: slice_begin(&h->b). */
struct hbatch *pieces_next(struct worker *w, struct hbatch *h, struct slicing *s, bool *more);

#endif
