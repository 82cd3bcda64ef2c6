/* deaf_assign.c -- LD_PRELOAD: rd_kafka_assign never returns to a consumer that leaves its group.
 *
 * This happens if librdkafka's main thread has ended and dropped the request, for whose answer the
 * caller waits. A test cannot choose that moment. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_bool leaves;

/* Finds a function of librdkafka. Plugins have their own scopes, and librdkafka is loaded with
 * one. */
static void *real(const char *name)
{
    void *library = dlopen("librdkafka.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return dlsym(library, name);
}

__attribute__((visibility("default"))) void *rd_kafka_consumer_close_queue(void *rk, void *queue)
{
    void *(*close_queue)(void *, void *);
    *(void **)&close_queue = real("rd_kafka_consumer_close_queue");
    atomic_store(&leaves, 1);
    return close_queue(rk, queue);
}

__attribute__((visibility("default"))) int rd_kafka_assign(void *rk, const void *list)
{
    int (*assign)(void *, const void *);
    *(void **)&assign = real("rd_kafka_assign");
    while (atomic_load(&leaves))
        pause();
    return assign(rk, list);
}
