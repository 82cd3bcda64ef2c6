/* comparison.h -- the learners of a run that saw the same examples, in pairs (compare.h): in
 * sentences at the end of the run, and in the summary. */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_COMPARISON_H
#define LEAT_PROGRAM_CLI_OUTCOME_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>

#include "host/exec/run.h"

/* Are log odds ranked by their log loss (figure_ranks_by_loss)? */
bool comparison_report_by_loss(const struct run *r);
/* The figure that the learner is ranked by: its error rate, its RMSE, or the log loss of log odds
 * where they go by it; NaN if it has measured nothing. */
double comparison_report_error(const struct progressive *p, bool by_loss);

/* The bytes of a learner's model, as it reports them (NaN if it does not), and all that it uses:
 * its index, names and scratch too. */
double comparison_report_model_bytes(const struct instance *learner);
double comparison_report_total_bytes(const struct instance *learner);

/* Says, a sentence a call, how the best learner differs from each of the others by what they are
 * ranked by; which neighbours in that order show no difference; and where one of two that are
 * compared takes 100 times the memory of the other. After run_join. */
void comparison_report_sentences(const struct run *r, void (*say)(void *to, const char *text),
                                 void *to);

/* All pairs by all measures: [{"a", "b", "measure", "difference", "low", "high", "better"}], where
 * difference is a's value minus b's, and better is null if no difference is shown. NULL: no
 * pairs. */
json_t *comparison_report_json(const struct run *r);

#endif
