/* sink_rig.h -- a sink that writes to a file, fed with answers of a learner "model".
 *
 * It returns the written file. Only one rig may be open. */
#ifndef LEAT_TESTS_SUPPORT_SINK_RIG_H
#define LEAT_TESTS_SUPPORT_SINK_RIG_H

#include <jansson.h>

#include "support/harness.h"

struct harness *sink_rig(const char *plugin, const char *stage, const char *format);
/* Opens a sink that evaluates labelled examples; a record has `entries` examples of one feature
 * each. */
struct harness *sink_rig_evaluating(const char *stage, const char *format, uint32_t entries);

/* Adds a row to the next answer, whose only column is "weight". */
void sink_rig_row(const char *name, double weight);
/* Gives the answer to the sink, and begins an empty one. */
void sink_rig_show(struct harness *h, uint64_t examples, uint32_t last);

/* Ends the sink and returns the written text, or the one JSON object, which the caller releases. */
char *sink_rig_finish(struct harness *h);
json_t *sink_rig_finish_json(struct harness *h);

/* Returns a number of an object; NaN for null. */
double sink_rig_number(const json_t *j, const char *key);

#endif
