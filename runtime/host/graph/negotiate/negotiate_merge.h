/* negotiate_merge.h -- one schema of those that meet in a merge. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_MERGE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_MERGE_H

#include "host/graph/graph.h"

/* The inputs of a merge must have equal columns and fields; of the sizes it takes the maximum.
 * schema_in is that of the first input. */
void negotiate_merge(struct graph *g, struct node *n, struct diag *d);

#endif
