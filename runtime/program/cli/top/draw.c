/* draw.c -- implementation of draw.h: head, stages, learners, answer, keys. */
#include "draw.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/report/text_out.h"
#include "host/log/json_text.h"
#include "host/memory/memory.h"
#include "look.h"
#include "program/page/fields.h"

/* ---- text at its place in the frame ---- */

enum draw_style { PLAIN, STRONG, FAINT, HEADING, POSITIVE, NEGATIVE, WARNING, STYLES };

struct draw {
    const struct view *v;
    enum draw_kind kind;
    size_t columns, rows; /* size of the frame */
    size_t row, column;   /* position of the next text */
    size_t line;          /* start of the current line */
    FILE *out;
    struct arena arena;
    json_t *stages, *bottleneck; /* stages with rates and loads, and the slowest; or NULL */
    double busiest;       /* fraction of the time for which the bottleneck's thread is busy */
    const json_t *chosen; /* learner whose answer is drawn; or NULL */
    size_t learners, at;  /* number of learners, and index of `chosen` */
};

enum { CURVE = 24, BLOCKS = 60 };

static void draw_line(struct draw *d)
{
    d->row++;
    d->column = 0;
}

/* Prints at most `width` columns of a text, and never beyond the end of the line. Cuts the middle
 * of longer text. */
