/* server.h -- the thread that takes requests (libmicrohttpd), its limits; requests and replies. */
#ifndef LEAT_PROGRAM_WATCH_SERVER_H
#define LEAT_PROGRAM_WATCH_SERVER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "access.h"

struct http;
struct request;

struct reply {
    unsigned code;
    const char *type; /* static */
    char *body;       /* from malloc; NULL: no memory */
    size_t n;
};

typedef struct reply http_page(struct http *h, const struct request *q);

/* A page: the reply under a path. */
struct page {
    const char *path;         /* if it ends in '/', the id of a stage follows */
    bool posts;               /* by POST; else by GET and HEAD */
    bool open;                /* allowed without the token */
    http_page *make, *of_run; /* of_run: for pages that need the run; or NULL */
    bool always;              /* of_run is called also where there is none    */
};

struct request {
    const struct page *page;
    const char *stage; /* text after the path, or NULL; any bytes but NUL */
    char *body;
    size_t n, cap;
    struct MHD_Connection *from;
};

/* Returns the value of an argument in the query, lent; NULL if it is missing. */
const char *request_argument(const struct request *q, const char *name);

/* Returns the reply after its body was written to a stream of open_memstream, which may be NULL. It
 * has no body if that failed. */
struct reply reply_end(struct reply *r, FILE *to, bool failed);
/* Returns a reply with `value`, which it takes. */
struct reply reply_json(unsigned code, json_t *value);
/* Returns a reply {"error": "…"}. */
struct reply reply_error(unsigned code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns a number of rows, 1 to max; `otherwise` if text is NULL; 0 if it is another text. */
uint32_t request_count(const char *text, uint32_t otherwise, uint32_t max);

struct MHD_Daemon;

enum {
    SERVER_BODY = 1 << 20,        /* bytes of a request's body               */
    SERVER_BODIES = 8 << 20,      /* of all current bodies                   */
    SERVER_CONNECTION = 32 << 10, /* of request line, headers, and sent data */
    SERVER_IDLE_SECONDS = 10
};

struct server {
    struct http *http;
    struct MHD_Daemon *daemon;
    const struct page *pages; /* ended by one without a path */
    const char *token;        /* or NULL                     */
    bool loopback;
    struct connections connections;
    struct pace pace;
    size_t bodies;
    _Atomic uint64_t requests[6]; /* answered requests, by the first digit of the code */
};

/* Starts the thread on the listening socket. The caller fills `s`, except daemon, connections, pace
 * and counts. Returns false if the system gives no thread. */
bool server_start(struct server *s, int socket);
void server_stop(struct server *s);

#endif
