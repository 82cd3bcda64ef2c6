/* address.c -- implementation of address.h: parses addresses and opens sockets. */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOST = 64, BACKLOG = 64 };

static bool http_address_read_port(const char *text, in_port_t *port)
{
    size_t n = strlen(text);
    if (!n || n > 5 || strspn(text, "0123456789") != n) return false;
    unsigned long value = strtoul(text, NULL, 10);
    *port = htons((in_port_t)value);
    return value <= 65535;
}

static bool http_address_read_host(const char *host, in_port_t port, struct http_address *to)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&to->at;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&to->at;
    if (!*host || !strcmp(host, "localhost")) host = "127.0.0.1";
    if (inet_pton(AF_INET, host, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        four->sin_port = port;
        to->n = sizeof *four;
        to->loopback = ntohl(four->sin_addr.s_addr) >> 24 == 127;
        return true;
    }
    if (inet_pton(AF_INET6, host, &six->sin6_addr) != 1) return false;
    six->sin6_family = AF_INET6;
    six->sin6_port = port;
    to->n = sizeof *six;
    to->loopback = IN6_IS_ADDR_LOOPBACK(&six->sin6_addr);
    return true;
}

const char *http_address_read(const char *text, struct http_address *to)
{
    char host[HOST] = "";
    in_port_t port;
    const char *colon = strrchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    *to = (struct http_address){.n = 0};
    if (!colon || !http_address_read_port(colon + 1, &port))
        return " takes ADDRESS:PORT, such as 127.0.0.1:9100 or :9100, with a port of 0 to 65535";
    bool brackets = n > 1 && text[0] == '[' && text[n - 1] == ']';
    if (brackets) text++, n -= 2;
    bool six = memchr(text, ':', n) != NULL;
    if (n < sizeof host) memcpy(host, text, n);
    if (six && !brackets) return " takes an IPv6 address in brackets, such as [::1]:9100";
    if (n >= sizeof host || six != brackets || !http_address_read_host(host, port, to))
        return " takes an IP address of this machine, or localhost, in front of the port";
    return NULL;
}

static void http_address_show(int fd, char shown[HTTP_ADDRESS_TEXT])
{
    struct sockaddr_storage at;
    socklen_t n = sizeof at;
    char host[INET6_ADDRSTRLEN] = "";
    getsockname(fd, (struct sockaddr *)&at, &n);
    const struct sockaddr_in *four = (const struct sockaddr_in *)&at;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&at;
    bool is_six = at.ss_family == AF_INET6;
    inet_ntop(at.ss_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host,
              sizeof host);
    snprintf(shown, HTTP_ADDRESS_TEXT, is_six ? "http://[%s]:%u/" : "http://%s:%u/", host,
             (unsigned)ntohs(is_six ? six->sin6_port : four->sin_port));
}

static int http_address_refuse(int fd, char why[HTTP_ADDRESS_WHY])
{
    int error = errno;
    const char *advice = error == EADDRINUSE      ? ": give another port, or 0 for a free one"
                         : error == EACCES        ? ": give a port of 1024 or more"
                         : error == EADDRNOTAVAIL ? ": give an address of this machine"
                                                  : "";
    snprintf(why, HTTP_ADDRESS_WHY, "%s%s", strerror(error), advice);
    if (fd >= 0) close(fd);
    return -1;
}

int http_address_listen(const struct http_address *a, char shown[HTTP_ADDRESS_TEXT],
                        char why[HTTP_ADDRESS_WHY])
{
    const int yes = 1;
    int fd = socket(a->at.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return http_address_refuse(fd, why);
    /* Lets a restarted run use the port although old connections are still closing. */
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(fd, (const struct sockaddr *)&a->at, a->n) || listen(fd, BACKLOG))
        return http_address_refuse(fd, why);
    http_address_show(fd, shown);
    return fd;
}
