/* socket_client.c -- sends records to a socket, for tests.
 *
 *   socket_client lines PORT LINES EACH_SECOND     one connection: lines "NUMBER NANOSECONDS xxx…",
 *                                                  like log_writer's; 0: at full speed
 *   socket_client many PORT CONNECTIONS LINES      all connected at once; they take turns to send
 *                                                  lines "CONNECTION NUMBER", the last without a
 *                                                  line end; prints how many the other side has
 *                                                  closed
 *   socket_client datagrams PORT DATAGRAMS BYTES   at full speed
 *   socket_client unix PATH                        sends standard input
 * PORT is one of 127.0.0.1. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static const char filling[] =
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t ns)
{
    struct timespec t = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
    clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
}

static bool put(int fd, const char *text, size_t n)
{
    while (n) {
        ssize_t sent = send(fd, text, n, MSG_NOSIGNAL);
        if (sent < 0) return false;
        text += sent;
        n -= (size_t)sent;
    }
    return true;
}

static int connect_to(const char *port, int type)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)atoi(port)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, type, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at)) die("connect");
    return fd;
}

static int send_lines(char **arg)
{
    uint64_t lines = strtoull(arg[1], NULL, 10), rate = strtoull(arg[2], NULL, 10);
    int fd = connect_to(arg[0], SOCK_STREAM);
    uint64_t begin = now_ns();
    char line[256];
    for (uint64_t i = 0; i < lines; i++) {
        if (rate) sleep_until(begin + i * 1000000000u / rate);
        int n = snprintf(line, sizeof line, "%llu %llu %.*s\n", (unsigned long long)i,
                         (unsigned long long)now_ns(), (int)(i % 90), filling);
        size_t half = i % 7 == 3 ? (size_t)n / 2 : 0;
        if (!put(fd, line, half) || !put(fd, line + half, (size_t)n - half)) die("send");
    }
    return close(fd);
}

/* Counts connections that the other side has closed. */
static int count_closed(const int *fd, int n)
{
    int closed = 0;
    for (int i = 0; i < n; i++) {
        struct pollfd p = {.fd = fd[i], .events = POLLIN};
        closed += poll(&p, 1, 0) == 1;
    }
    return closed;
}

static int send_many(char **arg)
{
    int n = atoi(arg[1]), lines = atoi(arg[2]), *fd = calloc((size_t)n + 1, sizeof *fd);
    char line[64];
    for (int i = 0; fd && i < n; i++)
        fd[i] = connect_to(arg[0], SOCK_STREAM);
    for (int k = 0; fd && k < lines; k++)
        for (int i = 0; i < n; i++) {
            int len = snprintf(line, sizeof line, "%d %d%s", i, k, k + 1 < lines ? "\n" : "");
            (void)put(fd[i], line, (size_t)len); /* refused ones fail */
        }
    usleep(200000);
    printf("%d\n", fd ? count_closed(fd, n) : -1);
    free(fd);
    return 0;
}

static int send_datagrams(char **arg)
{
    int n = atoi(arg[1]), fd = connect_to(arg[0], SOCK_DGRAM);
    size_t bytes = strtoull(arg[2], NULL, 10);
    char *text = malloc(bytes + 1);
    if (!text) die("malloc");
    memset(text, 'x', bytes);
    for (int i = 0; i < n; i++)
        if (send(fd, text, bytes, 0) != (ssize_t)bytes) die("send");
    free(text);
    return 0;
}

static int send_unix(char **arg)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    char text[65536];
    size_t n;
    snprintf(at.sun_path, sizeof at.sun_path, "%s", arg[0]);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof at)) die(arg[0]);
    while ((n = fread(text, 1, sizeof text, stdin)))
        if (!put(fd, text, n)) die("send");
    return close(fd);
}

int main(int n, char **arg)
{
    if (n == 5 && !strcmp(arg[1], "lines")) return send_lines(arg + 2);
    if (n == 5 && !strcmp(arg[1], "many")) return send_many(arg + 2);
    if (n == 5 && !strcmp(arg[1], "datagrams")) return send_datagrams(arg + 2);
    if (n == 3 && !strcmp(arg[1], "unix")) return send_unix(arg + 2);
    fprintf(stderr, "socket_client lines PORT LINES EACH_SECOND | many PORT CONNECTIONS LINES | "
                    "datagrams PORT DATAGRAMS BYTES | unix PATH\n");
    return 2;
}
