/* datagrams.c -- a service manager's socket: prints each line of each datagram until a signal ends
 * it.
 *
 *   datagrams SOCKET    binds the path */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char text[4096];
    if (argc != 2 || strlen(argv[1]) >= sizeof at.sun_path) return 2;
    strcpy(at.sun_path, argv[1]);
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) != 0) {
        perror(argv[1]);
        return 1;
    }
    for (ssize_t n; (n = recv(fd, text, sizeof text, 0)) >= 0;)
        if (write(1, text, (size_t)n) != n) return 1;
    perror("recv");
    return 1;
}
