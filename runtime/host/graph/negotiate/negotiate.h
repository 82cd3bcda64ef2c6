/* negotiate.h -- determines the schemas between stages. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_H

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* Sets the schemas of all nodes, in order, and the framing of all sources. A run negotiates a
 * second time when its sources are open: a header that the run has set in a source's schema_out is
 * kept, and its names resolve columns that the first negotiation left open. Needs a linked graph
 * without a cycle. Problems go to d. Returns LEAT_OK or LEAT_EARG. */
int negotiate(struct graph *g, struct diag *d);

#endif
