/* part_answers.c -- parts with answers of learners, in the form of their sinks; their changes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/exp.h"
#include "core/report/answer_report.h"
#include "fields.h"
#include "parts.h"

enum { FALLBACK_ROWS = 20, CLASS_ROWS = 5 };

/* An answer in a summary, in the form that sinks receive. */
struct answers_answer {
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

static void answers_fill_row(struct leat_table *t, uint32_t row, const json_t *o, const char **name,
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
        answers_fill_row(t, row, json_array_get(rows, row), name, len, also, values);
    t->names = name;
    t->name_len = len;
    t->also = also;
    t->values = values;
}

static void answers_read_answer(struct answers_answer *to, const json_t *o, struct arena *a)
{
    uint32_t n;
    *to = (struct answers_answer){.title = field_text(o, "title")};
    to->table.learner = field_text(o, "learner");
    to->table.examples = field_value(o, "examples", REPORT_COUNT).count;
    to->table.columns = texts_of(field(o, "columns"), &n, a);
    to->table.n_columns = n;
    to->table.n_rows = (uint32_t)json_array_size(field(o, "rows"));
    to->shown.name = texts_of(field(o, "shown"), &to->shown.n, a);
    fill_rows(&to->table, field(o, "rows"), a);
}

/* ---- bars ---- */

/* True for columns that contain quotients. Their scale is logarithmic, and 1 means "no
 * difference". */
static bool is_quotient(const char *name)
{
    return !strcmp(name, "relative_risk") || !strcmp(name, "ratio");
}

static bool answers_is_number(const struct report_column *c)
{
    return sheet_shows(c) && (c->type == REPORT_NUMBER || c->type == REPORT_FIGURE);
}

/* Returns how far the number in the cell is from "no difference". If the cell has an interval,
 * returns the distance of the bound nearest to "no difference". */
static double answers_distance(const struct report_list *l, uint32_t row, uint32_t c)
{
    struct report_value v = l->cell(l->of, row, c);
    bool ranged = v.ranged && v.high > v.low;
    double low = ranged ? v.low : v.number, high = ranged ? v.high : v.number;
    if (is_quotient(l->column[c].name)) low = exp_log_all(low), high = exp_log_all(high);
    return fmax(0, fmax(low, -high));
}

static bool is_in_order(const struct report_list *l, uint32_t c)
{
    for (uint32_t row = 1; row < l->n_rows; row++)
        if (!(answers_distance(l, row, c) <= answers_distance(l, row - 1, c))) return false;
    return true;
}

/* Returns the first numeric column by which the rows are sorted. If there is none, returns the
 * first numeric column; 0 if there are no numbers. */
static uint32_t answers_column_of(const struct report_list *l)
{
    uint32_t first = 0;
    for (uint32_t c = 1; c < l->n_columns; c++) {
        if (!answers_is_number(&l->column[c])) continue;
        if (is_in_order(l, c)) return c;
        if (!first) first = c;
    }
    return first;
}

/* Returns the column of rates; 0 if the table shows none. */
static uint32_t answers_rates(const struct report_list *l)
{
    for (uint32_t c = 1; c < l->n_columns; c++)
        if (sheet_shows(&l->column[c]) && !strcmp(l->column[c].name, "rate")) return c;
    return 0;
}

static void answers_stretch(struct sheet_bars *b, double v)
{
    if (!isfinite(v) || (b->logarithmic && v <= 0)) return;
    b->from = fmin(b->from, v);
    b->to = fmax(b->to, v);
}

/* Returns bars whose scale includes all values and the value for "no difference". A rate is
 * compared with that of all records (`all`). */
static struct sheet_bars answers_bars_of(const struct report_list *l, double all)
{
    uint32_t rates = all > 0 ? answers_rates(l) : 0;
    struct sheet_bars b = {.column = rates ? rates : answers_column_of(l), .shares = rates};
    b.logarithmic = b.column && is_quotient(l->column[b.column].name);
    b.zero = b.from = b.to = b.logarithmic ? 1 : 0;
    if (rates) b.zero = b.to = all;
    for (uint32_t row = 0; b.column && row < l->n_rows; row++) {
        struct report_value v = l->cell(l->of, row, b.column);
        answers_stretch(&b, v.number);
        if (v.high > v.low) answers_stretch(&b, v.low), answers_stretch(&b, v.high);
    }
    return b;
}

/* Facts about the cells with intervals, for the sentence below the table. */
struct ranges {
    bool any, wide, in_bars, covered, left;
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
            r.left |= !strcmp(l->column[c].name, "left");
        }
    return r;
}

