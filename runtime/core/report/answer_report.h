/* answer_report.h -- reports on a learner's answer: their head, and the report of the heaviest
 * features as sink.top and `leat model top` write it. */
#ifndef LEAT_CORE_REPORT_ANSWER_REPORT_H
#define LEAT_CORE_REPORT_ANSWER_REPORT_H

#include <leat/query.h>

#include "report.h"

/* The head's values:
 *   learner    id of the learner
 *   examples   how many it has learned
 *   time       the latest event time of what it has learned; only where its records have event
 *              times (timed)
 *   seconds    since the start of the run; only in tables, and not for the last answer, so that
 *              equal runs write equal bytes
 *   last       whether this is the learner's last answer; only in JSON */
enum { ANSWER_LEARNER, ANSWER_EXAMPLES, ANSWER_TIME, ANSWER_SECONDS, ANSWER_LAST, ANSWER_HEAD };

void answer_report_head(struct report_head *h, const struct leat_table *t, bool timed);

/* Above this ratio of high to low a range is called wide. */
#define ANSWER_WIDE 1.3

/* The column that says how many such rows luck alone would make; above ANSWER_CHANCE a row may be
 * no more than that. */
#define ANSWER_LUCK   "luck"
#define ANSWER_CHANCE 0.05

/* Which of the learner's columns are shown, "name" or "name=heading"; n 0: all. */
struct answer_columns {
    const char *const *name;
    uint32_t n;
};

/* The rows of an answer: rank, feature, the names of its twins, and the learner's columns. */
struct answer_list {
    struct report_list list; /* its `of` is this struct, which stays where it is */
    const struct leat_table *t;
    struct report_column column[REPORT_MAX_COLUMNS];
    uint32_t at[REPORT_MAX_COLUMNS]; /* the answer's column of each */
    bool ranged[REPORT_MAX_COLUMNS]; /* the next two columns are its low and its high end */
};

/* Is there such a row? */
bool answer_report_may_be_luck(const struct leat_table *t);

void answer_report_list(struct answer_list *l, const struct leat_table *t,
                        struct answer_columns shown);

/* Writes a whole report: the head above and one list of rank, feature and the learner's columns,
 * `top` in JSON. Columns whose names begin with "support", and "covered", are shares. Where there
 * are x, x_low and x_high, x in a table is the range of these two. A
 * learner that has a column "twins", the number of features of the same records, has their names in
 * a column "also". */
void answer_report_top(struct report *r, const struct leat_table *t, bool timed,
                       struct answer_columns shown);
/* The names of n columns that can be shown: those but the ends of ranges. Returns how many. */
uint32_t answer_report_names(const char *const *column, uint32_t n, const char **name);
/* Indexes of those of n columns that are shown, with the ends of their ranges: at most `max`.
 * Returns how many. */
uint32_t answer_report_chosen(const char *const *column, uint32_t n, struct answer_columns shown,
                              uint32_t *at, uint32_t max);
/* Is that the column of this name? Without the heading. */
bool answer_report_is(const char *shown, const char *name);
/* Index of the column with that name; n_columns: none. */
uint32_t answer_report_column(const struct leat_table *t, const char *name);
/* The first of the names that is no column of the answer; NULL: all are. */
const char *answer_report_unknown(const struct leat_table *t, struct answer_columns shown);
/* The parameter of the first condition of the question that the answer cannot keep, as its learner
 * does not count features or knows no sign; NULL if it keeps all. */
const char *answer_report_unmet(const struct leat_table *t, const struct leat_ask *want);
/* The message of it, after the parameter and the learner: "%s: %s " ANSWER_UNMET */
#define ANSWER_UNMET                                                                               \
    "does not know this of its features: leave it out, or let a learner count them by label "      \
    "(counts = true, or learn.contrast)"
/* The columns that can be named, separated by commas; n: at least ANSWER_COLUMNS. */
enum { ANSWER_COLUMNS = 1024 };
void answer_report_columns(const struct leat_table *t, char *text, size_t n);

#endif
