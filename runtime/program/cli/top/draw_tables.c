/* draw_tables.c -- see draw.h: stages (what came, how fast, what their threads do), and learners
 * (their losses before learning, and how those went). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/report/text_out.h"
#include "draw.h"
#include "look.h"
#include "program/page/fields.h"

/* ---- what threads do with their time ---- */

struct times {
    double busy, starved, blocked;
};

static double number_or_0(double x) { return x > 0 ? x : 0; }

/* Returns by how much a member has grown. */
static double draw_grown(const json_t *now, const json_t *before, const char *key)
{
    return number_or_0(field_number(now, key) - number_or_0(field_number(before, key)));
}

static struct times draw_times_of(const json_t *thread, const json_t *before)
{
    return (struct times){draw_grown(thread, before, "busy"), draw_grown(thread, before, "starved"),
                          draw_grown(thread, before, "blocked")};
}

static double sum(struct times t) { return t.busy + t.starved + t.blocked; }

/* The i-th element of an array of numbers. */
static double draw_element(const json_t *thread, const char *key, size_t i)
{
    return number_or_0(json_number_value(json_array_get(field(thread, key), i)));
}

static double stage_grown(const json_t *now, const json_t *before, size_t i)
{
    return number_or_0(draw_element(now, "stages_busy", i) -
                       draw_element(before, "stages_busy", i));
}

static const char *stage_name(const json_t *thread, size_t i)
{
    const char *id = json_string_value(json_array_get(field(thread, "stages"), i));
    return id ? id : "";
}

/* Shares of the time of the threads that a stage is on, 0 to 1. `busy` is in calls of this
 * stage; the other two belong to all stages of a thread. NaN if they are missing. */
struct load {
    double busy, starved, blocked;
};

static struct load load_of_stage(const json_t *status, const json_t *before, const char *id)
{
    const json_t *threads = field(status, "threads");
    struct times all = {0, 0, 0};
    double own = 0;
    for (size_t k = 0; k < json_array_size(threads); k++) {
        const json_t *now = json_array_get(threads, k),
                     *old = json_array_get(field(before, "threads"), k);
        for (size_t i = 0; i < json_array_size(field(now, "stages")); i++) {
            if (strcmp(stage_name(now, i), id)) continue;
            struct times t = draw_times_of(now, old);
            all =
                (struct times){all.busy + t.busy, all.starved + t.starved, all.blocked + t.blocked};
            own += stage_grown(now, old, i);
        }
    }
    double whole = sum(all) > 0 ? sum(all) : (double)NAN;
    return (struct load){own / whole, all.starved / whole, all.blocked / whole};
}

const char *load_bottleneck(const json_t *status, const json_t *before, double *share)
{
    const json_t *threads = field(status, "threads"), *most = NULL, *most_before = NULL;
    *share = 0.5;
    for (size_t k = 0; k < json_array_size(threads); k++) {
        const json_t *now = json_array_get(threads, k),
                     *old = json_array_get(field(before, "threads"), k);
        struct times t = draw_times_of(now, old);
        if (!(sum(t) > 0) || t.busy / sum(t) <= *share) continue;
        *share = t.busy / sum(t);
        most = now, most_before = old;
    }
    size_t stage = 0;
    for (size_t i = 1; i < json_array_size(field(most, "stages")); i++)
        if (stage_grown(most, most_before, i) > stage_grown(most, most_before, stage)) stage = i;
    return most ? stage_name(most, stage) : NULL;
}

/* Seconds between the two; since the start where there is none before. */
static double load_seconds(const json_t *status, const json_t *before)
{
    double now = field_number(status, "seconds");
    return before ? now - field_number(before, "seconds") : now;
}

static const json_t *draw_stage_of(const json_t *status, const char *id)
{
    const json_t *stages = field(status, "stages");
    for (size_t k = 0; k < json_array_size(stages); k++)
        if (!strcmp(field_text(json_array_get(stages, k), "id"), id))
            return json_array_get(stages, k);
    return NULL;
}

