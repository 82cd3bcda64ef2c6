/* comparison.h -- compares pairs of learners that saw the same examples in a run (compare.h). */
#ifndef LEAT_PROGRAM_CLI_OUTCOME_COMPARISON_H
#define LEAT_PROGRAM_CLI_OUTCOME_COMPARISON_H

#include <jansson.h>
#include <stdbool.h>

#include "host/exec/run.h"

/* True if learners that predict log odds are ranked by log loss (figure_ranks_by_loss). */
bool comparison_report_by_loss(const struct run *r);
/* Returns the figure by which a learner is ranked: its error rate or RMSE. If `by_loss`, learners
 * that predict log odds are ranked by log loss. Returns NaN if no prediction was measured. */
double comparison_report_error(const struct progressive *p, bool by_loss);

/* comparison_report_model_bytes() returns the bytes that the learner reports for its model; NaN if
 * it reports none. comparison_report_total_bytes() returns all the bytes that it uses, with index,
 * names and scratch memory. */
double comparison_report_model_bytes(const struct instance *learner);
double comparison_report_total_bytes(const struct instance *learner);

/* Calls `say` with sentences that compare learners by the ranking figure and by memory. They
 * compare the best learner with each other one, and name neighbours in the ranking that do not
 * differ significantly. They mention pairs whose memory differs by a factor of 100. Call it after
 * run_join(). */
void comparison_report_sentences(const struct run *r, void (*say)(void *to, const char *text),
                                 void *to);

/* Returns all pairs by all measures: [{"a", "b", "measure", "difference", "low", "high",
 * "better"}]. "difference" is a's value minus b's. "better" is null if the difference is not
 * significant. Returns NULL if there are no pairs. */
json_t *comparison_report_json(const struct run *r);

#endif
