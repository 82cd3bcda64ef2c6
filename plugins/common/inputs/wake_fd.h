/* wake_fd.h -- wakes a source that waits in poll or epoll_wait, from another thread, for its
 * `wake`.
 *
 * A request to the source's thread is answered between two calls of produce. A ring without a
 * waiter ends the next wait. With descriptor -1 nothing ends a wait early. */
#ifndef LEAT_COMMON_INPUTS_WAKE_FD_H
#define LEAT_COMMON_INPUTS_WAKE_FD_H

#include <sys/eventfd.h>

static inline int wake_fd_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* Rings, from any thread, until the descriptor is closed. */
static inline void wake_fd_ring(int fd)
{
    if (fd >= 0) (void)!eventfd_write(fd, 1);
}

/* Clears the rings, after the wait. */
static inline void wake_fd_clear(int fd)
{
    eventfd_t rings;
    if (fd >= 0) (void)!eventfd_read(fd, &rings);
}

#endif
