/* part_answers.c -- the answers of learners as their sinks show them, with pictures of the column
 * that matters most. */
#include <math.h>
#include <string.h>

#include "fields.h"
#include "parts.h"
#include "core/report/answer_report.h"

enum { FALLBACK_ROWS = 20, CLASS_ROWS = 5 };

/* An answer of a summary as sinks get it. */
struct answer {
    struct leat_table table;
    struct answer_columns shown;
    const char *title;
};

static const char **texts_of(const json_t *array, uint32_t *n, struct arena *a)
{
    size_t all = json_array_size(array);
    const char **text = arena_alloc(a, (all + 1) * sizeof *text);
    *n = 0;
    for (size_t i = 0; i < all; i++)
        if (json_is_string(json_array_get(array, i)))
            text[(*n)++] = json_string_value(json_array_get(array, i));
    return text;
}

static void fill_row(struct leat_table *t, uint32_t row, const json_t *o, const char **name,
                     uint32_t *len, const char **also, double *values)
{
    struct report_value feature = field_value(o, "feature", REPORT_NAME);
    name[row] = feature.text ? feature.text : "";
    len[row] = (uint32_t)feature.len;
    also[row] = field_text(o, "also");
    for (uint32_t c = 0; c < t->n_columns; c++)
        values[(size_t)row * t->n_columns + c] = field_number(o, t->columns[c]);
}

static void fill_rows(struct leat_table *t, const json_t *rows, struct arena *a)
{
    uint32_t n = t->n_rows;
    const char **name = arena_alloc(a, (n + 1) * sizeof *name),
               **also = arena_alloc(a, (n + 1) * sizeof *also);
    uint32_t *len = arena_alloc(a, (n + 1) * sizeof *len);
    double *values = arena_alloc(a, ((size_t)n * t->n_columns + 1) * sizeof *values);
    for (uint32_t row = 0; row < n; row++)
        fill_row(t, row, json_array_get(rows, row), name, len, also, values);
    t->names = name;
    t->name_len = len;
    t->also = also;
    t->values = values;
}

static void read_answer(struct answer *to, const json_t *o, struct arena *a)
{
    uint32_t n;
    *to = (struct answer){.title = field_text(o, "title")};
    to->table.learner = field_text(o, "learner");
    to->table.examples = field_value(o, "examples", REPORT_COUNT).count;
    to->table.columns = texts_of(field(o, "columns"), &n, a);
    to->table.n_columns = n;
    to->table.n_rows = (uint32_t)json_array_size(field(o, "rows"));
    to->shown.name = texts_of(field(o, "shown"), &to->shown.n, a);
    fill_rows(&to->table, field(o, "rows"), a);
}

/* ---- pictures ---- */

/* Quotients are seen by factors, from 1. */
static bool is_quotient(const char *name)
{
    return !strcmp(name, "relative_risk") || !strcmp(name, "ratio");
}

static bool is_number(const struct report_column *c)
{
    return sheet_shows(c) && (c->type == REPORT_NUMBER || c->type == REPORT_FIGURE);
}

/* How far it is from no difference, by its bound that is nearest to that. */
static double distance(const struct report_list *l, uint32_t row, uint32_t c)
{
    struct report_value v = l->cell(l->of, row, c);
    bool ranged = v.ranged && v.high > v.low;
    double low = ranged ? v.low : v.number, high = ranged ? v.high : v.number;
    if (is_quotient(l->column[c].name)) low = log(low), high = log(high);
    return fmax(0, fmax(low, -high));
}

static bool is_in_order(const struct report_list *l, uint32_t c)
{
    for (uint32_t row = 1; row < l->n_rows; row++)
        if (!(distance(l, row, c) <= distance(l, row - 1, c))) return false;
    return true;
}

/* Of the columns of numbers the first in whose order rows stand, or else the first; 0: none. */
static uint32_t column_of(const struct report_list *l)
{
    uint32_t first = 0;
    for (uint32_t c = 1; c < l->n_columns; c++) {
        if (!is_number(&l->column[c])) continue;
        if (is_in_order(l, c)) return c;
        if (!first) first = c;
    }
    return first;
}

