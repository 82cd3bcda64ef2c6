/* forecast.h -- what a run would do with the newest snapshot, stage by stage: for `leat check`. */
#ifndef LEAT_HOST_CHECKPOINT_FORECAST_H
#define LEAT_HOST_CHECKPOINT_FORECAST_H

#include "checkpoint.h"
#include "host/graph/graph.h"

enum forecast_outcome {
    FORECAST_RESUMES, /* with its state */
    FORECAST_STARTS,  /* from nothing */
    FORECAST_REFUSED, /* the run would not start */
    FORECAST_DROPPED, /* the snapshot has it, and the pipeline does not */
    FORECAST_KEEPS_NOTHING
};

struct forecast_stage {
    const char *id;
    enum forecast_outcome outcome;
    const char *why; /* or NULL */
};

/* n is 0 without a directory, or if the pipeline is wrong. */
struct forecast {
    uint64_t checkpoint; /* of the snapshot; meaningless without */
    bool has_snapshot;
    struct fingerprint_changes changes;
    struct forecast_stage *stage; /* in the order of the graph, those that it lacks at the end */
    uint32_t n;
};

/* Makes the forecast in the graph's arena. Problems go to d, also those that belong to no single
 * stage. */
void forecast_make(struct forecast *f, const struct graph *g, const struct checkpoint_options *o,
                   struct diag *d);

#endif
