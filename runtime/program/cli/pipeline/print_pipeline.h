/* print_pipeline.h -- common output of `leat check` and `leat graph`. */
#ifndef LEAT_PROGRAM_CLI_PIPELINE_PRINT_PIPELINE_H
#define LEAT_PROGRAM_CLI_PIPELINE_PRINT_PIPELINE_H

#include <jansson.h>
#include <stdbool.h>

#include "host/graph/graph.h"

/* Returns the file or stream number k that a node reads, or writes; NULL if there are no more. */
const char *graph_notes_outside(const struct node *n, bool reads, uint32_t k);

/* Returns {"pipeline", "stages", "edges"}; if `planned`, with schemas and memory, in order. */
json_t *print_plan_graph(const struct graph *g, bool planned);

#endif
