/* guests.h -- connections that take their time with a request.
 *
 * The server has a limited number of connections. A client that sends a byte now and then is never
 * idle, and would keep one as long as it likes. When few are left, each that comes ends the one
 * that has been asking, or idle, for longest: so there is always a place. On the server's thread
 * only.
 */
#ifndef LEAT_PROGRAM_WATCH_GUESTS_H
#define LEAT_PROGRAM_WATCH_GUESTS_H

#include <stdint.h>

enum { GUESTS_MAX = 64, GUESTS_FEW_LEFT = 48 };

struct guest {
    int fd;         /* -1: nobody             */
    uint64_t since; /* its last answer, or it came: ns */
};

struct guests {
    struct guest guest[GUESTS_MAX];
    uint32_t n;
};

void guests_init(struct guests *g);
/* A connection has come. NULL: there is no place, which the limit of connections excludes. */
struct guest *guests_come(struct guests *g, int fd, uint64_t now);
/* It has its answer, and may ask again. */
void guests_answered(struct guest *one, uint64_t now);
void guests_go(struct guests *g, struct guest *one);

#endif
