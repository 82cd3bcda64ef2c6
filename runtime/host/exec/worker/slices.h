/* slices.h -- a learner of a run that others ask (visits_expect) learns a batch in slices, so that
 * nobody waits for the end of a slow batch.
 *
 * A slice is what the learner learns in about SLICE_NS, as its last slices went; it ends between
 * two records. To the learner it is a batch of which fewer records are selected, and what it
 * learns does not depend on batches (laws batch-sizes and slices), so a run that is watched learns
 * the same as one that is not. Figures of what was predicted are those of whole batches.
 */
#ifndef LEAT_HOST_EXEC_WORKER_SLICES_H
#define LEAT_HOST_EXEC_WORKER_SLICES_H

#include "worker.h"

/* Calls the learner's process on the batch, and answers between two slices. What process returned.
 */
int slices_process(struct worker *w, struct instance *learner, struct hbatch *h);

#endif
