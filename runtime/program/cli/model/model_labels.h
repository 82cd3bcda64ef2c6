/* model_labels.h -- limits of labels that followed the records of an input, compared by a merge.
 *
 * A label stage such as label.quantile learns its limit from the records. Learned from two parts of
 * an input, the limits differ, and a value has one label here and another one there. Models of such
 * labels are not merged. Models of equal limits are. */
#ifndef LEAT_PROGRAM_CLI_MODEL_MODEL_LABELS_H
#define LEAT_PROGRAM_CLI_MODEL_MODEL_LABELS_H

#include <jansson.h>

#include "model.h"

/* Adds the limits of an input to the object `limits`, which has those of the inputs before it, by
 * the ids of their stages: {"quantile": {"threshold": 61}}. A limit is a figure of kind LEAT_GAUGE
 * that the state has under the same name. Returns LEAT_OK. If a limit differs, prints both values
 * and what to do, and returns LEAT_EDATA. */
int model_labels_add(json_t *limits, struct model *m);

/* Warns, before a run learns one part of an input, of labels that would follow its records. */
void model_labels_warn(const struct graph *g);

/* Writes limits into the fingerprint of the merged model m, which has no states of its labels. They
 * are in the order of its stages, so the order of the inputs has no effect. */
void model_labels_write(const json_t *limits, const struct model *m, json_t *fingerprint);

#endif
