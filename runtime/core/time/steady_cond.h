/* steady_cond.h -- condition variables whose deadlines are times of the monotonic clock_ns().
 *
 * So setting the machine's clock back does not prolong a wait. */
#ifndef LEAT_CORE_TIME_STEADY_COND_H
#define LEAT_CORE_TIME_STEADY_COND_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static inline void steady_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &steady);
    pthread_condattr_destroy(&steady);
}

/* Waits until the condition is signalled or the time is `end`, ns; UINT64_MAX: no deadline. The
 * caller holds mu. Like pthread_cond_wait, this may return early. */
static inline void steady_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mu, uint64_t end)
{
    const uint64_t second = UINT64_C(1000000000);
    struct timespec t = {(time_t)(end / second), (long)(end % second)};
    if (end == UINT64_MAX)
        pthread_cond_wait(cond, mu);
    else
        pthread_cond_timedwait(cond, mu, &t);
}

#endif
