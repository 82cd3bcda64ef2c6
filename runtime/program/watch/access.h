/* access.h -- access control of the HTTP server: clients, connections, processor time.
 *
 * With a token, everybody who sends it may make requests. Without a token, everybody on this
 * machine may.
 *
 * A web page of another site, in a browser on this machine, must not read the server of a loopback
 * address without a token. The page's host name may resolve to this address (DNS rebinding), so the
 * Host header must be an IP address or localhost. If a page requests this address directly, the
 * browser reports the page's site in Sec-Fetch-Site; an old browser reports it in Origin. A link
 * (Sec-Fetch-Mode: navigate) is allowed.
 *
 * The number of connections is limited. A client that sends a byte from time to time is never idle,
 * and would keep its connection. When few connections are left, each new connection closes the one
 * with the oldest answer.
 *
 * All answers together may use PACE_PERCENT of one processor. After an idle time, they may use
 * PACE_ADVANCE_NS of processor time at once. So an occasional client never waits. All functions run
 * on the server's thread. */
#ifndef LEAT_PROGRAM_WATCH_ACCESS_H
#define LEAT_PROGRAM_WATCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the Host header is allowed. `host` is its value, or NULL. */
bool http_access_host(const char *host);

/* True if a page with these header values may make requests. site (Sec-Fetch-Site) and mode
 * (Sec-Fetch-Mode) may be NULL. */
bool http_access_site(const char *site, const char *mode);
/* True if the page that makes the request comes from this host. origin and host are header values,
 * or NULL. */
bool http_access_origin(const char *origin, const char *host);

enum { CONNECTIONS_MAX = 64, CONNECTIONS_FEW_LEFT = 48 };

struct connection {
    int fd;         /* -1: unused entry */
    uint64_t since; /* time of the last answer, or of the connection's start, ns */
};

struct connections {
    struct connection connection[CONNECTIONS_MAX];
    uint32_t n;
};

void connections_init(struct connections *c);
/* Adds a new connection. Returns NULL if all entries are used. The server's limit on connections
 * prevents that. */
struct connection *connections_add(struct connections *c, int fd, uint64_t now);
/* Notes that a client has received its answer and may make another request. */
void connections_answered(struct connection *one, uint64_t now);
void connections_remove(struct connections *c, struct connection *one);

enum {
    PACE_PERCENT = 3,            /* processor time of answers, in percent of one processor */
    PACE_ADVANCE_NS = 500000000, /* processor time that is available after a long idle time */
    PACE_REST_NS = 100000000     /* longest rest at one time, so that the server can be stopped */
};

/* Budget of the server's processor time. Zero it before the first answer. */
struct pace {
    uint64_t at, busy; /* clock and processor time at the last call, ns */
    int64_t left;      /* processor time that may be used now, ns; negative if too much was used */
};

/* Returns the time for which the thread must rest after an answer, 0 to PACE_REST_NS. `now` is
 * clock_ns(); `busy` is the thread's processor time in ns. */
uint64_t pace_rest(struct pace *p, uint64_t now, uint64_t busy);

#endif
