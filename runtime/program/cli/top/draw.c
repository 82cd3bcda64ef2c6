/* draw.c -- see draw.h: the order of the parts, and how many rows each has. */
#include "draw.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "look.h"
#include "program/page/fields.h"

const char *draw_share(struct frame *f, double share)
{
    return isfinite(share) ? arena_printf(&f->arena, "%.0f %%", 100 * share) : "-";
}

const char *draw_span(struct frame *f, double s)
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

/* ---- parts of a line or two ---- */

void draw_help(struct frame *f)
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

void draw_keys(struct frame *f, const struct view *v)
{
    if (v->paused) frame_put(f, FRAME_WARNING, "paused  ");
    frame_put(f, FRAME_FAINT, "q quit  Tab next learner  p %s  + - every %.3g s  h %s",
              v->paused ? "continue" : "pause", v->interval, v->help ? "back" : "help");
}

/* Lines of whole words. */
static void put_wrapped(struct frame *f, enum frame_style style, const char *text)
{
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        if (f->column && f->column + 1 + n > f->columns) frame_line(f);
        frame_put(f, style, "%s%.*s", f->column ? " " : "", (int)n, word);
        word += n + strspn(word + n, " ");
    }
    frame_line(f);
}

void draw_trouble(struct frame *f, const struct view *v)
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
    put_wrapped(f, FRAME_WARNING, text);
}

enum { MOST_REASONS = 3 };

static size_t rejections_shown(const struct view *v)
{
    size_t n = json_object_size(field(v->status, "rejections"));
    return n < MOST_REASONS ? n : MOST_REASONS;
}

void draw_rejections(struct frame *f, const struct view *v)
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
        put_wrapped(f, FRAME_PLAIN,
                    arena_printf(&f->arena, "%s %s%s%s", draw_count(f, json_number_value(n)),
                                 reason, *first ? ", the first: " : "", first));
    }
}

/* ---- the frame ---- */

struct layout {
    size_t stages, learners, answer; /* rows, without headings */
};

/* What is left after the head goes to stages and learners, as long as an answer keeps some. */
static struct layout lay_out(const struct frame *f, const struct view *v)
{
    enum { HEADED = 2, LEAST_ANSWER = 5, ROOMY = 32 };
    size_t stages = json_array_size(field(v->status, "stages")), learners = 0;
    while (look_learner(v->status, learners))
        learners++;
    size_t left = frame_left(f), fixed = HEADED + (learners ? 2 * HEADED + LEAST_ANSWER : 0);
    size_t free = left > fixed + 2 ? left - fixed : 2;
    struct layout l = {.stages = stages, .learners = learners};
    if (learners + stages > free) {
        size_t most = free / 4 ? free / 4 : 1;
        if (free > stages + most) most = free - stages;
        if (l.learners > most) l.learners = most;
        if (l.stages > free - l.learners) l.stages = free - l.learners;
    }
    size_t taken = HEADED + l.stages + (learners ? HEADED + l.learners : 0) + HEADED;
    if (left > ROOMY) taken += 1 + rejections_shown(v);
    l.answer = left > taken ? left - taken : 0;
    if (l.answer > v->answer_rows) l.answer = v->answer_rows;
    return l;
}

static void draw_body(struct frame *f, const struct view *v)
{
    struct layout l = lay_out(f, v);
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
    if (!v->live || !rows) return;
    f->row = rows - 1;
    f->column = 0;
    draw_keys(f, v);
}
