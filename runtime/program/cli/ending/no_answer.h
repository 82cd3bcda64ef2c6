/* no_answer.h -- why a learner's last answer shows nothing, or only what speaks against
 * label +1. */
#ifndef LEAT_PROGRAM_CLI_ENDING_NO_ANSWER_H
#define LEAT_PROGRAM_CLI_ENDING_NO_ANSWER_H

#include "host/exec/run.h"

/* Warns of each question of the run whose last answer is so, with the condition that no feature
 * meets and how far the best one is from it. Learners that say it themselves are left out. After
 * run_join, before run_close. */
void no_answer_warn(const struct run *r);

#endif
