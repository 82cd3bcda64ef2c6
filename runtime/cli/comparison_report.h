/* comparison_report.h -- the learners of a run that saw the same examples, compared in pairs
 * (compare.h): as lines for people at the end, and in the summary. */
#ifndef LEAT_CLI_COMPARISON_REPORT_H
#define LEAT_CLI_COMPARISON_REPORT_H

#include <jansson.h>

#include "exec/run.h"

/* The best learner against each of the others, by error rate or RMSE. After run_join. */
void comparison_report_lines(const struct run *r);

/* Every pair, by each measure: [{"a", "b", "measure", "difference", "low", "high", "better"}],
 * where difference is a's figure less b's, and better is null where no difference is shown. NULL:
 * there is no pair. */
json_t *comparison_report_json(const struct run *r);

#endif
