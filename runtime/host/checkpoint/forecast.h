/* forecast.h -- shows for `leat check` which stages of a run the newest snapshot would restore. */
#ifndef LEAT_HOST_CHECKPOINT_FORECAST_H
#define LEAT_HOST_CHECKPOINT_FORECAST_H

#include "checkpoint.h"
#include "host/graph/graph.h"

enum forecast_outcome {
    FORECAST_RESUMES, /* the stage continues with its state                     */
    FORECAST_STARTS,  /* the stage starts without a state                       */
    FORECAST_REFUSED, /* the run would not start                                */
    FORECAST_DROPPED, /* the snapshot has this stage, but the pipeline does not */
    FORECAST_KEEPS_NOTHING
};

struct forecast_stage {
    const char *id;
    enum forecast_outcome outcome;
    const char *why; /* reason, or NULL */
};

/* Forecast for all stages. n is 0 without a directory, or if the pipeline has errors. */
struct forecast {
    uint64_t checkpoint; /* number of the snapshot, if there is one */
    bool has_snapshot;
    struct fingerprint_changes changes;
    struct forecast_stage *stage; /* in the order of the graph; dropped stages at the end */
    uint32_t n;
};

/* Makes the forecast in the graph's arena. All problems go to d, including those that concern no
 * particular stage. */
void forecast_make(struct forecast *f, const struct graph *g, const struct checkpoint_options *o,
                   struct diag *d);

#endif
