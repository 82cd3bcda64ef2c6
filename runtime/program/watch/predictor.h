/* predictor.h -- predictions of a learner for records that it does not learn from.
 *
 *   text --(framing of the source)--> records --(the stages up to the learner)--> examples
 *           server thread                        server thread, separate instances
 *   examples of weight 0 --(process of the learner)--> scores
 *                           worker of the learner, between two batches
 *
 * Most stages process each record independently, so a separate instance gives the results of the
 * pipeline's instance. Other stages, such as a Lua function with variables, depend on earlier
 * records. Before each prediction, their state is copied from the pipeline's instance to the
 * instance here.
 *
 * An example of weight 0 changes nothing in a learner (`leat plugin test` verifies this). Counts
 * and figures do not change either, so predictions do not affect the bytes of snapshots.
 *
 * The instances take the memory of one more lane of these stages, and a batch. Before the first
 * prediction they take none. */
#ifndef LEAT_PROGRAM_WATCH_PREDICTOR_H
#define LEAT_PROGRAM_WATCH_PREDICTOR_H

#include <jansson.h>

#include "host/exec/worker/visits.h"
#include "host/flow/batch.h"
#include "host/graph/graph.h"

struct mirror;

struct predict_path {
    const struct node *source; /* source of the predicted records */
    struct node **step;        /* stages up to the learner; step[n_steps] is for the learner */
    uint32_t n_steps;
};

enum { PREDICT_RECORDS = 256, PREDICT_WHY = 1500 };

struct predictor {
    struct arena arena;
    struct graph graph; /* copy of the run's graph, with another arena */
    struct run apart;   /* run of the separate instances; a failure ends only this run */
    const struct run *run;
    struct node *learner;
    struct predict_path path;
    struct hbatch *batch;
    struct mirror *mirror;
    bool begun;
};

/* Initialises p without opening any stage. Call predictor_close() afterwards in any case. */
void predictor_init(struct predictor *p, const struct run *r, struct node *learner);
void predictor_close(struct predictor *p);

/* Returns a prediction as JSON: {"margin", "probability", "label"}, {"margin", "label"} for a
 * decision, {"value"}, or {"class", "name"}. */
json_t *score_json(const struct node *learner, float score);

#endif