/* ---- the table ---- */

static void say_ranges(const struct page *p, const struct report_list *l, uint32_t bars)
{
    struct ranges r = ranges_of(l, bars);
    if (!r.any) return;
    page_say(p, SHEET_NOTE,
             arena_printf(p->arena, "The true value lies between the two numbers%s%s%s.",
                          r.left      ? " (for covered with 99 % probability, for left with 95 %)"
                          : r.covered ? " (for covered, with 99 % probability)"
                                      : "",
                          r.in_bars ? ", which are the ends of the bar" : "",
                          r.wide ? "; a question mark means that they are far apart" : ""));
}

/* Returns the text above the table. `all` is the rate of all records if the bars show rates. */
static const char *caption_of(const struct page *p, const struct answers_answer *a, const json_t *o,
                              double all)
{
    const char *time = field_moment(field_text(o, "time"), p->arena);
    double n = (double)a->table.examples;
    const char *noun = field_text(o, "noun");
    const char *count = *noun ? arena_printf(p->arena, "%s %s", field_count(n, p->arena), noun)
                              : field_counted(n, "example", p->arena);
    bool of_amounts = answer_report_column(&a->table, "amount") < a->table.n_columns;
    const char *rate = all > 0 ? arena_printf(p->arena,
                                              "; the rate of all %s, %.3g %%, is the "
                                              "dotted line",
                                              of_amounts ? "amounts" : "records", 100 * all)
                               : "";
    return arena_printf(p->arena, "%s, %s%s%s%s", a->table.learner, count, *time ? ", until " : "",
                        time, rate);
}

/* Rows with a column "bound", which is the largest error of the number in the column to its left.
 * Shows that number with an interval. */
struct bounded {
    struct answer_list rows;
    uint32_t bound; /* index of the column "bound"; 0: none */
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

static struct report_list bounded_list(struct bounded *b, const struct answers_answer *a)
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
    struct answers_answer a;
    struct bounded bounded;
    answers_read_answer(&a, o, p->arena);
    if (answer_report_unknown(&a.table, a.shown)) a.shown.n = 0;
    struct report_list rows = bounded_list(&bounded, &a);
    page_heading(p, *a.title ? a.title : "Heaviest features");
    if (!a.table.n_rows) {
        page_say(p, SHEET_PLAIN, "None.");
        return;
    }
    struct sheet_bars bars =
        answers_bars_of(&rows, field_number(json_array_get(field(o, "rows"), 0), "base_rate"));
    page_table(p, (struct sheet_table){.list = &rows,
                                       .caption = caption_of(p, &a, o, bars.shares ? bars.zero : 0),
                                       .bars = bars.column ? &bars : NULL});
    page_legend(p, &rows);
    say_ranges(p, &rows, bars.column);
    if (answer_report_may_be_luck(&a.table))
        page_say(p, SHEET_NOTE,
                 "Luck is the number of rows as uneven as this one that chance alone would make. A "
                 "row with a luck above 0.05 may be chance.");
}

static bool answers_is_same(const json_t *a, const json_t *b, const char *key)
{
    return json_equal(field(a, key), field(b, key));
}

/* True if one of the first n answers has the same rows as answer n. For example, sink.changes
 * repeats the query of sink.top. */
static bool answers_is_repeated(const json_t *answers, size_t n)
{
    const json_t *o = json_array_get(answers, n);
    for (size_t i = 0; i < n; i++) {
        const json_t *other = json_array_get(answers, i);
        if (answers_is_same(o, other, "learner") && answers_is_same(o, other, "rows")) return true;
    }
    return false;
}

/* True if row `row` is the first of a class. A learner of classes names its rows "CLASS: FEATURE",
 * and sorts them by class. */
static bool is_next_class(const json_t *top, size_t row)
{
    const char *above = row ? field_text(json_array_get(top, row - 1), "feature") : "";
    const char *name = field_text(json_array_get(top, row), "feature"), *end = strstr(name, ": ");
    size_t n = end ? (size_t)(end - name) + 2 : strlen(name) + 1;
    return !row || strncmp(name, above, n);
}

/* True if the stage predicts classes: it has an error rate, which learners of numbers lack, and no
 * AUC, which learners of margins have. */
static bool predicts_classes(const json_t *stage)
{
    const json_t *metrics = field(stage, "metrics");
    return json_object_get(metrics, "error_rate") && !json_object_get(metrics, "auc");
}

/* Returns the learner's first rows. If it predicts classes, returns the first rows of each
 * class. */
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

