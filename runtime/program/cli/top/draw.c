/* draw.c -- see draw.h: the order of the parts, how many rows each has, and all but the tables. */
#include "draw.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "core/report/cell_text.h"
#include "core/report/text_out.h"
#include "look.h"
#include "program/page/fields.h"

const char *draw_share(struct frame *f, double share)
{
    return isfinite(share) ? arena_printf(&f->arena, "%.0f %%", 100 * share) : "-";
}

/* "3 min 12 s" */
static const char *draw_span(struct frame *f, double s)
{
    struct arena *a = &f->arena;
    if (!(s >= 0 && s < 1e10)) return "-";
    int all = (int)fmin(s, 2e9), minutes = all / 60, hours = minutes / 60;
    if (all < 60) return arena_printf(a, "%d s", all);
    if (minutes < 60) return arena_printf(a, "%d min %02d s", minutes, all % 60);
    if (hours < 48) return arena_printf(a, "%d h %02d min", hours, minutes % 60);
    return arena_printf(a, "%d d %02d h", hours / 24, hours % 24);
}

const char *draw_count(struct frame *f, double n) { return field_count(round(n), &f->arena); }

const char *draw_figure(struct frame *f, double x)
{
    if (!isfinite(x)) return "-";
    if (fabs(x) >= 1000 && fabs(x) < 1e12)
        return arena_printf(&f->arena, "%s%s", x < 0 ? "-" : "", draw_count(f, fabs(x)));
    return arena_printf(&f->arena, fabs(x) < 1e-4 && x != 0 ? "%.2e" : "%.4g", x);
}

/* ---- the head ---- */

/* Lines of whole words. */
static void draw_wrapped(struct frame *f, enum frame_style style, const char *text)
{
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (f->column && f->column + 1 + n > f->columns) frame_line(f);
        frame_put(f, style, "%s%.*s", f->column ? " " : "", (int)n, word);
        word += n + strspn(word + n, " ");
    }
    frame_line(f);
}

static void draw_trouble(struct frame *f, const struct view *v)
{
    if (!*v->trouble) return;
    const char *text = v->trouble;
    if (v->status && v->seen_ns) {
        time_t seconds = (time_t)(v->seen_ns / 1000000000u);
        struct tm t;
        char at[32] = "";
        if (localtime_r(&seconds, &t)) strftime(at, sizeof at, "%H:%M:%S", &t);
        text = arena_printf(&f->arena, "%s. These are the figures of %s.", text, at);
    }
    draw_wrapped(f, FRAME_WARNING, text);
}

/* On the next line where this one has no room for it. */
static void draw_item(struct frame *f, const char *label, enum frame_style style, const char *value)
{
    size_t width = text_width(label, strlen(label)) + 1 + text_width(value, strlen(value));
    if (f->column && f->column + 3 + width > f->columns) frame_line(f);
    if (f->column) frame_put(f, FRAME_PLAIN, "   ");
    if (*label) frame_put(f, FRAME_FAINT, "%s ", label);
    frame_put(f, style, "%s", value);
}

static void draw_title(struct frame *f, const struct view *v)
{
    const char *state = field_text(v->status, "state");
    enum frame_style style = !strcmp(state, "running") ? FRAME_POSITIVE : FRAME_WARNING;
    size_t target = text_width(v->target, strlen(v->target));
    size_t room = f->columns > target + 40 ? f->columns - target - 30 : f->columns;
    frame_name(f, FRAME_STRONG, v->status ? field_text(v->status, "pipeline") : "leat top", room);
    if (v->status && !v->of_dir) {
        frame_put(f, *v->trouble ? FRAME_WARNING : style, "  %s",
                  *v->trouble ? "no answer" : state);
        if (!*v->trouble)
            frame_put(f, FRAME_PLAIN, " for %s", draw_span(f, field_number(v->status, "seconds")));
    }
    if (f->column + 2 + target <= f->columns) frame_right(f, FRAME_FAINT, f->columns, v->target);
    frame_line(f);
}

