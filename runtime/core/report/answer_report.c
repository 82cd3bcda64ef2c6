/* answer_report.c -- lays out a learner's answer for a report: columns, ranges, names of twins. */
#include "answer_report.h"

#include <math.h>
#include <stdio.h>

void answer_report_head(struct report_head *h, const struct leat_table *t, bool timed)
{
    static const struct report_column column[ANSWER_HEAD] = {
        [ANSWER_LEARNER] = {.name = "learner", .type = REPORT_WORD},
        [ANSWER_EXAMPLES] = {.name = "examples", .type = REPORT_COUNT, .heading = "examples"},
        [ANSWER_TIME] = {.name = "time", .type = REPORT_TIME, .heading = "until"},
        [ANSWER_SECONDS] = {.name = "seconds",
                            .type = REPORT_NUMBER,
                            .in = REPORT_IN_TABLE,
                            .heading = "s",
                            .decimals = 1},
        [ANSWER_LAST] = {.name = "last", .type = REPORT_FLAG, .in = REPORT_IN_JSONL}};
    const struct report_value value[ANSWER_HEAD] = {
        [ANSWER_LEARNER] = report_word(t->learner),
        [ANSWER_EXAMPLES] = report_count(t->examples),
        [ANSWER_TIME] = report_time(t->time),
        [ANSWER_SECONDS] = report_number(t->last ? (double)NAN : t->seconds),
        [ANSWER_LAST] = report_count(t->last)};
    h->n = 0;
    for (int i = 0; i < ANSWER_HEAD; i++)
        report_head_add(h, column[i], value[i]);
    if (!timed) h->column[ANSWER_TIME].in = REPORT_IN_NONE;
}

enum { RANK, FEATURE, ALSO, FIRST_VALUE };
enum { TEXTS = REPORT_IN_JSONL | REPORT_IN_CSV };
#define TWINS     "twins"
#define BASE_RATE "base_rate"

static double answer_report_value_at(const struct leat_table *t, uint32_t row, uint32_t column)
{
    return t->values[(size_t)row * t->n_columns + column];
}

/* Returns the first of two columns that the table has; NaN if it has none. */
static double answer_report_either(const struct leat_table *t, uint32_t row, const char *first,
                                   const char *second)
{
    uint32_t c = answer_report_column(t, first);
    if (c == t->n_columns) c = answer_report_column(t, second);
    return c < t->n_columns ? answer_report_value_at(t, row, c) : (double)NAN;
}

/* Removes an end of a quotient that rests on a count of 0: it would be infinite, or 0. For a ratio
 * of shares the counts are those of the two kinds. For a relative risk they are those of outliers
 * with the feature and without it. */
static void answer_report_open(const struct leat_table *t, uint32_t row, const char *name,
                               struct report_value *v)
{
    static const char outliers[] = "support_outliers", inliers[] = "support_inliers";
    bool ratio = !strcmp(name, "ratio");
    if (!ratio && strcmp(name, "relative_risk") != 0) return;
    bool none = answer_report_either(t, row, "support_outliers_low", outliers) == 0;
    bool all = ratio ? answer_report_either(t, row, "support_inliers_low", inliers) == 0
                     : answer_report_either(t, row, "support_outliers_high", outliers) == 1;
    if (none == all) return;
    if (!v->ranged) v->low = v->high = v->number;
    v->ranged = true;
    if (all)
        v->high = (double)INFINITY;
    else
        v->low = -(double)INFINITY;
}

static struct report_value answer_report_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct answer_list *top = of;
    const struct leat_table *t = top->t;
    if (column == RANK) return report_count(row + 1ull);
    if (column == FEATURE) return report_text(t->names[row], t->name_len[row]);
    if (column == ALSO) return report_word(t->also ? t->also[row] : "");
    uint32_t at = top->at[column];
    struct report_value v = report_number(answer_report_value_at(t, row, at));
    v.ranged = top->ranged[column];
    if (v.ranged) {
        v.low = answer_report_value_at(t, row, at + 1);
        v.high = answer_report_value_at(t, row, at + 2);
        v.wide = v.high > ANSWER_WIDE * v.low;
    }
    answer_report_open(t, row, t->columns[at], &v);
    return v;
}

/* True if `column` is `base` with the suffix `end`. */
static bool answer_report_is_end(const char *base, const char *column, const char *end)
{
    size_t n = strlen(base);
    return !strncmp(column, base, n) && !strcmp(column + n, end);
}

static bool has_ends(const char *const *column, uint32_t n, uint32_t i)
{
    return i + 2 < n && answer_report_is_end(column[i], column[i + 1], "_low") &&
           answer_report_is_end(column[i], column[i + 2], "_high");
}

static bool is_ranged(const struct leat_table *t, uint32_t i)
{
    return has_ends(t->columns, t->n_columns, i);
}

uint32_t answer_report_names(const char *const *column, uint32_t n, const char **name)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i += has_ends(column, n, i) ? 3 : 1)
        name[k++] = column[i];
    return k;
}

