/* node_diag.h -- reports problems of a node, with the node's place in the script and its label. */
#ifndef LEAT_HOST_GRAPH_NODE_DIAG_H
#define LEAT_HOST_GRAPH_NODE_DIAG_H

#include "host/log/diag.h"
#include "graph.h"

void node_error(struct diag *d, const struct node *n, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Receives the problems that a stage reports during one call. */
struct node_diag {
    struct leat_diag base;
    struct diag *d;
    const struct node *n;
};
struct node_diag node_diag_of(struct diag *d, const struct node *n);
/* Makes a receiver for problems with files and servers; errors are of kind DIAG_FILE. */
struct node_diag node_diag_outside(struct diag *d, const struct node *n);

/* Returns the content of a schema for messages, such as "records, columns" or "nothing". */
const char *node_diag_has(uint32_t has, struct arena *a);

#endif
