/* outcome.h -- the output of `leat run` at its end. */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_OUTCOME_H
#define LEAT_PROGRAM_CLI_OUTCOME_OUTCOME_H

#include <stdio.h>

#include "host/exec/run.h"
#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

/* ---- the answer of a run that compares learners ----
 *
 * A table, best learner first, and a sentence on each difference (comparison.h). */

/* Prints the figures in the format of the option `figures`; nothing for FIGURES_NONE. A table has
 * the figures that fit in 80 columns, and explains a missing one. Other formats have all of them,
 * one row a learner. Call it after run_join. */
void figures_table_print(const struct run *r, FILE *out);

/* ---- figures of stages in the words of a script ---- */

/* ---- the question of a run ---- */

/* Returns "Outliers: ms > 500: 1,271 of 2,940 records": the pipeline's option `asked`, and counts
 * of this run. The counts come from its option `counted`; else from its only stage that counts
 * labels; else from the labels of its first learner. Returns `asked` alone without counts; NULL
 * without `asked`. Call it when the threads have ended. */
const char *asked_text(const struct run *r, struct arena *a);

/* Prints that text on standard error, if it has more than `asked`. */
void asked_text_tell(const struct run *r);

/* ---- faults of learners ---- */

/* Warns of labels that teach a learner nothing, of weights that are all 0, and of predictions that
 * are worse than a constant. Advises parameters that the learner has. Learners in no order count
 * but do not predict. Call it after run_join, before run_close. */
void learner_faults_warn(const struct run *r);

/* ---- lost records ---- */

/* Warns of each stage that let no record pass, of records that no branch of a route took, and of
 * branches that took none. Call it after run_join, before run_close. */
void lost_records_warn(const struct run *r);

/* ---- answers that show nothing, or only evidence against label +1 ---- */

/* Warns of each question of the run with such a last answer: the condition that no feature meets,
 * and how far the best one is from it. Passes over learners that warn themselves. Call it after
 * run_join, before run_close. */
void no_answer_warn(const struct run *r);

/* ---- advice after a run ---- */

/* Prints at most one line on standard error: about rejected records that were not kept, a budget
 * that a warning advises to raise, or a lost model. Prints only on a terminal and without --quiet.
 * Call it when the threads have ended and the run has not failed. */
void next_step_tell(const struct run *r, const struct command_line *c);

#endif