/* Writes the first rows of a learner that no sink has queried. */
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

/* Writes put_top() for each learner. The tables are folded, because the script does not request
 * them. */
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

/* Returns what follows "awm (learn.awm): " in a warning. A warning that names no stage is returned
 * whole. */
static const char *warning_says(const char *warning)
{
    const char *open = strstr(warning, " ("), *end = strstr(warning, "): ");
    return open && end && open < end && !memchr(warning, ' ', (size_t)(open - warning)) ? end + 3
                                                                                        : warning;
}

/* Writes each warning. Stages that give the same one share its line: "awm (learn.awm), hash
 * (learn.hash): the labels came in long runs". */
void part_warnings(const struct page *p)
{
    const json_t *warnings = field(p->summary, "warnings");
    size_t n = json_array_size(warnings);
    const char **text = arena_alloc(p->arena, (n + 1) * sizeof *text);
    for (size_t i = 0; i < n; i++) {
        const char *is = json_string_value(json_array_get(warnings, i));
        text[i] = is ? is : "";
        size_t k = 0;
        while (k < i && strcmp(warning_says(text[k]), warning_says(text[i])))
            k++;
        if (k == i) continue;
        const char *says = warning_says(text[i]);
        int by = (int)(says - text[i]) - 2; /* without ": " */
        if (by > 0)
            text[k] =
                arena_printf(p->arena, "%.*s, %.*s: %s", (int)(warning_says(text[k]) - text[k]) - 2,
                             text[k], by, text[i], says);
        text[i] = "";
    }
    for (size_t i = 0; i < n; i++)
        if (*text[i]) page_say(p, SHEET_WARNING, text[i]);
}

void part_answers(const struct page *p)
{
    const json_t *answers = field(p->summary, "answers");
    for (size_t i = 0; i < json_array_size(answers); i++) {
        const json_t *o = json_array_get(answers, i);
        if (*field_text(o, "error"))
            put_fault(p, o);
        else if (!answers_is_repeated(answers, i))
            put_answer(p, o);
    }
    if (!json_array_size(answers)) put_tops(p);
}

/* ---- features that entered and left the answers to a periodic query ---- */

enum { MOST_FEATURES = 200, MOST_ROWS = 60 };

struct seen {
    const char *name;
    uint32_t first, last, best; /* first and last answer that contain the feature; best rank */
};

struct answers_changes {
    const json_t *moments;
    uint32_t n_moments, n, worst;
    bool timed; /* true if answers are shown by their event time, not by a number of examples */
    struct seen seen[MOST_FEATURES];
    struct arena *arena;
};

static const json_t *features_at(const struct answers_changes *c, uint32_t moment)
{
    return field(json_array_get(c->moments, moment), "features");
}

/* Returns the feature's rank in answer number `moment`, from 1; 0 if that answer lacks the
 * feature. */
static uint32_t rank_at(const struct answers_changes *c, const char *name, uint32_t moment)
{
    const json_t *features = features_at(c, moment);
    for (size_t i = 0; i < json_array_size(features); i++) {
        const char *other = json_string_value(json_array_get(features, i));
        if (other && !strcmp(other, name)) return (uint32_t)i + 1;
    }
    return 0;
}

static struct seen *answers_find(struct answers_changes *c, const char *name, uint32_t moment)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (!strcmp(c->seen[i].name, name)) return &c->seen[i];
    if (c->n == MOST_FEATURES) return NULL;
    c->seen[c->n] = (struct seen){.name = name, .first = moment, .best = UINT32_MAX};
    return &c->seen[c->n++];
}

static void add_moment(struct answers_changes *c, uint32_t moment)
{
    const json_t *features = features_at(c, moment);
    for (uint32_t i = 0; i < json_array_size(features); i++) {
        const char *name = json_string_value(json_array_get(features, i));
        struct seen *s = name ? answers_find(c, name, moment) : NULL;
        if (!s) continue;
        s->last = moment;
        if (i + 1 < s->best) s->best = i + 1;
        if (i + 1 > c->worst) c->worst = i + 1;
    }
}

/* Returns the sort key of a feature. The features in the last answer come first, by rank. Then
 * follow the features that are no longer in the answer; the one that left last comes first. */
static uint32_t order_of(const struct answers_changes *c, const struct seen *s)
{
    uint32_t end = c->n_moments - 1;
    uint32_t rank = s->last == end ? rank_at(c, s->name, end) : 0;
    return rank ? rank : 1000 + (end - s->last) * 1000 + s->best;
}

