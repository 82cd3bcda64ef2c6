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

/* Returns an array of rows: {"feature", the learner's columns, "also" if there are similar
 * features}. */
json_t *answer_json_rows(const struct answer *a);

/* Facts about an answer that are shown with its rows. */
struct answer_shown {
    const char *sink, *learner;
    const char *title;           /* NULL: none */
    const char *noun;            /* word for the examples, such as "records"; or NULL */
    struct leat_strings columns; /* columns to show, "name" or "name=heading"; n = 0: all */
    uint64_t examples;           /* number of examples learned */
    int64_t time;                /* latest event time, ns since 1970; negative if there is none */
};

/* Returns {"sink", "learner", "title", "noun", "examples", "time", "columns", "shown", "rows"}.
 * "columns" has all columns of the answer. */
json_t *answer_json(const struct answer *a, const struct answer_shown *shown);

/* Returns an array with the last answer to each sink of a run. A periodic query also has "moments":
 * [{"examples", "time", "features": [name, …]}, …]. Skips the answers to eval. stages, which only
 * compute figures from them. Call it after run_join(). */
json_t *answer_json_of_run(const struct run *r);

/* True if answer_json_of_run() includes the answer to this node. */
bool answer_json_is_shown(const struct node *n);

enum { SUMMARY_ROWS = 200 }; /* most rows of an answer in the summary */
/* Returns the last answer to one sink. Call it on the learner's thread; the run may be at work. */
json_t *answer_json_of_sink(const struct run *r, const struct node *sink);

/* Returns a time in ISO 8601; null if ns is negative. */
json_t *answer_json_time(int64_t ns);

/* ---- figures of progressive validation, for summaries and for reports of snapshots ---- */

/* Returns {"examples": 7, "error_rate": 0.25, …}. */
json_t *figures_json(const struct progressive *p);

/* Adds the following members, if the learner has them:
 *   "reliability": [{"from": 0.1, "to": 0.2, "weight", "predicted", "observed"}, …]
 *                  predicted probabilities, and observed outcomes
 *   "curve":       [{"examples", two figures of the learner's losses, and the same two with
 *                  the suffix "_since" for the examples since the previous point}, …]
 *   "roc":         [{"false_positives", "true_positives", "threshold"}, …], rates
 *   "by_label":    [{"label", "weight", "rmse", "mae", "mean_error"}, …] for few distinct
 *                  numbers
 *   "by_class":    [{"label", "weight", "predicted", "recall", "precision"}, …] of the
 *                  most frequent classes; label: its name in the input schema, or "class 7"
 * The last four require a learner that processes examples in order. */
void figures_json_add_curves(const struct progressive *p, const struct leat_schema *in,
                             bool in_order, json_t *to);

/* ---- the inputs of a run ---- */

/* Returns an array with an entry for each source: {"source", "plugin", "records", "bytes", "names",
 * "more"}. "bytes" is null if the source does not know them. "names" has at most 100 files, topics
 * and so on; "more" is the number of further ones. Call it after run_join(). */
json_t *inputs_json(const struct run *r);

/* Returns the entry of one source. Call it on the source's thread; the run may be at work. */
json_t *inputs_json_source(const struct run *r, const struct node *n);

/* Returns {"first", "last"}, the earliest and the latest event time that learners have seen.
 * "first" is null if the run continues an earlier run. Returns NULL if the records have no event
 * times. */
json_t *inputs_json_times(const struct run *r);

/* Returns {"learner", "seconds", "spans": [{"from", "records", …}]}: the records of the first
 * learner that has seen event times, by spans of that many seconds. A span has "positive" if labels
 * have two values, and "mean" if they are numbers. Returns NULL if there is none. Counts the
 * records of this process only. */
json_t *over_time_json(const struct run *r);

/* ---- the last records of a sink ---- */

/* Adds "last_rows": {"columns": ["count", "host"], "rows": [["12", null], …], "more_columns": 0},
 * oldest row first. Adds nothing if the stage has no such rows. Call it on the stage's thread, or
 * after that thread has ended. */
void last_rows_json_add(const struct instance *sink, json_t *to);

/* ---- the parameters of a stage as JSON ----
 *
 * Values are written as in a script. "defaults" has the default of each parameter whose value
 * differs from it. Secrets are shown as "***". Functions are omitted. */

/* Adds "parameters" and "defaults" of a configured stage. Their texts are in arena a. */
void settings_json_add(const struct node *n, json_t *to, struct arena *a);
/* Adds "parameters" of a snapshot, and "defaults" from `declared` (NULL if the plugin is
 * unknown). */
void settings_json_add_saved(const json_t *parameters, const struct leat_stage *declared,
                             json_t *to, struct arena *a);

#endif
