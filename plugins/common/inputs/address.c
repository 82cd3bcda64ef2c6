/* address.c -- implementation of address.h. */
#include "address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "kernels/text/edit_distance.h"

static const char *const protocols[] = {"tcp", "udp", "unix", NULL};
enum { BACKLOG = 1024, UDP_BUFFER = 4 << 20 };

/* ---- reading ---- */

/* Returns the protocol most similar to a word: one letter differs, or two but the first letter is
 * equal (tpc for tcp). */
static const char *address_nearest(const char *word)
{
    for (size_t allowed = 1; allowed <= 2; allowed++)
        for (int i = 0; protocols[i]; i++) {
            const char *one = protocols[i];
            bool begins = tolower((unsigned char)*word) == *one;
            if (edit_distance(word, one, strlen(one)) <= allowed && (begins || allowed == 1))
                return one;
        }
    return NULL;
}

static bool refuse_protocol(const char *text, size_t n, char *why)
{
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(n < 31 ? n : 31), text);
    const char *near = address_nearest(word);
    snprintf(why, ADDRESS_WHY,
             "there is no protocol '%s'%s%s%s: give tcp://HOST:PORT, udp://HOST:PORT or "
             "unix:///PATH",
             word, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    return false;
}

static bool read_path(const char *path, struct address *a, char *why)
{
    if (*path && strlen(path) < sizeof a->path) {
        snprintf(a->path, sizeof a->path, "%s", path);
        return true;
    }
    snprintf(why, ADDRESS_WHY,
             "the path of a Unix socket must have 1 to %zu bytes, and '%.200s' has %zu",
             sizeof a->path - 1, path, strlen(path));
    return false;
}

static bool read_port(const char *text, const char *port, struct address *a, char *why)
{
    size_t n = strspn(port, "0123456789");
    if (n && n < sizeof a->port && !port[n] && atoi(port) <= 65535) {
        snprintf(a->port, sizeof a->port, "%d", atoi(port));
        return true;
    }
    snprintf(why, ADDRESS_WHY, "'%.200s' has no port from 0 to 65535 at its end: write %s:5140",
             text, a->kind == ADDRESS_TCP ? "tcp://127.0.0.1" : "udp://127.0.0.1");
    return false;
}

static bool read_host(const char *text, const char *host, struct address *a, char *why)
{
    const char *colon = strrchr(host, ':');
    if (!colon || strchr(colon, ']')) colon = host + strlen(host);
    size_t n = (size_t)(colon - host);
    bool bracketed = n > 1 && host[0] == '[' && colon[-1] == ']';
    if (!read_port(text, *colon ? colon + 1 : colon, a, why)) return false;
    if (!bracketed && (memchr(host, ':', n) || memchr(host, '/', n))) {
        snprintf(why, ADDRESS_WHY,
                 "cannot read the host of '%.200s': write an IPv6 address in brackets, [::1]:5140",
                 text);
        return false;
    }
    if (bracketed) host++, n -= 2;
    if (n == 1 && *host == '*') n = 0;
    if (n < sizeof a->host) {
        snprintf(a->host, sizeof a->host, "%.*s", (int)n, host);
        return true;
    }
    snprintf(why, ADDRESS_WHY, "the host has %zu bytes, more than %zu", n, sizeof a->host - 1);
    return false;
}

bool address_read(const char *text, struct address *a, char why[ADDRESS_WHY])
{
    const char *rest = strstr(text, "://");
    *a = (struct address){.kind = ADDRESS_TCP};
    if (!rest) {
        snprintf(why, ADDRESS_WHY,
                 "'%.200s' names no protocol: give tcp://HOST:PORT, "
                 "udp://HOST:PORT or unix:///PATH",
                 text);
        return false;
    }
    size_t n = (size_t)(rest - text), kind = 0;
    while (protocols[kind] && (strlen(protocols[kind]) != n || memcmp(protocols[kind], text, n)))
        kind++;
    if (!protocols[kind]) return refuse_protocol(text, n, why);
    a->kind = (enum address_kind)kind;
    return a->kind == ADDRESS_UNIX ? read_path(rest + 3, a, why)
                                   : read_host(text, rest + 3, a, why);
}

/* ---- listening ---- */

