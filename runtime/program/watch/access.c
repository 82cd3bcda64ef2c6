/* access.c -- implementation of access.h: hosts, connections, pace. */
#include "access.h"

#include <arpa/inet.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

/* ---- clients ---- */

enum { HOST = 64 };

static bool access_is_address(int family, const char *host, size_t n)
{
    char text[HOST];
    unsigned char address[sizeof(struct in6_addr)];
    if (n >= sizeof text) return false;
    memcpy(text, host, n);
    text[n] = 0;
    return inet_pton(family, text, address) == 1;
}

bool http_access_host(const char *host)
{
    if (!host) return true; /* a client that sends no Host header is no browser */
    if (*host == '[') {
        const char *end = strchr(host, ']');
        return end && access_is_address(AF_INET6, host + 1, (size_t)(end - host - 1));
    }
    size_t n = strcspn(host, ":");
    return (n == 9 && !strncasecmp(host, "localhost", n)) || access_is_address(AF_INET, host, n);
}

bool http_access_site(const char *site, const char *mode)
{
    bool other = site && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0;
    return !other || (mode && !strcmp(mode, "navigate"));
}

bool http_access_origin(const char *origin, const char *host)
{
    const char *of = origin ? strstr(origin, "://") : NULL;
    return !origin || (of && host && !strcasecmp(of + 3, host));
}

/* ---- connections ---- */

void connections_init(struct connections *c)
{
    c->n = 0;
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++)
        c->connection[i] = (struct connection){.fd = -1};
}

/* Closes the connection with the oldest answer. shutdown() makes the server see the end of its
 * input; the server then closes it. */
static void connections_end_slowest(struct connections *c)
{
    struct connection *slowest = NULL;
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        struct connection *one = &c->connection[i];
        if (one->fd >= 0 && (!slowest || one->since < slowest->since)) slowest = one;
    }
    if (slowest) shutdown(slowest->fd, SHUT_RDWR);
    if (slowest) slowest->since = UINT64_MAX; /* the next call does not choose it again */
}

struct connection *connections_add(struct connections *c, int fd, uint64_t now)
{
    if (c->n >= CONNECTIONS_FEW_LEFT) connections_end_slowest(c);
    for (uint32_t i = 0; i < CONNECTIONS_MAX; i++) {
        if (c->connection[i].fd >= 0) continue;
        c->connection[i] = (struct connection){fd, now};
        c->n++;
        return &c->connection[i];
    }
    return NULL;
}

void connections_answered(struct connection *one, uint64_t now) { one->since = now; }

void connections_remove(struct connections *c, struct connection *one)
{
    one->fd = -1;
    c->n--;
}

/* ---- processor time ---- */

uint64_t pace_rest(struct pace *p, uint64_t now, uint64_t busy)
{
    if (!p->at) *p = (struct pace){now, busy, PACE_ADVANCE_NS};
    p->left += (int64_t)((now - p->at) / 100 * PACE_PERCENT);
    if (p->left > PACE_ADVANCE_NS) p->left = PACE_ADVANCE_NS;
    p->left -= (int64_t)(busy - p->busy);
    p->at = now;
    p->busy = busy;
    if (p->left >= 0) return 0;
    uint64_t rest = (uint64_t)-p->left / PACE_PERCENT * 100;
    return rest < PACE_REST_NS ? rest : PACE_REST_NS;
}
