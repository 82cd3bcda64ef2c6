/* part_quality.c -- pictures of how well learners predict: over the run, and of classifiers their
 * probabilities and their order. */
#include <math.h>
#include <string.h>

#include "fields.h"
#include "parts.h"

enum { MOST_LINES = 6, MOST_CHARTS = 8 };

struct quality {
    const struct page *page;
    const json_t *stage[PAGE_PREDICTORS];
    uint32_t n;
    struct sheet_chart chart[MOST_CHARTS];
    uint32_t n_charts;
};

/* The members x and y of an array of objects; those without y are left out. */
static struct sheet_line line_of(const struct page *p, const char *name, const json_t *points,
                                 const char *x, const char *y)
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

/* A line a learner that has such points; *last: the last of them. */
static uint32_t lines_of(const struct quality *q, const char *array, const char *x, const char *y,
                         struct sheet_line *line, const json_t **last)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < q->n && n < MOST_LINES; i++) {
        line[n] = line_of(q->page, field_text(q->stage[i], "id"), field(q->stage[i], array), x, y);
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

/* Of one learner the loss since the point before stands beside that of all so far. */
static void add_curve(struct quality *q, const char *figure, const char *heading)
{
    struct arena *a = q->page->arena;
    struct sheet_line *line = arena_alloc(a, MOST_LINES * sizeof *line);
    const json_t *only;
    uint32_t n = lines_of(q, "curve", "examples", figure, line, &only);
    const char *says = "over all examples so far, each predicted before it was learned.";
    if (n == 1) {
        line[0].name = "so far";
        line[n++] = line_of(q->page, "since the point before", field(only, "curve"), "examples",
                            arena_printf(a, "%s_since", figure));
        says = "over all examples so far, and since the point before; each example was predicted "
               "before it was learned.";
    }
    add_chart(q, (struct sheet_chart){.title = arena_printf(a, "%s over the run", heading),
                                      .says = arena_printf(a, "%s %s", heading, says),
                                      .x_label = "examples",
                                      .y_label = heading,
                                      .line = line,
                                      .n_lines = n});
}

static void add_shares(struct quality *q, const char *array, const char *x, const char *y,
                       struct sheet_chart c)
{
    struct sheet_line *line = arena_alloc(q->page->arena, MOST_LINES * sizeof *line);
    const json_t *last;
    c.n_lines = lines_of(q, array, x, y, line, &last);
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
    add_shares(q, "reliability", "predicted", "observed",
               (struct sheet_chart){
                   .title = "Calibration",
                   .says = "What came, of examples that were predicted with that probability. On "
                           "the dashed line the probabilities are right.",
                   .x_label = "predicted probability",
                   .y_label = "share that came",
                   .dots = true});
    add_shares(q, "roc", "false_positives", "true_positives",
               (struct sheet_chart){
                   .title = "ROC curve",
                   .says = "Share of the positives that a threshold finds, for the share of the "
                           "negatives that it takes for positives. The dashed line is chance.",
                   .x_label = "false positive rate",
                   .y_label = "true positive rate"});
}

/* ---- errors by label: a table a learner ---- */

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
                                              "%s: errors by label; a mean error above 0 is too "
                                              "high a prediction",
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
                                              "%s: recall is the share of the label's examples "
                                              "that were recognised, precision the share of those "
                                              "predicted to have it that do",
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

/* ---- the part ---- */

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
                 "This summary has no learning curves: one of this version of leat "
                 "(--summary, --report, or a snapshot) keeps them.");
    add_charts(&q);
    if (q.n_charts) p->sheet->language->charts(p->sheet, q.chart, q.n_charts);
    if (q.n > MOST_LINES)
        page_say(p, SHEET_NOTE,
                 arena_printf(p->arena, "Shown are the first %d of %u learners.", MOST_LINES,
                              (unsigned)q.n));
    put_labels(&q);
}
