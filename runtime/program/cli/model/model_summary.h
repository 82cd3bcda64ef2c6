/* model_summary.h -- a snapshot as the summary of its run (summary.h), as far as it has that. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_SUMMARY_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_SUMMARY_H

#include "model.h"

/* What is not in a snapshot is missing: inputs, command, plan, rejected records. Instead there are
 * "file", "saved" (when), and of each stage "state_bytes". A learner that cannot be
 * asked has "error" in place of its answer; that is said on standard error, too. */
json_t *model_summary(struct model *m);

#endif
