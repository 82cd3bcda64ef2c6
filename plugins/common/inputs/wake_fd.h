/* wake_fd.h -- ends a source's wait in poll or epoll_wait from another thread, for its `wake`: who
 * asks the source's thread is answered between two calls of produce. A ring that nobody waits for
 * ends the next wait. With the descriptor -1 a wait takes as long as it does. */
#ifndef LEAT_COMMON_INPUTS_WAKE_FD_H
#define LEAT_COMMON_INPUTS_WAKE_FD_H

#include <sys/eventfd.h>

static inline int wake_fd_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* Any thread, until it is closed. */
static inline void wake_fd_ring(int fd)
{
    if (fd >= 0) (void)!eventfd_write(fd, 1);
}

/* After the wait. */
static inline void wake_fd_clear(int fd)
{
    eventfd_t rings;
    if (fd >= 0) (void)!eventfd_read(fd, &rings);
}

#endif
