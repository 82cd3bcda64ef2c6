/* negotiate.h -- the schemas between stages. */
#ifndef LEAT_GRAPH_NEGOTIATE_H
#define LEAT_GRAPH_NEGOTIATE_H

#include "base/diag.h"
#include "graph.h"

/* Give every node its schemas, in order. A source's schema_out.header, where the run has set one,
 * is kept: the second negotiation of a run knows what the first had to leave open. Problems go to
 * d. */
int negotiate(struct graph *g, struct diag *d);

/* "columns, label" for messages. */
const char *negotiate_has_text(uint32_t has, char *buf, size_t cap);

#endif
