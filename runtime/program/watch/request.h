/* request.h -- what was asked, and what is answered. */
#ifndef LEAT_PROGRAM_WATCH_REQUEST_H
#define LEAT_PROGRAM_WATCH_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* The value of an argument in the query; NULL: it is not there. Lent. */
const char *request_argument(const struct request *q, const char *name);

/* Takes `value`. */
struct reply reply_json(unsigned code, json_t *value);
/* {"error": "…"} */
struct reply reply_error(unsigned code, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A number of rows, 1 to max; NULL text: `otherwise`. 0: it is none. */
uint32_t request_count(const char *text, uint32_t otherwise, uint32_t max);

#endif
