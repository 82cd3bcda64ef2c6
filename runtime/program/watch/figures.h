/* figures.h -- the figures of a run at work, from its workers at the end of a batch.
 *
 * Each worker copies its own figures when it is visited (visits.h). The figures of a worker that
 * does not answer in time are those of the visit before.
 */
#ifndef LEAT_PROGRAM_WATCH_FIGURES_H
#define LEAT_PROGRAM_WATCH_FIGURES_H

#include "host/exec/instance/instance.h"
#include "host/exec/worker/visits.h"

/* Figures of an instance. */
struct stage_figures {
    const struct node *node;
    uint64_t busy_ns, used_bytes;
    uint64_t time_end; /* 1 ns after the latest event time; 0: none */
    uint32_t n_metrics, n_progressive;
    struct {
        const struct leat_figure *figure;
        double value;
    } metric[LEAT_MAX_FIGURES];
    const char *progressive_name[PROGRESSIVE_METRICS];
    double progressive[PROGRESSIVE_METRICS];
    struct lag lag; /* n 0: not reported */
};

struct worker_figures {
    struct visit visit; /* first */
    const struct figures *all;
    uint64_t starved_ns, blocked_ns;
    bool late;
    uint32_t n; /* stages of its segment */
    struct stage_figures *stage;
};

/* Another call for each worker, in the same visit; but not if the run is halted. */
struct figures_more {
    void (*note)(void *of, struct worker *);
    void *of;
};

struct figures {
    const struct run *run;
    const struct figures_more *more; /* for the current visits; or NULL */
    uint32_t n;
    struct worker_figures *worker; /* parallel to run.worker */
    struct visit **visit;
};

/* Begins without asking. `r` has started. */
void figures_init(struct figures *f, const struct run *r);
void figures_free(struct figures *f);
/* Visits all workers, each once, at most until `until`, ns. `more` may be NULL. */
void figures_take(struct figures *f, const struct figures_more *more, uint64_t until);

#endif
