/* clock.h -- time in nanoseconds: monotonic, since 1970, and processor time of a thread. */
#ifndef LEAT_CORE_TIME_CLOCK_H
#define LEAT_CORE_TIME_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Monotonic time since an arbitrary moment: only differences have a meaning. */
static inline uint64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Time since 1970. It jumps when the machine's clock is set. */
static inline uint64_t clock_unix_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Processor time of the calling thread, which does not include waiting. */
static inline uint64_t clock_thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
