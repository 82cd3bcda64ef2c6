/* negotiate_stage.h -- the outgoing schema that a stage makes from the incoming one. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H

#include "host/graph/graph.h"
#include "host/graph/node_diag.h"

/* Sets schema_out of a node with a stage, whose schema_in and has_schema are set. Errors, including
 * a missing need, go to d; has_schema is then false. */
void negotiate_stage(struct graph *g, struct node *n, struct diag *d);

/* Services for a stage during its negotiation: struct leat_negotiation, filled. */

struct deal {
    struct leat_negotiation base;
    struct node_diag diag;
    struct arena *arena;
    const struct graph *graph;
    struct node *node;
    struct column_index out;    /* index of the columns of schema out, once they are needed */
    struct leat_column *column; /* columns of out, once one is added */
    const char **field;         /* fields of out, once one is added */
    size_t cap, field_cap;
};

/* Prepares for one call of the node's negotiate, or for a look at its columns. Its schemas must
 * have begun. */
void deal_init(struct deal *deal, const struct graph *g, struct node *n, struct diag *d);

/* Finds the column's index in schema_in. Returns like leat_negotiation.column. */
int deal_find_column(struct deal *deal, const char *param, const char *name, uint32_t *index);

#endif
