/* trace.h -- the first records of a pipeline's inputs, stage by stage, on one thread.
 *
 *   source --> n records
 *                 | one at a time
 *                 v
 *              stage     its changes: columns, label, weight, examples; or the record's end
 *                 |
 *              learner   the prediction, and what each feature adds to it
 *                 |
 *              tee       every branch      route   the branch that it takes
 *                 |
 *              expand    the records that it makes, each followed in turn
 *                 |
 *              sink      is not opened
 *
 * Stages are called like those of `leat check` and predictions (exec/trial/trial.h). A record at a
 * time shows the results of a run, because stages guarantee the same for batches of any size. */
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
    bool learns;                 /* learners learn from the records; else records have weight 0 */
    const struct snapshot *from; /* initial states; NULL: none */
    struct fingerprint_changes changes; /* with `from`: of stages that begin without a state */
};

/* Makes a trace of a graph that has been negotiated without errors. Returns LEAT_OK, or a failure
 * after a message; *out then has the trace up to there. Problems of headers that appear only now go
 * to d.
 *
 *   {"pipeline", "learns", "records": [record], "end": [made]}
 *   record  {"source", "input", "line" or "number", "raw", "stages": [step]}
 *   step    {"stage", "plugin", …}, with the work of the stage:
 *           "columns": [{"name", "value"}]        added or changed
 *           "label", "weight", "raw"              if changed
 *           "examples": [{"label", "weight", "features": [{"name", "value"}]}]
 *           "predictions": [{"score", "label", "weight", "base", "rest", "contributions"}]
 *           "filtered": true; "rejected": reason, "message"
 *           "branch": the branch taken; "branches": [{"stages"}] of a tee
 *           "made": [record]
 *           "note": why nothing is shown
 *   made    {"stage", "plugin", "made": [record]}  records that a stage emits at the end
 */
int trace_make(struct graph *g, const struct trace_options *o, struct diag *d, json_t **out);

/* Prints the trace for people, in lines of 80 columns. */
void trace_print(const json_t *trace);

/* ---- a record of a batch as JSON, and its changes (trace_record.c) ---- */

/* Returns {"source", "input", "line" or "number", "raw"}. */
json_t *trace_record_head(struct hbatch *h, uint32_t r);

/* Returns everything that stages can change of a selected record, with the columns of this
 * schema. */
json_t *trace_record_state(const struct leat_batch *b, const struct leat_schema *schema,
                           uint32_t r);

/* Adds the changes made by the stage to `step`. Takes `before` and `after`. */
void trace_record_changes(json_t *step, json_t *before, json_t *after);

/* Returns a feature's name in the form of reports. */
json_t *trace_record_feature(const struct leat_batch *b, uint32_t entry);

/* ---- a learner's work on a record ---- */

/* Calls the learner on record r of h, the only selected one, and adds `predictions` of each example
 * to the step. Without `learns` it learns nothing. Returns the learner's status. */
int trace_score(struct instance *learner, struct hbatch *h, uint32_t r, bool learns, json_t *step);

#endif
