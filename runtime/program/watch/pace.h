/* pace.h -- how much processor time answers may take from the run: a share of the time, however
 * many ask, and a little in advance, so that whoever asks now and then never waits. */
#ifndef LEAT_PROGRAM_WATCH_PACE_H
#define LEAT_PROGRAM_WATCH_PACE_H

#include <stdint.h>

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

/* After an answer, at `now` (clock_ns), when the thread has had `busy` ns of processor time. How
 * long it is to rest, ns, 0 to PACE_REST_NS. */
uint64_t pace_rest(struct pace *p, uint64_t now, uint64_t busy);

#endif
