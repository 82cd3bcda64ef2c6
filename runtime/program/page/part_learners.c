/* part_learners.c -- learners side by side, best first, beside a prediction without features; and
 * how far apart they are. */
#include <math.h>
#include <string.h>

#include "fields.h"
#include "parts.h"
#include "core/report/figure_columns.h"

static bool predicts_numbers(const json_t *stage)
{
    return isnan(field_number(field(stage, "metrics"), "error_rate"));
}

/* The figure that learners of one kind are ranked by. */
static const char *ranked_by(const json_t *const *stage, uint32_t n)
{
    double constant = 0.5, least = 1, log_loss = (double)NAN;
    if (predicts_numbers(stage[0])) return "rmse";
    for (uint32_t i = 0; i < n; i++) {
        const json_t *metrics = field(stage[i], "metrics");
        if (isnan(field_number(metrics, "log_loss"))) continue;
        constant = fmin(constant, field_number(metrics, "error_rate_constant"));
        least = fmin(least, field_number(metrics, "error_rate"));
        log_loss = field_number(metrics, "log_loss");
    }
    return figure_ranks_by_loss(constant, least, log_loss) ? "log_loss" : "error_rate";
}

/* Of several classes there is no log loss. */
static double error_of(const json_t *row, const char *by)
{
    double error = field_number(row, by);
    return isnan(error) ? field_number(row, "error_rate") : error;
}

static void insert_sorted(json_t *rows, json_t *row, const char *by)
{
    size_t at = 0;
    while (at < json_array_size(rows) &&
           !(error_of(row, by) < error_of(json_array_get(rows, at), by)))
        at++;
    json_array_insert_new(rows, at, row);
}

/* What predictions without features would have lost, of the first learner that says so. */
static void add_constant(json_t *rows, const json_t *metrics, const char *by)
{
    json_t *row = json_pack("{s:s}", "learner", "constant");
    for (size_t i = 0; i < CONSTANT_COLUMNS; i++) {
        const struct constant_column *c = &constant_columns[i];
        if (json_is_number(field(metrics, c->name)))
            json_object_set(row, c->as, json_object_get(metrics, c->name));
    }
    insert_sorted(rows, row, by);
}

static json_t *rows_of(const json_t *const *stage, uint32_t n, const char *by)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_t *row = json_deep_copy(field(stage[i], "metrics"));
        json_object_set(row, "learner", json_object_get(stage[i], "id"));
        insert_sorted(rows, row, by);
    }
    add_constant(rows, field(stage[0], "metrics"), by);
    return rows;
}

static bool is_there(const json_t *rows, const char *name)
{
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_is_number(field(json_array_get(rows, i), name))) return true;
    return false;
}

static uint32_t columns_of(const json_t *rows, struct report_column *column)
{
    uint32_t n = 0;
    column[n++] = (struct report_column){.name = "learner", .type = REPORT_NAME};
    for (int errors = 1; errors >= 0; errors--)
        for (int i = 0; i < FIGURE_COLUMNS; i++) {
            const struct figure_column *f = &figure_columns[i];
            bool is_error = f->type == REPORT_NUMBER && strncmp(f->name, "examples", 8);
            if (is_error != errors || !is_there(rows, f->name)) continue;
            column[n++] = (struct report_column){
                .name = f->name, .type = f->type, .heading = f->heading, .decimals = f->decimals};
        }
    return n;
}

static struct sheet_bars bars_of(const struct field_list *f, const char *by)
{
    struct sheet_bars b = {.column = 1, .zero = 0};
    for (uint32_t c = 1; c < f->list.n_columns; c++)
        if (!strcmp(f->list.column[c].name, by)) b.column = c;
    for (uint32_t row = 0; row < f->list.n_rows; row++)
        b.to =
            fmax(b.to, field_number(json_array_get(f->rows, row), f->list.column[b.column].name));
    return b;
}

/* ---- differences ---- */

/* The other learner's figure minus the best one's, whichever way round the summary has them. */
static json_t *row_of(const json_t *c, bool best_is_first)
{
    double low = field_number(c, "low"), high = field_number(c, "high");
    double sign = best_is_first ? -1 : 1;
    json_t *row = json_pack("{s:O, s:O, s:O}", "learner", field(c, best_is_first ? "b" : "a"),
                            "measure", field(c, "measure"), "better", field(c, "better"));
    json_object_set_new(row, "difference", json_real(sign * field_number(c, "difference")));
    json_object_set_new(row, "low", json_real(best_is_first ? -high : low));
    json_object_set_new(row, "high", json_real(best_is_first ? -low : high));
    return row;
}

/* The comparison of two learners by that figure, and whether `one` is its "a"; NULL: there is none.
 */
static const json_t *comparison_of(const struct page *p, const char *one, const char *other,
                                   const char *by, bool *first)
{
    const json_t *all = field(p->summary, "comparisons");
    for (size_t i = 0; i < json_array_size(all); i++) {
        const json_t *c = json_array_get(all, i);
        const char *a = field_text(c, "a"), *b = field_text(c, "b");
        *first = !strcmp(a, one) && !strcmp(b, other);
        if (!*first && (strcmp(b, one) || strcmp(a, other))) continue;
        if (!strcmp(field_text(c, "measure"), by)) return c;
    }
    return NULL;
}

/* Of the pairs that the best learner is in, by the figure that learners are sorted by, and in their
 * order. */
static json_t *differences_of(const struct page *p, const json_t *learners, const char *best,
                              const char *by)
{
    json_t *rows = json_array();
    bool first;
    for (size_t i = 0; i < json_array_size(learners); i++) {
        const char *other = field_text(json_array_get(learners, i), "learner");
        const json_t *c = comparison_of(p, best, other, by, &first);
        if (c) json_array_append_new(rows, row_of(c, first));
    }
    return rows;
}