static void answers_sort(struct answers_changes *c)
{
    for (uint32_t i = 1; i < c->n; i++)
        for (uint32_t k = i; k && order_of(c, &c->seen[k]) < order_of(c, &c->seen[k - 1]); k--) {
            struct seen s = c->seen[k];
            c->seen[k] = c->seen[k - 1];
            c->seen[k - 1] = s;
        }
}

static const char *moment_text(const struct answers_changes *c, uint32_t moment)
{
    const json_t *m = json_array_get(c->moments, moment);
    if (c->timed) return field_moment(field_text(m, "time"), c->arena);
    return field_count(field_number(m, "examples"), c->arena);
}

/* Returns the time of an answer as a value; a missing value if there is no such answer. */
static struct report_value moment_value(const struct answers_changes *c, uint32_t moment)
{
    bool over = moment == c->n_moments;
    if (c->timed) return over ? report_text(NULL, 0) : report_word(moment_text(c, moment));
    return report_number(over ? (double)NAN
                              : field_number(json_array_get(c->moments, moment), "examples"));
}

/* ---- the table ---- */

enum { NOW, FEATURE, ENTERED, LEFT, BEST, COLUMNS };

static struct report_value answers_cell(const void *of, uint32_t row, uint32_t column)
{
    const struct answers_changes *c = of;
    const struct seen *s = &c->seen[row];
    uint32_t end = c->n_moments - 1, now = rank_at(c, s->name, end);
    switch (column) {
    case NOW:
        return report_number(now ? now : (double)NAN);
    case FEATURE:
        return report_word(s->name);
    case ENTERED:
        return moment_value(c, s->first);
    case LEFT:
        return moment_value(c, s->last + 1);
    default:
        return report_number(s->best);
    }
}

static uint32_t answers_rank(const void *of, uint32_t row, uint32_t moment)
{
    const struct answers_changes *c = of;
    return rank_at(c, c->seen[row].name, moment);
}

static void put_changes(const struct page *p, struct answers_changes *c, const json_t *answer)
{
    const char *by = c->timed ? "event time" : "examples";
    enum report_type moment = c->timed ? REPORT_WORD : REPORT_NUMBER;
    uint32_t shown = c->n < MOST_ROWS ? c->n : MOST_ROWS;
    const struct report_column column[COLUMNS] = {
        [NOW] = {.name = "last rank", .type = REPORT_NUMBER},
        [FEATURE] = {.name = "feature", .type = REPORT_NAME},
        [ENTERED] = {.name = arena_printf(p->arena, "entered (%s)", by), .type = moment},
        [LEFT] = {.name = arena_printf(p->arena, "left (%s)", by), .type = moment},
        [BEST] = {.name = "best rank", .type = REPORT_NUMBER}};
    const struct report_list list = {
        .column = column, .n_columns = COLUMNS, .n_rows = shown, .cell = answers_cell, .of = c};
    const struct sheet_ranks ranks = {c->n_moments, c->worst, answers_rank, c};
    page_heading(p, "What entered and left");
    page_table(p, (struct sheet_table){
                      .list = &list,
                      .caption = arena_printf(p->arena, "%s: the first %u at %s, from %s to %s",
                                              field_text(answer, "learner"), (unsigned)c->worst,
                                              field_counted(c->n_moments, "moment", p->arena),
                                              moment_text(c, 0), moment_text(c, c->n_moments - 1)),
                      .ranks = &ranks});
    if (c->n > shown)
        page_say(p, SHEET_NOTE,
                 arena_printf(p->arena, "%u more were there before.", (unsigned)(c->n - shown)));
}

static bool has_times(const json_t *moments)
{
    for (size_t i = 0; i < json_array_size(moments); i++)
        if (!json_is_string(field(json_array_get(moments, i), "time"))) return false;
    return true;
}

/* Writes the table of an answer's changes, if it has any. */
static void part_changes_put_answer(const struct page *p, const json_t *answer)
{
    const json_t *moments = field(answer, "moments");
    if (json_array_size(moments) < 2) return;
    struct answers_changes *c = arena_alloc(p->arena, sizeof *c);
    c->moments = moments;
    c->n_moments = (uint32_t)json_array_size(moments);
    c->timed = has_times(moments);
    c->arena = p->arena;
    for (uint32_t i = 0; i < c->n_moments; i++)
        add_moment(c, i);
    answers_sort(c);
    put_changes(p, c, answer);
}

void part_changes(const struct page *p)
{
    const json_t *answers = field(p->summary, "answers");
    for (size_t i = 0; i < json_array_size(answers); i++)
        part_changes_put_answer(p, json_array_get(answers, i));
}
