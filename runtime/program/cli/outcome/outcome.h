/* outcome.h -- what `leat run` prints at its end. */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_OUTCOME_H
#define LEAT_PROGRAM_CLI_OUTCOME_OUTCOME_H

#include <stdio.h>

#include "host/exec/run.h"
#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

/* The answer of a run that compares learners: one table, best first, and a
 * sentence on each difference (comparison_report.h). */

/* Prints what the option `figures` asks for; nothing for FIGURES_NONE. A table has those figures
 * that 80 columns hold, and says why one is missing; the other formats have them all, a row a
 * learner. After run_join. */
void figures_table_print(const struct run *r, FILE *out);

/* ---- figures of stages in the words that a script has for them ---- */

/* ---- what a run was asked ---- */

/* "Outliers: ms > 500: 1,271 of 2,940 records": the pipeline's option `asked`, and what was counted
 * in this run: as its option `counted` says, else by its only stage that counts labels, else by the
 * labels of its first learner. Without any of these `asked` alone; NULL without `asked`. The
 * threads have ended. */
const char *asked_text(const struct run *r, struct arena *a);

/* Prints it on standard error, if it says more than `asked` does. */
void asked_text_tell(const struct run *r);

/* ---- what a run has to say against its learners at the end ---- */

/* Warns of labels from which no learner learns what is meant, of weights that are all 0, and of
 * predictions that are worse than a constant, with what may help: of its parameters those that the
 * learner has. What learns in no order counts, and does not predict. After run_join, before
 * run_close. */
void learner_faults_warn(const struct run *r);

/* ---- records that went nowhere ---- */

/* Warns of each stage that let no record pass, of records that no branch of a route took, and of
 * branches that took none. After run_join, before run_close. */
void lost_records_warn(const struct run *r);

/* Why a learner's last answer shows nothing, or only what speaks against
 * label +1. */

/* Warns of each question of the run whose last answer is so, with the condition that no feature
 * meets and how far the best one is from it. Learners that say it themselves are left out. After
 * run_join, before run_close. */
void no_answer_warn(const struct run *r);

/* ---- what is most worth doing after a run ---- */

/* One line on standard error, or none: rejected records that nothing kept, a budget that a warning
 * asked to raise, a model that is gone. Only where a person looks: on a terminal, and not with
 * --quiet. The threads have ended, and the run has not failed. */
void next_step_tell(const struct run *r, const struct command_line *c);

#endif
