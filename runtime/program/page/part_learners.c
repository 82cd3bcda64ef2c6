/* part_learners.c -- parts that compare learners with each other and with a constant; charts. */
#include <math.h>
#include <string.h>

#include "core/report/figure_columns.h"
#include "fields.h"
#include "parts.h"

/* ---- comparison of learners ---- */

uint32_t page_predictors(const struct page *p, const json_t **stage, uint32_t max)
{
    const json_t *stages = field(p->summary, "stages");
    uint32_t n = 0;
    for (size_t i = 0; i < json_array_size(stages) && n < max; i++) {
        const json_t *s = json_array_get(stages, i), *metrics = field(s, "metrics");
        bool measures =
            json_is_number(field(metrics, "error_rate")) || json_is_number(field(metrics, "rmse"));
        if (measures && !json_is_false(field(s, "in_order"))) stage[n++] = s;
    }
    return n;
}

bool page_compares(const struct page *p)
{
    const json_t *stage[2];
    uint32_t n = page_predictors(p, stage, 2);
    return n == 2 || (n && json_is_true(field(p->summary, "figures")));
}

static bool predicts_numbers(const json_t *stage)
{
    return isnan(field_number(field(stage, "metrics"), "error_rate"));
}

/* Returns the name of the figure that ranks learners of one kind. */
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

/* Returns the figure `by` of a learner, which ranks it. Learners of several classes have no log
 * loss; returns their error rate instead. */
static double learners_error_of(const json_t *row, const char *by)
{
    double error = field_number(row, by);
    return isnan(error) ? field_number(row, "error_rate") : error;
}

static void insert_sorted(json_t *rows, json_t *row, const char *by)
{
    size_t at = 0;
    while (at < json_array_size(rows) &&
           !(learners_error_of(row, by) < learners_error_of(json_array_get(rows, at), by)))
        at++;
    json_array_insert_new(rows, at, row);
}

/* Adds a row with the losses of the best constant prediction. `metrics` are those of the first
 * learner, which reports them. */
static void learners_add_constant(json_t *rows, const json_t *metrics, const char *by)
{
    json_t *row = json_pack("{s:s}", "learner", "constant");
    for (size_t i = 0; i < CONSTANT_COLUMNS; i++) {
        const struct constant_column *c = &constant_columns[i];
        if (json_is_number(field(metrics, c->name)))
            json_object_set(row, c->as, json_object_get(metrics, c->name));
    }
    insert_sorted(rows, row, by);
}

static json_t *learners_rows_of(const json_t *const *stage, uint32_t n, const char *by)
{
    json_t *rows = json_array();
    for (uint32_t i = 0; i < n; i++) {
        json_t *row = json_deep_copy(field(stage[i], "metrics"));
        json_object_set(row, "learner", json_object_get(stage[i], "id"));
        insert_sorted(rows, row, by);
    }
    learners_add_constant(rows, field(stage[0], "metrics"), by);
    return rows;
}

static bool learners_is_there(const json_t *rows, const char *name)
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
            if (is_error != errors || !learners_is_there(rows, f->name)) continue;
            column[n++] = (struct report_column){
                .name = f->name, .type = f->type, .heading = f->heading, .decimals = f->decimals};
        }
    return n;
}

static struct sheet_bars learners_bars_of(const struct field_list *f, const char *by)
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

/* Returns a row for the other learner's figure minus the best learner's figure. c has the
 * difference of its "a" minus its "b"; `best_is_first` means that "a" is the best learner, so the
 * sign changes. */
static json_t *learners_row_of(const json_t *c, bool best_is_first)
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

/* Returns the comparison of two learners by the figure `by`; NULL if there is none. Sets *first if
 * `one` is its "a". */
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

/* Returns the comparisons of the best learner with the others, in the order of the ranking. */
static json_t *differences_of(const struct page *p, const json_t *learners, const char *best,
                              const char *by)
{
    json_t *rows = json_array();
    bool first;
    for (size_t i = 0; i < json_array_size(learners); i++) {
        const char *other = field_text(json_array_get(learners, i), "learner");
        const json_t *c = comparison_of(p, best, other, by, &first);
        if (c) json_array_append_new(rows, learners_row_of(c, first));
    }
    return rows;
}

/* Prints the pairs of neighbours in the ranking that do not differ significantly: "awm and rfd_son,
 * rfd_son and hash". Omits the pair with the best learner. */
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
                 arena_printf(p->arena, "No difference is shown between %s.", list));
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
        bars.from = fmin(bars.from, v.low); /* fmin ignores NaN */
        bars.to = fmax(bars.to, v.high);
    }
    if (!list.n_rows) return;
    page_table(p, (struct sheet_table){
                      .list = &list,
                      .caption = arena_printf(p->arena,
                                              "How much more than %s, with the 95 %% interval; "
                                              "an interval with 0 in it shows no difference",
                                              best),
                      .bars = &bars});
}

