/* references.h -- checks that the secrets to which parameters refer exist.
 *
 * References ${env:NAME} and ${file:PATH} (core/text/secret_text.h) stand in the values of
 * parameters with the flag LEAT_REFERENCES. */
#ifndef LEAT_HOST_GRAPH_OUTSIDE_REFERENCES_H
#define LEAT_HOST_GRAPH_OUTSIDE_REFERENCES_H

#include "host/log/diag.h"
#include "host/graph/graph.h"

/* Reports an error for each value with a reference to nothing. Reads the environment and the named
 * files. */
void references_check(const struct graph *g, struct diag *d);

#endif
