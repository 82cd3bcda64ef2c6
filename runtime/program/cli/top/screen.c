/* screen.c -- see screen.h. The sequences are those that all terminals of today share (ECMA-48). */
#include "screen.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* Takes the terminal: another picture than the shell's, no cursor, keys as they are pressed. */
static void screen_enter(struct screen *s)
{
    struct termios raw = s->before;
    struct winsize w = {.ws_col = 0};
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw);
    fputs("\x1b[?1049h\x1b[?25l\x1b[2J", stdout);
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &w);
    s->columns = w.ws_col ? w.ws_col : 80;
    s->rows = w.ws_row ? w.ws_row : 24;
}

void screen_close(const struct screen *s)
{
    fputs("\x1b[?25h\x1b[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
}

bool screen_open(struct screen *s)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH, SIGCHLD};
    const char *type = getenv("TERM");
    sigset_t set;
    if (!type || !*type || !strcmp(type, "dumb") || tcgetattr(STDIN_FILENO, &s->before))
        return false;
    sigemptyset(&set);
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++)
        sigaddset(&set, signals[k]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->signals < 0) return false;
    screen_enter(s);
    return true;
}

void screen_wait(const struct screen *s, int ms)
{
    struct pollfd all[2] = {{.fd = STDIN_FILENO, .events = POLLIN},
                            {.fd = s->signals, .events = POLLIN}};
    poll(all, 2, ms);
}

/* Returns the next byte that was typed, or SCREEN_NONE. Of a terminal that is gone: q. */
static int screen_byte(void)
{
    struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
    unsigned char byte;
    if (poll(&p, 1, 0) <= 0) return SCREEN_NONE;
    return read(STDIN_FILENO, &byte, 1) == 1 ? byte : 'q';
}

/* Returns the key of a sequence after its ESC, as [ A of a cursor key. */
static int screen_sequence(void)
{
    int byte = screen_byte();
    if (byte != '[' && byte != 'O') return SCREEN_OTHER;
    do
        byte = screen_byte();
    while ((byte >= '0' && byte <= '9') || byte == ';');
    return byte == 'B' || byte == 'C'                  ? SCREEN_NEXT
           : byte == 'A' || byte == 'D' || byte == 'Z' ? SCREEN_PREVIOUS
                                                       : SCREEN_OTHER;
}

int screen_key(struct screen *s)
{
    struct signalfd_siginfo signal;
    if (read(s->signals, &signal, sizeof signal) != sizeof signal) {
        int byte = screen_byte();
        return byte == '\x1b' ? screen_sequence() : byte == '\t' ? SCREEN_NEXT : byte;
    }
    bool stops = signal.ssi_signo == SIGTSTP;
    if (!stops && signal.ssi_signo != SIGWINCH)
        return signal.ssi_signo == SIGCHLD ? SCREEN_OTHER : 'q';
    if (stops) screen_close(s);
    if (stops) raise(SIGSTOP);
    screen_enter(s);
    return SCREEN_OTHER;
}
