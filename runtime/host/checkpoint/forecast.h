/* forecast.h -- the effect of the newest snapshot on each stage of a run, for `leat check`. */
#ifndef LEAT_HOST_CHECKPOINT_FORECAST_H
#define LEAT_HOST_CHECKPOINT_FORECAST_H

#include "checkpoint.h"
#include "host/graph/graph.h"

enum forecast_outcome {
    FORECAST_RESUMES, /* continues with its state */
    FORECAST_STARTS,  /* starts from nothing */
    FORECAST_REFUSED, /* the run would not start */
    FORECAST_DROPPED, /* in the snapshot, but not in the pipeline */
    FORECAST_KEEPS_NOTHING
};

struct forecast_stage {
    const char *id;
    enum forecast_outcome outcome;
    const char *why; /* or NULL */
};

/* A forecast; n is 0 without a directory, or if the pipeline is wrong. */
struct forecast {
    uint64_t checkpoint; /* of the snapshot, if there is one */
    bool has_snapshot;
    struct fingerprint_changes changes;
    struct forecast_stage *stage; /* in the order of the graph, dropped ones at the end */
    uint32_t n;
};

/* Makes the forecast in the graph's arena. All problems go to d, also those of no particular
 * stage. */
void forecast_make(struct forecast *f, const struct graph *g, const struct checkpoint_options *o,
                   struct diag *d);

#endif
