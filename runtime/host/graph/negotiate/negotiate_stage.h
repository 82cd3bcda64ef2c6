/* negotiate_stage.h -- the schema that a stage makes of the one that reaches it. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H

#include "host/graph/graph.h"
#include "host/graph/node_diag.h"

/* Sets schema_out of a node with a stage, whose schema_in and has_schema are set. What is wrong,
 * also with what it needs of the stages before it, goes to d; has_schema is then false. */
void negotiate_stage(struct graph *g, struct node *n, struct diag *d);

/* What a stage calls while its schema is negotiated: struct leat_negotiation, filled. */

struct deal {
    struct leat_negotiation base;
    struct node_diag diag;
    struct arena *arena;
    const struct graph *graph;
    struct node *node;
    struct column_index out;    /* of the columns of schema out, once they are wanted */
    struct leat_column *column; /* those of out, once one is added */
    const char **field;         /* likewise */
    size_t cap, field_cap;
};

/* For one call of the node's negotiate, or a look at its columns. Its schemas have begun. */
void deal_init(struct deal *deal, const struct graph *g, struct node *n, struct diag *d);

/* Where the column is in schema_in. Returns as leat_negotiation.column does. */
int deal_find_column(struct deal *deal, const char *param, const char *name, uint32_t *index);

#endif
