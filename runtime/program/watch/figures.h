/* figures.h -- the figures of a run at work, as its workers had them at the end of a batch.
 *
 * Each worker copies what is its own when it is asked (visits.h). Of one that does not answer in
 * time the figures are those of the time before.
 */
#ifndef LEAT_PROGRAM_WATCH_FIGURES_H
#define LEAT_PROGRAM_WATCH_FIGURES_H

#include "host/exec/instance/instance.h"
#include "host/exec/worker/visits.h"

/* Figures of an instance. */
struct stage_figures {
    const struct node *node;
    uint64_t busy_ns, used_bytes;
    uint64_t time_end; /* 1 ns past the latest event time; 0: none */
    uint32_t n_metrics, n_progressive;
    struct {
        const struct leat_figure *figure;
        double value;
    } metric[LEAT_MAX_FIGURES];
    const char *progressive_name[PROGRESSIVE_METRICS];
    double progressive[PROGRESSIVE_METRICS];
    struct lag lag; /* n 0: not told */
};

struct worker_figures {
    struct visit visit; /* first */
    const struct figures *all;
    uint64_t starved_ns, blocked_ns;
    bool late;
    uint32_t n; /* of its segment's stages */
    struct stage_figures *stage;
};

/* A further call for each worker, in the same visit; not when the run is halted. */
struct figures_more {
    void (*note)(void *of, struct worker *);
    void *of;
};

struct figures {
    const struct run *run;
    const struct figures_more *more; /* of the visits under way; or NULL */
    uint32_t n;
    struct worker_figures *worker; /* as run.worker */
    struct visit **visit;
};

/* Nothing is asked yet. `r` has started. */
void figures_init(struct figures *f, const struct run *r);
void figures_free(struct figures *f);
/* Asks all workers, each once, at most until `until`, ns. `more`: or NULL. */
void figures_take(struct figures *f, const struct figures_more *more, uint64_t until);

#endif
