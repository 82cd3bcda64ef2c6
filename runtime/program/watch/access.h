/* access.h -- access control of the server: clients, connections, and the share of the processor.
 *
 * Everybody on this machine may ask, or everybody with the token. On a loopback address without a
 * token, a request must name an IP address or localhost as its host. So a page of another site, in
 * a browser on this machine, is refused if its name leads here. If such a page names this address,
 * the browser reports that in Sec-Fetch-Site; an old browser in Origin. A link (Sec-Fetch-Mode:
 * navigate) is followed.
 *
 * The server has a limited number of connections. A client that sends a byte now and then is never
 * idle, and would keep its connection. When few connections are left, each new one ends the one
 * that has been asking, or idle, for longest.
 *
 * Answers may take a share of the time of one processor, whatever the number of clients, and a
 * little more in advance, so an occasional client never waits. All functions run on the server's
 * thread. */
#ifndef LEAT_PROGRAM_WATCH_ACCESS_H
#define LEAT_PROGRAM_WATCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the host may be named. host: value of the header, or NULL. */
bool http_access_host(const char *host);

/* True if a page of this site may ask. site, mode: values of the headers, or NULL. */
bool http_access_site(const char *site, const char *mode);
/* True if the asking page is of this host. origin, host: values of the headers, or NULL. */
bool http_access_origin(const char *origin, const char *host);

/* True if `given` (or NULL) is the token. Takes the same time for any text of the same length. */
bool http_access_token(const char *token, const char *given);

/* Returns the token of "Bearer TOKEN", or NULL. */
const char *http_access_bearer(const char *authorization);

enum { CONNECTIONS_MAX = 64, CONNECTIONS_FEW_LEFT = 48 };

struct connection {
    int fd;         /* -1: free place */
    uint64_t since; /* last answer, or the beginning: ns */
};

struct connections {
    struct connection connection[CONNECTIONS_MAX];
    uint32_t n;
};

void connections_init(struct connections *c);
/* Adds a new connection. Returns NULL if there is no place, which cannot happen with the server's
 * limit. */
struct connection *connections_add(struct connections *c, int fd, uint64_t now);
/* Notes that a client has its answer, and may ask again. */
void connections_answered(struct connection *one, uint64_t now);
void connections_remove(struct connections *c, struct connection *one);

enum {
    PACE_PERCENT = 3,            /* of the time of one processor                    */
    PACE_ADVANCE_NS = 500000000, /* of processor time, after a long idle time       */
    PACE_REST_NS = 100000000     /* longest rest, so that the server can still stop */
};

/* Zeroed before the first answer. */
struct pace {
    uint64_t at, busy; /* at the last look, ns */
    int64_t left;      /* processor time left, ns; below 0: overdrawn */
};

/* Returns the time that the thread must rest after an answer: ns, 0 to PACE_REST_NS. now: clock_ns;
 * busy: processor time of the thread, ns. */
uint64_t pace_rest(struct pace *p, uint64_t now, uint64_t busy);

#endif
