/* late_lock.c -- LD_PRELOAD: the thread of checkpoints takes its second lock a second late.
 *
 * The second lock is that of dead letters, between the moment when a checkpoint falls due and the
 * moment when it opens. Within a second the workers of a short run end. */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

static _Thread_local int locks;

static int takes_late(void)
{
    char name[16] = "";
    if (pthread_getname_np(pthread_self(), name, sizeof name)) return 0;
    return !strcmp(name, "checkpoint") && ++locks == 2;
}

__attribute__((visibility("default"))) int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    static int (*lock)(pthread_mutex_t *);
    if (!lock) *(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    if (takes_late()) sleep(1);
    return lock(mutex);
}
