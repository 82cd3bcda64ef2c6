/* negotiate_framing.h -- how a source cuts its input into records. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_FRAMING_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_FRAMING_H

#include "host/graph/graph.h"

/* The first parser on each path from the source sets its framing; all must set the same. */
void negotiate_framing(struct graph *g, struct node *source, struct diag *d);

#endif
