/* command_top.c -- `leat top`: a run at work, or its snapshots, on a terminal. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/text/plain_text.h"
#include "core/time/clock.h"
#include "program/cli/command.h"
#include "draw.h"
#include "feed.h"
#include "program/page/fields.h"
#include "core/report/terminal.h"
#include "screen.h"

enum { PLAIN_COLUMNS = 80, PLAIN_ROWS = 10000, PLAIN_ANSWER = 20, REDRAW_MS = 1000 };

static const double intervals[] = {0.5, 1, 2, 5, 10, 30, 60};
enum { N_INTERVALS = sizeof intervals / sizeof *intervals, FIRST_INTERVAL = 1 };

struct top {
    struct feed feed;
    struct screen screen;
    char learner[LOOK_NAME];
    size_t interval;
    bool paused, help, over, stale; /* stale: what is shown is not what is known */
    uint64_t begun;                 /* the last look, clock_ns */
};

static struct view view_of(const struct top *t)
{
    const struct feed *f = &t->feed;
    return (struct view){.target = f->target,
                         .of_dir = f->of_dir,
                         .status = f->status,
                         .before = f->before,
                         .top = f->top,
                         .trouble = f->trouble,
                         .seen_ns = f->seen_ns,
                         .now_ns = clock_unix_ns(),
                         .learner = t->learner,
                         .paused = t->paused,
                         .help = t->help,
                         .interval = intervals[t->interval],
                         .answer_rows = SIZE_MAX};
}

/* ---- one frame ---- */

static bool knows_learner(const struct feed *f, const char *id)
{
    const json_t *first = look_learner(f->status, look_learner_index(f->status, id));
    if (!*id || !strcmp(field_text(first, "id"), id)) return true;
    plain_text_line(stderr, "leat: %s has no learner '%s'%s%s", f->target, id,
                    first ? ": the first that it has is " : "", field_text(first, "id"));
    return false;
}

static void poll_feed(const struct feed *f)
{
    struct pollfd p;
    int ms = feed_poll(f, &p);
    poll(&p, 1, ms);
}

static int show_once(struct top *t)
{
    struct frame frame;
    size_t columns = terminal_columns(STDOUT_FILENO);
    feed_begin(&t->feed, t->learner);
    while (!feed_step(&t->feed))
        poll_feed(&t->feed);
    if (!t->feed.status) {
        plain_text_line(stderr, "leat: %s", t->feed.trouble);
        return EXIT_DATA;
    }
    if (!knows_learner(&t->feed, t->learner)) return EXIT_CONFIG;
    struct view v = view_of(t);
    v.answer_rows = PLAIN_ANSWER;
    frame_begin(&frame, columns ? columns : PLAIN_COLUMNS, PLAIN_ROWS);
    draw_frame(&frame, &v);
    frame_print(&frame, stdout);
    frame_free(&frame);
    return EXIT_DONE;
}

/* ---- on a terminal ---- */

static void show(struct top *t)
{
    struct frame frame;
    struct view v = view_of(t);
    size_t columns, rows;
    screen_size(&columns, &rows);
    v.live = true;
    frame_begin(&frame, columns, rows);
    draw_frame(&frame, &v);
    screen_show(&t->screen, &frame);
    frame_free(&frame);
    t->stale = false;
}

static void begin_look(struct top *t)
{
    t->begun = clock_ns();
    feed_begin(&t->feed, t->learner);
}

/* The learner `step` places on. Its answer is asked for at once. */
static void turn(struct top *t, size_t step)
{
    size_t n = 0, at = look_learner_index(t->feed.status, t->learner);
    while (look_learner(t->feed.status, n))
        n++;
    if (!n) return;
    const char *id = field_text(look_learner(t->feed.status, (at + n + step) % n), "id");
    snprintf(t->learner, sizeof t->learner, "%s", id);
    if (!t->feed.of_dir) begin_look(t);
}

static void press(struct top *t, enum screen_key key)
{
    t->stale = true;
    if (key == SCREEN_QUIT) t->over = true;
    if (key == SCREEN_NEXT) turn(t, 1);
    if (key == SCREEN_PREVIOUS) turn(t, (size_t)-1);
    if (key == SCREEN_PAUSE) t->paused = !t->paused;
    if (key == SCREEN_HELP) t->help = !t->help;
    if (key == SCREEN_MORE && t->interval + 1 < N_INTERVALS) t->interval++;
    if (key == SCREEN_LESS && t->interval) t->interval--;
}

/* Until the next look is due, 0: it is. One that failed is repeated each second. */
static int due_ms(const struct top *t)
{
    double seconds = *t->feed.trouble ? intervals[FIRST_INTERVAL] : intervals[t->interval];
    uint64_t next = t->begun + (uint64_t)(seconds * 1e9), now = clock_ns();
    return now < next ? (int)((next - now) / 1000000 + 1) : 0;
}

static void wait_for_more(struct top *t)
{
    struct pollfd p;
    int ms = feed_poll(&t->feed, &p);
    if (ms < 0) ms = t->paused ? REDRAW_MS : due_ms(t);
    screen_wait(&t->screen, &p, ms < REDRAW_MS ? ms : REDRAW_MS);
}

static int show_always(struct top *t)
{
    enum screen_key key;
    char why[200];
    if (!screen_open(&t->screen, why, sizeof why)) {
        plain_text_line(stderr, "leat: %s; --once prints one frame as text", why);
        return EXIT_CONFIG;
    }
    begin_look(t);
    t->stale = true;
    while (!t->over) {
        if (t->feed.under_way)
            t->stale |= feed_step(&t->feed);
        else if (!t->paused && !due_ms(t))
            begin_look(t);
        if (t->stale) show(t);
        wait_for_more(t);
        while (!t->over && (key = screen_read()) != SCREEN_NONE)
            press(t, key);
    }
    screen_close(&t->screen);
    return EXIT_DONE;
}

int command_top(const struct command_line *c)
{
    struct top t = {.interval = FIRST_INTERVAL};
    bool live = !c->once && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    int code = EXIT_CONFIG;
    if (c->stage) snprintf(t.learner, sizeof t.learner, "%s", c->stage);
    if (feed_open(&t.feed, c)) code = live ? show_always(&t) : show_once(&t);
    feed_free(&t.feed);
    return code;
}
