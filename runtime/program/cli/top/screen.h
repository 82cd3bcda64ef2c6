/* screen.h -- the terminal: shows frames, reads keys, and gives the terminal back as it was.
 *
 *     screen_open     the terminal is this program's, and signals are read as keys
 *     screen_wait     waits for a key, a signal, a new size, or the end of a child
 *     screen_close    always, at last */
#ifndef LEAT_PROGRAM_CLI_TOP_SCREEN_H
#define LEAT_PROGRAM_CLI_TOP_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

/* Keys that are no character. */
enum { SCREEN_NONE = -1, SCREEN_OTHER = 256, SCREEN_NEXT, SCREEN_PREVIOUS };

struct screen {
    struct termios before;
    int signals; /* a file descriptor */
    size_t columns, rows;
};

/* Returns false if this terminal cannot be drawn on; it is as it was. */
bool screen_open(struct screen *s);
void screen_close(const struct screen *s);
/* Waits for `ms` at most. */
void screen_wait(const struct screen *s, int ms);
/* Returns the next key that was pressed, or SCREEN_NONE. Who asks to end has pressed q. Never
 * waits. */
int screen_key(struct screen *s);

#endif
