/* learner_faults.h -- what a run has to say against its learners at the end. */
#ifndef LEAT_PROGRAM_CLI_ENDING_LEARNER_FAULTS_H
#define LEAT_PROGRAM_CLI_ENDING_LEARNER_FAULTS_H

#include "host/exec/run.h"

/* Warns of labels from which no learner learns what is meant, of weights that are all 0, and of
 * predictions that are worse than a constant, with what may help: of its parameters those that the
 * learner has. What learns in no order counts, and does not predict. After run_join, before
 * run_close. */
void learner_faults_warn(const struct run *r);

#endif