static void draw_records(struct frame *f, const struct view *v)
{
    const json_t *s = v->status;
    double records = field_number(s, "records"), rejected = field_number(s, "rejected");
    double dead = field_number(s, "dead_letters"), lag = field_number(s, "lag");
    struct arena *a = &f->arena;
    draw_item(f, "records", FRAME_STRONG, draw_count(f, records));
    if (!v->of_dir)
        draw_item(f, "", FRAME_STRONG,
                  arena_printf(a, "%s/s%s", draw_count(f, fmax(load_rate(s, v->before), 0)),
                               v->before ? "" : " since the start"));
    draw_item(f, "rejected", rejected > 0 ? FRAME_WARNING : FRAME_PLAIN,
              records > 0 && rejected > 0 ? arena_printf(a, "%s (%.3g %%)", draw_count(f, rejected),
                                                         100 * rejected / records)
                                          : draw_count(f, rejected));
    if (dead > 0) draw_item(f, "dead letters", FRAME_PLAIN, draw_count(f, dead));
    if (field(s, "lag"))
        draw_item(f, "lag", FRAME_STRONG, isfinite(lag) ? draw_count(f, lag) : "unknown");
}

static void draw_memory(struct frame *f, const struct view *v)
{
    const json_t *m = field(v->status, "memory");
    double planned = field_number(m, "planned"), used = field_number(m, "used");
    if (!m) return;
    draw_item(f, "memory", used > planned ? FRAME_WARNING : FRAME_PLAIN,
              arena_printf(&f->arena, "%s of %s planned", field_bytes(used, &f->arena),
                           field_bytes(planned, &f->arena)));
}

static void draw_snapshots(struct frame *f, const struct view *v)
{
    const json_t *s = field(v->status, "snapshots");
    double age = field_number(s, "age"), since = (double)(v->now_ns - v->seen_ns) / 1e9;
    if (v->now_ns < v->seen_ns) since = 0;
    if (v->of_dir) {
        draw_item(f, "snapshot", FRAME_STRONG,
                  arena_printf(&f->arena, "%s, %s ago",
                               draw_count(f, field_number(v->status, "checkpoint")),
                               draw_span(f, field_number(v->status, "age") + since)));
        draw_item(f, "saved", FRAME_PLAIN, field_moment(field_text(v->status, "saved"), &f->arena));
    } else if (s) {
        draw_item(f, "snapshot", FRAME_PLAIN,
                  isfinite(age) ? arena_printf(&f->arena, "%s ago", draw_span(f, age))
                                : "none yet");
    }
}

static void draw_bottleneck(struct frame *f, const struct view *v)
{
    double share;
    const char *id = load_bottleneck(v->status, v->before, &share);
    if (id)
        draw_item(f, "bottleneck", FRAME_STRONG,
                  arena_printf(&f->arena, "%s (%s)", id, draw_share(f, share)));
}

static void draw_head(struct frame *f, const struct view *v)
{
    draw_title(f, v);
    if (v->status) {
        draw_records(f, v);
        frame_line(f);
        draw_memory(f, v);
        draw_snapshots(f, v);
        draw_bottleneck(f, v);
        frame_line(f);
    }
    draw_trouble(f, v);
    if (!v->status && !*v->trouble) {
        frame_put(f, FRAME_FAINT, "waiting for the first answer");
        frame_line(f);
    }
}

/* ---- an answer: the heaviest features of a learner, with bars ---- */

enum { NUMBER = 12, LEAST_NAME = 12 };

/* The answer of a snapshot is in its summary, that of a run was asked for. NULL if there is
 * none. */
static const json_t *draw_find_answer(const struct view *v, const char *learner)
{
    const json_t *all = field(v->status, "answers");
    if (!v->of_dir)
        return v->top && (field(v->top, "error") || !strcmp(field_text(v->top, "stage"), learner))
                   ? v->top
                   : NULL;
    for (size_t k = 0; k < json_array_size(all); k++)
        if (!strcmp(field_text(json_array_get(all, k), "learner"), learner))
            return json_array_get(all, k);
    return NULL;
}

/* The member that rows are shown by: the weight, or else the first number. */
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

/* Returns a member's text, with ? for each NUL, as the terminal shows it elsewhere. */
static const char *draw_text(struct frame *f, const json_t *row, const char *key)
{
    const json_t *v = field(row, key);
    size_t n = json_is_string(v) ? json_string_length(v) : 0;
    char *text = arena_strndup(&f->arena, n ? json_string_value(v) : "", n);
    for (size_t i = 0; i < n; i++)
        if (!text[i]) text[i] = '?';
    return text;
}

