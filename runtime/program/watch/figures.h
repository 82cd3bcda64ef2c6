/* figures.h -- the figures of a run at work, copied by its workers at the end of a batch.
 *
 * The server asks each worker to copy its figures in a visit: a call that the worker makes between
 * two batches (visits.h). If a worker does not answer in time, its figures stay those of the
 * previous visit. */
#ifndef LEAT_PROGRAM_WATCH_FIGURES_H
#define LEAT_PROGRAM_WATCH_FIGURES_H

#include "host/exec/instance/instance.h"
#include "host/exec/worker/visits.h"

/* Figures of one instance (lane) of a stage. */
struct stage_figures {
    const struct node *node;
    uint64_t busy_ns, used_bytes;
    uint64_t time_end; /* latest event time + 1 ns; 0: none */
    uint32_t n_metrics, n_progressive;
    struct {
        const struct leat_figure *figure;
        double value;
    } metric[LEAT_MAX_FIGURES];
    const char *progressive_name[PROGRESSIVE_METRICS];
    double progressive[PROGRESSIVE_METRICS];
    struct lag lag;             /* lag.n is 0 if the source reports no lag */
    struct group_answer *group; /* copy; NULL if the source reports no group */
};

struct worker_figures {
    struct visit visit; /* must be the first member */
    const struct figures *all;
    uint64_t starved_ns, blocked_ns;
    bool late;
    uint32_t n; /* number of stages of the worker's segment */
    struct stage_figures *stage;
};

/* Function that each worker calls in its visit after copying its figures. It is not called if the
 * run is halted. */
struct figures_more {
    void (*note)(void *of, struct worker *);
    void *of;
};

struct figures {
    const struct run *run;
    const struct figures_more *more; /* function to call in the current visits; or NULL */
    uint32_t n;
    struct worker_figures *worker; /* one for each element of run.worker */
    struct visit **visit;
};

/* Initialises f without visiting the workers. The run r must have started. */
void figures_init(struct figures *f, const struct run *r);
void figures_free(struct figures *f);
/* Visits all workers to copy their figures. Waits for them until `until` (clock_ns). `more` may be
 * NULL. */
void figures_take(struct figures *f, const struct figures_more *more, uint64_t until);

#endif
