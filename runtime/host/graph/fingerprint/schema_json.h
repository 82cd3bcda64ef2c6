/* schema_json.h -- converts a stage's schema to JSON and back. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_SCHEMA_JSON_H
#define LEAT_HOST_GRAPH_FINGERPRINT_SCHEMA_JSON_H

#include <jansson.h>

#include <leat/schema.h>

#include "host/memory/arena.h"

/* Returns the schema as JSON, a new reference. */
json_t *schema_to_json(const struct leat_schema *s);
/* Reads a schema from JSON; its texts and lists lie in the arena. Returns NULL if this succeeds,
 * otherwise the name of the first wrong member. */
const char *schema_from_json(const json_t *o, struct arena *a, struct leat_schema *s);

#endif