static void learners_say_unsure(const struct page *p, const json_t *learners)
{
    for (size_t i = 0; i < json_array_size(learners); i++) {
        const json_t *row = json_array_get(learners, i);
        double error = field_number(row, "auc_error");
        if (error > FIGURE_AUC_UNSURE)
            page_say(p, SHEET_NOTE,
                     arena_printf(p->arena,
                                  "The AUC of %s is exact to %.2g only: many of its scores are "
                                  "nearly equal.",
                                  field_text(row, "learner"), error));
    }
}

/* Returns the first learner that is not the constant. */
static const char *best_of(const json_t *rows)
{
    const char *first = field_text(json_array_get(rows, 0), "learner");
    return strcmp(first, "constant") ? first : field_text(json_array_get(rows, 1), "learner");
}

#define CAPTION                                                                                    \
    "Each example was predicted before it was learned; constant predicts without any feature"
#define BY_LOSS                                                                                    \
    ". Sorted by log loss, because always predicting the more frequent label gives as few "        \
    "errors, or nearly so"

static void put_learners(const struct page *p, const json_t *const *stage, uint32_t n)
{
    struct report_column column[FIGURE_COLUMNS + 1];
    struct field_list list;
    const char *by = ranked_by(stage, n);
    json_t *rows = learners_rows_of(stage, n, by);
    const char *best = best_of(rows);
    json_t *differences = differences_of(p, rows, best, by);
    field_list_make(&list, rows, column, columns_of(rows, column));
    struct sheet_bars bars = learners_bars_of(&list, by);
    page_table(p,
               (struct sheet_table){.list = &list.list,
                                    .caption = strcmp(by, "log_loss") ? CAPTION : CAPTION BY_LOSS,
                                    .bars = &bars});
    page_legend(p, &list.list);
    learners_say_unsure(p, rows);
    put_differences(p, differences, best);
    say_neighbours(p, rows, best, by);
    json_decref(differences);
    json_decref(rows);
}

/* Writes the tables of learners. Learners that predict numbers have a separate table, because they
 * have other errors. */
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

/* ---- charts ---- */

enum { MOST_LINES = 6, MOST_CHARTS = 8 };

struct quality {
    const struct page *page;
    const json_t *stage[PAGE_PREDICTORS];
    uint32_t n;
    struct sheet_chart chart[MOST_CHARTS];
    uint32_t n_charts;
};

/* Returns a line through the members x and y of an array of objects. Skips objects without y. */
static struct sheet_line learners_line_of(const struct page *p, const char *name,
                                          const json_t *points, const char *x, const char *y)
{
    size_t n = json_array_size(points);
    double *to = arena_alloc(p->arena, (2 * n + 1) * sizeof *to);
    struct sheet_line line = {.name = name, .x = to, .y = to + n};
    for (size_t i = 0; i < n; i++) {
        const json_t *o = json_array_get(points, i);
        if (!json_is_number(field(o, x)) || !json_is_number(field(o, y))) continue;
        to[line.n] = field_number(o, x);
        to[n + line.n++] = field_number(o, y);
    }
    return line;
}

/* Makes a line for each learner that has the member `array`. Sets *last to the last of these
 * learners. */
static uint32_t learners_lines_of(const struct quality *q, const char *array, const char *x,
                                  const char *y, struct sheet_line *line, const json_t **last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->n && n < MOST_LINES; i++) {
        line[n] = learners_line_of(q->page, field_text(q->stage[i], "id"),
                                   field(q->stage[i], array), x, y);
        if (!line[n].n) continue;
        *last = q->stage[i];
        n++;
    }
    return n;
}

static void add_chart(struct quality *q, struct sheet_chart c)
{
    if (c.n_lines && q->n_charts < MOST_CHARTS) q->chart[q->n_charts++] = c;
}

/* Adds a chart of a loss over the run. If there is only one learner, adds a second line: the loss
 * since the previous point. */
static void add_curve(struct quality *q, const char *figure, const char *heading)
{
    struct arena *a = q->page->arena;
    struct sheet_line *line = arena_alloc(a, MOST_LINES * sizeof *line);
    const json_t *only;
    uint32_t n = learners_lines_of(q, "curve", "examples", figure, line, &only);
    const char *says = "over all examples so far, each predicted before it was learned.";
    if (n == 1) {
        line[0].name = "so far";
        line[n++] = learners_line_of(q->page, "since the previous point", field(only, "curve"),
                                     "examples", arena_printf(a, "%s_since", figure));
        says = "over all examples so far, and since the previous point; each example was "
               "predicted before it was learned.";
    }
    add_chart(q, (struct sheet_chart){.title = arena_printf(a, "%s over the run", heading),
                                      .says = arena_printf(a, "%s %s", heading, says),
                                      .x_label = "examples",
                                      .y_label = heading,
                                      .line = line,
                                      .n_lines = n});
}

