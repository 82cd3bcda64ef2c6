/* event_times.h -- realistic event times: they advance, repeat, go back, jump, and are missing. */
#ifndef LEAT_TESTS_SUPPORT_EVENT_TIMES_H
#define LEAT_TESTS_SUPPORT_EVENT_TIMES_H

#include <stdbool.h>

#include "random.h"

#define EVENT_SECOND INT64_C(1000000000)

struct event_times {
    uint64_t seed;
    int64_t now, newest; /* ns; newest: 0 before the first */
    double late;         /* seconds by which the last time was before the newest */
};

/* Returns the next time in ns; -1 for none. *passed: seconds by which it exceeds all earlier
 * ones. */
static inline int64_t event_times_next(struct event_times *t, double *passed)
{
    bool first = !t->newest;
    if (first) t->now = 1700000000 * EVENT_SECOND;
    t->now += ((int64_t)below(&t->seed, 5) - 1) * EVENT_SECOND / 2;
    if (below(&t->seed, 50) == 0) t->now += 20 * EVENT_SECOND;
    *passed = t->late = 0;
    if (below(&t->seed, 7) == 0) return -1;
    if (t->now < t->newest) t->late = (double)(t->newest - t->now) / (double)EVENT_SECOND;
    if (t->now > t->newest) {
        if (!first) *passed = (double)(t->now - t->newest) / (double)EVENT_SECOND;
        t->newest = t->now;
    }
    return t->now;
}

#endif