static int address_refuse(int fd, const char *text, char *why)
{
    const char *hint =
        errno == EADDRINUSE ? ": another process listens there; end it, or take "
                              "another address"
        : errno == EADDRNOTAVAIL
            ? ": this machine has no such address; 0.0.0.0 and [::] stand for all its addresses"
        : errno == EACCES ? ": the system does not allow it; ports below 1024 are "
                            "for root"
                          : "";
    snprintf(why, ADDRESS_WHY, "cannot listen on %s: %s%s", text, strerror(errno), hint);
    if (fd >= 0) close(fd);
    return -1;
}

static int bind_to(const struct addrinfo *to, const char *text, char *why)
{
    int on = 1, off = 0, buffer = UDP_BUFFER;
    bool udp = to->ai_socktype == SOCK_DGRAM;
    int fd = socket(to->ai_family, to->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return address_refuse(fd, text, why);
    if (to->ai_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
    if (udp)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    else /* allows a port that closed connections still block */
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, to->ai_addr, to->ai_addrlen) || (!udp && listen(fd, BACKLOG)))
        return address_refuse(fd, text, why);
    return fd;
}

static int listen_inet(const struct address *a, const char *text, char *why)
{
    struct addrinfo *found = NULL,
                    hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                             .ai_socktype = a->kind == ADDRESS_UDP ? SOCK_DGRAM : SOCK_STREAM};
    int status = getaddrinfo(*a->host ? a->host : NULL, a->port, &hints, &found);
    if (status) {
        snprintf(why, ADDRESS_WHY, "cannot listen on %s: the host is not known (%s)", text,
                 gai_strerror(status));
        return -1;
    }
    int fd = bind_to(found, text, why);
    freeaddrinfo(found);
    return fd;
}

/* True if the process that made the socket at this path has ended. */
static bool is_left(const struct sockaddr_un *at)
{
    struct stat st;
    if (lstat(at->sun_path, &st) || !S_ISSOCK(st.st_mode)) return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool left =
        fd >= 0 && connect(fd, (const struct sockaddr *)at, sizeof *at) && errno == ECONNREFUSED;
    if (fd >= 0) close(fd);
    return left;
}

static int listen_unix(const struct address *a, const char *text, char *why)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct stat st;
    memcpy(at.sun_path, a->path, sizeof at.sun_path);
    if (!lstat(a->path, &st) && !S_ISSOCK(st.st_mode)) {
        snprintf(why, ADDRESS_WHY,
                 "cannot listen on %s: a file that is not a socket has this name, and leat leaves "
                 "it there: give another name",
                 text);
        return -1;
    }
    if (is_left(&at)) unlink(a->path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, BACKLOG))
        return address_refuse(fd, text, why);
    return fd;
}

int address_listen(const struct address *a, char why[ADDRESS_WHY])
{
    char text[ADDRESS_TEXT + 32];
    address_show(a, -1, text);
    return a->kind == ADDRESS_UNIX ? listen_unix(a, text, why) : listen_inet(a, text, why);
}

/* ---- names ---- */

static unsigned port_of(const struct sockaddr_storage *at)
{
    return ntohs(at->ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)at)->sin6_port
                                           : ((const struct sockaddr_in *)at)->sin_port);
}

void address_show(const struct address *a, int fd, char text[ADDRESS_TEXT + 32])
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    bool v6 = strchr(a->host, ':') != NULL, chosen = fd >= 0 && a->kind != ADDRESS_UNIX;
    unsigned port = (unsigned)atoi(a->port);
    if (chosen && !getsockname(fd, (struct sockaddr *)&at, &n)) port = port_of(&at);
    if (a->kind == ADDRESS_UNIX)
        snprintf(text, ADDRESS_TEXT + 32, "unix://%s", a->path);
    else
        snprintf(text, ADDRESS_TEXT + 32, "%s://%s%s%s:%u", protocols[a->kind], v6 ? "[" : "",
                 *a->host ? a->host : "*", v6 ? "]" : "", port);
}

void address_of_sender(const struct sockaddr_storage *from, bool with_port, char name[ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "unknown";
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)from)->sin6_addr;
    bool is_v6 = from->ss_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(v6);
    if (is_v6)
        inet_ntop(AF_INET6, v6, host, sizeof host);
    else if (from->ss_family == AF_INET6)
        inet_ntop(AF_INET, v6->s6_addr + 12, host, sizeof host);
    else
        inet_ntop(AF_INET, &((const struct sockaddr_in *)from)->sin_addr, host, sizeof host);
    if (with_port)
        snprintf(name, ADDRESS_TEXT, is_v6 ? "[%s]:%u" : "%s:%u", host, port_of(from));
    else
        snprintf(name, ADDRESS_TEXT, "%s", host);
}
