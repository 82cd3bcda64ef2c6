/* predictor.h -- the predictions of a learner for records that it does not learn from.
 *
 *     text --(framing of the source)--> records --(the stages up to the learner)--> examples
 *             server thread                        server thread, instances of its own
 *     examples of weight 0 --(process of the learner)--> scores
 *                             worker of the learner, between two batches
 *
 * A stage that looks at each record alone gives with an instance of its own what the pipeline's
 * gives. One that does not, such as a Lua function with variables, is asked for its state before
 * each prediction, and the instance here takes that over. An example of weight 0 changes nothing in
 * a learner (`leat plugin test` has a law for it), and neither counts nor figures are touched: a
 * snapshot has the same bytes with and without predictions.
 *
 * What the instances take is as much as one more lane of these stages, and a batch; nothing before
 * the first prediction. */
#ifndef LEAT_PROGRAM_WATCH_PREDICTOR_H
#define LEAT_PROGRAM_WATCH_PREDICTOR_H

#include <jansson.h>

#include "host/exec/worker/visits.h"
#include "host/flow/batch.h"
#include "host/graph/graph.h"

struct mirror;

struct predict_path {
    const struct node *source; /* where the records would come from */
    struct node **step;        /* in order, without the learner, and space for it */
    uint32_t n_steps;
};

enum { PREDICT_RECORDS = 256, PREDICT_WHY = 1500 };

struct predictor {
    struct arena arena;
    struct graph graph; /* the run's, with an arena of its own           */
    struct run apart;   /* of which no worker is: a failure ends only it */
    const struct run *run;
    struct node *learner;
    struct predict_path path;
    struct hbatch *batch;
    struct mirror *mirror;
    bool begun;
};

/* Zeroed before; closed afterwards, whatever came of it. Opens nothing yet. */
void predictor_init(struct predictor *p, const struct run *r, struct node *learner);
void predictor_close(struct predictor *p);

/* Returns a prediction as JSON: {"margin", "probability", "label"}; {"margin", "label"} of a
 * decision; {"value"}; or {"class", "name"}. */
json_t *score_json(const struct node *learner, float score);

#endif