static void draw_cut(struct draw *d, enum draw_style style, size_t width, const char *text)
{
    static const char *const set[2][STYLES] = {
        {"", "\x1b[1m", "\x1b[2m", "\x1b[4m", "", "", "\x1b[1m"},
        {"", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[32m", "\x1b[31m", "\x1b[1;33m"}};
    char buf[256];
    struct text_out out = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = d->out};
    size_t n = strlen(text), taken = text_width(text, n), left = d->columns - d->column;
    bool plain = d->kind == DRAW_TEXT;
    if (width > left) width = left;
    if (!width || !n || d->row >= d->rows) return;
    for (; d->line < d->row; d->line++)
        fputs(plain ? "\n" : "\n\x1b[K", d->out);
    if (!plain) fputs(set[d->kind == DRAW_COLOURS][style], d->out);
    text_shown(&out, text, n, width);
    text_flush(&out);
    if (!plain) fputs("\x1b[m", d->out);
    d->column += taken < width ? taken : width;
}

__attribute__((format(printf, 3, 4))) static void draw_put(struct draw *d, enum draw_style style,
                                                           const char *format, ...)
{
    va_list args;
    va_start(args, format);
    draw_cut(d, style, d->columns, arena_vprintf(&d->arena, format, args));
    va_end(args);
}

/* Prints a label and its figure. If this line has no room for both, prints them on the next
 * line. */
static void draw_item(struct draw *d, const char *label, enum draw_style style, const char *text)
{
    size_t width = strlen(label) + text_width(text, strlen(text));
    if (d->column && d->column + 3 + width > d->columns) draw_line(d);
    draw_put(d, FAINT, "%s%s", d->column ? "   " : "", label);
    draw_cut(d, style, d->columns, text);
}

/* Prints text, and breaks lines between words. */
static void draw_wrapped(struct draw *d, enum draw_style style, const char *text)
{
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (d->column && d->column + 1 + n > d->columns) draw_line(d);
        draw_put(d, style, "%s%.*s", d->column ? " " : "", (int)n, word);
        word += n + strspn(word + n, " ");
    }
    draw_line(d);
}

/* Draws rows as a table. With `bars`, draws bars and no headings. Omits columns for which no row
 * has a value, and on a small terminal the least important columns. */
static void draw_table(struct draw *d, const struct report_column *of, const json_t *rows,
                       bool bars)
{
    struct report_column column[REPORT_MAX_COLUMNS];
    char buf[1024], *text, *rest;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to) memory_lost();
    struct text_out out = {.buf = buf, .cap = sizeof buf, .drain = text_to_file, .to = to};
    struct report r = {.out = &out, .terminal = d->columns, .headed = bars};
    struct field_list list;
    size_t large = d->v->of_dir ? 0 : 110;
    uint32_t n = 0;
    for (; of->name; of++) {
        size_t k = 0;
        while (k < json_array_size(rows) && !field(json_array_get(rows, k), of->name))
            k++;
        if (k < json_array_size(rows) && (of->drop != 1 || d->columns >= large)) column[n++] = *of;
    }
    field_list_make(&list, rows, column, n);
    report_begin(&r, NULL);
    report_rows(&r, &list.list);
    report_end(&r);
    text_flush(&out);
    if (fclose(to)) memory_lost();
    enum draw_style style = HEADING;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (bars) style = line[strspn(line, " ")] == '-' ? NEGATIVE : POSITIVE;
        draw_cut(d, style, d->columns, line);
        draw_line(d);
        style = rest && (*rest == '>' || *rest == '*') ? STRONG : PLAIN;
    }
    free(text);
}

/* ---- figures as text ---- */

static const char *draw_count(struct draw *d, double n) { return field_count(round(n), &d->arena); }

/* Returns a row of block characters as JSON, for bars and curves. block[k] is the last byte of
 * character k's UTF-8. */
static json_t *draw_blocks(const unsigned char *block, size_t n)
{
    char text[3 * BLOCKS], *to = text;
    for (size_t k = 0; k < n; k++, to += 3)
        memcpy(to, (const char[]){'\xe2', '\x96', (char)block[k]}, 3);
    return json_stringn(text, 3 * n);
}

static void draw_set_name(json_t *row, char mark, const json_t *of)
{
    json_object_set_new(row, "name", json_sprintf("%c %s", mark, field_text(of, "id")));
}

/* ---- values of the status ---- */

static const json_t *draw_recent(const struct draw *d, const char *key)
{
    return field(d->v->since ? d->v->since : d->v->status, key);
}

/* Returns a count per second. Counts since the start include `before`, the count of earlier runs,
 * which is subtracted. */
static double draw_rate(const struct draw *d, const json_t *count, double before)
{
    double seconds = json_number_value(draw_recent(d, "seconds"));
    double n = json_number_value(count) - (!d->v->since && before > 0 ? before : 0);
    return seconds > 0 ? round(fmax(n, 0) / seconds) : (double)NAN;
}

/* ---- the stages ---- */

/* Sets "busy", "starved" and "blocked" of a stage: fractions of the time of its threads. Returns
 * how busy the busiest of these threads is with all its stages. */
static double draw_set_load(const struct draw *d, json_t *row)
{
    static const char *const what[] = {"busy", "starved", "blocked"};
    const json_t *threads = draw_recent(d, "threads"), *t, *id;
    double own = 0, time[3] = {0}, whole = 0, busiest = 0;
    for (size_t k = 0; (t = json_array_get(threads, k)); k++)
        for (size_t i = 0; (id = json_array_get(field(t, "stages"), i)); i++) {
            if (!json_equal(id, field(row, "id"))) continue;
            own += json_number_value(json_array_get(field(t, "stages_busy"), i));
            double busy = json_number_value(field(t, what[0])), all = 0;
            for (int w = 0; w < 3; w++) {
                time[w] += json_number_value(field(t, what[w]));
                all += json_number_value(field(t, what[w]));
            }
            if (busy > busiest * all) busiest = busy / all;
            whole += all;
        }
    time[0] = own;
    for (int w = 0; w < 3 && whole > 0; w++)
        json_object_set_new(row, what[w], json_real(round(1000 * time[w] / whole) / 1000));
    return busiest;
}

/* Makes d->stages: the stages of the status, with rates and loads. If the busiest thread is busy
 * for more than half of its time, d->bottleneck is the stage that takes most of that time. */
static void draw_make_stages(struct draw *d)
{
    const json_t *stages = field(d->v->status, "stages");
    bool continued = !d->v->since && field_number(d->v->status, "records_before") > 0;
    d->stages = json_array();
    d->busiest = 0.5;
    for (size_t k = 0; k < json_array_size(stages); k++) {
        json_t *of = json_array_get(stages, k), *row = json_copy(of);
        const json_t *in = field(json_array_get(draw_recent(d, "stages"), k), "in");
        draw_set_name(row, ' ', of);
        json_object_set_new(row, "used", json_real(field_number(field(of, "memory"), "used")));
        if (!continued && !d->v->of_dir)
            json_object_set_new(row, "rate", json_real(draw_rate(d, in, 0)));
        double busy = draw_set_load(d, row), own = json_number_value(field(row, "busy"));
        if (busy > d->busiest || (d->bottleneck && busy == d->busiest &&
                                  own > json_number_value(field(d->bottleneck, "busy")))) {
            d->bottleneck = row;
            d->busiest = busy;
        }
        json_array_append_new(d->stages, row);
        if (of == d->chosen) d->at = d->learners;
        d->learners += field(of, "in_order") != NULL;
    }
    if (d->bottleneck) draw_set_name(d->bottleneck, '>', d->bottleneck);
}

static double draw_busy(const struct draw *d, size_t stage)
{
    return json_number_value(field(json_array_get(d->stages, stage), "busy"));
}

/* Draws at most `most` stages, the busiest first if there are more. */
static void draw_stages(struct draw *d, size_t most)
{
    static const struct report_column column[] = {
        {.name = "name", .type = REPORT_WORD, .heading = "  stage", .width = 12},
        {.name = "plugin", .type = REPORT_WORD, .drop = 1},
        {.name = "in", .heading = "records in", .width = 11},
        {.name = "rate", .heading = "a second", .width = 9, .drop = 5},
        {.name = "busy", .type = REPORT_SHARE, .decimals = 1, .width = 7},
        {.name = "starved", .type = REPORT_SHARE, .decimals = 1, .drop = 3},
        {.name = "blocked", .type = REPORT_SHARE, .decimals = 1, .drop = 2},
        {.name = "rejected", .drop = 4},
        {.name = "used", .type = REPORT_BYTES, .heading = "memory", .drop = 1},
        {.name = "state_bytes", .type = REPORT_BYTES, .heading = "state"},
        {.name = NULL}};
    size_t n = json_array_size(d->stages), left = n > most ? most - 1 : n;
    for (size_t i = n; i > left; i--) {
        size_t least = i - 1;
        for (size_t k = least; k-- > 0;)
            if (draw_busy(d, k) < draw_busy(d, least)) least = k;
        json_array_remove(d->stages, least);
    }
    draw_line(d);
    draw_table(d, column, d->stages, false);
    if (left < n) draw_put(d, FAINT, "  and %zu more, less busy", n - left), draw_line(d);
}

/* ---- the learners ---- */

/* Returns the loss over the course of the run as block characters. The lowest block is the smallest
 * loss. */
static json_t *draw_curve(const json_t *curve, const char *key)
{
    size_t n = json_array_size(curve), points = n < 2 ? 0 : n < CURVE ? n : CURVE;
    double low = INFINITY, high = -INFINITY, value[CURVE];
    unsigned char block[CURVE];
    for (size_t k = 0; k < points; k++) {
        value[k] = field_number(json_array_get(curve, (k + 1) * n / points - 1), key);
        low = fmin(low, value[k]);
        high = fmax(high, value[k]);
    }
    for (size_t k = 0; k < points; k++) {
        double part = high > low && isfinite(value[k]) ? (value[k] - low) / (high - low) : 0;
        block[k] = (unsigned char)(0x81 + (int)(part * 7 + 0.5));
    }
    return points ? draw_blocks(block, points) : NULL;
}

/* Returns a learner's figures. The members of its loss have the names of the columns. */
static json_t *draw_learner_row(struct draw *d, const json_t *of)
{
    static const char *const losses[][2] = {
        {"log_loss", "log loss"}, {"rmse", "RMSE"}, {"error_rate", "error rate"}};
    static const char *const suffix[] = {"", "_last", "_constant", "_since"};
    const json_t *m = field(of, "metrics");
    json_t *row = json_is_object(m) ? json_copy((json_t *)m) : json_object();
    const char *key[4];
    size_t k = 0;
    while (k < 2 && !json_is_number(field(m, losses[k][0])))
        k++;
    draw_set_name(row, of == d->chosen && d->learners > 1 ? '*' : ' ', of);
    for (int i = 0; i < 4; i++) {
        key[i] = arena_printf(&d->arena, "%s%s", losses[k][0], suffix[i]);
        json_object_set(row, arena_printf(&d->arena, "loss%s", suffix[i]),
                        (json_t *)field(m, key[i]));
    }
    if (field(row, "loss")) json_object_set_new(row, "of", json_string(losses[k][1]));
    json_object_set_new(row, "curve", draw_curve(field(of, "curve"), key[3]));
    return row;
}

static void draw_learners(struct draw *d, size_t most)
{
    static const struct report_column column[] = {
        {.name = "name", .type = REPORT_WORD, .heading = "  learner", .width = 12},
        {.name = "examples"},
        {.name = "of", .type = REPORT_WORD, .heading = "", .drop = 3},
        {.name = "loss", .type = REPORT_FIGURE, .width = 6},
        {.name = "loss_last", .type = REPORT_FIGURE, .heading = "last fifth", .drop = 4},
        {.name = "loss_constant", .type = REPORT_FIGURE, .heading = "constant", .drop = 3},
        {.name = "auc", .type = REPORT_FIGURE, .heading = "AUC", .width = 6, .drop = 2},
        {.name = "curve", .type = REPORT_WORD, .heading = "", .drop = 1},
        {.name = NULL}};
    const json_t *stages = field(d->v->status, "stages"), *of;
    json_t *rows = json_array();
    size_t first = d->at >= most ? d->at + 1 - most : 0, i = 0;
    for (size_t k = 0; (of = json_array_get(stages, k)); k++)
        if (field(of, "in_order") && i++ >= first && i - first <= most)
            json_array_append_new(rows, draw_learner_row(d, of));
    if (i) draw_line(d);
    draw_table(d, column, rows, false);
    json_decref(rows);
    if (i > most) draw_put(d, FAINT, "  of %zu learners", i), draw_line(d);
}

/* ---- an answer: the heaviest features of a learner, with bars ---- */

/* Returns the answer of the learner; NULL if there is none. A snapshot has its answers in the
 * summary. For a run, the last look has requested the answer. */
static const json_t *draw_find_answer(const struct view *v, const char *learner)
{
    const json_t *all = field(v->status, "answers"), *one = v->top;
    bool fits = field(one, "error") || !strcmp(field_text(one, "stage"), learner);
    for (size_t k = 0; v->of_dir && (one = json_array_get(all, k)); k++)
        if (!strcmp(field_text(one, "learner"), learner)) return one;
    return fits && !v->of_dir ? one : NULL;
}

/* Returns the name of the member that the bars show: "weight", otherwise the first number. */
static const char *draw_key(const json_t *row)
{
    const char *key;
    json_t *v;
    if (json_is_number(field(row, "weight"))) return "weight";
    json_object_foreach((json_t *)row, key, v)
    {
        if (json_is_number(v)) return key;
    }
    return "weight";
}

/* Draws n rows with bars. A bar's length is proportional to the figure's absolute value. */
static void draw_rows(struct draw *d, const json_t *all, size_t n)
{
    const char *key = draw_key(json_array_get(all, 0));
    size_t width = d->columns / 3 < BLOCKS ? d->columns / 3 : BLOCKS;
    const struct report_column column[] = {
        {.name = key, .width = 10},
        {.name = "bar", .type = REPORT_WORD, .width = width, .drop = 2},
        {.name = "feature", .type = REPORT_NAME},
        {.name = "also", .type = REPORT_NAME},
        {.name = NULL}};
    json_t *rows = json_array();
    double most = DBL_MIN;
    for (size_t k = 0; k < n; k++)
        most = fmax(most, fabs(field_number(json_array_get(all, k), key)));
    for (size_t k = 0; k < n; k++) {
        json_t *row = json_copy(json_array_get(all, k));
        unsigned char block[BLOCKS];
        size_t blocks = 0;
        double part = fabs(json_number_value(field(row, key))) / most;
        for (int eighths = (int)ceil(part * 8 * (double)width); eighths > 0; eighths -= 8)
            block[blocks++] = (unsigned char)(0x90 - (eighths < 8 ? eighths : 8));
        json_object_set_new(row, "bar", draw_blocks(block, blocks));
        json_array_append_new(rows, row);
    }
    draw_table(d, column, rows, true);
    json_decref(rows);
}

/* Draws the answer of the chosen learner: of a run, the heaviest features; of a snapshot, the first
 * rows of its sink. */
static void draw_answer(struct draw *d, size_t most)
{
    const struct view *v = d->v;
    const char *learner = field_text(d->chosen, "id");
    const json_t *answer = draw_find_answer(v, learner), *rows = field(answer, "rows");
    size_t n = json_array_size(rows) < most ? json_array_size(rows) : most;
    double examples = field_number(answer, "examples");
    char *key = arena_strdup(&d->arena, draw_key(json_array_get(rows, 0)));
    if (!*learner || !most) return;
    for (char *blank; (blank = strchr(key, '_'));)
        *blank = ' ';
    draw_line(d);
    draw_put(d, HEADING, "  %s", learner);
    if (isfinite(examples))
        draw_put(d, FAINT, "  %s of its %s after %s examples", key,
                 v->of_dir ? "first rows" : "heaviest features", draw_count(d, examples));
    draw_line(d);
    if (n) draw_rows(d, rows, n);
    const char *error = field_text(answer, "error"), *none = *error      ? error
                                                             : answer    ? "has learned nothing yet"
                                                             : v->of_dir ? "gave no answer"
                                                                         : "is being asked";
    if (!n) draw_put(d, FAINT, "  %s", none), draw_line(d);
}

/* ---- the head of the frame ---- */

static void draw_title(struct draw *d)
{
    const struct view *v = d->v;
    const char *state = field_text(v->status, "state");
    size_t target = text_width(v->target, strlen(v->target));
    size_t room = d->columns > target + 40 ? d->columns - target - 30 : d->columns;
    draw_cut(d, STRONG, room, v->status ? field_text(v->status, "pipeline") : "leat top");
    if (*v->trouble) state = "no answer";
    if (v->status && !v->of_dir)
        draw_put(d, strcmp(state, "running") ? WARNING : POSITIVE, "  %s", state);
    if (v->status && !v->of_dir && !*v->trouble)
        draw_put(d, PLAIN, " for %s", field_span(field_number(v->status, "seconds"), &d->arena));
    if (d->column + 2 + target <= d->columns)
        draw_put(d, FAINT, "%*s%s", (int)(d->columns - d->column - target), "", v->target);
    draw_line(d);
}

static void draw_records(struct draw *d)
{
    const json_t *s = d->v->status;
    double records = field_number(s, "records"), rejected = field_number(s, "rejected");
    double dead = field_number(s, "dead_letters"), lag = field_number(s, "lag");
    double rate = draw_rate(d, draw_recent(d, "records"), field_number(s, "records_before"));
    struct arena *a = &d->arena;
    draw_item(d, "records ", STRONG, draw_count(d, records));
    if (!d->v->of_dir)
        draw_item(
            d, "", STRONG,
            arena_printf(a, "%s/s%s", draw_count(d, rate), d->v->since ? "" : " since the start"));
    draw_item(d, "rejected ", rejected > 0 ? WARNING : PLAIN,
              records > 0 && rejected > 0 ? arena_printf(a, "%s (%.3g %%)", draw_count(d, rejected),
                                                         100 * rejected / records)
                                          : draw_count(d, rejected));
    if (dead > 0) draw_item(d, "dead letters ", PLAIN, draw_count(d, dead));
    if (field(s, "lag"))
        draw_item(d, "lag ", STRONG, isfinite(lag) ? draw_count(d, lag) : "unknown");
    draw_line(d);
}

static void draw_state(struct draw *d)
{
    const struct view *v = d->v;
    const json_t *memory = field(v->status, "memory"), *snapshots = field(v->status, "snapshots");
    double planned = field_number(memory, "planned"), used = field_number(memory, "used");
    double age = field_number(v->of_dir ? v->status : snapshots, "age");
    double number = field_number(v->status, "checkpoint");
    struct arena *a = &d->arena;
    if (v->of_dir && v->now_ns > v->seen_ns) age += (double)(v->now_ns - v->seen_ns) / 1e9;
    const char *ago = isfinite(age) ? arena_printf(a, "%s ago", field_span(age, a)) : "none yet";
    if (memory)
        draw_item(
            d, "memory ", used > planned ? WARNING : PLAIN,
            arena_printf(a, "%s of %s planned", field_bytes(used, a), field_bytes(planned, a)));
    if (v->of_dir) ago = arena_printf(a, "%s, %s", draw_count(d, number), ago);
    if (v->of_dir || snapshots) draw_item(d, "snapshot ", v->of_dir ? STRONG : PLAIN, ago);
    if (v->of_dir) draw_item(d, "saved ", PLAIN, field_moment(field_text(v->status, "saved"), a));
    if (d->bottleneck)
        draw_item(
            d, "bottleneck ", STRONG,
            arena_printf(a, "%s (%.0f %%)", field_text(d->bottleneck, "id"), 100 * d->busiest));
    draw_line(d);
}

static void draw_trouble(struct draw *d)
{
    const struct view *v = d->v;
    time_t seconds = (time_t)(v->seen_ns / 1000000000u);
    const char *text = v->trouble;
    struct tm t;
    char at[32];
    if (v->status && localtime_r(&seconds, &t) && strftime(at, sizeof at, "%H:%M:%S", &t))
        text = arena_printf(&d->arena, "%s. These figures are from %s.", text, at);
    if (*v->trouble) draw_wrapped(d, WARNING, text);
    if (!v->status && !*v->trouble) draw_put(d, FAINT, "waiting for the first answer");
}

/* ---- help and keys ---- */

static void draw_help(struct draw *d)
{
    static const char *const keys[][2] = {
        {"q", "ends (so does Ctrl-C); the run goes on"},
        {"Tab, right, down", "the next learner's answer"},
        {"left, up", "the previous learner's answer"},
        {"p, blank", "pauses and continues; the run does not pause"},
        {"+ and -", "asks less often, more often"},
        {"h, ?", "shows or hides these keys"},
        {"", ""},
        {">",
         "the bottleneck: the busiest stage of a thread that works more than half of its time"},
        {"busy", "share of its threads' time that they spend in the stage"},
        {"starved", "its threads wait for records"},
        {"blocked", "its threads wait for stages after it"},
        {"*", "the learner whose answer is shown"},
        {"loss", "loss of predictions before learning; constant: the loss of the best constant"}};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        draw_line(d);
        draw_put(d, STRONG, "  %-18s", keys[k][0]);
        draw_put(d, PLAIN, "%s", keys[k][1]);
    }
}

