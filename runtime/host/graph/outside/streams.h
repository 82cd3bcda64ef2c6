/* streams.h -- checks that a pipeline does not read a message stream that it writes.
 *
 * Streams and servers are the values of parameters with the flags LEAT_STREAM and LEAT_SERVERS. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_STREAMS_H
#define LEAT_HOST_GRAPH_OUTSIDE_STREAMS_H

#include "host/log/diag.h"
#include "host/graph/graph.h"

/* Reports an error for each stream that a sink writes and a source reads on the same server. Does
 * no I/O. */
void streams_check(const struct graph *g, struct diag *d);

#endif
