/* control.h -- how a run ends: by a stop, a failure, a halt, or the end of its last worker.
 *
 *     stopping   the sources end; records in the pipeline are still processed
 *     failed     the run has failed: like stopping, with status and reason of the first failure
 *     halted     no stage is called any more; batches only go back to their pools
 *
 * This file does not depend on stages or workers. The function `wake` wakes sources that wait for
 * records.
 */
#ifndef LEAT_HOST_EXEC_CONTROL_H
#define LEAT_HOST_EXEC_CONTROL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct control {
    _Atomic bool stopping;
    _Atomic int failed; /* status of the first failure, or 0 */
    _Atomic bool halted;
    _Atomic bool interrupted;  /* a signal has stopped the run                                 */
    _Atomic uint64_t deadline; /* time at which a signal ends the process (clock_ns); 0: never */
    int stop_fd;               /* readable once the run is being stopped                       */
    /* Wakes the sources, and all that wait for a checkpoint. */
    void (*wake)(struct control *control);

    pthread_mutex_t mu;       /* guards `reason`, n_threads, woken; names of inputs (instance.h) */
    char reason[1400];        /* reason of the first failure                                     */
    uint32_t n_threads;       /* number of workers whose thread has started                      */
    _Atomic uint32_t at_work; /* number of workers that have not ended; written under mu         */
    pthread_cond_t finished;  /* signalled when at_work becomes 0, or `woken` becomes true       */
    bool woken;               /* control_wake was called: control_await must return              */
};

void control_init(struct control *c, void (*wake)(struct control *control));
void control_fini(struct control *c);

/* Stops the run: asks the sources to end; records in the pipeline are still processed. Any thread
 * may call it, but no signal handler. */
void control_stop(struct control *c);
/* Fails the run with this status (below 0) and reason, unless it has failed already, and stops it.
 * Records in the pipeline are still processed unless the run is halted. Any thread may call it.
 * Returns status. */
int control_fail(struct control *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Halts the run: no stage is called any more. Any thread may call it. */
void control_halt(struct control *c);
static inline bool control_halted(const struct control *c)
{
    return atomic_load_explicit(&c->halted, memory_order_relaxed);
}

/* Counts the end of a worker. A worker calls this last. */
void control_worker_ended(struct control *c);
/* Waits until all workers have ended, control_wake is called, or `until` has passed (ns;
 * UINT64_MAX: never). Returns true if all workers have ended. */
bool control_await(struct control *c, uint64_t until);
/* Makes control_await return early, because the main thread has something else to do. Any thread
 * may call it. */
void control_wake(struct control *c);

#endif
