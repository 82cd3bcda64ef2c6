/* server.h -- the thread that takes requests (libmicrohttpd), and its limits; requests and
 * replies. */
#ifndef LEAT_PROGRAM_WATCH_SERVER_H
#define LEAT_PROGRAM_WATCH_SERVER_H

#include <jansson.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"

struct http;
struct request;

struct reply {
    unsigned code;
    const char *type; /* static */
    char *body;       /* from malloc, or NULL: there is no memory for it */
    size_t n;
};

/* A page: what is asked under a path. */
struct page {
    const char *path; /* one that ends in '/' takes the id of a stage after it */
    bool posts;       /* by POST; else by GET and HEAD */
    bool open;        /* also without the token        */
    struct reply (*make)(struct http *h, const struct request *q);
};

struct request {
    const struct page *page;
    const char *stage; /* after the path, or NULL; any bytes but NUL */
    char *body;
    size_t n, cap;
    struct MHD_Connection *from;
};

/* Returns the value of an argument in the query; NULL if it is not there. Lent. */
const char *request_argument(const struct request *q, const char *name);

/* Takes `value`. */
struct reply reply_json(unsigned code, json_t *value);
/* {"error": "…"} */
struct reply reply_error(unsigned code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns a number of rows, 1 to max; `otherwise` if text is NULL; 0 if it is no such number. */
uint32_t request_count(const char *text, uint32_t otherwise, uint32_t max);

struct MHD_Daemon;

enum {
    SERVER_BODY = 1 << 20,        /* bytes of a request's body                            */
    SERVER_BODIES = 8 << 20,      /* … of all that are under way                          */
    SERVER_CONNECTION = 32 << 10, /* … of request line and headers, and of what is sent   */
    SERVER_IDLE_SECONDS = 10
};

struct server {
    struct http *http;
    struct MHD_Daemon *daemon;
    const struct page *pages; /* up to one without a path */
    const char *token;        /* or NULL                  */
    bool loopback;
    struct connections connections;
    struct pace pace;
    size_t bodies;
    _Atomic uint64_t requests[6]; /* answered, by the first digit of the code */
};

/* Takes the listening socket; `s` is filled but for daemon, connections, pace and counts. Returns
 * false if the system gives no thread. */
bool server_start(struct server *s, int socket);
void server_stop(struct server *s);

#endif
