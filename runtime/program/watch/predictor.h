/* predictor.h -- predictions of a learner for records that it does not learn from.
 *
 *   text --(framing of the source)--> records --(the stages up to the learner)--> examples
 *           server thread                        server thread, separate instances
 *   examples of weight 0 --(process of the learner)--> scores
 *                           worker of the learner, between two batches
 *
 * A separate instance of a stage that looks at each record alone gives the same results as the
 * pipeline's. Other stages, such as a Lua function with variables, are asked for their state before
 * each prediction, and the instance here takes it over. An example of weight 0 changes nothing in a
 * learner (`leat plugin test` has a law for it). Counts and figures do not change either, so a
 * snapshot has the same bytes with and without predictions.
 *
 * The instances take as much memory as one more lane of these stages, and a batch; nothing before
 * the first prediction. */
#ifndef LEAT_PROGRAM_WATCH_PREDICTOR_H
#define LEAT_PROGRAM_WATCH_PREDICTOR_H

#include <jansson.h>

#include "host/exec/worker/visits.h"
#include "host/flow/batch.h"
#include "host/graph/graph.h"

struct mirror;

struct predict_path {
    const struct node *source; /* source of such records */
    struct node **step;        /* in order, without the learner, but with space for it */
    uint32_t n_steps;
};

enum { PREDICT_RECORDS = 256, PREDICT_WHY = 1500 };

struct predictor {
    struct arena arena;
    struct graph graph; /* the run's, with another arena */
    struct run apart;   /* without workers: a failure ends only this run */
    const struct run *run;
    struct node *learner;
    struct predict_path path;
    struct hbatch *batch;
    struct mirror *mirror;
    bool begun;
};

/* Begins without opening anything. Call predictor_close afterwards in any case. */
void predictor_init(struct predictor *p, const struct run *r, struct node *learner);
void predictor_close(struct predictor *p);

/* Returns a prediction as JSON: {"margin", "probability", "label"}; {"margin", "label"} for a
 * decision; {"value"}; or {"class", "name"}. */
json_t *score_json(const struct node *learner, float score);

#endif
