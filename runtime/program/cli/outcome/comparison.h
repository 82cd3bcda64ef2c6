/* comparison.h -- compares learners of a run that saw the same examples, in pairs (compare.h). */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_COMPARISON_H
#define LEAT_PROGRAM_CLI_OUTCOME_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>

#include "host/exec/run.h"

/* True if learners of log odds are ranked by their log loss (figure_ranks_by_loss). */
bool comparison_report_by_loss(const struct run *r);
/* Returns the figure that ranks the learner: its error rate, its RMSE, or with `by_loss` the log
 * loss of log odds; NaN if it has measured nothing. */
double comparison_report_error(const struct progressive *p, bool by_loss);

/* Return the bytes of a learner's model, by its own report (NaN without one); and all the bytes
 * that it uses, with index, names and scratch. */
double comparison_report_model_bytes(const struct instance *learner);
double comparison_report_total_bytes(const struct instance *learner);

/* Passes sentences to `say`: how the best learner differs from each other one in the ranking
 * figure; which neighbours in that order show no difference; and whether one of a pair takes 100
 * times the memory of the other. Call it after run_join. */
void comparison_report_sentences(const struct run *r, void (*say)(void *to, const char *text),
                                 void *to);

/* Returns all pairs by all measures: [{"a", "b", "measure", "difference", "low", "high",
 * "better"}]. "difference" is a's value minus b's; "better" is null if no difference is shown. NULL
 * if there are no pairs. */
json_t *comparison_report_json(const struct run *r);

#endif
