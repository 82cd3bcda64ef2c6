/* command_top.c -- `leat top`: a run at work, or its snapshots, on a terminal. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/report/terminal.h"
#include "core/text/plain_text.h"
#include "core/time/clock.h"
#include "draw.h"
#include "look.h"
#include "program/page/fields.h"
#include "screen.h"

enum { PLAIN_COLUMNS = 80, PLAIN_ROWS = 10000, PLAIN_ANSWER = 20, REDRAW_MS = 1000 };

static const double intervals[] = {0.5, 1, 2, 5, 10, 30, 60};
enum { N_INTERVALS = sizeof intervals / sizeof *intervals, FIRST_INTERVAL = 1 };

struct top_top {
    struct look look;
    struct screen screen;
    char learner[LOOK_NAME];
    size_t interval;
    bool paused, help, over, stale; /* stale: the screen does not have what is known */
    uint64_t begun;                 /* the last look, clock_ns */
};

static void top_draw(const struct top_top *t, struct frame *f, bool live)
{
    const struct look *l = &t->look;
    draw_frame(f, &(struct view){.target = l->target,
                                 .of_dir = l->of_dir,
                                 .status = l->status,
                                 .before = l->before,
                                 .top = l->top,
                                 .trouble = l->trouble,
                                 .seen_ns = l->seen_ns,
                                 .now_ns = clock_unix_ns(),
                                 .learner = t->learner,
                                 .live = live,
                                 .paused = t->paused,
                                 .help = t->help,
                                 .interval = intervals[t->interval],
                                 .answer_rows = live ? SIZE_MAX : PLAIN_ANSWER});
}

/* ---- one frame ---- */

static bool top_knows_learner(const struct look *l, const char *id)
{
    const json_t *first = look_learner(l->status, look_learner_index(l->status, id));
    if (!*id || !strcmp(field_text(first, "id"), id)) return true;
    plain_text_line(stderr, "leat: %s has no learner '%s'%s%s", l->target, id,
                    first ? ": the first that it has is " : "", field_text(first, "id"));
    return false;
}

static int top_print_once(struct top_top *t)
{
    struct frame frame;
    struct pollfd p;
    size_t columns = terminal_columns(STDOUT_FILENO);
    look_begin(&t->look, t->learner);
    while (!look_step(&t->look)) {
        int ms = look_poll(&t->look, &p);
        poll(&p, 1, ms);
    }
    if (!t->look.status) {
        plain_text_line(stderr, "leat: %s", t->look.trouble);
        return EXIT_DATA;
    }
    if (!top_knows_learner(&t->look, t->learner)) return EXIT_CONFIG;
    frame_begin(&frame, FRAME_TEXT, columns ? columns : PLAIN_COLUMNS, PLAIN_ROWS);
    top_draw(t, &frame, false);
    fwrite(frame.text, 1, frame.n, stdout);
    frame_free(&frame);
    return EXIT_DONE;
}

/* ---- on a terminal ---- */

static void top_show(struct top_top *t)
{
    struct frame frame;
    size_t columns, rows;
    screen_size(&columns, &rows);
    frame_begin(&frame, t->screen.kind, columns, rows);
    top_draw(t, &frame, true);
    screen_show(&frame);
    frame_free(&frame);
    t->stale = false;
}

static void top_look(struct top_top *t)
{
    t->begun = clock_ns();
    look_begin(&t->look, t->learner);
}

/* Turns to the learner `step` places on, and asks for its answer at once. */
static void top_turn(struct top_top *t, size_t step)
{
    const json_t *status = t->look.status;
    size_t n = 0, at = look_learner_index(status, t->learner);
    while (look_learner(status, n))
        n++;
    if (!n) return;
    const char *id = field_text(look_learner(status, (at + n + step) % n), "id");
    snprintf(t->learner, sizeof t->learner, "%s", id);
    if (!t->look.of_dir) top_look(t);
}

static void top_press(struct top_top *t, enum screen_key key)
{
    t->stale = true;
    if (key == SCREEN_QUIT) t->over = true;
    if (key == SCREEN_NEXT) top_turn(t, 1);
    if (key == SCREEN_PREVIOUS) top_turn(t, (size_t)-1);
    if (key == SCREEN_PAUSE) t->paused = !t->paused;
    if (key == SCREEN_HELP) t->help = !t->help;
    if (key == SCREEN_MORE && t->interval + 1 < N_INTERVALS) t->interval++;
    if (key == SCREEN_LESS && t->interval) t->interval--;
}

/* Returns the ms until the next look is due. One that failed is repeated each second. */
static int top_due_ms(const struct top_top *t)
{
    double seconds = *t->look.trouble ? intervals[FIRST_INTERVAL] : intervals[t->interval];
    uint64_t next = t->begun + (uint64_t)(seconds * 1e9), now = clock_ns();
    return now < next ? (int)((next - now) / 1000000 + 1) : 0;
}

static void top_wait(struct top_top *t)
{
    struct pollfd p;
    int ms = look_poll(&t->look, &p);
    if (ms < 0) ms = t->paused ? REDRAW_MS : top_due_ms(t);
    screen_wait(&t->screen, &p, ms < REDRAW_MS ? ms : REDRAW_MS);
}

static int top_run(struct top_top *t)
{
    enum screen_key key;
    char why[200];
    if (!screen_open(&t->screen, why, sizeof why)) {
        plain_text_line(stderr, "leat: %s; --once prints one frame as text", why);
        return EXIT_CONFIG;
    }
    top_look(t);
    t->stale = true;
    while (!t->over) {
        if (t->look.under_way)
            t->stale |= look_step(&t->look);
        else if (!t->paused && !top_due_ms(t))
            top_look(t);
        if (t->stale) top_show(t);
        top_wait(t);
        while (!t->over && (key = screen_read(&t->screen)) != SCREEN_NONE)
            top_press(t, key);
    }
    screen_close(&t->screen);
    return EXIT_DONE;
}

int command_top(const struct command_line *c)
{
    struct top_top t = {.interval = FIRST_INTERVAL};
    bool live = !c->once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int code = EXIT_CONFIG;
    if (c->stage) snprintf(t.learner, sizeof t.learner, "%s", c->stage);
    if (look_open(&t.look, c)) code = live ? top_run(&t) : top_print_once(&t);
    look_free(&t.look);
    return code;
}
