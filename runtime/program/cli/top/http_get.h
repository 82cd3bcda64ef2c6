/* http_get.h -- one GET request, without ever waiting: the caller polls the socket and steps.
 *
 *     http_get_begin      a connection to the first address of the server
 *     poll(g->fd, g->events), for http_get_left at most
 *     http_get_step       goes on as far as it can; true: it is over
 *     http_get_end        always, at last
 *
 * All of it, with the names' other addresses, has GET_SECONDS. One thread at a time. */
#ifndef LEAT_PROGRAM_CLI_TOP_HTTP_GET_H
#define LEAT_PROGRAM_CLI_TOP_HTTP_GET_H

#include <stdint.h>

#include "answer_reader.h"
#include "server_address.h"

enum { GET_SECONDS = 3, GET_REQUEST = 4096, GET_FAULT = 200 };

struct http_get {
    int fd; /* -1: nothing is under way */
    short events;
    bool connected;
    const struct server_address *server;
    const struct addrinfo *at;
    const char *path, *token;
    char request[GET_REQUEST];
    size_t n, sent;
    uint64_t until; /* clock_ns */
    struct answer_reader answer;
    char fault[GET_FAULT]; /* "": the answer is whole. Else a verb and what belongs to it */
};

/* path: begins with '/'; token: NULL: none. Both, and the server, are lent until the end. */
void http_get_begin(struct http_get *g, const struct server_address *server, const char *path,
                    const char *token);
bool http_get_step(struct http_get *g);
/* Milliseconds, rounded up. */
int http_get_left(const struct http_get *g);
void http_get_end(struct http_get *g);

#endif
