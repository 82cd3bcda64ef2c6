/* http_get.c -- see http_get.h. */
#include "http_get.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/memory/memory.h"

/* ---- addresses ---- */

static bool http_read_port(struct server_address *a, const char *text, size_t n)
{
    if (!n || n >= sizeof a->port || strspn(text, "0123456789") < n) return false;
    memcpy(a->port, text, n);
    unsigned long port = strtoul(a->port, NULL, 10);
    snprintf(a->port, sizeof a->port, "%u", (unsigned)(port & 0xffff));
    return port >= 1 && port <= 65535;
}

static bool http_read_host(struct server_address *a, const char *text, size_t n)
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

static void http_write_host(const char *host, const char *port, char url[SERVER_URL])
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
    if (!http_read_host(a, text, host)) return false;
    if (!http_read_port(a, colon ? colon + 1 : "80", colon ? n - host - 1 : 2)) return false;
    char at[SERVER_URL];
    http_write_host(a->host, a->port, at);
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

static bool http_is_loopback(const struct sockaddr *at)
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
    bool lone =
        http_is_loopback(at->ai_addr) &&
        !getnameinfo(at->ai_addr, at->ai_addrlen, number, sizeof number, NULL, 0, NI_NUMERICHOST);
    http_write_host(lone ? number : a->host, a->port, host);
}

/* ---- answers ---- */

static const char no_http[] = "does not speak HTTP";
static const char cut_short[] = "ended the connection within an answer";

static bool http_refuse(struct http_answer *a, const char *fault)
{
    *a = (struct http_answer){.code = 0};
    snprintf(a->fault, sizeof a->fault, "%s", fault);
    return true;
}

static bool http_read_code(const char *s, size_t head, struct http_answer *a)
{
    if (head < 12 || s[8] != ' ') return false;
    for (int i = 9; i < 12; i++) {
        if (s[i] < '0' || s[i] > '9') return false;
        a->code = a->code * 10 + s[i] - '0';
    }
    return a->code >= 100;
}

/* Returns the number at `at`; SIZE_MAX if there is none, or a body may not be so long. */
static size_t http_read_size(const char *at, const char *end)
{
    size_t size = 0;
    const char *from = at;
    for (; at < end && *at >= '0' && *at <= '9' && size <= HTTP_BODY; at++)
        size = size * 10 + (size_t)(*at - '0');
    return at > from && size <= HTTP_BODY ? size : SIZE_MAX;
}

/* Returns the value of a header in a line; NULL if the line has another one. */
static const char *http_header(const char *line, const char *end, const char *name)
{
    size_t n = strlen(name);
    if ((size_t)(end - line) <= n || strncasecmp(line, name, n) || line[n] != ':') return NULL;
    for (line += n + 1; line < end && (*line == ' ' || *line == '\t');)
        line++;
    return line;
}

/* Reads the length of the body from a head whose lines end in \r\n; SIZE_MAX: up to the end of the
 * connection. Returns false if the head is wrong. */
static bool http_read_length(const char *line, const char *head_end, size_t *length)
{
    *length = SIZE_MAX;
    for (const char *end; line < head_end; line = end + 2) {
        end = memmem(line, (size_t)(head_end - line), "\r\n", 2);
        if (!end) break;
        if (http_header(line, end, "Transfer-Encoding")) return false;
        const char *value = http_header(line, end, "Content-Length");
        if (value && (*length = http_read_size(value, end)) == SIZE_MAX) return false;
    }
    return true;
}

bool http_answer_read(const char *s, size_t n, bool ended, struct http_answer *a)
{
    size_t looked = n < HTTP_HEAD ? n : HTTP_HEAD, length;
    *a = (struct http_answer){.code = 0};
    if (!n) return ended && http_refuse(a, "ended the connection without an answer");
    if (memcmp(s, "HTTP/1.", n < 7 ? n : 7)) return http_refuse(a, no_http);
    const char *end = memmem(s, looked, "\r\n\r\n", 4);
    if (!end && looked == HTTP_HEAD) return http_refuse(a, "answers with a head above 16 KB");
    if (!end) return ended && http_refuse(a, n < 7 ? no_http : cut_short);
    if (!http_read_code(s, (size_t)(end - s), a) || !http_read_length(s, end + 2, &length))
        return http_refuse(a, no_http);
    a->body = end + 4;
    size_t there = n - (size_t)(a->body - s);
    a->n = there < length ? there : length;
    if (a->n > HTTP_BODY) return http_refuse(a, "answers with more than 16 MB");
    if (there >= length) return true;
    if (ended && length != SIZE_MAX) http_refuse(a, cut_short);
    return ended;
}

/* ---- the request ---- */

/* Returns a connection to the first address that takes one; -1 if none does, with errno. */
static int http_connect(const struct server_address *server, const struct addrinfo **at)
{
    int error = EHOSTUNREACH;
    for (*at = server->list; *at; *at = (*at)->ai_next) {
        int fd = socket((*at)->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd >= 0 && !connect(fd, (*at)->ai_addr, (*at)->ai_addrlen)) return fd;
        error = errno;
        if (fd >= 0) close(fd);
    }
    errno = error;
    return -1;
}

static bool http_send(int fd, const struct server_address *server, const struct addrinfo *at,
                      const char *path, const char *token)
{
    char host[SERVER_URL];
    server_address_host(server, at, host);
    return dprintf(fd, "GET %s HTTP/1.0\r\nHost: %s\r\nAccept: application/json\r\n%s%s%s\r\n",
                   path, host, token ? "Authorization: Bearer " : "", token ? token : "",
                   token ? "\r\n" : "") > 0;
}

static void http_receive(int fd, struct http_answer *a, char **bytes)
{
    size_t n = 0, cap = 1 << 16;
    ssize_t more = 1;
    *bytes = memory_take(cap);
    while (more > 0) {
        if (n == cap) {
            char *grown = memory_take(cap *= 2);
            memcpy(grown, *bytes, n);
            free(*bytes);
            *bytes = grown;
        }
        more = recv(fd, *bytes + n, cap - n, 0);
        if (more > 0) n += (size_t)more;
        if (http_answer_read(*bytes, n, more <= 0, a)) return;
    }
}

void http_get(const struct server_address *server, const char *path, const char *token,
              struct http_answer *a, char **bytes)
{
    const struct addrinfo *at;
    char text[HTTP_FAULT];
    int fd = http_connect(server, &at);
    *bytes = NULL;
    snprintf(text, sizeof text, "does not answer: %s", fd < 0 ? strerror(errno) : "");
    if (fd < 0)
        http_refuse(a, text);
    else if (!http_send(fd, server, at, path, token))
        http_refuse(a, "ended the connection without an answer");
    else
        http_receive(fd, a, bytes);
    if (fd >= 0) close(fd);
}
