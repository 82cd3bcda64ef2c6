/* terminal.h -- how wide a terminal is. */
#ifndef LEAT_CORE_REPORT_TERMINAL_H
#define LEAT_CORE_REPORT_TERMINAL_H

#include <stddef.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The columns of the terminal that the file descriptor is; 0 if it is none, or does not know. */
static inline size_t terminal_columns(int fd)
{
    struct winsize w;
    return isatty(fd) && ioctl(fd, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

#endif
