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

/* [{"feature", the learner's columns, "also" if it has any}, …] */
json_t *answer_json_rows(const struct answer *a);

/* How a sink shows the answers to its question. */
struct answer_shown {
    const char *sink, *learner;
    const char *title;           /* NULL: none */
    const char *noun;            /* of what it counts; NULL: examples */
    struct leat_strings columns; /* those shown, "name" or "name=heading"; n 0: all */
    uint64_t examples;           /* that were learned */
    int64_t time;                /* the latest event time, ns since 1970; below 0: none */
};

/* {"sink", "learner", "title", "noun", "examples", "time", "columns": all, "shown", "rows"} */
json_t *answer_json(const struct answer *a, const struct answer_shown *shown);

/* Returns the last answers to the sinks of a run, an object each, and "moments" of a question
 * that is asked again and again: [{"examples", "time", "features": [name, …]}, …]. Answers of
 * eval. stages, which count for themselves, are not among them. After run_join. */
json_t *answer_json_of_run(const struct run *r);

/* Is the node such a sink? */
bool answer_json_is_shown(const struct node *n);
/* One of them; on the learner's thread, also of a run at work. */
json_t *answer_json_of_sink(const struct run *r, const struct node *sink);

/* A moment in ISO 8601; below 0: null. */
json_t *answer_json_time(int64_t ns);

/* Figures of progressive validation, for the summary of a
 * run, and for reports of snapshots. */

/* {"examples": 7, "error_rate": 0.25, …} */
json_t *figures_json(const struct progressive *p);

/* Adds what there is of
 *   "reliability": [{"from": 0.1, "to": 0.2, "weight", "predicted", "observed"}, …]
 *                  what was predicted with these probabilities, and what came
 *   "curve":       [{"examples", the two figures of the learner's losses, and each once more with
 *                  "_since": since the point before}, …]
 *   "roc":         [{"false_positives", "true_positives", "threshold"}, …], rates
 *   "by_label":    [{"label", "weight", "rmse", "mae", "mean_error"}, …] of numbers that are few
 *   "by_class":    [{"label", "weight", "predicted", "recall", "precision"}, …] of classes, of
 *                  those of which there are most; a name of the schema that comes in, or "class 7"
 * the last four only of a learner that learns in order: others predict to be measured, and for
 * nothing else. */
void figures_json_add_curves(const struct progressive *p, const struct leat_schema *in,
                             bool in_order, json_t *to);

/* ---- what a run has read ---- */

/* [{"source", "plugin", "records", "bytes", "names": files, topics, …, at most 100, "more": how
 * many there are besides}, …]; bytes are null where the source does not know. After run_join. */
json_t *inputs_json(const struct run *r);

/* One of them; on the source's thread, also of a run at work. */
json_t *inputs_json_source(const struct run *r, const struct node *n);

/* {"first", "last"}: the earliest and the latest event time that learners have seen; first is
 * null when the run continues another. NULL if the records have no event times. */
json_t *inputs_json_times(const struct run *r);

/* ---- the last records of a sink ---- */

/* "last_rows": {"columns": ["count", "host"], "rows": [["12", null], …], "more_columns": 0}, the
 * oldest first; nothing for another stage, or before any came. On the thread of the stage, or after
 * it has ended. */
void last_rows_json_add(const struct instance *sink, json_t *to);

/* The parameters of a stage as JSON, as a script would write them: all of them,
 * and the defaults of those that differ from theirs. Secrets are "***"; functions are left out. */

/* Adds "parameters" and "defaults" of a configured stage. Texts are made in the arena. */
void settings_json_add(const struct node *n, json_t *to, struct arena *a);
/* Adds parameters as a snapshot has them; `declared` (NULL: unknown) has the defaults. */
void settings_json_add_saved(const json_t *parameters, const struct leat_stage *declared,
                             json_t *to, struct arena *a);

#endif
