/* http_get.h -- where a run is watched, and one GET request to it.
 *
 * The request is of HTTP/1.0, so that no answer comes in chunks. It waits as long as the server
 * takes: a child makes it (look.h). The sender is not trusted: a head has at most HTTP_HEAD
 * bytes, a body HTTP_BODY. */
#ifndef LEAT_PROGRAM_CLI_TOP_HTTP_GET_H
#define LEAT_PROGRAM_CLI_TOP_HTTP_GET_H

#include <netdb.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { SERVER_HOST = 256, SERVER_URL = SERVER_HOST + 32, SERVER_WHY = 400 };

struct server_address {
    char host[SERVER_HOST], port[6];
    char url[SERVER_URL];  /* "http://host:9100/" */
    struct addrinfo *list; /* of the name; NULL: not resolved */
};

/* Reads "127.0.0.1:9100", ":9100", "[::1]:9100", "host:9100" or "http://host:9100/". Returns false
 * if the text is no such address. */
bool server_address_read(struct server_address *a, const char *text);
/* Resolves the name, which may take seconds. Returns false if it is not known, with the reason in
 * `why`. The caller frees the list. */
bool server_address_resolve(struct server_address *a, char why[SERVER_WHY]);
/* Writes the header Host for one of its addresses: a number for this machine, because a run that
 * listens there answers to no names. */
void server_address_host(const struct server_address *a, const struct addrinfo *at,
                         char host[SERVER_URL]);

enum { HTTP_HEAD = 16 << 10, HTTP_BODY = 16 << 20 };

struct http_answer {
    int code;   /* 100 to 999 */
    char *body; /* n bytes, which the caller frees; or NULL */
    size_t n;
    const char *fault; /* NULL: the answer is whole. Else a predicate: "does not speak HTTP" */
};

/* Reads an answer, to its end or that of the connection. */
struct http_answer http_read(FILE *from);

/* Asks the server for a path that begins with '/'. token: or NULL. */
struct http_answer http_get(const struct server_address *server, const char *path,
                            const char *token);

#endif
