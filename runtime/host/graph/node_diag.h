/* node_diag.h -- problems of one node: where it stands in the script and its label go with them. */
#ifndef LEAT_HOST_GRAPH_NODE_DIAG_H
#define LEAT_HOST_GRAPH_NODE_DIAG_H

#include "host/log/diag.h"
#include "graph.h"

void node_error(struct diag *d, const struct node *n, const char *param, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* What a stage is given to report its problems with; it lives as long as the stage's call. */
struct node_diag {
    struct leat_diag base;
    struct diag *d;
    const struct node *n;
};
struct node_diag node_diag_of(struct diag *d, const struct node *n);
/* The same for what is wrong outside, with files and servers: its errors are DIAG_FILE. */
struct node_diag node_diag_outside(struct diag *d, const struct node *n);

/* What a schema has, as messages say it: "records, columns", or "nothing". */
const char *node_diag_has(uint32_t has, struct arena *a);

#endif
