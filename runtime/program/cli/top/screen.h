/* screen.h -- the terminal: shows frames, reads keys, and gives the terminal back as it was.
 *
 *     screen_open     the terminal is this program's; SIGINT, SIGTERM and SIGHUP are asked for
 *     screen_wait     waits for a key, a signal, a new size, or a file descriptor
 *     screen_close    always, at last */
#ifndef LEAT_PROGRAM_CLI_TOP_SCREEN_H
#define LEAT_PROGRAM_CLI_TOP_SCREEN_H

#include <poll.h>
#include <signal.h>
#include <termios.h>

#include "frame.h"

enum screen_key {
    SCREEN_NONE, /* no more keys for now */
    SCREEN_OTHER,
    SCREEN_RESIZED,
    SCREEN_QUIT,
    SCREEN_NEXT,
    SCREEN_PREVIOUS,
    SCREEN_PAUSE,
    SCREEN_MORE,
    SCREEN_LESS,
    SCREEN_HELP
};

struct screen {
    struct termios before;
    bool open;
    sigset_t awake; /* the mask while it waits */
    enum frame_kind kind;
    char typed[64]; /* typed[at .. n) is not taken yet */
    size_t at, n;
};

/* Returns false if this terminal cannot be used, with the reason in `why`; it is as it was. */
bool screen_open(struct screen *s, char *why, size_t cap);
void screen_close(struct screen *s);
void screen_size(size_t *columns, size_t *rows);
void screen_show(const struct frame *f);
/* Waits for `ms` at most. p: what else is waited for. */
void screen_wait(const struct screen *s, struct pollfd *p, int ms);
/* Returns the next key that was pressed. Never waits. */
enum screen_key screen_read(struct screen *s);

#endif