/* Draws the keys on the last row. A narrow terminal shows only the first ones. */
static void draw_keys(struct draw *d)
{
    const struct view *v = d->v;
    const char *const keys[] = {"q quit", "Tab next learner", v->paused ? "p continue" : "p pause",
                                arena_printf(&d->arena, "+ - every %.3g s", v->interval),
                                v->help ? "h back" : "h help"};
    d->row = d->rows - 1;
    d->column = 0;
    if (v->paused) draw_put(d, WARNING, "paused  ");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (d->column && d->column + 2 + strlen(keys[k]) > d->columns) break;
        draw_put(d, FAINT, "%s%s", k ? "  " : "", keys[k]);
    }
}

enum { REASONS = 3 };

static void draw_rejections(struct draw *d)
{
    const char *reason;
    json_t *n, *all = json_object_get(d->v->status, "rejections");
    size_t k = 0;
    json_object_foreach(all, reason, n)
    {
        const char *first = field_text(field(d->v->status, "rejection_examples"), reason);
        if (k == REASONS || d->row + 2 > d->rows) return;
        if (!k++) draw_line(d);
        draw_put(d, WARNING, "  rejected:");
        draw_wrapped(d, PLAIN,
                     arena_printf(&d->arena, "%s %s%s%s", draw_count(d, json_number_value(n)),
                                  reason, *first ? ", the first: " : "", first));
    }
}