bool answer_report_is(const char *shown, const char *name)
{
    size_t n = strcspn(shown, "=");
    return strlen(name) == n && !strncmp(shown, name, n);
}

/* Returns the element of `shown` that chooses column `name`; `name` itself if `shown` is empty;
 * NULL if no element does. */
static const char *find_wanted(const char *name, struct answer_columns shown)
{
    for (uint32_t i = 0; i < shown.n; i++)
        if (answer_report_is(shown.name[i], name)) return shown.name[i];
    return shown.n ? NULL : name;
}

uint32_t answer_report_chosen(const char *const *column, uint32_t n, struct answer_columns shown,
                              uint32_t *at, uint32_t max)
{
    uint32_t chosen = 0;
    for (uint32_t i = 0; i < n;) {
        uint32_t end = i + (has_ends(column, n, i) ? 3 : 1);
        bool wanted = find_wanted(column[i], shown);
        for (; i < end; i++)
            if (wanted && chosen < max) at[chosen++] = i;
    }
    return chosen;
}

/* Returns the heading in "name=heading"; NULL if there is none. */
static const char *heading_of(const char *wanted)
{
    const char *heading = strchr(wanted, '=');
    return heading ? heading + 1 : NULL;
}

uint32_t answer_report_column(const struct leat_table *t, const char *name)
{
    uint32_t c = 0;
    while (c < t->n_columns && !answer_report_is(name, t->columns[c]))
        c++;
    return c;
}

const char *answer_report_unknown(const struct leat_table *t, struct answer_columns shown)
{
    for (uint32_t i = 0; i < shown.n; i++)
        if (answer_report_column(t, shown.name[i]) == t->n_columns) return shown.name[i];
    return NULL;
}

void answer_report_columns(const struct leat_table *t, char *text, size_t n)
{
    size_t at = 0;
    *text = 0;
    for (uint32_t i = 0; i < t->n_columns && at < n; i += is_ranged(t, i) ? 3 : 1)
        at += (size_t)snprintf(text + at, n - at, "%s%s", i ? ", " : "", t->columns[i]);
}

static bool answer_report_is_there(const struct leat_table *t, const char *column)
{
    return answer_report_column(t, column) < t->n_columns;
}

static bool has_negative(const struct leat_table *t)
{
    for (uint32_t row = 0; row < t->n_rows; row++)
        if (t->values[(size_t)row * t->n_columns] < 0) return true;
    return false;
}

const char *answer_report_unmet(const struct leat_table *t, const struct leat_ask *want)
{
    bool counts = answer_report_is_there(t, "count"),
         risks = answer_report_is_there(t, "relative_risk");
    if (want->min_count && !counts) return "min_count";
    if (want->min_support > 0 && !answer_report_is_there(t, "support_outliers"))
        return "min_support";
    if (want->min_risk_ratio > 0 && !risks) return "min_risk_ratio";
    if (want->max_luck > 0 && !answer_report_is_there(t, "luck")) return "max_luck";
    if (want->order && !(want->order == LEAT_ORDER_RISK ? risks : counts)) return "order";
    return want->positive && has_negative(t) ? "sign" : NULL;
}

/* Returns the formats that show the names of twins. A table shows them only if some row has
 * twins. */
static unsigned also_in(const struct leat_table *t)
{
    if (answer_report_column(t, TWINS) == t->n_columns) return REPORT_IN_NONE;
    for (uint32_t row = 0; t->also && row < t->n_rows; row++)
        if (*t->also[row]) return TEXTS | REPORT_IN_TABLE;
    return TEXTS;
}

/* Returns the type of a column, which determines its format. Ratios may be far above or far below
 * 1, so each cell has its own number of decimals. */
static enum report_type answer_report_type_of(const char *name)
{
    static const char *const shares[] = {"covered", "covered_new", "left",
                                         "rate",    BASE_RATE,     "share_of_change"};
    if (!strncmp(name, "support", strlen("support"))) return REPORT_SHARE;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (!strcmp(name, shares[i])) return REPORT_SHARE;
    if (!strcmp(name, ANSWER_LUCK)) return REPORT_CHANCE;
    return !strcmp(name, "ratio") ? REPORT_FIGURE : REPORT_NUMBER;
}

/* Returns the column's place in the order in which columns are dropped on a narrow terminal, from
 * 1; 0 if it is never dropped. */
static uint8_t drop_of(const char *name)
{
    static const char *const order[] = {"support_inliers", "count",    "support_outliers", "left",
                                        "covered",         ANSWER_LUCK};
    for (uint8_t i = 0; i < sizeof order / sizeof *order; i++)
        if (!strcmp(order[i], name)) return (uint8_t)(i + 1);
    return 0;
}

bool answer_report_may_be_luck(const struct leat_table *t)
{
    uint32_t c = answer_report_column(t, ANSWER_LUCK);
    for (uint32_t row = 0; c < t->n_columns && row < t->n_rows; row++)
        if (answer_report_value_at(t, row, c) > ANSWER_CHANCE) return true;
    return false;
}

