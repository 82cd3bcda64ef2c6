/* terminal.h -- width of a terminal. */
#ifndef LEAT_CORE_REPORT_TERMINAL_H
#define LEAT_CORE_REPORT_TERMINAL_H

#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Returns the number of columns of the terminal behind file descriptor fd; 0 if fd is not a
 * terminal or the width is unknown. */
static inline size_t terminal_columns(int fd)
{
    struct winsize w;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

#endif
