/* server.h -- the thread that takes requests, and its limits (libmicrohttpd). */
#ifndef LEAT_PROGRAM_WATCH_SERVER_H
#define LEAT_PROGRAM_WATCH_SERVER_H

#include <stdatomic.h>

#include "guests.h"
#include "pace.h"
#include "request.h"

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
    struct guests guests;
    struct pace pace;
    size_t bodies;
    _Atomic uint64_t requests[6]; /* answered, by the first digit of the code */
};

/* `s` is filled but for daemon, guests, pace and counts. Takes the listening socket. false: the
 * system gives no thread. */
bool server_start(struct server *s, int socket);
void server_stop(struct server *s);

#endif
