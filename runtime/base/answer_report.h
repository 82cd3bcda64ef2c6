/* answer_report.h -- reports on a learner's answer: their head, and the report of the heaviest
 * features as sink.top and `leat model top` write it. */
#ifndef LEAT_BASE_ANSWER_REPORT_H
#define LEAT_BASE_ANSWER_REPORT_H

#include <leat/query.h>

#include "report.h"

/* The head's values:
 *   learner    id of the learner
 *   examples   how many it has learned
 *   seconds    since the start of the run; only in tables, and not for the last answer, so that
 *              equal runs write equal bytes
 *   last       whether this is the learner's last answer; only in JSON */
enum { ANSWER_LEARNER, ANSWER_EXAMPLES, ANSWER_SECONDS, ANSWER_LAST, ANSWER_HEAD };

void answer_report_head(struct report_head *h, const struct leat_table *t);

/* Writes a whole report: the head above and one list of rank, feature and the learner's columns,
 * `top` in JSON. Columns whose names begin with "support" are shares. */
void answer_report_top(struct report *r, const struct leat_table *t);

#endif
