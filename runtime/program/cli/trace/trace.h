/* trace.h -- follows the first records of a pipeline's inputs, stage by stage, on one thread.
 *
 *   source --> n records
 *                 | one at a time
 *                 v
 *              stage     its changes: columns, label, weight, examples; or the record's end
 *                 |
 *              learner   the prediction, and the contribution of each feature
 *                 |
 *              tee       every branch      route   the record's branch
 *                 |
 *              expand    the new records, each followed in turn
 *                 |
 *              sink      is not opened
 *
 * Stages are called as in `leat check` (exec/trial/trial.h). Calling them with one record at a time
 * gives the results of a run, because a stage's result must not depend on the size of batches. */
#ifndef LEAT_PROGRAM_CLI_TRACE_TRACE_H
#define LEAT_PROGRAM_CLI_TRACE_TRACE_H

#include <jansson.h>

#include "host/exec/run.h"
#include "host/graph/fingerprint/fingerprint.h"
#include "host/graph/graph.h"
#include "host/log/diag.h"
#include "host/store/snapshot.h"

struct trace_options {
    uint32_t records;        /* number of records of each source, at least 1 */
    const struct node *only; /* only stage to show, with the ends of records; NULL: all */
    bool learns; /* true if learners learn from the records; otherwise the records have weight 0 */
    const struct snapshot *from;        /* snapshot with the initial states; NULL: none */
    struct fingerprint_changes changes; /* reasons why stages do not use their state in `from` */
};

/* Traces a graph that has been negotiated without errors. Returns LEAT_OK. On failure, prints a
 * message and returns the error; *out then has the trace so far. Problems found when headers are
 * read are added to d.
 *
 *   {"pipeline", "learns", "records": [record], "end": [made]}
 *   record  {"source", "input", "line" or "number", "raw", "stages": [step]}
 *   step    {"stage", "plugin", …}, with the effects of the stage:
 *           "columns": [{"name", "value"}]        added or changed
 *           "label", "weight", "raw"              if changed
 *           "examples": [{"label", "weight", "features": [{"name", "value"}]}]
 *           "predictions": [{"score", "label", "weight", "base", "rest", "contributions"}]
 *           "filtered": true; "rejected": reason, "message"
 *           "branch": branch of the record; "branches": [{"stages"}] of a tee
 *           "made": [record]
 *           "note": reason why the step shows nothing
 *   made    {"stage", "plugin", "made": [record]}  records that a stage emits at its end */
int trace_make(struct graph *g, const struct trace_options *o, struct diag *d, json_t **out);

/* Prints a trace for people, in lines of at most 80 columns. */
void trace_print(const json_t *trace);

/* ---- a record of a batch as JSON, and its changes (trace_record.c) ---- */

/* Returns {"source", "input", "line" or "number", "raw"} of row r. */
json_t *trace_record_head(struct hbatch *h, uint32_t r);

/* Returns the parts of the selected row r that stages can change. `schema` names the columns. */
json_t *trace_record_state(const struct leat_batch *b, const struct leat_schema *schema,
                           uint32_t r);

/* Adds the differences between a record's states before and after a stage to `step`. Takes
 * ownership of `before` and `after`. */
void trace_record_changes(json_t *step, json_t *before, json_t *after);

/* Returns the name of the feature of an entry, as reports show it. */
json_t *trace_record_feature(const struct leat_batch *b, uint32_t entry);

/* ---- the predictions of a learner for a record ---- */

/* Calls the learner on row r, the only selected row of h. Adds a prediction for each example to
 * `step`. The learner learns only if `learns`. Returns the learner's status. */
int trace_score(struct instance *learner, struct hbatch *h, uint32_t r, bool learns, json_t *step);

#endif
