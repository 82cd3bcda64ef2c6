/* command_top.c -- `leat top`: a run at work, or its snapshots, on a terminal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report/terminal.h"
#include "core/text/plain_text.h"
#include "core/time/clock.h"
#include "look.h"
#include "program/page/fields.h"
#include "screen.h"

enum { PLAIN_COLUMNS = 80, PLAIN_ROWS = 10000, REDRAW_MS = 1000 };

static const double intervals[] = {0.5, 1, 2, 5, 10, 30, 60};
enum { N_INTERVALS = sizeof intervals / sizeof *intervals, FIRST_INTERVAL = 1 };

struct top {
    struct look look;
    struct screen screen;
    size_t interval;
    bool over, stale; /* stale: the screen does not have what is known */
    uint64_t begun;   /* the last look, clock_ns */
};

static void top_draw(struct view *v, enum draw_kind kind, size_t columns, size_t rows)
{
    size_t n;
    v->now_ns = clock_unix_ns();
    char *text = draw_frame(v, kind, columns, rows, &n);
    fwrite(text, 1, n, stdout);
    fflush(stdout);
    free(text);
}

static int top_print_once(struct look *l)
{
    struct view *v = &l->view;
    size_t columns = terminal_columns(STDOUT_FILENO);
    look_begin(l);
    look_end(l, true);
    if (!v->status) return plain_text_line(stderr, "leat: %s", v->trouble), EXIT_DATA;
    const char *first = field_text(look_learner(v->status, v->learner, 0), "id");
    if (*v->learner && strcmp(first, v->learner) != 0) {
        plain_text_line(stderr, "leat: %s has no learner '%s'%s%s", v->target, v->learner,
                        *first ? ": the first that it has is " : "", first);
        return EXIT_CONFIG;
    }
    top_draw(v, DRAW_TEXT, columns ? columns : PLAIN_COLUMNS, PLAIN_ROWS);
    return EXIT_DONE;
}

static void top_look(struct top *t)
{
    t->begun = clock_ns();
    look_begin(&t->look);
    t->stale |= !t->look.child;
}

/* Turns to the learner `step` places on, and asks for its answer at once. */
static void top_turn(struct top *t, int step)
{
    struct view *v = &t->look.view;
    const char *id = field_text(look_learner(v->status, v->learner, step), "id");
    if (*id) snprintf(v->learner, sizeof v->learner, "%s", id);
    if (*id && !v->of_dir) top_look(t);
}

static void top_press(struct top *t, int key)
{
    struct view *v = &t->look.view;
    t->stale = true;
    if (key == 'q' || key == 'Q') t->over = true;
    if (key == SCREEN_NEXT) top_turn(t, 1);
    if (key == SCREEN_PREVIOUS) top_turn(t, -1);
    if (key == 'p' || key == ' ') v->paused = !v->paused;
    if (key == 'h' || key == '?') v->help = !v->help;
    if (key == '+' && t->interval + 1 < N_INTERVALS) t->interval++;
    if (key == '-' && t->interval) t->interval--;
    v->interval = intervals[t->interval];
}

/* Returns the ms until the next look is due. One that failed is repeated each second. */
static int top_due_ms(const struct top *t)
{
    double seconds = intervals[*t->look.view.trouble ? FIRST_INTERVAL : t->interval];
    uint64_t next = t->begun + (uint64_t)(seconds * 1e9), now = clock_ns();
    int ms = next > now ? (int)((next - now) / 1000000 + 1) : 0;
    return t->look.view.paused || t->look.child || ms > REDRAW_MS ? REDRAW_MS : ms;
}

static int top_run(struct top *t)
{
    const char *type = getenv("TERM"), *plain = getenv("NO_COLOR");
    enum draw_kind kind = plain && *plain ? DRAW_SCREEN : DRAW_COLOURS;
    int key;
    if (!screen_open(&t->screen)) {
        plain_text_line(stderr,
                        "leat: the terminal (TERM=%s) cannot be drawn on; --once prints one "
                        "frame as text",
                        type ? type : "");
        return EXIT_CONFIG;
    }
    t->look.view.live = t->stale = true;
    t->look.view.interval = intervals[t->interval];
    top_look(t);
    while (!t->over) {
        if (t->look.child)
            t->stale |= look_end(&t->look, false);
        else if (!t->look.view.paused && !top_due_ms(t))
            top_look(t);
        if (t->stale) top_draw(&t->look.view, kind, t->screen.columns, t->screen.rows);
        t->stale = false;
        screen_wait(&t->screen, top_due_ms(t));
        while (!t->over && (key = screen_key(&t->screen)) != SCREEN_NONE)
            top_press(t, key);
    }
    screen_close(&t->screen);
    return EXIT_DONE;
}

int command_top(const struct command_line *c)
{
    struct top t = {.interval = FIRST_INTERVAL};
    bool live = !c->once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int code = EXIT_CONFIG;
    if (look_open(&t.look, c)) code = live ? top_run(&t) : top_print_once(&t.look);
    look_free(&t.look);
    return code;
}
