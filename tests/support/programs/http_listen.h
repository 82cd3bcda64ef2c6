/* http_listen.h -- common loop of the test servers of HTTP.
 *
 * They listen on a free port of the loopback, which they print, until their input ends. */
#ifndef LEAT_TESTS_SUPPORT_PROGRAMS_HTTP_LISTEN_H
#define LEAT_TESTS_SUPPORT_PROGRAMS_HTTP_LISTEN_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static inline int http_listen_anywhere(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) || listen(fd, 8) ||
        getsockname(fd, (struct sockaddr *)&at, &n))
        exit(1);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    return fd;
}

/* Calls serve with one connection after the other, and closes each. A client that leaves before its
 * answer is whole ends its own connection alone. */
static inline int http_listen(void (*serve)(int fd))
{
    signal(SIGPIPE, SIG_IGN);
    struct pollfd p[] = {{.fd = http_listen_anywhere(), .events = POLLIN},
                         {.fd = 0, .events = POLLIN}};
    while (poll(p, 2, -1) > 0 && !p[1].revents) {
        int fd = accept(p[0].fd, NULL, NULL);
        if (fd < 0) continue; /* the client is already gone */
        serve(fd);
        close(fd);
    }
    return 0;
}

#endif
