/* settings_json.h -- the parameters of a stage as JSON, as a script would write them: all of them,
 * and the defaults of those that differ from theirs. Secrets are "***"; functions are left out. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_SETTINGS_JSON_H
#define LEAT_PROGRAM_CLI_SUMMARY_SETTINGS_JSON_H

#include <jansson.h>

#include "host/graph/graph.h"

/* Adds "parameters" and "defaults" of a configured stage. Texts are made in the arena. */
void settings_json_add(const struct node *n, json_t *to, struct arena *a);
/* The same of parameters as a snapshot has them; `declared` (NULL: unknown) has the defaults. */
void settings_json_add_saved(const json_t *parameters, const struct leat_stage *declared,
                             json_t *to, struct arena *a);

#endif
