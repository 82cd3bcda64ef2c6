/* waiting.h -- requests for pages that wait until the pages may use processor time again.
 *
 * A page may take milliseconds, and the server has one thread. If that thread rested after pages,
 * probes of other clients would wait, too. So the thread suspends the connections of pages that are
 * too many, and a second thread resumes them, one at a time, the first first:
 *
 *     page      waiting_turn():  the pace allows it, and nobody waits: it is made
 *                                else suspended -> queue -> resumed when the pace allows it
 *     probe     is answered at once */
#ifndef LEAT_PROGRAM_WATCH_WAITING_H
#define LEAT_PROGRAM_WATCH_WAITING_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "access.h"

struct MHD_Connection;

struct waiting {
    pthread_t thread;
    pthread_mutex_t mu; /* guards all members below */
    pthread_cond_t changed;
    struct MHD_Connection *queue[CONNECTIONS_MAX];
    uint32_t n;
    bool granted; /* a resumed connection has not made its page yet */
    bool ends;
    struct pace pace;
    uint64_t busy; /* processor time of all pages, ns */
};

/* Starts the thread. Returns false if the system gives none. */
bool waiting_start(struct waiting *w);
/* Resumes all connections and ends the thread. From then on nobody waits. */
void waiting_stop(struct waiting *w);

/* Returns true if the page may be made now. Otherwise suspends the connection: the server calls
 * again when it is resumed. *waits, false at first, belongs to the request. */
bool waiting_turn(struct waiting *w, struct MHD_Connection *from, bool *waits);
/* Counts the processor time of a page. `waited`: the request has waited. Call it for each page that
 * was made, and for each request that waited and ended without a page. */
void waiting_spent(struct waiting *w, uint64_t ns, bool waited);

#endif
