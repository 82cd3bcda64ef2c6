/* trace_score.h -- what a learner makes of a record, and why (trace.h). */
#ifndef LEAT_PROGRAM_CLI_TRACE_TRACE_SCORE_H
#define LEAT_PROGRAM_CLI_TRACE_TRACE_SCORE_H

#include <jansson.h>

#include "host/exec/run.h"

/* Calls the learner on record r of h, the only one that is selected, and adds `predictions` to the
 * step: of each example. Without `learns` it learns nothing. What the learner returns. */
int trace_score(struct instance *learner, struct hbatch *h, uint32_t r, bool learns, json_t *step);

#endif
