/* steady_cond.h -- conditions that are waited for until a moment of clock_ns(): a wait does not
 * last longer when somebody sets the machine's clock back. */
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

/* mu held. Until the condition is signalled, or until `end`, ns; UINT64_MAX: without end. It may
 * return early, as pthread_cond_wait may. */
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
