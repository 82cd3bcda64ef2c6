/* summary_parts.h -- parts of a summary as JSON. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_SUMMARY_PARTS_H
#define LEAT_PROGRAM_CLI_SUMMARY_SUMMARY_PARTS_H

#include <jansson.h>

#include "host/exec/answers/answer.h"
#include "host/exec/instance/instance.h"
#include "host/exec/run.h"
#include "host/graph/graph.h"
#include "host/metrics/progressive.h"

/* ---- a learner's answer as JSON ---- */

/* Returns [{"feature", the learner's columns, "also" if it has any}, …]. */
json_t *answer_json_rows(const struct answer *a);

/* How a sink shows the answers to its question. */
struct answer_shown {
    const char *sink, *learner;
    const char *title;           /* NULL: none */
    const char *noun;            /* the things it counts; NULL: examples */
    struct leat_strings columns; /* columns shown, "name" or "name=heading"; n 0: all */
    uint64_t examples;           /* learned */
    int64_t time;                /* latest event time, ns since 1970; below 0: none */
};

/* Returns {"sink", "learner", "title", "noun", "examples", "time", "columns": all, "shown",
 * "rows"}. */
json_t *answer_json(const struct answer *a, const struct answer_shown *shown);

/* Returns the last answers to the sinks of a run, an object each. A periodic question has
 * "moments": [{"examples", "time", "features": [name, …]}, …]. Answers of eval. stages, which count
 * for themselves, are excluded. Call it after run_join. */
json_t *answer_json_of_run(const struct run *r);

/* True if the node is such a sink. */
bool answer_json_is_shown(const struct node *n);
/* Returns the answer to one sink. Call it on the learner's thread; the run may be at work. */
json_t *answer_json_of_sink(const struct run *r, const struct node *sink);

/* Returns a moment in ISO 8601; null if ns is below 0. */
json_t *answer_json_time(int64_t ns);

/* ---- figures of progressive validation, for summaries and for reports of snapshots ---- */

/* Returns {"examples": 7, "error_rate": 0.25, …}. */
json_t *figures_json(const struct progressive *p);

/* Adds those that exist of
 *   "reliability": [{"from": 0.1, "to": 0.2, "weight", "predicted", "observed"}, …]
 *                  predicted probabilities, and observed outcomes
 *   "curve":       [{"examples", the two figures of the learner's losses, and each again with
 *                  "_since", from the point before on}, …]
 *   "roc":         [{"false_positives", "true_positives", "threshold"}, …], rates
 *   "by_label":    [{"label", "weight", "rmse", "mae", "mean_error"}, …] for few distinct numbers
 *   "by_class":    [{"label", "weight", "predicted", "recall", "precision"}, …] of the
 *                  most frequent classes; label: a name of the input schema, or "class 7"
 * The last four exist only for a learner that learns in order; others predict only to be
 * measured. */
void figures_json_add_curves(const struct progressive *p, const struct leat_schema *in,
                             bool in_order, json_t *to);

/* ---- the inputs of a run ---- */

/* Returns [{"source", "plugin", "records", "bytes", "names": files, topics, …, at most 100, "more":
 * the number of further ones}, …]. "bytes" is null if the source does not know. Call it after
 * run_join. */
json_t *inputs_json(const struct run *r);

/* Returns the entry of one source. Call it on the source's thread; the run may be at work. */
json_t *inputs_json_source(const struct run *r, const struct node *n);

/* Returns {"first", "last"}: the earliest and the latest event time that learners have seen.
 * "first" is null if the run continues another. Returns NULL if the records have no event times. */
json_t *inputs_json_times(const struct run *r);

/* ---- the last records of a sink ---- */

/* Adds "last_rows": {"columns": ["count", "host"], "rows": [["12", null], …], "more_columns": 0},
 * oldest row first. Adds nothing for another stage, or before any came. Call it on the thread of
 * the stage, or after that has ended. */
void last_rows_json_add(const struct instance *sink, json_t *to);

/* ---- the parameters of a stage as JSON ----
 *
 * They have the form of a script: all of them, and the defaults of those that differ from their
 * default. Secrets are "***"; functions are left out. */

/* Adds "parameters" and "defaults" of a configured stage. Texts lie in the arena. */
void settings_json_add(const struct node *n, json_t *to, struct arena *a);
/* Adds the parameters of a snapshot; `declared` (NULL: unknown) has the defaults. */
void settings_json_add_saved(const json_t *parameters, const struct leat_stage *declared,
                             json_t *to, struct arena *a);

#endif
