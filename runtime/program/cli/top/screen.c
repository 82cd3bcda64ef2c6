/* screen.c -- see screen.h.
 *
 * Signals are blocked but while screen_wait waits, so that none comes between a look at what it has
 * done and the next wait. That of a new size is ncurses' own (KEY_RESIZE). */
#include "screen.h"

#include <langinfo.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <time.h>
#include <unistd.h>

#undef columns /* of term.h: capabilities of the terminal */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { N_ENDING = sizeof ending / sizeof *ending };

static volatile sig_atomic_t asked_to_end;

static void note_signal(int signal)
{
    (void)signal;
    asked_to_end = 1;
}

static void take_signals(struct screen *s)
{
    struct sigaction note = {.sa_handler = note_signal};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGWINCH);
    for (int k = 0; k < N_ENDING; k++) {
        sigaddset(&set, ending[k]);
        sigaction(ending[k], &note, NULL);
    }
    sigprocmask(SIG_BLOCK, &set, &s->awake);
    for (int k = 0; k < N_ENDING; k++)
        sigdelset(&s->awake, ending[k]);
    sigdelset(&s->awake, SIGWINCH);
}

static void init_colours(struct screen *s)
{
    static const short colour[FRAME_STYLES] = {[FRAME_POSITIVE] = COLOR_GREEN,
                                               [FRAME_NEGATIVE] = COLOR_RED,
                                               [FRAME_WARNING] = COLOR_YELLOW};
    const char *none = getenv("NO_COLOR");
    s->colours = has_colors() && !(none && *none) && start_color() == OK;
    if (!s->colours) return;
    use_default_colors();
    for (short k = 0; k < FRAME_STYLES; k++)
        if (colour[k]) init_pair(k, colour[k], -1);
}

/* newterm would keep memory of a type that it does not know. */
static bool is_known(void)
{
    int error;
    bool known = setupterm(NULL, STDOUT_FILENO, &error) == OK;
    if (known) del_curterm(cur_term);
    return known;
}

bool screen_open(struct screen *s, char *why, size_t cap)
{
    *s = (struct screen){.terminal = NULL};
    /* As reports do, text goes out as UTF-8 where the locale says nothing else of use. */
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8")) setlocale(LC_CTYPE, "C.UTF-8");
    const char *type = getenv("TERM");
    s->terminal = is_known() ? newterm(NULL, stdout, stdin) : NULL;
    if (!s->terminal) {
        snprintf(why, cap, "the terminal (TERM=%s) is not known here", type ? type : "");
        return false;
    }
    take_signals(s);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    init_colours(s);
    return true;
}

void screen_close(struct screen *s)
{
    if (!s->terminal) return;
    endwin();
    delscreen(s->terminal);
    s->terminal = NULL;
}

void screen_size(size_t *columns, size_t *rows)
{
    *columns = (size_t)COLS;
    *rows = (size_t)LINES;
}

static attr_t attributes(const struct screen *s, enum frame_style style)
{
    static const attr_t plain[FRAME_STYLES] = {[FRAME_STRONG] = A_BOLD,
                                               [FRAME_FAINT] = A_DIM,
                                               [FRAME_HEADING] = A_UNDERLINE,
                                               [FRAME_WARNING] = A_BOLD};
    bool coloured = style == FRAME_POSITIVE || style == FRAME_NEGATIVE || style == FRAME_WARNING;
    return plain[style] | (s->colours && coloured ? (attr_t)COLOR_PAIR(style) : 0);
}

void screen_show(const struct screen *s, const struct frame *f)
{
    erase();
    for (size_t k = 0; k < f->n; k++) {
        const struct frame_span *span = &f->span[k];
        attrset((int)attributes(s, span->style));
        mvaddnstr((int)span->row, (int)span->column, span->text, (int)span->n);
    }
    attrset(A_NORMAL);
    refresh();
}

void screen_wait(const struct screen *s, struct pollfd *p, int ms)
{
    struct pollfd all[2] = {{.fd = STDIN_FILENO, .events = POLLIN}, *p};
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    if (asked_to_end) return;
    if (ppoll(all, 2, &time, &s->awake) < 0) all[0].revents = 0;
    if (all[0].revents & (POLLHUP | POLLERR | POLLNVAL))
        asked_to_end = 1; /* the terminal is gone */
}

enum screen_key screen_read(void)
{
    if (asked_to_end) return SCREEN_QUIT;
    switch (getch()) {
    case ERR:
        return SCREEN_NONE;
    case KEY_RESIZE:
        return SCREEN_RESIZED;
    case 'q':
    case 'Q':
        return SCREEN_QUIT;
    case '\t':
    case KEY_RIGHT:
    case KEY_DOWN:
        return SCREEN_NEXT;
    case KEY_BTAB:
    case KEY_LEFT:
    case KEY_UP:
        return SCREEN_PREVIOUS;
    case 'p':
    case ' ':
        return SCREEN_PAUSE;
    case '+':
        return SCREEN_MORE;
    case '-':
        return SCREEN_LESS;
    case 'h':
    case '?':
        return SCREEN_HELP;
    default:
        return SCREEN_OTHER;
    }
}
