/* wake_fd.h -- wakes a source that waits in poll or epoll_wait.
 *
 * Another thread that has a request calls the source's function `wake`, which rings. The source's
 * thread answers the request between two calls of produce. A ring when nobody waits ends the next
 * wait. With descriptor -1, rings have no effect. */
#ifndef LEAT_COMMON_INPUTS_WAKE_FD_H
#define LEAT_COMMON_INPUTS_WAKE_FD_H

#include <sys/eventfd.h>

static inline int wake_fd_open(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

/* Rings. Any thread may call this until the descriptor is closed. */
static inline void wake_fd_ring(int fd)
{
    if (fd >= 0) (void)!eventfd_write(fd, 1);
}

/* Clears the rings once the wait is over. */
static inline void wake_fd_clear(int fd)
{
    eventfd_t rings;
    if (fd >= 0) (void)!eventfd_read(fd, &rings);
}

#endif
