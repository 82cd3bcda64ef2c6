/* negotiate.h -- the schemas between stages. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_H

#include "host/graph/graph.h"
#include "host/log/diag.h"

/* Sets the schemas of all nodes, in order, and the framing of all sources. Keeps a header that the
 * run has set in a source's schema_out. With that header the second negotiation of a run can
 * resolve the columns that the first left open. Needs graph_link without a cycle. Problems go to d;
 * returns LEAT_OK or LEAT_EARG. */
int negotiate(struct graph *g, struct diag *d);

#endif
