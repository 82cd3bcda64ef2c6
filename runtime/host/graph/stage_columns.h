/* stage_columns.h -- the columns of a node as its stage sees them.
 *
 *   schema_in    a:text  b:int64  c:bool                    what is in the batches
 *   shown_in     a:text  b:0      c:0                       the stage has asked for a as text
 *                a:text  b:0      c:0  d:number  c:text     … and for c as text; d is its own
 *                                                index 4: beyond the n_columns = 4 of `out`
 *
 * Columns that the host converts lie after all that the stage knows, where a later stage has its
 * own: they are filled before each of its calls, and nobody else reads them. So a stage must have
 * said which columns it adds before its converted ones have their places: negotiate calls it a
 * second time. */
#ifndef LEAT_HOST_GRAPH_STAGE_COLUMNS_H
#define LEAT_HOST_GRAPH_STAGE_COLUMNS_H

#include "graph.h"

/* Sets n->shown_in from n->schema_in: no column is asked for. Converted ones begin at `first`, at
 * least schema_in.n_columns. */
void stage_columns_begin(struct node *n, struct arena *a, uint32_t first);

/* The stage asks for column `column` of schema_in as one of `types`. LEAT_OK; LEAT_EARG: it cannot
 * be one of them; LEAT_EFULL: the stage asks for too many. */
int stage_columns_ask(struct node *n, struct arena *a, uint32_t column, uint32_t types,
                      uint32_t *index);

/* Sets n->schema_out from n->shown_out, with the types of columns that were not asked for, too. */
void stage_columns_take(struct node *n, struct arena *a);

/* Sets n->shown_out from n->schema_out, but for these types. */
void stage_columns_show(struct node *n);
/* Without a negotiation, when the schemas come from a snapshot and the stage is to be opened: as if
 * it had asked for every column as every type that it can be. */
void stage_columns_show_all(struct node *n, struct arena *a);

/* What stage_columns_ask gave for the column of this name. false: it was not asked for. */
bool stage_columns_find(const struct node *n, const char *name, uint32_t types, uint32_t *index);

/* What a batch needs to have room for on its way through the stage: schema_out, or schema_in of one
 * with `expand`, and what is converted. */
struct leat_schema stage_columns_room(const struct node *n);

#endif
