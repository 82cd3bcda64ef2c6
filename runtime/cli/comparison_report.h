/* comparison_report.h -- compares in pairs (compare.h) the learners of a run that saw the same
 * examples: as lines at the end of the run, and in the summary. */
#ifndef LEAT_CLI_COMPARISON_REPORT_H
#define LEAT_CLI_COMPARISON_REPORT_H

#include <jansson.h>

#include "exec/run.h"

/* Prints the best learner against each of the others, by error rate or RMSE. After run_join. */
void comparison_report_lines(const struct run *r);

/* All pairs by all measures: [{"a", "b", "measure", "difference", "low", "high", "better"}], where
 * difference is a's value minus b's, and better is null if no difference is shown. NULL: no
 * pairs. */
json_t *comparison_report_json(const struct run *r);

#endif
