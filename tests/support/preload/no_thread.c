/* no_thread.c -- LD_PRELOAD: pthread_create number NO_THREAD of the process fails, counted from
 * 1. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *),
                            void *arg)
{
    static int calls; /* the main thread makes all threads */
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        dlsym(RTLD_NEXT, "pthread_create");
    const char *refused = getenv("NO_THREAD");
    if (refused && ++calls == atoi(refused)) return EAGAIN;
    return next(thread, attr, body, arg);
}
