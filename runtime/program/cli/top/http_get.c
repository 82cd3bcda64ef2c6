/* http_get.c -- implementation of http_get.h: addresses, requests, answers. */
#include "http_get.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host/memory/memory.h"

/* ---- addresses ---- */

static void http_write_host(const char *host, const char *port, char at[SERVER_URL])
{
    snprintf(at, SERVER_URL, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
}

bool server_address_read(struct server_address *a, const char *text)
{
    char at[SERVER_URL], six[16];
    int host = 0, port = 0;
    bool url = !strncmp(text, "http://", 7);
    *a = (struct server_address){.host = "127.0.0.1", .port = "80"};
    if (url) text += 7;
    if (*text == '[')
        sscanf(text, "[%255[0-9a-fA-F:.]]%n", a->host, &host);
    else
        sscanf(text, "%255[-_.0-9a-zA-Z]%n", a->host, &host);
    if (*text == '[' && inet_pton(AF_INET6, a->host, six) != 1) return false;
    text += host;
    sscanf(text, ":%5[0-9]%n", a->port, &port);
    text += port;
    if (url && *text == '/') text++; /* skips the final '/', because request paths begin with one */
    int number = atoi(a->port);
    if (*text || !(port || (url && host)) || number < 1 || number > 65535) return false;
    snprintf(a->port, sizeof a->port, "%d", number);
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

void server_address_host(const struct server_address *a, const struct addrinfo *at,
                         char host[SERVER_URL])
{
    char number[SERVER_HOST] = "";
    getnameinfo(at->ai_addr, at->ai_addrlen, number, sizeof number, NULL, 0, NI_NUMERICHOST);
    bool here = !strncmp(number, "127.", 4) || !strcmp(number, "::1");
    http_write_host(here ? number : a->host, a->port, host);
}

/* ---- answers ---- */

static const char no_http[] = "does not speak HTTP";
static const char too_large[] = "answers with more than 16 MB";
static const char no_answer[] = "ended the connection without an answer";
static const char cut_short[] = "ended the connection in the middle of an answer";

/* Reads the headers. Sets *length to the length of the body, or to SIZE_MAX if the body ends with
 * the connection. Returns a fault, or NULL. */
static const char *http_read_length(FILE *from, size_t *length)
{
    static const char name[] = "Content-Length:";
    char line[HTTP_HEAD];
    size_t n = 0;
    for (*length = SIZE_MAX; fgets(line, sizeof line, from); n += strlen(line)) {
        if (!strcmp(line, "\r\n")) return NULL;
        if (n > sizeof line || strlen(line) + 1 == sizeof line)
            return "answers with a head above 16 KB";
        if (!strncasecmp(line, "Transfer-Encoding:", 18)) return no_http;
        if (strncasecmp(line, name, sizeof name - 1)) continue;
        const char *number = line + sizeof name - 1;
        number += strspn(number, " \t");
        if (*number < '0' || *number > '9') return no_http;
        *length = strtoul(number, NULL, 10);
        if (*length > HTTP_BODY) return too_large;
    }
    return cut_short;
}

struct http_answer http_read(FILE *from)
{
    struct http_answer a = {.code = 0};
    size_t length;
    char line[HTTP_HEAD];
    if (!fgets(line, sizeof line, from))
        a.fault = no_answer;
    else if (sscanf(line, "HTTP/1.%*1[01] %3d ", &a.code) != 1 || a.code < 100)
        a.fault = no_http;
    else
        a.fault = http_read_length(from, &length);
    if (a.fault) return a;
    size_t most = length < HTTP_BODY ? length : HTTP_BODY + 1;
    a.body = memory_take(most + 1); /* untouched pages of this buffer take no memory */
    a.n = fread(a.body, 1, most, from);
    if (a.n > HTTP_BODY) a.fault = too_large;
    if (length != SIZE_MAX && a.n < length) a.fault = cut_short;
    return a;
}

/* ---- the request ---- */

/* Connects to the first address that accepts. Returns the socket; -1 with errno if none accepts. */
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

struct http_answer http_get(const struct server_address *server, const char *path,
                            const char *token)
{
    static char fault[200];
    char host[SERVER_URL];
    const struct addrinfo *at;
    int fd = http_connect(server, &at);
    FILE *both = fd < 0 ? NULL : fdopen(fd, "r+");
    snprintf(fault, sizeof fault, "does not answer: %s", strerror(errno));
    if (!both) return (struct http_answer){.fault = fault};
    server_address_host(server, at, host);
    fprintf(both, "GET %s HTTP/1.0\r\nHost: %s\r\nAccept: application/json\r\n%s%s%s\r\n", path,
            host, token ? "Authorization: Bearer " : "", token ? token : "", token ? "\r\n" : "");
    fflush(both);
    struct http_answer a = http_read(both);
    fclose(both);
    return a;
}
