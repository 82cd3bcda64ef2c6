/* schema_json.h -- a schema (ctx->in and ctx->out of a stage) as JSON and back. */
#ifndef LEAT_HOST_GRAPH_FINGERPRINT_SCHEMA_JSON_H
#define LEAT_HOST_GRAPH_FINGERPRINT_SCHEMA_JSON_H

#include <jansson.h>

#include <leat/schema.h>

#include "host/memory/arena.h"

/* Returns a new reference. */
json_t *schema_to_json(const struct leat_schema *s);
/* Reads a schema; texts and lists lie in the arena. Returns NULL, or the name of the wrong
 * member. */
const char *schema_from_json(const json_t *o, struct arena *a, struct leat_schema *s);

#endif