/* Returns the records that came to a stage in a second. Counts of stages include the runs
 * before. */
static double load_stage_rate(const json_t *status, const json_t *before, const char *id)
{
    double seconds = load_seconds(status, before);
    double in = field_number(draw_stage_of(status, id), "in");
    bool continued = !before && field_number(status, "records_before") > 0;
    if (!(seconds > 0) || continued) return (double)NAN;
    return (before ? in - field_number(draw_stage_of(before, id), "in") : in) / seconds;
}

double load_rate(const json_t *status, const json_t *before)
{
    double seconds = load_seconds(status, before), records = field_number(status, "records");
    double from = before ? field_number(before, "records") : field_number(status, "records_before");
    return seconds > 0 ? (records - from) / seconds : (double)NAN;
}

/* ---- the tables of a frame ---- */

enum { MARK = 2, LEAST_NAME = 10, WANTED_NAME = 16, CELLS = 7, CURVE = 24 };

/* A narrow terminal leaves out the columns with the highest `drop` first. */
struct draw_column {
    const char *heading;
    size_t width;
    int drop; /* 0: never */
};

struct draw_row {
    const char *name, *second,
        *cell[CELLS]; /* second: beside the name, if there is room; or NULL */
    double busy;
    bool marked, strong, drawn;
    const char *bad; /* the cell that is a warning, or NULL */
};

struct draw_table {
    const char *heading, *second; /* of the names */
    const struct draw_column *column;
    size_t n_columns, name, second_width; /* in columns of the terminal */
    int drop;                             /* columns above it are left out */
};

/* Returns the columns that are left for names without the columns above `drop`. */
static size_t draw_width_left(const struct frame *f, const struct draw_table *t, int drop)
{
    size_t width = MARK;
    for (size_t k = 0; k < t->n_columns; k++)
        if (t->column[k].drop <= drop) width += t->column[k].width;
    return f->columns > width ? f->columns - width : 0;
}

static void draw_fit(const struct frame *f, struct draw_table *t, const struct draw_row *row,
                     size_t n)
{
    size_t second = text_width(t->second, strlen(t->second));
    t->name = second > 0 ? second : LEAST_NAME;
    for (size_t k = 0; k < n; k++) {
        size_t name = text_width(row[k].name, strlen(row[k].name));
        size_t other = row[k].second ? text_width(row[k].second, strlen(row[k].second)) : 0;
        if (name > t->name) t->name = name;
        if (other > second) second = other;
    }
    size_t least = t->name < WANTED_NAME ? t->name : WANTED_NAME, left;
    for (t->drop = 6; (left = draw_width_left(f, t, t->drop)) < least && t->drop; t->drop--)
        ;
    if (left < t->name) t->name = left > LEAST_NAME ? left : LEAST_NAME;
    if (second && left >= t->name + second + 2) t->second_width = second + 2;
}

/* row: or NULL, for the headings. */
static void draw_row(struct frame *f, const struct draw_table *t, const struct draw_row *row)
{
    enum frame_style style = !row ? FRAME_HEADING : row->strong ? FRAME_STRONG : FRAME_PLAIN;
    size_t at = MARK + t->name;
    if (row && row->marked) frame_put(f, FRAME_WARNING, ">");
    frame_to(f, MARK);
    frame_name(f, style, row ? row->name : t->heading, t->name);
    if (t->second_width) {
        frame_to(f, at + 2);
        frame_name(f, row ? FRAME_FAINT : style, row ? row->second : t->second,
                   t->second_width - 2);
        at += t->second_width;
    }
    for (size_t k = 0; k < t->n_columns; k++) {
        const char *text = row ? row->cell[k] : t->column[k].heading;
        if (t->column[k].drop > t->drop) continue;
        frame_right(f, row && text == row->bad ? FRAME_WARNING : style, at += t->column[k].width,
                    text);
    }
}

