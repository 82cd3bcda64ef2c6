/* doubt.h -- headers that are probably read in a wrong way. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_DOUBT_H
#define LEAT_HOST_GRAPH_NEGOTIATE_DOUBT_H

#include "host/graph/graph.h"

/* After a negotiation: marks each parser that warned, and of which no stage after it has found a
 * column by its name: the next negotiation takes its warning for an error, and its columns for a
 * guess. Is there one? */
bool doubt_headers(struct graph *g);

/* Takes the marks away. */
void doubt_none(struct graph *g);

#endif