/* ---- the frame ---- */

/* Distributes the rows below the head to learners, stages and the answer. The answer keeps some
 * rows. */
static void draw_body(struct draw *d)
{
    enum { ANSWER = 7, ROOMY = 32, PLAIN_ANSWER = 20 };
    size_t left = d->rows > d->row ? d->rows - d->row : 0, learners = left / 4 ? left / 4 : 1;
    size_t reasons = json_object_size(field(d->v->status, "rejections"));
    if (learners > d->learners) learners = d->learners;
    size_t fixed = 2 + (learners ? 2 + learners + ANSWER : 0);
    size_t below = left <= ROOMY ? 2 : 3 + (reasons < REASONS ? reasons : REASONS);
    draw_stages(d, left > fixed + 2 ? left - fixed : 2);
    draw_learners(d, learners);
    left = d->rows > d->row + below ? d->rows - d->row - below : 0;
    draw_answer(d, d->v->live || left < PLAIN_ANSWER ? left : PLAIN_ANSWER);
    draw_rejections(d);
}

char *draw_frame(const struct view *v, enum draw_kind kind, size_t columns, size_t rows, size_t *n)
{
    char *text;
    struct draw d = {.v = v, .kind = kind, .columns = columns, .rows = rows - v->live};
    d.out = open_memstream(&text, n);
    if (!d.out) memory_lost();
    if (kind != DRAW_TEXT) fputs("\x1b[H\x1b[K", d.out);
    d.chosen = look_learner(v->status, v->learner, 0);
    draw_make_stages(&d);
    draw_title(&d);
    if (v->status) draw_records(&d), draw_state(&d);
    draw_trouble(&d);
    if (v->help)
        draw_help(&d);
    else if (v->status)
        draw_body(&d);
    d.rows = rows;
    if (v->live) draw_keys(&d);
    if (kind == DRAW_TEXT) fputc('\n', d.out);
    if (fclose(d.out)) memory_lost();
    json_decref(d.stages);
    arena_free(&d.arena);
    return text;
}
