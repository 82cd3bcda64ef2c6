/* sink_rig.h -- a sink that writes to a file, fed with the answers of a learner "model", and what
 * it wrote. One at a time. */
#ifndef LEAT_TESTS_SUPPORT_SINK_RIG_H
#define LEAT_TESTS_SUPPORT_SINK_RIG_H

#include <jansson.h>

#include "support/harness.h"

struct harness *sink_rig(const char *plugin, const char *stage, const char *format);
/* One that evaluates labelled examples, of which a record has so many, with a feature each. */
struct harness *sink_rig_evaluating(const char *stage, const char *format, uint32_t entries);

/* A row of the next answer, which has the column "weight" alone. */
void sink_rig_row(const char *name, double weight);
/* The answer goes to the sink, and the next one is empty. */
void sink_rig_show(struct harness *h, uint64_t examples, uint32_t last);

/* Ends the sink and gives what it wrote: as text, or as one JSON object to be released. */
char *sink_rig_finish(struct harness *h);
json_t *sink_rig_finish_json(struct harness *h);

/* A number of an object; null is NaN. */
double sink_rig_number(const json_t *j, const char *key);

#endif
