/* predictor.h -- what a learner makes of a record, without learning from it.
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
 * the first prediction.
 */
#ifndef LEAT_PROGRAM_WATCH_PREDICTOR_H
#define LEAT_PROGRAM_WATCH_PREDICTOR_H

#include "host/exec/worker/visits.h"
#include "predict_path.h"

struct mirror;

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

enum predict_result {
    PREDICT_OK,
    PREDICT_NEVER,   /* this pipeline has no prediction of a record     */
    PREDICT_REFUSED, /* these records cannot be read                    */
    PREDICT_LATE,    /* a worker did not answer in time                 */
    PREDICT_FAILED   /* a stage has failed; the next call starts anew   */
};

/* Zeroed before; closed afterwards, whatever came of it. Opens nothing yet. */
void predictor_init(struct predictor *p, const struct run *r, struct node *learner);
void predictor_close(struct predictor *p);

/* Predicts the records of text[0 .. n), which p->batch then holds: each example of b.n_examples has
 * a score, except those of rejected records. Otherwise `why` says what is wrong. `until`: ns, for
 * what workers are asked. One thread at a time, while visits_ask may be called. */
enum predict_result predictor_run(struct predictor *p, const char *text, size_t n, uint64_t until,
                                  char why[PREDICT_WHY]);

/* What a rejected record was told, and the word of the reason. */
const char *predictor_rejection(const struct predictor *p, uint32_t record, const char **reason,
                                size_t *n);

#endif
