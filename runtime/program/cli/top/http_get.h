/* http_get.h -- the address of a run with --http, and one GET request to it.
 *
 * Requests use HTTP/1.0, so that no answer is chunked. They have no timeout: a child process makes
 * them (look.h). The server is not trusted: headers have at most HTTP_HEAD bytes, a body
 * HTTP_BODY. */
#ifndef LEAT_PROGRAM_CLI_TOP_HTTP_GET_H
#define LEAT_PROGRAM_CLI_TOP_HTTP_GET_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SERVER_HOST = 256, SERVER_URL = SERVER_HOST + 32, SERVER_WHY = 400 };

struct server_address {
    char host[SERVER_HOST], port[6];
    char url[SERVER_URL];  /* URL, such as "http://host:9100/" */
    struct addrinfo *list; /* addresses of the host; NULL: not resolved */
};

/* Reads "127.0.0.1:9100", ":9100", "[::1]:9100", "host:9100" or "http://host:9100/". Returns false
 * if the text has none of these forms. */
bool server_address_read(struct server_address *a, const char *text);
/* Resolves the host name, which may take seconds. On failure, writes the reason to `why` and
 * returns false. The caller frees a->list. */
bool server_address_resolve(struct server_address *a, char why[SERVER_WHY]);
/* Writes the value of the Host header for an address of the list. For a loopback address writes the
 * number, because a run that listens there does not accept names. */
void server_address_host(const struct server_address *a, const struct addrinfo *at,
                         char host[SERVER_URL]);

enum { HTTP_HEAD = 16 << 10, HTTP_BODY = 16 << 20 };

struct http_answer {
    int code;   /* HTTP status code, 100 to 999 */
    char *body; /* n bytes, or NULL; the caller frees it */
    size_t n;
    const char *fault; /* such as "does not speak HTTP"; NULL: the answer is complete */
};

/* Reads an answer up to its length, or up to the end of the connection. */
struct http_answer http_read(FILE *from);

/* Requests a path that begins with '/'. token may be NULL. */
struct http_answer http_get(const struct server_address *server, const char *path,
                            const char *token);

#endif
