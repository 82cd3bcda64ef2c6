/* threads.c -- C11's threads and locks by pthreads, for builds with ThreadSanitizer.
 *
 * ThreadSanitizer knows pthreads only. If it has not seen a thread begin, the thread's first malloc
 * ends the process. librdkafka makes its threads by threads.h; in such a build it finds these
 * functions first. glibc's types are the types of pthreads under other names. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <threads.h>

#define SEEN __attribute__((visibility("default")))

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mutex is one of pthreads");
_Static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a condition is one of pthreads");

struct begun {
    thrd_start_t run;
    void *arg;
};

static void *begin(void *arg)
{
    struct begun b = *(struct begun *)arg;
    free(arg);
    return (void *)(intptr_t)b.run(b.arg);
}

static int answer(int failed) { return failed ? thrd_error : thrd_success; }

SEEN int thrd_create(thrd_t *t, thrd_start_t run, void *arg)
{
    struct begun *b = malloc(sizeof *b);
    if (!b) return thrd_nomem;
    *b = (struct begun){run, arg};
    if (!pthread_create((pthread_t *)t, NULL, begin, b)) return thrd_success;
    free(b);
    return thrd_error;
}

SEEN int thrd_join(thrd_t t, int *result)
{
    void *returned;
    int failed = pthread_join((pthread_t)t, &returned);
    if (!failed && result) *result = (int)(intptr_t)returned;
    return answer(failed);
}

SEEN int mtx_init(mtx_t *m, int kind)
{
    pthread_mutexattr_t as;
    pthread_mutexattr_init(&as);
    if (kind & mtx_recursive) pthread_mutexattr_settype(&as, PTHREAD_MUTEX_RECURSIVE);
    int failed = pthread_mutex_init((pthread_mutex_t *)m, &as);
    pthread_mutexattr_destroy(&as);
    return answer(failed);
}

SEEN int mtx_lock(mtx_t *m) { return answer(pthread_mutex_lock((pthread_mutex_t *)m)); }
SEEN int mtx_unlock(mtx_t *m) { return answer(pthread_mutex_unlock((pthread_mutex_t *)m)); }
SEEN void mtx_destroy(mtx_t *m) { pthread_mutex_destroy((pthread_mutex_t *)m); }

SEEN int cnd_init(cnd_t *c) { return answer(pthread_cond_init((pthread_cond_t *)c, NULL)); }
SEEN int cnd_signal(cnd_t *c) { return answer(pthread_cond_signal((pthread_cond_t *)c)); }
SEEN int cnd_broadcast(cnd_t *c) { return answer(pthread_cond_broadcast((pthread_cond_t *)c)); }
SEEN void cnd_destroy(cnd_t *c) { pthread_cond_destroy((pthread_cond_t *)c); }

SEEN int cnd_wait(cnd_t *c, mtx_t *m)
{
    return answer(pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m));
}

SEEN int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
    int failed = pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, until);
    return failed == ETIMEDOUT ? thrd_timedout : answer(failed);
}
