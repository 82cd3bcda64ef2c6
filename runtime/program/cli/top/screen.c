/* screen.c -- see screen.h.
 *
 * Signals are blocked but while screen_wait waits, so that none comes between a look at what it has
 * done and the next wait. The sequences are those that all terminals of today share (ECMA-48). */
#include "screen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP};
enum { N_SIGNALS = sizeof signals / sizeof *signals };

static volatile sig_atomic_t asked_to_end, asked_to_stop, resized;

static void screen_note(int signal)
{
    if (signal == SIGWINCH)
        resized = 1;
    else if (signal == SIGTSTP)
        asked_to_stop = 1;
    else
        asked_to_end = 1;
}

static void screen_take_signals(struct screen *s)
{
    struct sigaction note = {.sa_handler = screen_note};
    sigset_t set;
    sigemptyset(&set);
    for (int k = 0; k < N_SIGNALS; k++) {
        sigaddset(&set, signals[k]);
        sigaction(signals[k], &note, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, &s->awake);
    for (int k = 0; k < N_SIGNALS; k++)
        sigdelset(&s->awake, signals[k]);
}

static void screen_print(const char *text, size_t n)
{
    fwrite(text, 1, n, stdout);
    fflush(stdout);
}

/* Takes the terminal: another picture than the shell's, no cursor, keys as they are pressed. */
static void screen_enter(const struct screen *s)
{
    static const char enter[] = "\x1b[?1049h\x1b[?25l\x1b[2J";
    struct termios raw = s->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    screen_print(enter, sizeof enter - 1);
}

static void screen_leave(const struct screen *s)
{
    static const char leave[] = "\x1b[?25h\x1b[?1049l";
    screen_print(leave, sizeof leave - 1);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
}

bool screen_open(struct screen *s, char *why, size_t cap)
{
    const char *type = getenv("TERM"), *plain = getenv("NO_COLOR");
    bool draws = type && *type && strcmp(type, "dumb") != 0;
    *s = (struct screen){.kind = plain && *plain ? FRAME_SCREEN : FRAME_COLOURS};
    if (!draws || tcgetattr(STDIN_FILENO, &s->before)) {
        snprintf(why, cap, "the terminal (TERM=%s) cannot be drawn on", type ? type : "");
        return false;
    }
    screen_take_signals(s);
    screen_enter(s);
    return s->open = true;
}

void screen_close(struct screen *s)
{
    if (s->open) screen_leave(s);
    s->open = false;
}

void screen_size(size_t *columns, size_t *rows)
{
    struct winsize w;
    bool known = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) && w.ws_col && w.ws_row;
    *columns = known ? w.ws_col : 80;
    *rows = known ? w.ws_row : 24;
}

void screen_show(const struct frame *f) { screen_print(f->text, f->n); }

void screen_wait(const struct screen *s, struct pollfd *p, int ms)
{
    struct pollfd all[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, *p};
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    if (asked_to_end) return;
    if (ppoll(all, 2, &time, &s->awake) < 0) all[0].revents = 0;
    if (all[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        asked_to_end = 1; /* the terminal is gone */
}

/* Reads what was typed since, if all before was taken. */
static void screen_fill(struct screen *s)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    if (s->at < s->n) return;
    s->at = s->n = 0;
    if (poll(&p, 1, 0) <= 0 || !(p.revents & POLLIN)) return;
    ssize_t n = read(STDIN_FILENO, s->typed, sizeof s->typed);
    if (n > 0) s->n = (size_t)n;
    if (n == 0) asked_to_end = 1;
}

/* Returns the letter that ends the sequence of a cursor key, as in ESC [ A; 0 if it is none. */
static char screen_sequence(struct screen *s)
{
    if (s->n - s->at < 2 || (s->typed[s->at] != '[' && s->typed[s->at] != 'O')) return 0;
    s->at++;
    while (s->at < s->n && strchr("0123456789;", s->typed[s->at]))
        s->at++;
    return s->at < s->n ? s->typed[s->at++] : 0;
}

enum screen_key screen_read(struct screen *s)
{
    static const struct {
        char escaped, plain;
        enum screen_key key;
    } keys[] = {{0, 'q', SCREEN_QUIT},     {0, 'Q', SCREEN_QUIT},     {'C', '\t', SCREEN_NEXT},
                {'B', 0, SCREEN_NEXT},     {'Z', 0, SCREEN_PREVIOUS}, {'D', 0, SCREEN_PREVIOUS},
                {'A', 0, SCREEN_PREVIOUS}, {0, 'p', SCREEN_PAUSE},    {0, ' ', SCREEN_PAUSE},
                {0, '+', SCREEN_MORE},     {0, '-', SCREEN_LESS},     {0, 'h', SCREEN_HELP},
                {0, '?', SCREEN_HELP}};
    if (asked_to_end) return SCREEN_QUIT;
    if (asked_to_stop) {
        asked_to_stop = 0;
        screen_leave(s);
        raise(SIGSTOP);
        screen_enter(s);
        resized = 1;
    }
    if (resized) return resized = 0, SCREEN_RESIZED;
    screen_fill(s);
    if (s->at == s->n) return SCREEN_NONE;
    char plain = s->typed[s->at++], escaped = plain == '\x1b' ? screen_sequence(s) : 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (escaped ? keys[k].escaped == escaped : plain && keys[k].plain == plain)
            return keys[k].key;
    return SCREEN_OTHER;
}