/* ---- stages ---- */

static const struct draw_column of_run[] = {
    {"records in", 14, 0}, {"a second", 12, 1}, {"busy", 7, 0},   {"starved", 9, 3},
    {"blocked", 9, 4},     {"rejected", 11, 2}, {"memory", 12, 5}};
static const struct draw_column of_snapshot[] = {
    {"records in", 14, 0}, {"rejected", 11, 2}, {"state", 12, 5}};

static struct draw_row stage_row(struct frame *f, const struct view *v, const json_t *of,
                                 const char *bottleneck)
{
    const json_t *m = field(of, "memory");
    const char *id = field_text(of, "id"), *in = draw_count(f, field_number(of, "in")),
               *rejected = draw_count(f, field_number(of, "rejected"));
    struct load load = load_of_stage(v->status, v->before, id);
    bool most = bottleneck && !strcmp(bottleneck, id);
    double used = m ? field_number(m, "used") : field_number(of, "planned_bytes");
    struct draw_row r = {.name = id,
                         .second = field_text(of, "plugin"),
                         .busy = isfinite(load.busy) ? load.busy : -1,
                         .marked = most,
                         .strong = most,
                         .bad = field_number(of, "rejected") > 0 ? rejected : NULL,
                         .cell = {in, draw_count(f, load_stage_rate(v->status, v->before, id)),
                                  draw_share(f, load.busy), draw_share(f, load.starved),
                                  draw_share(f, load.blocked), rejected,
                                  field_bytes(used, &f->arena)}};
    if (!v->of_dir) return r;
    r.cell[1] = rejected;
    r.cell[2] = field_bytes(field_number(of, "state_bytes"), &f->arena);
    return r;
}

static int busier_first(const void *a, const void *b)
{
    const struct draw_row *x = *(struct draw_row *const *)a, *y = *(struct draw_row *const *)b;
    return x->busy != y->busy ? (x->busy < y->busy) - (x->busy > y->busy) : (x > y) - (x < y);
}

/* Marks the rows that are drawn: all, or the busiest stages. */
static void draw_choose(struct frame *f, struct draw_row *row, size_t n, size_t rows)
{
    struct draw_row **order = arena_alloc(&f->arena, (n + 1) * sizeof(struct draw_row *));
    for (size_t k = 0; k < n; k++)
        order[k] = &row[k];
    if (rows < n) qsort(order, n, sizeof(struct draw_row *), busier_first);
    for (size_t k = 0; k < n && k < rows; k++)
        order[k]->drawn = true;
}

void draw_stages(struct frame *f, const struct view *v, size_t rows)
{
    const json_t *stages = field(v->status, "stages");
    size_t n = json_array_size(stages);
    double share;
    const char *most = load_bottleneck(v->status, v->before, &share);
    struct draw_row *row = arena_alloc(&f->arena, (n + 1) * sizeof *row);
    struct draw_table t = {.heading = "stage", .second = "plugin", .column = of_run};
    t.n_columns = sizeof of_run / sizeof *of_run;
    if (v->of_dir) t.column = of_snapshot, t.n_columns = sizeof of_snapshot / sizeof *of_snapshot;
    for (size_t k = 0; k < n; k++)
        row[k] = stage_row(f, v, json_array_get(stages, k), most);
    bool cut = rows < n && rows > 1;
    draw_fit(f, &t, row, n);
    draw_choose(f, row, n, cut ? rows - 1 : rows);
    frame_line(f);
    draw_row(f, &t, NULL);
    frame_line(f);
    for (size_t k = 0; k < n; k++)
        if (row[k].drawn) draw_row(f, &t, &row[k]), frame_line(f);
    if (!cut) return;
    frame_put(f, FRAME_FAINT, "  and %zu more that are less busy", n - rows + 1);
    frame_line(f);
}

/* ---- learners ---- */

