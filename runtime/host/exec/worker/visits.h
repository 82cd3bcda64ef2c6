/* visits.h -- what another thread wants of a worker is done on the worker's thread, between two
 * batches, or two slices of what a learner is at (slices_process): what a stage has learned is then
 * whole, and no lock stands on its way.
 *
 *     who asks                          worker
 *     --------                          ------
 *     visits_ask: leaves the visit,     works on a batch
 *     stirs what it may sleep on
 *     waits                             visits_answer, between two batches
 *                                       (or while it waits for one): visit.call
 *     has it                            goes on
 *
 * A worker that nobody asks loads one flag a batch. One that has not answered in time is `late`: it
 * is not waited for again until it has come to the end of its batch.
 */
#ifndef LEAT_HOST_EXEC_WORKER_VISITS_H
#define LEAT_HOST_EXEC_WORKER_VISITS_H

#include "worker.h"

enum visit_state {
    VISIT_WAITS, /* for the worker                    */
    VISIT_RUNS,  /* the worker is at it               */
    VISIT_DONE,  /* the call has returned             */
    VISIT_LATE   /* no answer in time; not called     */
};

/* Only call and worker are the caller's. */
struct visit {
    struct worker *worker;
    /* Calls no stage when the run is halted; when worker->visits_over, its stages have stopped. */
    void (*call)(struct visit *);
    enum visit_state state;
};

void visits_init(struct visits *v);
void visits_fini(struct visits *v);

/* Somebody will ask: stages that take long are called on less at once (slices_process). */
static inline void visits_expect(struct run *r) { atomic_store(&r->visits.expected, true); }
/* Visits n workers of the run, each once, and returns when all have answered, or at `until` (ns,
 * clock_ns): visits that are under way then are waited for, the others become VISIT_LATE. A worker
 * that has ended is not asked: its calls are made here. From one thread only, after run_start has
 * succeeded and before run_join. */
void visits_ask(struct run *r, struct visit *const *visit, uint32_t n, uint64_t until);

/* The worker that calls an instance, which is its stage's own. */
struct worker *visits_worker(const struct run *r, const struct instance *own);

/* A worker, between two calls. */
void visits_answer_now(struct idle *idle);
static inline void visits_answer(struct worker *w)
{
    if (atomic_load_explicit(&w->idle.asked, memory_order_relaxed)) visits_answer_now(&w->idle);
}
/* A worker, last: who asks it from now on calls by itself. */
void visits_end(struct worker *w);

/* Calls a learner's process on the batch. In a run that others ask, it learns in slices of about a
 * millisecond, and visits are answered between two of them. A slice ends between two records.
 * Learning does not depend on batches (laws batch-sizes and slices), so a watched run learns the
 * same. Under inspection a batch is whole. Returns the status of process. */
int slices_process(struct worker *w, struct instance *learner, struct hbatch *h);

#endif
