/* tenfold_processor.c -- LD_PRELOAD: a thread's clock of processor time runs ten times as fast.
 *
 * Timers on that clock run as fast: limits in seconds of processor time come in a tenth of the
 * time. */
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TIMES = 10, NS = 1000000000 };

#define EXPORT __attribute__((visibility("default")))

static _Atomic(timer_t) fast; /* last timer on that clock */

EXPORT int clock_gettime(clockid_t clock, struct timespec *now)
{
    int status = (int)syscall(SYS_clock_gettime, clock, now);
    if (status || clock != CLOCK_THREAD_CPUTIME_ID) return status;
    long long ns = ((long long)now->tv_sec * NS + now->tv_nsec) * TIMES;
    *now = (struct timespec){ns / NS, ns % NS};
    return 0;
}

EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
    int (*next)(clockid_t, struct sigevent *, timer_t *);
    *(void **)&next = dlsym(RTLD_NEXT, "timer_create");
    int status = next(clock, event, timer);
    if (!status && clock == CLOCK_THREAD_CPUTIME_ID) atomic_store(&fast, *timer);
    return status;
}

static struct timespec sooner_than(struct timespec t)
{
    long long ns = ((long long)t.tv_sec * NS + t.tv_nsec) / TIMES;
    return (struct timespec){ns / NS, ns % NS};
}

EXPORT int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict end,
                         struct itimerspec *restrict old)
{
    int (*next)(timer_t, int, const struct itimerspec *, struct itimerspec *);
    *(void **)&next = dlsym(RTLD_NEXT, "timer_settime");
    struct itimerspec sooner = *end;
    if (timer == atomic_load(&fast)) {
        sooner.it_value = sooner_than(end->it_value);
        sooner.it_interval = sooner_than(end->it_interval);
    }
    return next(timer, flags, &sooner, old);
}
