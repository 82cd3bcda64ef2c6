/* visits.h -- visits: calls that another thread asks a worker to make on the worker's thread.
 *
 * For instance, --http queries a learner. The worker makes the call between two batches, or between
 * two slices of a learner's batch (slices_process). The state of a stage is then complete, and no
 * lock is needed.
 *
 *   asking thread                     worker
 *   --------                          ------
 *   visits_ask: stores the visit,     processes a batch
 *   wakes the worker if it sleeps
 *   waits                             visits_answer, between two batches
 *                                       (or while it waits for one): visit.call
 *   returns                           goes on
 *
 * Without a visit, a worker only reads one flag for each batch. A worker that has not made the call
 * in time is `late`. Until it has finished its batch, no thread waits for it again.
 */
#ifndef LEAT_HOST_EXEC_WORKER_VISITS_H
#define LEAT_HOST_EXEC_WORKER_VISITS_H

#include "worker.h"

enum visit_state {
    VISIT_WAITS, /* the worker has not begun the call                       */
    VISIT_RUNS,  /* the worker is making the call                           */
    VISIT_DONE,  /* the call has returned                                   */
    VISIT_LATE   /* the worker did not begin in time; there will be no call */
};

/* A call for a worker. The asking thread sets `worker` and `call`. */
struct visit {
    struct worker *worker;
    /* The call. It must not call a stage if the run is halted. If worker->visits_over, the worker's
     * stages have stopped. */
    void (*call)(struct visit *);
    enum visit_state state;
};

void visits_init(struct visits *v);
void visits_fini(struct visits *v);

/* Tells the workers that visits will come. Learners then process batches in small slices
 * (slices_process). */
static inline void visits_expect(struct run *r) { atomic_store(&r->visits.expected, true); }
/* Asks n different workers to make a call each. Returns when all calls are done, or at time `until`
 * (clock_ns). At that time, calls that have begun are still waited for; the others become
 * VISIT_LATE. If a worker has ended, the calling thread makes its call. Only one thread may use
 * this function, after run_start has succeeded and before run_join. */
void visits_ask(struct run *r, struct visit *const *visit, uint32_t n, uint64_t until);

/* Returns the worker that calls instance `own`, which is outside all shards. */
struct worker *visits_worker(const struct run *r, const struct instance *own);

/* Makes the call of the visit that waits for the worker, if there is one. The worker calls
 * visits_answer between two batches. */
void visits_answer_now(struct idle *idle);
static inline void visits_answer(struct worker *w)
{
    if (atomic_load_explicit(&w->idle.asked, memory_order_relaxed)) visits_answer_now(&w->idle);
}
/* Called by a worker when it ends. After that, asking threads make the calls themselves. */
void visits_end(struct worker *w);

/* Calls a learner's process on the batch and returns its status. If visits are expected, the
 * learner gets the batch in slices that take about a millisecond each, and the worker makes the
 * calls of visits between two slices. A slice ends between two records. Slices do not change what
 * is learned, because learning does not depend on the sizes of batches (`leat plugin test` checks
 * this: laws batch-sizes and slices). With --debug-plugins a batch is not sliced. */
int slices_process(struct worker *w, struct instance *learner, struct hbatch *h);

#endif
