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

enum { SERVER_HOST = 256, SERVER_PORT = 6, SERVER_URL = SERVER_HOST + 32, SERVER_WHY = 400 };

struct server_address {
    char host[SERVER_HOST], port[SERVER_PORT];
    char url[SERVER_URL];  /* "http://host:9100/" */
    struct addrinfo *list; /* of the name; NULL: not resolved */
};

/* Reads "127.0.0.1:9100", ":9100", "[::1]:9100", "host:9100" or "http://host:9100/". Returns false
 * if the text is no such address. */
bool server_address_read(struct server_address *a, const char *text);
/* Resolves the name, which may take seconds. Returns false if it is not known, with the reason in
 * `why`. Always free it afterwards. */
bool server_address_resolve(struct server_address *a, char why[SERVER_WHY]);
void server_address_free(struct server_address *a);
/* Writes the header Host for one of its addresses: a number for this machine, because a run that
 * listens there answers to no names. */
void server_address_host(const struct server_address *a, const struct addrinfo *at,
                         char host[SERVER_URL]);

enum { HTTP_HEAD = 16 << 10, HTTP_BODY = 16 << 20, HTTP_FAULT = 200 };

struct http_answer {
    int code;         /* 100 to 999 */
    const char *body; /* n bytes */
    size_t n;
    char fault[HTTP_FAULT]; /* "": the answer is whole. Else a predicate: "does not speak HTTP" */
};

/* Reads the answer in bytes[0 .. n). ended: the connection has ended. Returns false if more bytes
 * are needed; true if *a has the answer or its fault. */
bool http_answer_read(const char *bytes, size_t n, bool ended, struct http_answer *a);

/* Asks the server for a path that begins with '/'. token: or NULL. The body stays in *bytes, which
 * the caller frees. */
void http_get(const struct server_address *server, const char *path, const char *token,
              struct http_answer *a, char **bytes);

#endif
