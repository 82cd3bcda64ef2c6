/* access.h -- who may ask, how many at once, and how much of the processor answers may take.
 *
 * Everybody on this machine may ask, or who knows the token. On a loopback address without a
 * token, a request must name an IP address or localhost as its host. So a page of another site,
 * in a browser on this machine, is refused if its name leads here. The browser tells of such a
 * page that names this address in Sec-Fetch-Site, an old browser in Origin. A link
 * (Sec-Fetch-Mode: navigate) is followed.
 *
 * The server has a limited number of connections. A client that sends a byte now and then is never
 * idle, and would keep its connection. When few are left, each new one ends the connection that has
 * been asking, or idle, for longest.
 *
 * Answers may take a share of the time of one processor, however many ask, and a little in advance:
 * who asks now and then never waits. All of this is on the server's thread only. */
#ifndef LEAT_PROGRAM_WATCH_ACCESS_H
#define LEAT_PROGRAM_WATCH_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* host: as the header has it, or NULL. */
bool http_access_host(const char *host);

/* site, mode: as the headers have them, or NULL. */
bool http_access_site(const char *site, const char *mode);
/* Returns true if the page that asks is of this host. origin, host: as the headers have them, or
 * NULL. */
bool http_access_origin(const char *origin, const char *host);

/* Compares with the token that came, or NULL. It takes as long for any text of the same length. */
bool http_access_token(const char *token, const char *given);

/* Returns the token of "Bearer TOKEN", or NULL. */
const char *http_access_bearer(const char *authorization);

enum { CONNECTIONS_MAX = 64, CONNECTIONS_FEW_LEFT = 48 };

struct connection {
    int fd;         /* -1: the place is free                 */
    uint64_t since; /* its last answer, or its beginning: ns */
};

struct connections {
    struct connection connection[CONNECTIONS_MAX];
    uint32_t n;
};

void connections_init(struct connections *c);
/* Takes a new connection. Returns NULL if there is no place, which the limit of connections
 * excludes. */
struct connection *connections_add(struct connections *c, int fd, uint64_t now);
/* Notes that it has its answer, and may ask again. */
void connections_answered(struct connection *one, uint64_t now);
void connections_remove(struct connections *c, struct connection *one);

enum {
    PACE_PERCENT = 3,            /* of the time of one processor                              */
    PACE_ADVANCE_NS = 500000000, /* of processor time, where nobody has asked for long        */
    PACE_REST_NS = 100000000     /* at once: the server shall still stop, and look around     */
};

/* All zeros: nothing was answered yet. */
struct pace {
    uint64_t at, busy; /* at the last look, ns */
    int64_t left;      /* of processor time, ns; below 0: it was overdrawn */
};

/* Returns how long the thread is to rest after an answer: ns, 0 to PACE_REST_NS. now: clock_ns;
 * busy: ns of processor time that the thread has had. */
uint64_t pace_rest(struct pace *p, uint64_t now, uint64_t busy);

#endif
