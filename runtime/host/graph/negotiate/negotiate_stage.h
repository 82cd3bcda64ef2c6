/* negotiate_stage.h -- determines a stage's output schema from its input schema. */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H
#define LEAT_HOST_GRAPH_NEGOTIATE_NEGOTIATE_STAGE_H

#include "host/graph/graph.h"
#include "host/graph/node_diag.h"

/* Sets schema_out of a stage's node, whose schema_in and has_schema are set. Reports errors to d,
 * for instance if the input lacks something that the stage needs. After an error has_schema is
 * false. */
void negotiate_stage(struct graph *g, struct node *n, struct diag *d);

/* struct leat_negotiation with the data behind it: the services for one stage's negotiate(). */

struct deal {
    struct leat_negotiation base;
    struct node_diag diag;
    struct arena *arena;
    const struct graph *graph;
    struct node *node;
    struct column_index out;    /* index of the output columns, filled when needed        */
    struct leat_column *column; /* array of output columns; NULL until the stage adds one */
    const char **field;         /* array of output fields; NULL until the stage adds one  */
    size_t cap, field_cap;
};

/* Prepares one call of the node's negotiate(), or a lookup of its columns. begin_schemas() must
 * have set the node's schemas. */
void deal_init(struct deal *deal, const struct graph *g, struct node *n, struct diag *d);

/* Sets *index to the column's index in schema_in. Returns a status like
 * leat_negotiation.column(). */
int deal_find_column(struct deal *deal, const char *param, const char *name, uint32_t *index);

#endif
