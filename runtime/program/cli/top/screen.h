/* screen.h -- the terminal: shows frames, reads keys, and gives the terminal back as it was. The
 * only file that knows ncurses.
 *
 *     screen_open     the terminal is this program's; SIGINT, SIGTERM and SIGHUP are asked for
 *     screen_wait     waits for a key, a signal, a new size, or a file descriptor
 *     screen_close    always, at last */
#ifndef LEAT_PROGRAM_CLI_TOP_SCREEN_H
#define LEAT_PROGRAM_CLI_TOP_SCREEN_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>

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
    void *terminal; /* of ncurses */
    sigset_t awake; /* the mask while it waits */
    bool colours;
};

/* false: `why` says why this terminal cannot be used, and it is as it was. */
bool screen_open(struct screen *s, char *why, size_t cap);
void screen_close(struct screen *s);
void screen_size(size_t *columns, size_t *rows);
void screen_show(const struct screen *s, const struct frame *f);
/* For `ms` at most; p: what else is waited for. */
void screen_wait(const struct screen *s, struct pollfd *p, int ms);
/* The next key that was pressed. Never waits. */
enum screen_key screen_read(void);

#endif