static void stretch(struct sheet_bars *b, double v)
{
    if (!isfinite(v) || (b->logarithmic && v <= 0)) return;
    b->from = fmin(b->from, v);
    b->to = fmax(b->to, v);
}

/* The scale holds "no difference" and all values. */
static struct sheet_bars bars_of(const struct report_list *l)
{
    struct sheet_bars b = {.column = column_of(l)};
    b.logarithmic = b.column && is_quotient(l->column[b.column].name);
    b.zero = b.from = b.to = b.logarithmic ? 1 : 0;
    for (uint32_t row = 0; b.column && row < l->n_rows; row++) {
        struct report_value v = l->cell(l->of, row, b.column);
        stretch(&b, v.number);
        if (v.high > v.low) stretch(&b, v.low), stretch(&b, v.high);
    }
    return b;
}

/* Which cells are two numbers. */
struct ranges {
    bool any, wide, in_bars, covered;
};

static struct ranges ranges_of(const struct report_list *l, uint32_t bars)
{
    struct ranges r = {false};
    for (uint32_t row = 0; row < l->n_rows; row++)
        for (uint32_t c = 0; c < l->n_columns; c++) {
            struct report_value v = l->cell(l->of, row, c);
            if (!sheet_shows(&l->column[c]) || !v.ranged || !(v.high > v.low)) continue;
            r.any = true;
            r.wide |= v.wide;
            r.in_bars |= c == bars;
            r.covered |= !strcmp(l->column[c].name, "covered");
        }
    return r;
}

/* ---- the table ---- */

static void say_ranges(const struct page *p, const struct report_list *l, uint32_t bars)
{
    struct ranges r = ranges_of(l, bars);
    if (!r.any) return;
    page_say(p, SHEET_NOTE,
             arena_printf(p->arena,
                          "Two numbers are the bounds between which the truth lies%s%s%s.",
                          r.covered ? " (of covered with 99 %)" : "",
                          r.in_bars ? ", and the bar has them as its ends" : "",
                          r.wide ? "; a question mark stands where they are wide" : ""));
}

static const char *caption_of(const struct page *p, const struct answer *a, const json_t *o)
{
    const char *time = field_moment(field_text(o, "time"), p->arena);
    double n = (double)a->table.examples;
    const char *noun = field_text(o, "noun");
    const char *count = *noun ? arena_printf(p->arena, "%s %s", field_count(n, p->arena), noun)
                              : field_counted(n, "example", p->arena);
    return arena_printf(p->arena, "%s, %s%s%s", a->table.learner, count, *time ? ", until " : "",
                        time);
}

/* Rows whose column "bound" says how far off the number before it may be have that as their
 * interval. */
struct bounded {
    struct answer_list rows;
    uint32_t bound; /* 0: there is no such column */
};

static struct report_value bounded_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct bounded *b = of;
    struct report_value v = b->rows.list.cell(&b->rows, row, column);
    if (!b->bound || column + 1 != b->bound) return v;
    double bound = b->rows.list.cell(&b->rows, row, b->bound).number;
    v.low = v.number - bound;
    v.high = v.number + bound;
    return v;
}

static struct report_list bounded_list(struct bounded *b, const struct answer *a)
{
    answer_report_list(&b->rows, &a->table, a->shown);
    struct report_list list = b->rows.list;
    b->bound = 0;
    for (uint32_t c = 1; c < list.n_columns; c++)
        if (!strcmp(list.column[c].name, "bound")) b->bound = c;
    list.cell = bounded_cell;
    list.of = b;
    return list;
}

static void put_fault(const struct page *p, const json_t *o)
{
    page_heading(p, field_text(o, "learner"));
    page_say(p, SHEET_WARNING, arena_printf(p->arena, "No answer: %s", field_text(o, "error")));
}

static void put_answer(const struct page *p, const json_t *o)
{
    struct answer a;
    struct bounded bounded;
    read_answer(&a, o, p->arena);
    if (answer_report_unknown(&a.table, a.shown)) a.shown.n = 0;
    struct report_list rows = bounded_list(&bounded, &a);
    page_heading(p, *a.title ? a.title : "Heaviest features");
    if (!a.table.n_rows) {
        page_say(p, SHEET_PLAIN, "None.");
        return;
    }
    struct sheet_bars bars = bars_of(&rows);
    page_table(p, (struct sheet_table){.list = &rows,
                                       .caption = caption_of(p, &a, o),
                                       .bars = bars.column ? &bars : NULL});
    say_ranges(p, &rows, bars.column);
    if (answer_report_may_be_luck(&a.table))
        page_say(p, SHEET_NOTE,
                 "Luck is how many rows so uneven chance alone would make: above 0.05 a row may be "
                 "no more than that.");
}

