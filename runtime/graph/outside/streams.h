/* streams.h -- the streams of messages that a pipeline reads and writes: parameters with the flags
 * LEAT_STREAM and LEAT_SERVERS. */
#ifndef LEAT_GRAPH_STREAMS_H
#define LEAT_GRAPH_STREAMS_H

#include "base/log/diag.h"
#include "graph/graph.h"

/* A stream that a source reads and a sink writes, on a server that both name, is an error, which
 * goes to d; no I/O. */
void streams_check(const struct graph *g, struct diag *d);

#endif
