/* server.h -- the server's thread (libmicrohttpd) and its limits; requests and replies. */
#ifndef LEAT_PROGRAM_WATCH_SERVER_H
#define LEAT_PROGRAM_WATCH_SERVER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "access.h"
#include "waiting.h"

struct http;
struct request;

struct reply {
    unsigned code;
    const char *type; /* Content-Type, a static text */
    char *body;       /* from malloc; NULL: allocation failed */
    size_t n;
    bool closes; /* the connection ends with this reply */
};

typedef struct reply http_page(struct http *h, const struct request *q);

/* A path of the server, and the function that answers its requests. */
struct page {
    const char *path;         /* if path ends in '/', the id of a stage follows */
    bool posts;               /* method is POST; otherwise GET or HEAD */
    bool open;                /* a probe: allowed without the token, and never waits for pages */
    http_page *make, *of_run; /* of_run: called by page_of_run() for pages of a run; or NULL */
    bool always;              /* of_run is called even if there is no run */
};

struct request {
    const struct page *page;
    const char *stage; /* text that follows page->path, or NULL; may contain any bytes but NUL */
    char *body;
    size_t n, cap;
    struct MHD_Connection *from;
    bool waits; /* the request has waited for its turn (waiting.h) */
    bool made;  /* the page was made */
};

/* Returns the value of a query argument; NULL if it is missing. The text lives as long as the
 * request. */
const char *request_argument(const struct request *q, const char *name);

/* Closes `to`, the stream of open_memstream() that has written the body; NULL if it failed to open.
 * Returns *r. If `failed` or if closing fails, the reply has no body. */
struct reply reply_end(struct reply *r, FILE *to, bool failed);
/* Returns a reply with a JSON body. Takes ownership of `value`. */
struct reply reply_json(unsigned code, json_t *value);
/* Returns a reply {"error": "…"}. */
struct reply reply_error(unsigned code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the number in `text`. Returns `otherwise` if text is NULL, and 0 if text is no number
 * from 1 to max. */
uint32_t request_count(const char *text, uint32_t otherwise, uint32_t max);

struct MHD_Daemon;

enum {
    SERVER_BODY = 1 << 20,        /* bytes of a request's body */
    SERVER_BODIES = 8 << 20,      /* bytes of all request bodies at one time */
    SERVER_CONNECTION = 32 << 10, /* bytes of request line, headers and data to send */
    SERVER_IDLE_SECONDS = 10
};

struct server {
    struct http *http;
    struct MHD_Daemon *daemon;
    const struct page *pages; /* the last element has no path */
    const char *token;        /* NULL: no token */
    bool loopback;
    struct connections connections;
    struct pace pace; /* of all that is not the making of pages */
    struct waiting waiting;
    size_t bodies;
    _Atomic uint64_t requests[6]; /* answered requests, by the first digit of the status code */
};

/* Starts the thread on a listening socket. The caller sets all members except daemon, connections,
 * pace and the counts. Returns false if no thread can be created. */
bool server_start(struct server *s, int socket);
void server_stop(struct server *s);

#endif