static bool is_same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(field(a, key), field(b, key));
}

/* Has one of the first n answers the same rows? A changelog asks as the table beside it does. */
static bool is_repeated(const json_t *answers, size_t n)
{
    const json_t *o = json_array_get(answers, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *other = json_array_get(answers, i);
        if (is_same(o, other, "learner") && is_same(o, other, "rows")) return true;
    }
    return false;
}

/* Rows of a learner of classes are named "CLASS: FEATURE", class by class. */
static bool is_next_class(const json_t *top, size_t row)
{
    const char *above = row ? field_text(json_array_get(top, row - 1), "feature") : "";
    const char *name = field_text(json_array_get(top, row), "feature"), *end = strstr(name, ": ");
    size_t n = end ? (size_t)(end - name) + 2 : strlen(name) + 1;
    return !row || strncmp(name, above, n);
}

/* Margins have an AUC, and numbers no error rate. */
static bool predicts_classes(const json_t *stage)
{
    const json_t *metrics = field(stage, "metrics");
    return json_object_get(metrics, "error_rate") && !json_object_get(metrics, "auc");
}

/* The first rows, of classes those of each. */
static json_t *first_rows(const json_t *stage)
{
    const json_t *top = field(stage, "top");
    size_t most = FALLBACK_ROWS, classes = 0, taken = 0;
    json_t *rows = json_array();
    bool each = predicts_classes(stage);
    for (size_t i = 0; each && i < json_array_size(top); i++)
        classes += is_next_class(top, i);
    if (classes) most = most / classes > CLASS_ROWS ? most / classes : CLASS_ROWS;
    for (size_t i = 0; i < json_array_size(top); i++) {
        if (each && is_next_class(top, i)) taken = 0;
        if (taken++ < most) json_array_append(rows, json_array_get(top, i));
    }
    return rows;
}

/* Of a learner that no sink asked: the first rows of its top. */
static void put_top(const struct page *p, const json_t *stage)
{
    const json_t *top = field(stage, "top"), *first = json_array_get(top, 0);
    json_t *columns = json_array(), *rows = first_rows(stage);
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)first, key, v)
    {
        if (strcmp(key, "feature") && strcmp(key, "also"))
            json_array_append_new(columns, json_string(key));
    }
    json_t *o =
        json_pack("{s:O, s:O, s:o, s:o}", "learner", field(stage, "id"), "examples",
                  field(field(stage, "metrics"), "examples"), "columns", columns, "rows", rows);
    if (o) put_answer(p, o);
    json_decref(o);
}

/* What their pipeline does not show is one click away. */
static void put_tops(const struct page *p)
{
    const json_t *stages = field(p->summary, "stages");
    bool open = false;
    for (size_t i = 0; i < json_array_size(stages); i++) {
        const json_t *stage = json_array_get(stages, i);
        if (!json_array_size(field(stage, "top"))) continue;
        if (!open) p->sheet->language->fold(p->sheet, "Heaviest features of each learner");
        open = true;
        put_top(p, stage);
    }
    if (open) p->sheet->language->unfold(p->sheet);
}

static void put_warnings(const struct page *p)
{
    const json_t *warnings = field(p->summary, "warnings");
    for (size_t i = 0; i < json_array_size(warnings); i++)
        if (json_is_string(json_array_get(warnings, i)))
            page_say(p, SHEET_WARNING, json_string_value(json_array_get(warnings, i)));
}

void part_answers(const struct page *p)
{
    const json_t *answers = field(p->summary, "answers");
    for (size_t i = 0; i < json_array_size(answers); i++) {
        const json_t *o = json_array_get(answers, i);
        if (*field_text(o, "error"))
            put_fault(p, o);
        else if (!is_repeated(answers, i))
            put_answer(p, o);
    }
    if (!json_array_size(answers)) put_tops(p);
    put_warnings(p);
}
