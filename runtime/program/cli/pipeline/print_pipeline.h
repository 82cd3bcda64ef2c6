/* print_pipeline.h -- output that `leat check` and `leat graph` have in common. */
#ifndef LEAT_PROGRAM_CLI_PIPELINE_PRINT_PIPELINE_H
#define LEAT_PROGRAM_CLI_PIPELINE_PRINT_PIPELINE_H

#include <jansson.h>
#include <stdbool.h>

#include "host/graph/graph.h"

/* Returns the name of the k-th file or stream that the node reads, or writes if `reads` is false.
 * Returns NULL if there are no more. */
const char *graph_notes_outside(const struct node *n, bool reads, uint32_t k);

/* Returns {"pipeline", "stages", "edges"}. If `planned`, stages are in the order of execution, with
 * schemas and memory. */
json_t *print_plan_graph(const struct graph *g, bool planned);

#endif
