/* streams.h -- message streams that a pipeline reads and writes.
 *
 * The streams are parameters with the flags LEAT_STREAM and LEAT_SERVERS. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_STREAMS_H
#define LEAT_HOST_GRAPH_OUTSIDE_STREAMS_H

#include "host/log/diag.h"
#include "host/graph/graph.h"

/* Reports streams that a source reads and a sink writes on a server that both name; errors go to d.
 * No I/O. */
void streams_check(const struct graph *g, struct diag *d);

#endif
