/* outcome.h -- the text that `leat run` prints at its end. */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_OUTCOME_H
#define LEAT_PROGRAM_CLI_OUTCOME_OUTCOME_H

#include <jansson.h>
#include <stdio.h>

#include "host/exec/run.h"
#include "host/memory/arena.h"
#include "program/cli/command_line/command_line.h"

/* ---- the comparison of learners ----
 *
 * A table, best learner first, and sentences about differences (comparison.h). */

/* Prints the figures in the format of the script's option `figures`; nothing for FIGURES_NONE. A
 * table has the figures that fit in 80 columns, and the reason for each missing figure. Other
 * formats have one row for each learner, with all figures. Call it after run_join(). */
void figures_table_print(const struct run *r, FILE *out);

/* ---- the question that a run answers, and the answer, in sentences of the script ---- */

/* Returns the script's option `counted` with the figures of this run: "1,271 of 2,940 records (43.2
 * %) have ms > 500". Without that option, or without its figures, returns the option `asked`,
 * followed by counts: "Outliers: ms > 500: 1,271 of 2,940 records". The counts come from the only
 * stage that counts labels, otherwise from the labels of the first learner. Returns `asked` alone
 * if there are no counts; NULL if the script has no such options. Call it when the threads have
 * ended. */
const char *asked_text(const struct run *r, struct arena *a);

/* Returns the script's option `answered` with figures of the first answer and of the stages:
 * "host=h2 has a rate of 61.5 %". `summary` has the members answers and stages (summary.h). Returns
 * NULL if the run failed, or if the script has no such option or none of its figures. */
const char *answered_text(const struct run *r, const json_t *summary, struct arena *a);

/* ---- faults of learners ---- */

/* Warns of labels from which a learner cannot learn, of models whose weights are all 0, and of
 * predictions that are worse than a constant. Recommends parameters that the learner has. Skips the
 * predictions of learners that take records in any order. Call it after run_join() and before
 * run_close(). */
void learner_faults_warn(const struct run *r);

/* Warns, once, of a file whose order misleads a learner that learns in order: its labels are like
 * those before, or a heavy feature comes in one block of records (host/metrics/order.h). Recommends
 * the parameter shuffle. Skips other sources, and learners whose labels come in long runs, because
 * learner_faults_warn() warns of these. Call it after run_join() and before run_close(). */
void in_order_warn(const struct run *r);

/* ---- lost records ---- */

/* Warns of stages that let no record pass, of records that matched no branch of a route, and of
 * branches that received no record. Call it after run_join() and before run_close(). */
void lost_records_warn(const struct run *r);

/* ---- answers without rows, or with evidence against label +1 only ---- */

/* Warns of each query of the run whose last answer has no useful rows. Names the condition (such as
 * min_count) that no feature meets, and the best feature's value. Skips learners that print such a
 * warning themselves. Call it after run_join() and before run_close(). */
void no_answer_warn(const struct run *r);

/* ---- advice after a run ---- */

/* Prints at most one line of advice on standard error: keep rejected records, raise a budget, or
 * save the model. Prints it only on a terminal and without --quiet. Call it when the threads have
 * ended and the run has not failed. */
void next_step_tell(const struct run *r, const struct command_line *c);

#endif
