/* trace.h -- the first records of a pipeline's inputs, stage by stage, on one thread.
 *
 *   source --> n records
 *                 | one at a time
 *                 v
 *              stage     what has changed: columns, label, weight, examples; or it is out
 *                 |
 *              learner   the prediction, and what each feature adds to it
 *                 |
 *              tee       every branch      route   the branch that it takes
 *                 |
 *              expand    the records that are made, and each of these further on
 *                 |
 *              sink      is not opened
 *
 * Stages are called as `leat check` and predictions call them (exec/trial/trial.h): the guarantee
 * that batches of any size give the same is why a record at a time shows what a run makes of it. */
#ifndef LEAT_PROGRAM_CLI_TRACE_TRACE_H
#define LEAT_PROGRAM_CLI_TRACE_TRACE_H

#include <jansson.h>

#include "host/exec/run.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/graph/graph.h"
#include "host/log/diag.h"
#include "host/store/snapshot.h"

struct trace_options {
    uint32_t records;            /* of each source, at least 1 */
    const struct node *only;     /* NULL: all stages; else its steps, and where records end */
    bool learns;                 /* learners learn from what they see; else its weight is 0 */
    const struct snapshot *from; /* states to begin with; NULL: none */
    struct fingerprint_changes changes; /* then: of stages that begin without */
};

/* The graph has been negotiated without errors. LEAT_OK, or a failure that a message has told; *out
 * is then what was traced until there. Problems of headers that come only now go to d.
 *
 *   {"pipeline", "learns", "records": [record], "end": [made]}
 *   record  {"source", "input", "line" or "number", "raw", "stages": [step]}
 *   step    {"stage", "plugin", …}, with what the stage did:
 *             "columns": [{"name", "value"}]        added, or with another value
 *             "label", "weight", "raw"              another one than before
 *             "examples": [{"label", "weight", "features": [{"name", "value"}]}]
 *             "predictions": [{"score", "label", "weight", "base", "rest", "contributions"}]
 *             "filtered": true; "rejected": reason, "message"
 *             "branch": the one that it takes; "branches": [{"stages"}] of a tee
 *             "made": [record]
 *             "note": why nothing is shown
 *   made    {"stage", "plugin", "made": [record]}  what a stage has kept, at the end of the records
 */
int trace_make(struct graph *g, const struct trace_options *o, struct diag *d, json_t **out);

/* For people, in lines of 80 columns. */
void trace_print(const json_t *trace);

/* A record of a batch as JSON, and in what two states of it differ (trace.h). */

/* {"source", "input", "line" or "number", "raw"} */
json_t *trace_record_head(struct hbatch *h, uint32_t r);

/* Returns all that stages can change of a selected record, with the columns of this schema. */
json_t *trace_record_state(const struct leat_batch *b, const struct leat_schema *schema,
                           uint32_t r);

/* Adds to `step` what is another one after the stage. Takes both. */
void trace_record_changes(json_t *step, json_t *before, json_t *after);

/* A feature's name, as reports show it. */
json_t *trace_record_feature(const struct leat_batch *b, uint32_t entry);

/* ---- what a learner makes of a record ---- */

/* Calls the learner on record r of h, the only one that is selected, and adds `predictions` to the
 * step: of each example. Without `learns` it learns nothing. What the learner returns. */
int trace_score(struct instance *learner, struct hbatch *h, uint32_t r, bool learns, json_t *step);

#endif
