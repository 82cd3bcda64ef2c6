/* reject_ratio.h -- too many rejected records end a run (max_reject_ratio). */
#ifndef LEAT_HOST_EXEC_REJECTS_REJECT_RATIO_H
#define LEAT_HOST_EXEC_REJECTS_REJECT_RATIO_H

#include "rejects.h"

/* Fails the run if too many were rejected: of the whole run, or of the last 10,000 or more, so that
 * a stream that turns bad late ends as soon. Counts only records that have left the pipeline, so
 * that it does not matter how far ahead the source is. Under r->mu. */
void reject_ratio_check(struct rejects *r, enum rejects_of k);

#endif