/* True if no row has a value in the column. */
static bool is_missing(const struct leat_table *t, const char *name)
{
    uint32_t c = answer_report_column(t, name);
    for (uint32_t row = 0; row < t->n_rows; row++)
        if (!isnan(answer_report_value_at(t, row, c))) return false;
    return t->n_rows > 0;
}

/* Returns the formats that show a column; 0: all. Only JSON and CSV show the number of twins, the
 * rate of all records, the newly covered share and changes, unless they are `named`. A table shows
 * luck only if some row may be a product of chance. It shows what rows cover and leave, and the
 * spread of weights, only if some row has it. */
static unsigned in_of(const struct leat_table *t, const char *name, bool named)
{
    if (!strcmp(name, ANSWER_LUCK)) return answer_report_may_be_luck(t) ? 0 : TEXTS;
    static const char *const optional[] = {"covered", "left", "spread"};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (!strcmp(name, optional[i]) && is_missing(t, name)) return TEXTS;
    static const char *const texts[] = {TWINS, BASE_RATE, "covered_new", "change",
                                        "share_of_change"};
    bool of_texts = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        of_texts |= !strcmp(name, texts[i]);
    return !named && of_texts ? TEXTS : 0;
}

/* Appends column i of the answer as the n-th column of the list, followed by the two ends if the
 * column is a range. Returns the new number of columns. */
static uint32_t name_value(struct answer_list *top, const char *heading, bool named, uint32_t i,
                           uint32_t n)
{
    unsigned in = in_of(top->t, top->t->columns[i], named);
    const char *const *name = top->t->columns + i;
    bool ranged = is_ranged(top->t, i);
    for (uint32_t end = 0; end < (ranged ? 3u : 1u); end++, n++) {
        top->at[n] = i + end;
        top->ranged[n] = ranged && !end;
        top->column[n] = (struct report_column){.name = name[end],
                                                .type = answer_report_type_of(name[0]),
                                                .heading = heading,
                                                .drop = drop_of(name[0]),
                                                .in = end ? TEXTS : in};
    }
    return n;
}

/* Fills top->column with rank, feature, twins and the chosen columns of the answer. Returns the
 * number of columns. */
static uint32_t answer_report_name_columns(struct answer_list *top, struct answer_columns shown)
{
    const struct leat_table *t = top->t;
    struct report_column *column = top->column;
    uint32_t n = FIRST_VALUE;
    column[RANK] = (struct report_column){.name = "rank",
                                          .type = REPORT_COUNT,
                                          .in = REPORT_IN_TABLE | REPORT_IN_CSV,
                                          .heading = "#"};
    column[FEATURE] = (struct report_column){.name = "feature", .type = REPORT_NAME};
    column[ALSO] = (struct report_column){.name = "also", .type = REPORT_NAME, .in = also_in(t)};
    for (uint32_t i = 0; i < t->n_columns && n + 3 <= REPORT_MAX_COLUMNS;) {
        const char *wanted = find_wanted(t->columns[i], shown);
        if (wanted) n = name_value(top, heading_of(wanted), shown.n > 0, i, n);
        i += is_ranged(t, i) ? 3 : 1;
    }
    return n;
}

void answer_report_list(struct answer_list *l, const struct leat_table *t,
                        struct answer_columns shown)
{
    *l = (struct answer_list){.t = t};
    l->list = (struct report_list){.name = "top",
                                   .column = l->column,
                                   .n_columns = answer_report_name_columns(l, shown),
                                   .n_rows = t->n_rows,
                                   .cell = answer_report_cell,
                                   .of = l};
}

/* Adds the rate of all records to the title of a table whose rows have a rate. */
static void add_base_rate(struct report_head *head, const struct leat_table *t,
                          struct answer_columns shown)
{
    uint32_t c = answer_report_column(t, BASE_RATE);
    if (c == t->n_columns || !t->n_rows || !find_wanted("rate", shown)) return;
    report_head_add(head,
                    (struct report_column){.name = BASE_RATE,
                                           .type = REPORT_SHARE,
                                           .heading = "base",
                                           .decimals = 1,
                                           .in = REPORT_IN_TABLE},
                    report_number(answer_report_value_at(t, 0, c)));
}

static void add_merged(struct report_head *head, uint64_t merged)
{
    static const struct report_column column = {.name = ANSWER_MERGED,
                                                .type = REPORT_COUNT,
                                                .heading = "models merged",
                                                .in = REPORT_IN_TABLE | REPORT_IN_JSONL};
    if (merged) report_head_add(head, column, report_count(merged));
}

void answer_report_top(struct report *r, const struct leat_table *t, bool timed, uint64_t merged,
                       struct answer_columns shown)
{
    struct answer_list top;
    struct report_head head;
    answer_report_list(&top, t, shown);
    answer_report_head(&head, t, timed);
    add_base_rate(&head, t, shown);
    add_merged(&head, merged);
    report_begin(r, &head);
    report_rows(r, &top.list);
    report_end(r);
}
