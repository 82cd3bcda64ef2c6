/* answer_report.h -- reports on a learner's answer: their head, and the report of the heaviest
 * features as sink.top and `leat model top` write it. */
#ifndef LEAT_BASE_ANSWER_REPORT_H
#define LEAT_BASE_ANSWER_REPORT_H

#include <leat/query.h>

#include "report.h"

/* learner, examples; in tables the seconds since the start, unless it is the last answer, so that
 * equal runs write equal bytes; in JSON whether it is the last one. */
enum { ANSWER_LEARNER, ANSWER_EXAMPLES, ANSWER_SECONDS, ANSWER_LAST, ANSWER_HEAD };

void answer_report_head(struct report_head *h, const struct leat_table *t);

/* rank, feature and the learner's columns, under `top` in JSON. Columns whose names begin with
 * "support" are shares. */
void answer_report_top(struct report *r, const struct leat_table *t);

#endif
