/* answer_report.c -- see answer_report.h. */
#include "answer_report.h"

void answer_report_head(struct report_head *h, const struct leat_table *t)
{
    static const struct report_column column[ANSWER_HEAD] = {
        [ANSWER_LEARNER] = {.name = "learner", .type = REPORT_WORD},
        [ANSWER_EXAMPLES] = {.name = "examples", .type = REPORT_COUNT, .heading = "examples"},
        [ANSWER_SECONDS] = {.name = "seconds",
                            .type = REPORT_NUMBER,
                            .in = REPORT_IN_TABLE,
                            .heading = "s",
                            .decimals = 1},
        [ANSWER_LAST] = {.name = "last", .type = REPORT_FLAG, .in = REPORT_IN_JSONL}};
    const struct report_value value[ANSWER_HEAD] = {
        [ANSWER_LEARNER] = report_word(t->learner),
        [ANSWER_EXAMPLES] = report_count(t->examples),
        [ANSWER_SECONDS] = report_number(t->last ? (double)NAN : t->seconds),
        [ANSWER_LAST] = report_count(t->last)};
    h->n = 0;
    for (int i = 0; i < ANSWER_HEAD; i++)
        report_head_add(h, column[i], value[i]);
}

enum { RANK, FEATURE, FIRST_VALUE };

static struct report_value cell(const void *of, uint32_t row, uint32_t column)
{
    const struct leat_table *t = of;
    if (column == RANK) return report_count(row + 1ull);
    if (column == FEATURE) return report_text(t->names[row], t->name_len[row]);
    return report_number(t->values[(size_t)row * t->n_columns + column - FIRST_VALUE]);
}

static void name_columns(struct report_column *column, const struct leat_table *t, uint32_t n)
{
    column[RANK] = (struct report_column){.name = "rank",
                                          .type = REPORT_COUNT,
                                          .in = REPORT_IN_TABLE | REPORT_IN_CSV,
                                          .heading = "#"};
    column[FEATURE] = (struct report_column){.name = "feature", .type = REPORT_NAME};
    for (uint32_t i = 0; i < n; i++) {
        bool share = !strncmp(t->columns[i], "support", strlen("support"));
        column[FIRST_VALUE + i] = (struct report_column){
            .name = t->columns[i], .type = share ? REPORT_SHARE : REPORT_NUMBER};
    }
}

void answer_report_top(struct report *r, const struct leat_table *t)
{
    struct report_column column[REPORT_MAX_COLUMNS];
    uint32_t max = REPORT_MAX_COLUMNS - FIRST_VALUE, n = t->n_columns < max ? t->n_columns : max;
    struct report_head head;
    name_columns(column, t, n);
    answer_report_head(&head, t);
    report_begin(r, &head);
    report_rows(r, &(struct report_list){.name = "top",
                                         .column = column,
                                         .n_columns = FIRST_VALUE + n,
                                         .n_rows = t->n_rows,
                                         .cell = cell,
                                         .of = t});
    report_end(r);
}