static const char *draw_name(struct frame *f, const json_t *row)
{
    const char *name = draw_text(f, row, "feature"), *also = draw_text(f, row, "also");
    return *also ? arena_printf(&f->arena, "%s; %s", name, also) : name;
}

struct draw_bars {
    size_t name, bar; /* columns */
    double most;
    struct report_column column;
    struct cell_style style;
};

static struct draw_bars draw_measure(struct frame *f, const json_t *rows, size_t n)
{
    struct draw_bars b = {.name = LEAST_NAME};
    struct field_list list;
    bool counts = true;
    b.column = (struct report_column){.name = draw_key(json_array_get(rows, 0))};
    for (size_t k = 0; k < n; k++) {
        const json_t *row = json_array_get(rows, k);
        const char *name = draw_name(f, row);
        size_t width = text_width(name, strlen(name));
        if (width > b.name) b.name = width;
        double x = fabs(field_number(row, b.column.name));
        if (isfinite(x) && x > b.most) b.most = x;
        counts &= json_integer_value(field(row, b.column.name)) > 0 || x == 0;
    }
    field_list_make(&list, rows, &b.column, 1);
    list.list.n_rows = (uint32_t)n;
    b.style = cell_style_of(&list.list, 0);
    b.style.whole &= counts; /* a weight of 8 is 8.000 */
    size_t room = f->columns > NUMBER + 3 ? f->columns - NUMBER - 3 : 0, least = room / 4;
    if (b.name > room - least) b.name = room - least;
    b.bar = room - b.name < 60 ? room - b.name : 60;
    return b;
}

static void draw_bar_row(struct frame *f, const struct draw_bars *b, const json_t *row)
{
    char buf[CELL_TEXT];
    double x = field_number(row, b->column.name);
    enum frame_style style = x < 0 ? FRAME_NEGATIVE : FRAME_POSITIVE;
    struct report_value v = cell_text(&b->column, &b->style, report_number(x), buf);
    frame_to(f, 2);
    frame_name(f, FRAME_PLAIN, draw_name(f, row), b->name);
    frame_right(f, style, 2 + b->name + NUMBER, arena_strndup(&f->arena, v.text, v.len));
    frame_put(f, FRAME_PLAIN, " ");
    if (b->most > 0) frame_bar(f, style, fabs(x) / b->most * (double)b->bar, b->bar);
    frame_line(f);
}

/* A run is asked for the heaviest features; a snapshot's answer is in the order of its sink. */
static void draw_answer_heading(struct frame *f, const struct view *v, const char *learner,
                                const json_t *answer, const char *key)
{
    const char *what = v->of_dir ? "first rows" : "heaviest features";
    char name[64];
    snprintf(name, sizeof name, "%s", key);
    for (char *s = name; *s; s++)
        if (*s == '_') *s = ' ';
    frame_to(f, 2);
    frame_put(f, FRAME_HEADING, "%s", learner);
    double examples = field_number(answer, "examples");
    if (isfinite(examples))
        frame_put(f, FRAME_FAINT, "  %s of its %s after %s examples", name, what,
                  draw_count(f, examples));
    frame_line(f);
}

static void draw_answer(struct frame *f, const struct view *v, size_t rows)
{
    size_t chosen = look_learner_index(v->status, v->learner);
    const char *learner = field_text(look_learner(v->status, chosen), "id");
    if (!*learner || !rows) return;
    const json_t *answer = draw_find_answer(v, learner), *all = field(answer, "rows");
    size_t n = json_array_size(all);
    if (n > rows) n = rows;
    struct draw_bars b = draw_measure(f, all, n);
    frame_line(f);
    draw_answer_heading(f, v, learner, answer, b.column.name);
    const char *none = !answer                  ? (v->of_dir ? "gave no answer" : "is being asked")
                       : field(answer, "error") ? field_text(answer, "error")
                                                : "has learned nothing yet";
    if (!n) {
        frame_put(f, FRAME_FAINT, "  %s", none);
        frame_line(f);
    }
    for (size_t k = 0; k < n; k++)
        draw_bar_row(f, &b, json_array_get(all, k));
}

/* ---- parts of a line or two ---- */

