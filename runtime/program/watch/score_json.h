/* score_json.h -- a prediction as JSON: of a page, and of `leat trace`. */
#ifndef LEAT_PROGRAM_WATCH_SCORE_JSON_H
#define LEAT_PROGRAM_WATCH_SCORE_JSON_H

#include <jansson.h>

#include "host/graph/graph.h"

/* {"margin", "probability", "label"}; {"margin", "label"} of a decision; {"value"}; or {"class",
 * "name"}. */
json_t *score_json(const struct node *learner, float score);

#endif
