/* command_top.c -- `leat top`: shows a run, or its snapshots, on a terminal. */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <termios.h>
#include <unistd.h>

#include "core/report/terminal.h"
#include "core/text/plain_text.h"
#include "core/time/clock.h"
#include "look.h"
#include "program/page/fields.h"

enum { PLAIN_COLUMNS = 80, PLAIN_ROWS = 10000, REDRAW_MS = 1000 };

static const double intervals[] = {0.5, 1, 2, 5, 10, 30, 60};
enum { N_INTERVALS = sizeof intervals / sizeof *intervals, FIRST_INTERVAL = 1 };

/* Values of keys that are not characters. */
enum { KEY_NONE = -1, KEY_OTHER = 256, KEY_NEXT, KEY_PREVIOUS };

struct top {
    struct look look;
    struct termios before; /* settings of the terminal before `leat top` */
    int signals;           /* file descriptor for signals (signalfd) */
    size_t columns, rows;
    size_t interval;
    bool over, stale; /* stale: the screen must be redrawn */
    uint64_t begun;   /* start of the last look, clock_ns */
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
                        *first ? ": its first learner is " : "", first);
        return EXIT_CONFIG;
    }
    top_draw(v, DRAW_TEXT, columns ? columns : PLAIN_COLUMNS, PLAIN_ROWS);
    return EXIT_DONE;
}

/* ---- the terminal: escape sequences that all common terminals know (ECMA-48) ---- */

/* Switches to the alternate screen, hides the cursor, and reads each key at once. */
static void top_enter(struct top *t)
{
    struct termios raw = t->before;
    struct winsize w = {.ws_col = 0};
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout);
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
    t->columns = w.ws_col ? w.ws_col : 80;
    t->rows = w.ws_row ? w.ws_row : 24;
}

/* Restores the terminal. */
static void top_leave(const struct top *t)
{
    fputs("\x1b[?25h\x1b[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &t->before);
}

/* Takes over the terminal; signals then arrive as keys. Returns false without changes if the
 * terminal cannot be used. */
static bool top_take_terminal(struct top *t)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCHLD};
    const char *type = getenv("TERM");
    sigset_t set;
    if (!type || !*type || !strcmp(type, "dumb") || tcgetattr(STDIN_FILENO, &t->before))
        return false;
    sigemptyset(&set);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        sigaddset(&set, signals[k]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    t->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (t->signals < 0) return false;
    top_enter(t);
    return true;
}

/* Waits for a key, a signal or the end of the child, for at most `ms`. */
static void top_wait(const struct top *t, int ms)
{
    struct pollfd all[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = t->signals, .events = POLLIN}};
    poll(all, 2, ms);
}

/* Returns the next byte typed; KEY_NONE if there is none; 'q' if the terminal is gone. */
static int top_byte(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char byte;
    if (poll(&p, 1, 0) <= 0) return KEY_NONE;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : 'q';
}

/* Returns the key of an escape sequence. ESC has been read; "[A", for example, follows it. */
static int top_sequence(void)
{
    int byte = top_byte();
    if (byte != '[' && byte != 'O') return KEY_OTHER;
    do
        byte = top_byte();
    while ((byte >= '0' && byte <= '9') || byte == ';');
    return byte == 'B' || byte == 'C'                  ? KEY_NEXT
           : byte == 'A' || byte == 'D' || byte == 'Z' ? KEY_PREVIOUS
                                                       : KEY_OTHER;
}

/* Returns the next key, or KEY_NONE. Does not wait. A signal to end the process counts as 'q'. */
static int top_key(struct top *t)
{
    struct signalfd_siginfo signal;
    if (read(t->signals, &signal, sizeof signal) != sizeof signal) {
        int byte = top_byte();
        return byte == '\x1b' ? top_sequence() : byte == '\t' ? KEY_NEXT : byte;
    }
    bool stops = signal.ssi_signo == SIGTSTP;
    if (!stops && signal.ssi_signo != SIGWINCH)
        return signal.ssi_signo == SIGCHLD ? KEY_OTHER : 'q';
    if (stops) top_leave(t);
    if (stops) raise(SIGSTOP);
    top_enter(t);
    return KEY_OTHER;
}

/* ---- on a terminal ---- */

static void top_look(struct top *t)
{
    t->begun = clock_ns();
    look_begin(&t->look);
    t->stale |= !t->look.child;
}

/* Selects the learner `step` places after the present one, and begins a look for its answer. */
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
    if (key == KEY_NEXT) top_turn(t, 1);
    if (key == KEY_PREVIOUS) top_turn(t, -1);
    if (key == 'p' || key == ' ') v->paused = !v->paused;
    if (key == 'h' || key == '?') v->help = !v->help;
    if (key == '+' && t->interval + 1 < N_INTERVALS) t->interval++;
    if (key == '-' && t->interval) t->interval--;
    v->interval = intervals[t->interval];
}

/* Returns the ms until the next look is due, at most REDRAW_MS. After a failed look, the interval
 * is 1 s. */
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
    if (!top_take_terminal(t)) {
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
        if (t->stale) top_draw(&t->look.view, kind, t->columns, t->rows);
        t->stale = false;
        top_wait(t, top_due_ms(t));
        while (!t->over && (key = top_key(t)) != KEY_NONE)
            top_press(t, key);
    }
    top_leave(t);
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
