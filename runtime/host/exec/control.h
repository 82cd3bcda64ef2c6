/* control.h -- how a run ends: it is stopped, it fails, it is halted, or its last worker is
 * through.
 *
 *     stopping   sources end, and what is under way is finished
 *     failed     stopping, with the status and the reason of the first failure
 *     halted     no stage is called any more; batches only travel to their ends
 *
 * Nothing here knows stages or workers: `wake` reaches those that wait for records.
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
    _Atomic bool interrupted;              /* a signal has ended the run early                 */
    _Atomic uint64_t deadline;             /* when a signal's process ends, clock_ns; 0: never */
    int stop_fd;                           /* readable once the run stops                      */
    void (*wake)(struct control *control); /* wakes the sources of a run that stops            */

    pthread_mutex_t mu;       /* over `reason`, n_threads and woken, and the names of inputs */
    char reason[1400];        /* of the first failure                                        */
    uint32_t n_threads;       /* workers that have a thread                                  */
    _Atomic uint32_t at_work; /* workers that have not ended; written under mu               */
    pthread_cond_t finished;  /* at_work is 0, or woken                                      */
    bool woken;               /* the main thread must look at something else                 */
};

void control_init(struct control *c, void (*wake)(struct control *control));
void control_fini(struct control *c);

/* Asks the sources to end; everything under way is finished. Any thread; not a signal handler. */
void control_stop(struct control *c);
/* Fails the run with its first failure; later ones are ignored. Sources end, and records under way
 * are finished unless the run is halted. Any thread. Returns status (below 0). */
int control_fail(struct control *c, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Calls no stage any more. Any thread. */
void control_halt(struct control *c);
static inline bool control_halted(const struct control *c)
{
    return atomic_load_explicit(&c->halted, memory_order_relaxed);
}

/* Last call of a worker. */
void control_worker_ended(struct control *c);
/* Waits until all workers have ended, or until `until` (ns; UINT64_MAX: without end), or until
 * control_wake. Returns true if all have ended. */
bool control_await(struct control *c, uint64_t until);
/* Ends the wait of the main thread, which has something else to do. Any thread. */
void control_wake(struct control *c);

#endif
