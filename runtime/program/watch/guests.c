/* guests.c -- see guests.h. */
#include "guests.h"

#include <stddef.h>
#include <sys/socket.h>

void guests_init(struct guests *g)
{
    g->n = 0;
    for (uint32_t i = 0; i < GUESTS_MAX; i++)
        g->guest[i] = (struct guest){.fd = -1};
}

/* The server sees the end of what it reads, and closes it. */
static void send_slowest_away(struct guests *g)
{
    struct guest *slowest = NULL;
    for (uint32_t i = 0; i < GUESTS_MAX; i++) {
        struct guest *one = &g->guest[i];
        if (one->fd >= 0 && (!slowest || one->since < slowest->since)) slowest = one;
    }
    if (slowest) shutdown(slowest->fd, SHUT_RDWR);
    if (slowest) slowest->since = UINT64_MAX; /* once is enough */
}

struct guest *guests_come(struct guests *g, int fd, uint64_t now)
{
    if (g->n >= GUESTS_FEW_LEFT) send_slowest_away(g);
    for (uint32_t i = 0; i < GUESTS_MAX; i++) {
        if (g->guest[i].fd >= 0) continue;
        g->guest[i] = (struct guest){fd, now};
        g->n++;
        return &g->guest[i];
    }
    return NULL;
}

void guests_answered(struct guest *one, uint64_t now) { one->since = now; }

void guests_go(struct guests *g, struct guest *one)
{
    one->fd = -1;
    g->n--;
}