static const struct draw_column of_learner[] = {{"examples", 13, 0}, {"", 11, 2},
                                                {"loss", 9, 0},      {"last fifth", 12, 1},
                                                {"constant", 13, 3}, {"AUC", 8, 4}};

static const struct {
    const char *key, *name;
} losses[] = {{"log_loss", "log loss"}, {"rmse", "RMSE"}, {"error_rate", "error rate"}};
enum { N_LOSSES = sizeof losses / sizeof *losses };

/* Returns N_LOSSES if it has none. */
static size_t draw_loss_of(const json_t *metrics)
{
    size_t k = 0;
    while (k < N_LOSSES && !isfinite(field_number(metrics, losses[k].key)))
        k++;
    return k;
}

static const char *loss_figure(struct frame *f, const json_t *metrics, size_t loss,
                               const char *suffix)
{
    if (loss == N_LOSSES) return "-";
    const char *key = arena_printf(&f->arena, "%s%s", losses[loss].key, suffix);
    return draw_figure(f, field_number(metrics, key));
}

static struct draw_row learner_row(struct frame *f, const json_t *of)
{
    const json_t *m = field(of, "metrics");
    size_t loss = draw_loss_of(m);
    return (struct draw_row){.name = field_text(of, "id"),
                             .cell = {draw_count(f, field_number(m, "examples")),
                                      loss < N_LOSSES ? losses[loss].name : "-",
                                      loss_figure(f, m, loss, ""), loss_figure(f, m, loss, "_last"),
                                      loss_figure(f, m, loss, "_constant"),
                                      draw_figure(f, field_number(m, "auc"))}};
}

/* The loss of each part of the run, between the smallest and the largest of them. */
static void draw_curve(struct frame *f, const json_t *learner)
{
    const json_t *curve = field(learner, "curve");
    size_t n = json_array_size(curve), points = n < CURVE ? n : CURVE;
    size_t loss = draw_loss_of(field(learner, "metrics"));
    double low = INFINITY, high = -INFINITY, value[CURVE];
    if (loss == N_LOSSES || n < 2 || f->columns < f->column + 2 + CURVE) return;
    const char *key = arena_printf(&f->arena, "%s_since", losses[loss].key);
    for (size_t k = 0; k < points; k++) {
        value[k] = field_number(json_array_get(curve, (k + 1) * n / points - 1), key);
        low = fmin(low, value[k]);
        high = fmax(high, value[k]);
    }
    frame_put(f, FRAME_PLAIN, "  ");
    for (size_t k = 0; k < points; k++) {
        double part = high > low && isfinite(value[k]) ? (value[k] - low) / (high - low) : 0;
        char block[4] = "\xe2\x96\x81";
        block[2] = (char)((unsigned char)block[2] + (int)(part * 7 + 0.5));
        frame_put(f, FRAME_POSITIVE, "%s", block);
    }
}

void draw_learners(struct frame *f, const struct view *v, size_t rows)
{
    size_t n = 0, chosen = look_learner_index(v->status, v->learner);
    while (look_learner(v->status, n))
        n++;
    if (!n) return;
    size_t first = chosen >= rows ? chosen + 1 - rows : 0;
    struct draw_row *row = arena_alloc(&f->arena, n * sizeof *row);
    struct draw_table t = {.heading = "learner",
                           .second = "",
                           .column = of_learner,
                           .n_columns = sizeof of_learner / sizeof *of_learner};
    if (n > rows) t.heading = arena_printf(&f->arena, "%zu learners", n);
    for (size_t k = 0; k < n; k++)
        row[k] = learner_row(f, look_learner(v->status, k));
    row[chosen].strong = n > 1;
    draw_fit(f, &t, row, n);
    frame_line(f);
    draw_row(f, &t, NULL);
    frame_line(f);
    for (size_t k = first; k < n && k < first + rows; k++) {
        draw_row(f, &t, &row[k]);
        draw_curve(f, look_learner(v->status, k));
        frame_line(f);
    }
}
