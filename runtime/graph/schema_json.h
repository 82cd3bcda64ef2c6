/* schema_json.h -- a schema as JSON and back: what open() of a stage finds in ctx->in and ctx->out.
 */
#ifndef LEAT_GRAPH_SCHEMA_JSON_H
#define LEAT_GRAPH_SCHEMA_JSON_H

#include <jansson.h>

#include <leat/schema.h>

#include "base/arena.h"

json_t *schema_to_json(const struct leat_schema *s);
/* Texts and lists lie in the arena. NULL, or the name of the member that is wrong. */
const char *schema_from_json(const json_t *o, struct arena *a, struct leat_schema *s);

#endif
