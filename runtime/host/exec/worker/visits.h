/* visits.h -- calls that another thread asks a worker to make, on the worker's thread.
 *
 * The worker makes them between two batches, or between two slices of a learner's batch
 * (slices_process). A stage's state is complete then, and needs no lock.
 *
 *   who asks                          worker
 *   --------                          ------
 *   visits_ask: leaves the visit,     works on a batch
 *   wakes it if it sleeps
 *   waits                             visits_answer, between two batches
 *                                       (or while it waits for one): visit.call
 *   returns                           goes on
 *
 * A worker that nobody asks loads one flag a batch. A worker that has not answered in time is
 * `late`: nobody waits for it again until it reaches the end of its batch.
 */
#ifndef LEAT_HOST_EXEC_WORKER_VISITS_H
#define LEAT_HOST_EXEC_WORKER_VISITS_H

#include "worker.h"

enum visit_state {
    VISIT_WAITS, /* the worker has not begun      */
    VISIT_RUNS,  /* the worker makes the call     */
    VISIT_DONE,  /* the call has returned         */
    VISIT_LATE   /* no answer in time; not called */
};

/* The caller sets only `worker` and `call`. */
struct visit {
    struct worker *worker;
    /* Calls no stage if the run is halted. If worker->visits_over, its stages have stopped. */
    void (*call)(struct visit *);
    enum visit_state state;
};

void visits_init(struct visits *v);
void visits_fini(struct visits *v);

/* Notes that visits will come: learners then work in small slices (slices_process). */
static inline void visits_expect(struct run *r) { atomic_store(&r->visits.expected, true); }
/* Makes n visits to workers of the run, each once. Returns when all have answered, or at `until`
 * (ns, clock_ns). At `until` it still waits for visits that run; the others become VISIT_LATE. The
 * calls for a worker that has ended are made here. Call it from one thread only, after run_start
 * has succeeded and before run_join. */
void visits_ask(struct run *r, struct visit *const *visit, uint32_t n, uint64_t until);

/* Returns the worker that calls an instance, which is its stage's own. */
struct worker *visits_worker(const struct run *r, const struct instance *own);

/* Answers a visit. Called by the worker between two calls. */
void visits_answer_now(struct idle *idle);
static inline void visits_answer(struct worker *w)
{
    if (atomic_load_explicit(&w->idle.asked, memory_order_relaxed)) visits_answer_now(&w->idle);
}
/* Ends the worker's visits. The worker calls it last; who visits it afterwards makes the call
 * itself. */
void visits_end(struct worker *w);

/* Calls a learner's process on the batch and returns its status. In a run that others visit, the
 * learner gets slices of about a millisecond, and the worker answers visits between two slices. A
 * slice ends between two records. Learning does not depend on batches (laws batch-sizes and
 * slices), so a watched run learns the same. Under inspection a batch is not sliced. */
int slices_process(struct worker *w, struct instance *learner, struct hbatch *h);

#endif