static void learners_add_shares(struct quality *q, const char *array, const char *x, const char *y,
                                struct sheet_chart c)
{
    struct sheet_line *line = arena_alloc(q->page->arena, MOST_LINES * sizeof *line);
    const json_t *last;
    c.n_lines = learners_lines_of(q, array, x, y, line, &last);
    c.line = line;
    c.shares = true;
    add_chart(q, c);
}

static void add_charts(struct quality *q)
{
    add_curve(q, "log_loss", "Log loss");
    add_curve(q, "error_rate", "Error rate");
    add_curve(q, "rmse", "RMSE");
    add_curve(q, "mae", "MAE");
    learners_add_shares(
        q, "reliability", "predicted", "observed",
        (struct sheet_chart){
            .title = "Calibration",
            .says = "Share of the examples that came true, for each predicted probability. On "
                    "the dashed line the probabilities are right.",
            .x_label = "predicted probability",
            .y_label = "share that came true",
            .dots = true});
    learners_add_shares(
        q, "roc", "false_positives", "true_positives",
        (struct sheet_chart){
            .title = "ROC curve",
            .says = "For each threshold: the share of positives that it finds, against the "
                    "share of negatives that it takes for positives. The dashed line is chance.",
            .x_label = "false positive rate",
            .y_label = "true positive rate"});
}

/* ---- errors by label: one table for each learner ---- */

static struct sheet_bars error_bars(const struct report_list *l, uint32_t column)
{
    struct sheet_bars b = {.column = column};
    for (uint32_t row = 0; row < l->n_rows; row++)
        b.to = fmax(b.to, l->cell(l->of, row, column).number);
    return b;
}

static void put_by_label(const struct page *p, const json_t *stage)
{
    static const struct report_column column[] = {
        {.name = "label", .type = REPORT_FIGURE},
        {.name = "weight", .type = REPORT_NUMBER, .heading = "examples"},
        {.name = "rmse", .type = REPORT_NUMBER, .heading = "RMSE", .decimals = 4},
        {.name = "mae", .type = REPORT_NUMBER, .heading = "MAE", .decimals = 4},
        {.name = "mean_error", .type = REPORT_NUMBER, .decimals = 4}};
    struct field_list list;
    field_list_make(&list, field(stage, "by_label"), column, sizeof column / sizeof *column);
    struct sheet_bars bars = error_bars(&list.list, 2);
    page_table(p, (struct sheet_table){
                      .list = &list.list,
                      .caption = arena_printf(p->arena,
                                              "%s: errors by label; a mean error above 0 means "
                                              "that predictions are too high",
                                              field_text(stage, "id")),
                      .bars = &bars});
}

static void put_by_class(const struct page *p, const json_t *stage)
{
    static const struct report_column column[] = {
        {.name = "label", .type = REPORT_NAME},
        {.name = "weight", .type = REPORT_NUMBER, .heading = "examples"},
        {.name = "predicted", .type = REPORT_NUMBER},
        {.name = "recall", .type = REPORT_SHARE, .decimals = 1},
        {.name = "precision", .type = REPORT_SHARE, .decimals = 1}};
    struct field_list list;
    field_list_make(&list, field(stage, "by_class"), column, sizeof column / sizeof *column);
    struct sheet_bars bars = {.column = 3, .to = 1};
    page_table(p, (struct sheet_table){
                      .list = &list.list,
                      .caption = arena_printf(p->arena,
                                              "%s: recall is the share of a label's examples "
                                              "that were recognised; precision is the share of "
                                              "its predictions that are right",
                                              field_text(stage, "id")),
                      .bars = &bars});
}

static void put_labels(const struct quality *q)
{
    bool any = false;
    for (uint32_t i = 0; i < q->n; i++) {
        bool numbers = json_array_size(field(q->stage[i], "by_label"));
        if (!numbers && !json_array_size(field(q->stage[i], "by_class"))) continue;
        if (!any) q->page->sheet->language->fold(q->page->sheet, "Errors by label");
        any = true;
        (numbers ? put_by_label : put_by_class)(q->page, q->stage[i]);
    }
    if (any) q->page->sheet->language->unfold(q->page->sheet);
}

static bool has_curves(const struct quality *q)
{
    for (uint32_t i = 0; i < q->n; i++)
        if (json_array_size(field(q->stage[i], "curve"))) return true;
    return false;
}

void part_quality(const struct page *p)
{
    struct quality q = {.page = p};
    q.n = page_predictors(p, q.stage, PAGE_PREDICTORS);
    if (!q.n) return;
    page_heading(p, "Over the run");
    if (!has_curves(&q))
        page_say(p, SHEET_NOTE,
                 "This summary has no learning curves: make it again with this version of leat "
                 "(--summary, --report, or a snapshot).");
    add_charts(&q);
    if (q.n_charts) p->sheet->language->charts(p->sheet, q.chart, q.n_charts);
    if (q.n > MOST_LINES)
        page_say(p, SHEET_NOTE,
                 arena_printf(p->arena, "The charts show the first %d of %u learners.", MOST_LINES,
                              (unsigned)q.n));
    put_labels(&q);
}
