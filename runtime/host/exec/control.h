/* control.h -- how a run ends: by a stop, a failure, a halt, or the end of its last worker.
 *
 *     stopping   sources end, and records under way are finished
 *     failed     stopping, with the status and the reason of the first failure
 *     halted     no stage is called any more; batches only travel to their ends
 *
 * Nothing here knows stages or workers; `wake` reaches the sources that wait for records.
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
    _Atomic bool interrupted;              /* a signal ended the run early */
    _Atomic uint64_t deadline;             /* when the process ends itself after a signal, clock_ns;
                                            * 0: never */
    int stop_fd;                           /* readable once the run stops           */
    void (*wake)(struct control *control); /* wakes the sources of a run that stops */

    pthread_mutex_t mu;       /* guards `reason`, n_threads, woken and the names of inputs */
    char reason[1400];        /* of the first failure                                      */
    uint32_t n_threads;       /* workers that have a thread                                */
    _Atomic uint32_t at_work; /* workers that have not ended; written under mu             */
    pthread_cond_t finished;  /* at_work is 0, or woken                                    */
    bool woken;               /* the main thread must look at something else               */
};

void control_init(struct control *c, void (*wake)(struct control *control));
void control_fini(struct control *c);

/* Asks the sources to end; records under way are finished. Any thread; not a signal handler. */
void control_stop(struct control *c);
/* Fails the run with its first failure; later ones are ignored. Sources end, and records under way
 * are finished unless the run is halted. Any thread. Returns status (below 0). */
int control_fail(struct control *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Stops all calls of stages from now on. Any thread. */
void control_halt(struct control *c);
static inline bool control_halted(const struct control *c)
{
    return atomic_load_explicit(&c->halted, memory_order_relaxed);
}

/* Counts a worker's end. A worker calls it last. */
void control_worker_ended(struct control *c);
/* Waits until all workers have ended, control_wake is called, or `until` has passed (ns;
 * UINT64_MAX: never). Returns true if all workers have ended. */
bool control_await(struct control *c, uint64_t until);
/* Ends the main thread's wait, because it has something else to do. Any thread. */
void control_wake(struct control *c);

#endif
