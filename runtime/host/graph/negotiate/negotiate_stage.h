/* negotiate_stage.h -- the schema that a stage makes of the one that reaches it. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H

#include "host/graph/graph.h"

/* Sets schema_out of a node with a stage, whose schema_in and has_schema are set. What is wrong,
 * also with what it needs of the stages before it, goes to d; has_schema is then false. */
void negotiate_stage(struct graph *g, struct node *n, struct diag *d);

#endif
