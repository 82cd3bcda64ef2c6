/* bounded.h -- calls of librdkafka that may never return.
 *
 * Such a call runs in a thread of its own. If it takes too long, the caller abandons the thread.
 * The client must then not be used again, because the thread may still use it. */
#ifndef LEAT_KAFKA_CLIENT_BOUNDED_H
#define LEAT_KAFKA_CLIENT_BOUNDED_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <leat/plugin.h>

/* First member of a struct that malloc has made, with the arguments and the result of the call. */
struct bounded {
    void (*call)(struct bounded *);
    pthread_mutex_t mu;
    pthread_cond_t over;
    bool done, abandoned;
};

/* Runs b->call in a thread, and waits for up to `ns`; if ctx is not NULL and the run is being
 * stopped, for at most half of the time that is left. Returns true if the call has returned: the
 * caller frees b. Returns false if it has not, or if no thread can be made: b must not be used
 * again. The time in which the process was stopped does not count. */
bool bounded_call(struct leat_ctx *ctx, struct bounded *b, uint64_t ns);
/* True if the caller no longer waits. For calls that can end early. */
bool bounded_is_abandoned(struct bounded *b);

#endif
