/* answer_report.h -- reports on a learner's answer, as sink.top and `leat model top` write them. */
#ifndef LEAT_CORE_REPORT_ANSWER_REPORT_H
#define LEAT_CORE_REPORT_ANSWER_REPORT_H

#include <leat/query.h>

#include "report.h"

/* Values of the head:
 *     learner    id of the learner
 *     examples   number of examples learned
 *     time       latest event time learned; only if the records have event times (timed)
 *     seconds    since the start of the run; only in tables, and not for the last answer, so that
 *                equal runs write equal bytes
 *     last       whether this is the learner's last answer; only in JSON */
enum { ANSWER_LEARNER, ANSWER_EXAMPLES, ANSWER_TIME, ANSWER_SECONDS, ANSWER_LAST, ANSWER_HEAD };

void answer_report_head(struct report_head *h, const struct leat_table *t, bool timed);

/* Ratio of high to low above which a range is called wide. */
#define ANSWER_WIDE 1.3

/* Column with the number of such rows that luck alone would make. Above ANSWER_CHANCE a row may be
 * luck. */
#define ANSWER_LUCK   "luck"
#define ANSWER_CHANCE 0.05

/* The learner's columns to show, "name" or "name=heading"; n 0: all. */
struct answer_columns {
    const char *const *name;
    uint32_t n;
};

/* Rows of an answer: rank, feature, names of its twins, and the learner's columns. */
struct answer_list {
    struct report_list list; /* its `of` is this struct, which must not move */
    const struct leat_table *t;
    struct report_column column[REPORT_MAX_COLUMNS];
    uint32_t at[REPORT_MAX_COLUMNS]; /* index of each column in the answer */
    bool ranged[REPORT_MAX_COLUMNS]; /* the next two columns are the low and high ends */
};

/* True if some row may be luck. */
bool answer_report_may_be_luck(const struct leat_table *t);

void answer_report_list(struct answer_list *l, const struct leat_table *t,
                        struct answer_columns shown);

/* Writes a whole report: the head above and one list of rank, feature and the learner's columns,
 * named `top` in JSON. Columns whose names begin with "support", and "covered", are shares. If
 * there are x, x_low and x_high, a table shows x as the range of the other two. If the learner has
 * a column "twins" (the number of features of the same records), a column "also" has their
 * names. */
void answer_report_top(struct report *r, const struct leat_table *t, bool timed,
                       struct answer_columns shown);
/* Lists the names of n columns that can be shown: all but the ends of ranges. Returns their
 * number. */
uint32_t answer_report_names(const char *const *column, uint32_t n, const char **name);
/* Lists the indexes of the shown ones of n columns, with the ends of their ranges, at most `max`.
 * Returns their number. */
uint32_t answer_report_chosen(const char *const *column, uint32_t n, struct answer_columns shown,
                              uint32_t *at, uint32_t max);
/* True if `shown` without its heading is the column `name`. */
bool answer_report_is(const char *shown, const char *name);
/* Index of the column with this name; n_columns: none. */
uint32_t answer_report_column(const struct leat_table *t, const char *name);
/* Returns the first name that is not a column of the answer; NULL if all are. */
const char *answer_report_unknown(const struct leat_table *t, struct answer_columns shown);
/* Returns the parameter of the question's first condition that the answer cannot meet; NULL if it
 * meets all. The learner may not count features, or may know no sign. */
const char *answer_report_unmet(const struct leat_table *t, const struct leat_ask *want);
/* Message for that parameter, after parameter and learner: "%s: %s " ANSWER_UNMET */
#define ANSWER_UNMET                                                                               \
    "does not have this for its features: leave the parameter out, or use a learner that counts "  \
    "by label (counts = true, or learn.contrast)"
/* Lists the columns that can be named, separated by commas; n: at least ANSWER_COLUMNS. */
enum { ANSWER_COLUMNS = 1024 };
void answer_report_columns(const struct leat_table *t, char *text, size_t n);

#endif