/* "awm and rfd_son, rfd_son and hash": neighbours below the best that show no difference. */
static void say_neighbours(const struct page *p, const json_t *learners, const char *best,
                           const char *by)
{
    const char *list = "", *above = "";
    bool first;
    for (size_t i = 0; i < json_array_size(learners); i++) {
        const char *name = field_text(json_array_get(learners, i), "learner");
        const json_t *c = *above ? comparison_of(p, above, name, by, &first) : NULL;
        if (c && !*field_text(c, "better"))
            list = arena_printf(p->arena, "%s%s%s and %s", list, *list ? ", " : "", above, name);
        if (strcmp(name, "constant")) above = strcmp(name, best) ? name : "";
    }
    if (*list)
        page_say(p, SHEET_PLAIN,
                 arena_printf(p->arena, "Nor is a difference shown between %s.", list));
}

enum { LEARNER, MEASURE, DIFFERENCE, LOW, HIGH, VERDICT, COLUMNS };

static const struct report_column difference_columns[COLUMNS] = {
    [LEARNER] = {.name = "learner", .type = REPORT_NAME},
    [MEASURE] = {.name = "measure", .type = REPORT_WORD, .heading = "figure"},
    [DIFFERENCE] = {.name = "difference", .type = REPORT_NUMBER},
    [LOW] = {.name = "low", .type = REPORT_NUMBER, .heading = "from"},
    [HIGH] = {.name = "high", .type = REPORT_NUMBER, .heading = "to"},
    [VERDICT] = {.name = "better", .type = REPORT_WORD}};

static struct report_value difference_cell(const void *of, uint32_t row, uint32_t column)
{
    const json_t *o = json_array_get(of, row);
    const char *better = field_text(o, "better");
    if (column == VERDICT) return report_word(*better ? better : "no difference is shown");
    struct report_value v =
        field_value(o, difference_columns[column].name, difference_columns[column].type);
    if (column != DIFFERENCE) return v;
    v.low = field_number(o, "low");
    v.high = field_number(o, "high");
    return v;
}

static void put_differences(const struct page *p, const json_t *rows, const char *best)
{
    const struct report_list list = {.column = difference_columns,
                                     .n_columns = COLUMNS,
                                     .n_rows = (uint32_t)json_array_size(rows),
                                     .cell = difference_cell,
                                     .of = rows};
    struct sheet_bars bars = {.column = DIFFERENCE};
    for (uint32_t row = 0; row < list.n_rows; row++) {
        struct report_value v = difference_cell(rows, row, DIFFERENCE);
        bars.from = fmin(bars.from, v.low); /* not a NaN */
        bars.to = fmax(bars.to, v.high);
    }
    if (!list.n_rows) return;
    page_table(p, (struct sheet_table){
                      .list = &list,
                      .caption = arena_printf(p->arena,
                                              "How much more than %s, with the 95 %% interval; one "
                                              "that holds 0 shows no difference",
                                              best),
                      .bars = &bars});
}

static void say_unsure(const struct page *p, const json_t *learners)
{
    for (size_t i = 0; i < json_array_size(learners); i++) {
        const json_t *row = json_array_get(learners, i);
        double error = field_number(row, "auc_error");
        if (error > FIGURE_AUC_UNSURE)
            page_say(p, SHEET_NOTE,
                     arena_printf(p->arena,
                                  "The AUC of %s is within %.2g of what is shown: many of its "
                                  "scores are nearly equal.",
                                  field_text(row, "learner"), error));
    }
}

/* The first that is a learner. */
static const char *best_of(const json_t *rows)
{
    const char *first = field_text(json_array_get(rows, 0), "learner");
    return strcmp(first, "constant") ? first : field_text(json_array_get(rows, 1), "learner");
}

#define CAPTION                                                                                    \
    "Each example was predicted before it was learned; constant predicts without any feature"
#define BY_LOSS                                                                                    \
    ". Sorted by log loss: whoever always predicts the more frequent label errs as little, or "    \
    "nearly so"

static void put_learners(const struct page *p, const json_t *const *stage, uint32_t n)
{
    struct report_column column[FIGURE_COLUMNS + 1];
    struct field_list list;
    const char *by = ranked_by(stage, n);
    json_t *rows = rows_of(stage, n, by);
    const char *best = best_of(rows);
    json_t *differences = differences_of(p, rows, best, by);
    field_list_make(&list, rows, column, columns_of(rows, column));
    struct sheet_bars bars = bars_of(&list, by);
    page_table(p,
               (struct sheet_table){.list = &list.list,
                                    .caption = strcmp(by, "log_loss") ? CAPTION : CAPTION BY_LOSS,
                                    .bars = &bars});
    say_unsure(p, rows);
    put_differences(p, differences, best);
    say_neighbours(p, rows, best, by);
    json_decref(differences);
    json_decref(rows);
}

/* Those that predict numbers have errors of another kind than the others: a table each. */
void part_learners(const struct page *p)
{
    const json_t *stage[PAGE_PREDICTORS], *alike[PAGE_PREDICTORS];
    uint32_t n = page_predictors(p, stage, PAGE_PREDICTORS);
    if (n) page_heading(p, n > 1 ? "Learners, best first" : "How well it predicts");
    for (int numbers = 0; numbers <= 1; numbers++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < n; i++)
            if (predicts_numbers(stage[i]) == numbers) alike[found++] = stage[i];
        if (found) put_learners(p, alike, found);
    }
}