static void draw_help(struct frame *f)
{
    static const char *const keys[][2] = {
        {"q", "ends (so does Ctrl-C); the run goes on"},
        {"Tab, right, down", "the next learner's answer"},
        {"left, up", "that of the learner before"},
        {"p, blank", "pauses and continues; the run does not pause"},
        {"+ and -", "looks less often, more often"},
        {"h, ?", "these keys, and back"},
        {"", ""},
        {">", "the bottleneck: most of a thread that is busy for more than half of its time"},
        {"busy", "share of the time of its threads that is spent in the stage"},
        {"starved", "its threads wait for records"},
        {"blocked", "its threads wait for stages after it"},
        {"loss", "of predictions before learning; constant: that of the best constant"}};
    frame_line(f);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        frame_put(f, FRAME_STRONG, "  %s", keys[k][0]);
        frame_to(f, 20);
        frame_put(f, FRAME_PLAIN, "%s", keys[k][1]);
        frame_line(f);
    }
}

/* A narrow terminal has the first keys. */
static void draw_keys(struct frame *f, const struct view *v)
{
    const char *const keys[] = {"q quit", "Tab next learner", v->paused ? "p continue" : "p pause",
                                arena_printf(&f->arena, "+ - every %.3g s", v->interval),
                                v->help ? "h back" : "h help"};
    f->row = f->rows - 1;
    f->column = 0;
    if (v->paused) frame_put(f, FRAME_WARNING, "paused  ");
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        if (f->column && f->column + 2 + strlen(keys[k]) > f->columns) break;
        frame_put(f, FRAME_FAINT, "%s%s", k ? "  " : "", keys[k]);
    }
}

enum { MOST_REASONS = 3 };

static size_t draw_rejection_rows(const struct view *v)
{
    size_t n = json_object_size(field(v->status, "rejections"));
    return n < MOST_REASONS ? n : MOST_REASONS;
}

static void draw_rejections(struct frame *f, const struct view *v)
{
    const char *reason;
    json_t *n;
    size_t k = 0;
    json_object_foreach((json_t *)field(v->status, "rejections"), reason, n)
    {
        const char *first = field_text(field(v->status, "rejection_examples"), reason);
        if (k == MOST_REASONS || frame_left(f) < 2) return;
        if (!k++) frame_line(f);
        frame_put(f, FRAME_WARNING, "  rejected:");
        draw_wrapped(f, FRAME_PLAIN,
                     arena_printf(&f->arena, "%s %s%s%s", draw_count(f, json_number_value(n)),
                                  reason, *first ? ", the first: " : "", first));
    }
}

/* ---- the frame ---- */

struct draw_layout {
    size_t stages, learners, answer; /* rows, without headings */
};

/* Gives the rows below the head to stages and learners, as long as an answer keeps some. */
static struct draw_layout draw_lay_out(const struct frame *f, const struct view *v)
{
    enum { HEADED = 2, LEAST_ANSWER = 5, ROOMY = 32 };
    size_t stages = json_array_size(field(v->status, "stages")), learners = 0;
    while (look_learner(v->status, learners))
        learners++;
    size_t left = frame_left(f), fixed = HEADED + (learners ? 2 * HEADED + LEAST_ANSWER : 0);
    size_t free = left > fixed + 2 ? left - fixed : 2;
    struct draw_layout l = {.stages = stages, .learners = learners};
    if (learners + stages > free) {
        size_t most = free / 4 ? free / 4 : 1;
        if (free > stages + most) most = free - stages;
        if (l.learners > most) l.learners = most;
        if (l.stages > free - l.learners) l.stages = free - l.learners;
    }
    size_t taken = HEADED + l.stages + (learners ? HEADED + l.learners : 0) + HEADED;
    if (left > ROOMY) taken += 1 + draw_rejection_rows(v);
    l.answer = left > taken ? left - taken : 0;
    if (l.answer > v->answer_rows) l.answer = v->answer_rows;
    return l;
}

static void draw_body(struct frame *f, const struct view *v)
{
    struct draw_layout l = draw_lay_out(f, v);
    draw_stages(f, v, l.stages);
    draw_learners(f, v, l.learners);
    draw_answer(f, v, l.answer);
    draw_rejections(f, v);
}

void draw_frame(struct frame *f, const struct view *v)
{
    size_t rows = f->rows;
    if (v->live && f->rows) f->rows--;
    draw_head(f, v);
    if (v->help)
        draw_help(f);
    else if (v->status)
        draw_body(f, v);
    f->rows = rows;
    if (v->live && rows) draw_keys(f, v);
    frame_end(f);
}
