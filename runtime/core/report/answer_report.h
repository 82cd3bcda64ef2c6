/* answer_report.h -- reports on a learner's answer, as sink.top and `leat model top` write them. */
#ifndef LEAT_CORE_REPORT_ANSWER_REPORT_H
#define LEAT_CORE_REPORT_ANSWER_REPORT_H

#include <leat/query.h>

#include "report.h"

/* Values of the head:
 *     learner    id of the learner
 *     examples   number of examples learned
 *     time       latest event time learned; only if the records have event times (`timed`)
 *     seconds    since the start of the run; only in tables, and not for the last answer, because
 *                two equal runs must write equal bytes
 *     last       true for the learner's last answer; only in JSON */
enum { ANSWER_LEARNER, ANSWER_EXAMPLES, ANSWER_TIME, ANSWER_SECONDS, ANSWER_LAST, ANSWER_HEAD };

void answer_report_head(struct report_head *h, const struct leat_table *t, bool timed);

/* A range is marked as wide if high / low exceeds this. */
#define ANSWER_WIDE 1.3

/* Name of a column of the answer. Its value for a row is the number of rows as strong as this row
 * that chance alone would produce. If the value exceeds ANSWER_CHANCE, the row may be a product of
 * chance. */
#define ANSWER_LUCK   "luck"
#define ANSWER_CHANCE 0.05

/* Columns of the learner's answer to show, each "name" or "name=heading". n 0: all columns. */
struct answer_columns {
    const char *const *name;
    uint32_t n;
};

/* Rows of an answer as a list for a report. Its columns are the rank, the feature, the names of the
 * feature's twins, and the learner's columns. Twins are features that occur in the same records. */
struct answer_list {
    struct report_list list; /* list.of points to this struct, so the struct must not move */
    const struct leat_table *t;
    struct report_column column[REPORT_MAX_COLUMNS];
    uint32_t at[REPORT_MAX_COLUMNS]; /* for each column of `list`: its index in the answer */
    bool ranged[REPORT_MAX_COLUMNS]; /* the column is a range; the next two are its ends   */
};

/* True if some row may be a product of chance (ANSWER_CHANCE). */
bool answer_report_may_be_luck(const struct leat_table *t);

void answer_report_list(struct answer_list *l, const struct leat_table *t,
                        struct answer_columns shown);

/* Writes a whole report: a head (ANSWER_HEAD) and one list of rank, feature and the learner's
 * columns. In JSON the list is named `top`. Rates and shares are shown in per cent. If the answer
 * has columns x, x_low and x_high, a table shows x as a range.
 * If it has a column "twins", the number of features of the same records, a column "also" has their
 * names. The head also has the number of `merged` models, unless that is 0. */
void answer_report_top(struct report *r, const struct leat_table *t, bool timed, uint64_t merged,
                       struct answer_columns shown);
#define ANSWER_MERGED "merged_models" /* name of that number, and of the figure of a learner */
/* Stores in `name` the columns that a user may choose: all n columns except the ends of ranges.
 * Returns their number. */
uint32_t answer_report_names(const char *const *column, uint32_t n, const char **name);
/* Stores in `at` the indexes of the columns that `shown` chooses, each with the ends of its range,
 * at most `max`. Returns their number. */
uint32_t answer_report_chosen(const char *const *column, uint32_t n, struct answer_columns shown,
                              uint32_t *at, uint32_t max);
/* True if `shown` ("name" or "name=heading") chooses the column `name`. */
bool answer_report_is(const char *shown, const char *name);
/* Returns the index of the column with this name; t->n_columns if there is none. */
uint32_t answer_report_column(const struct leat_table *t, const char *name);
/* Returns the first element of `shown` that is not a column of the answer; NULL if all are
 * columns. */
const char *answer_report_unknown(const struct leat_table *t, struct answer_columns shown);
/* Returns the name of the first parameter of the query that the learner could not heed, as its
 * answer shows; NULL if it heeded all. For instance, min_count needs a learner that counts
 * features. */
const char *answer_report_unmet(const struct leat_table *t, const struct leat_ask *want);
/* Message if answer_report_unmet() returns a parameter: its name, ": ", the learner, " ", this
 * text. */
#define ANSWER_UNMET                                                                               \
    "does not have this for its features: leave the parameter out, or use a learner that counts "  \
    "by label (counts = true, or learn.contrast)"
/* Writes the names of the columns that a user may choose, separated by commas. `n`, the size of
 * `text`, should be at least ANSWER_COLUMNS. */
enum { ANSWER_COLUMNS = 1024 };
void answer_report_columns(const struct leat_table *t, char *text, size_t n);

#endif
