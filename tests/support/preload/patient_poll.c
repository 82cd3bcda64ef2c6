/* patient_poll.c -- LD_PRELOAD: poll and epoll_wait ignore a timeout, and end only at an event.
 *
 * Code that relies on the timeout gets no answer. */
#include <poll.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT int poll(struct pollfd *fds, nfds_t n, int milliseconds)
{
    const struct timespec none = {0};
    return ppoll(fds, n, milliseconds ? NULL : &none, NULL);
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int n, int milliseconds)
{
    return epoll_pwait(fd, events, n, milliseconds ? -1 : 0, NULL);
}
