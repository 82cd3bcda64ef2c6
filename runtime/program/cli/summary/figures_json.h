/* figures_json.h -- what progressive validation knows of a learner, as JSON: for the summary of a
 * run, and for reports of snapshots. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_FIGURES_JSON_H
#define LEAT_PROGRAM_CLI_SUMMARY_FIGURES_JSON_H

#include <jansson.h>

#include "host/metrics/progressive.h"

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

#endif
