/* server_address.c -- see server_address.h. */
#include "server_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static bool read_port(struct server_address *a, const char *text, size_t n)
{
    if (!n || n >= sizeof a->port || strspn(text, "0123456789") < n) return false;
    memcpy(a->port, text, n);
    unsigned long port = strtoul(a->port, NULL, 10);
    snprintf(a->port, sizeof a->port, "%u", (unsigned)(port & 0xffff));
    return port >= 1 && port <= 65535;
}

static bool read_host(struct server_address *a, const char *text, size_t n)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    bool brackets = n > 2 && text[0] == '[' && text[n - 1] == ']';
    if (brackets) text++, n -= 2;
    if (!n) text = "127.0.0.1", n = strlen(text);
    if (n >= sizeof a->host) return false;
    memcpy(a->host, text, n);
    a->host[n] = 0;
    struct in6_addr six;
    return brackets ? inet_pton(AF_INET6, a->host, &six) == 1 : !a->host[strspn(a->host, plain)];
}

static void write_url(const char *host, const char *port, char url[SERVER_URL])
{
    snprintf(url, SERVER_URL, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

bool server_address_read(struct server_address *a, const char *text)
{
    *a = (struct server_address){.list = NULL};
    bool url = !strncmp(text, "http://", 7);
    if (url) text += 7;
    size_t n = url ? strcspn(text, "/") : strlen(text);
    if (url && text[n] && text[n + 1]) return false; /* the pages are at the root */
    const char *colon = memrchr(text, ':', n);
    if (colon && memchr(colon, ']', n - (size_t)(colon - text))) colon = NULL;
    size_t host = colon ? (size_t)(colon - text) : n;
    if (!colon && (!url || !n)) return false;
    if (!read_host(a, text, host)) return false;
    if (!read_port(a, colon ? colon + 1 : "80", colon ? n - host - 1 : 2)) return false;
    char at[SERVER_URL];
    write_url(a->host, a->port, at);
    snprintf(a->url, sizeof a->url, "http://%.*s/", SERVER_URL - 10, at);
    return true;
}

bool server_address_resolve(struct server_address *a, char why[SERVER_WHY])
{
    const struct addrinfo want = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    int status = getaddrinfo(a->host, a->port, &want, &a->list);
    if (!status) return true;
    a->list = NULL;
    snprintf(why, SERVER_WHY, "the host %s is not known: %s", a->host, gai_strerror(status));
    return false;
}

void server_address_free(struct server_address *a)
{
    if (a->list) freeaddrinfo(a->list);
    a->list = NULL;
}

static bool is_loopback(const struct sockaddr *at)
{
    if (at->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)at)->sin_addr.s_addr) >> 24 == 127;
    return at->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)at)->sin6_addr);
}

void server_address_host(const struct server_address *a, const struct addrinfo *at,
                         char host[SERVER_URL])
{
    char number[SERVER_HOST] = "";
    bool lone = is_loopback(at->ai_addr) && !getnameinfo(at->ai_addr, at->ai_addrlen, number,
                                                         sizeof number, NULL, 0, NI_NUMERICHOST);
    write_url(lone ? number : a->host, a->port, host);
}
