/* stage_columns.h -- columns of a node as its stage sees them.
 *
 *     schema_in    a:text  b:int64  c:bool                    columns of the batches
 *     shown_in     a:text  b:0      c:0                       after asking for a as text
 *                  a:text  b:0      c:0  d:number  c:text     … and for c as text; d is the stage's
 *                                                  index 4: beyond the n_columns = 4 of `out`
 *
 * Columns that the host converts lie after all columns that the stage knows, where a later stage
 * has its own. They are filled before each of the stage's calls, and nobody else reads them. So
 * their places are known only after the stage has named the columns that it adds: negotiate calls
 * it a second time. */
#ifndef LEAT_HOST_GRAPH_STAGE_COLUMNS_H
#define LEAT_HOST_GRAPH_STAGE_COLUMNS_H

#include "graph.h"

/* Sets n->shown_in from n->schema_in, with no column asked for. Converted columns begin at `first`,
 * at least schema_in.n_columns. */
void stage_columns_begin(struct node *n, struct arena *a, uint32_t first);

/* Asks for column `column` of schema_in as one of `types`. Returns LEAT_OK; LEAT_EARG if the column
 * cannot become one of them; LEAT_EFULL if the stage asks for too many. */
int stage_columns_ask(struct node *n, struct arena *a, uint32_t column, uint32_t types,
                      uint32_t *index);

/* Sets n->schema_out from n->shown_out; columns that were not asked for get their types back. */
void stage_columns_take(struct node *n, struct arena *a);

/* Sets n->shown_out from n->schema_out, without the types of columns not asked for. */
void stage_columns_show(struct node *n);
/* Asks for every column as every type that it can become. For a stage that is opened without a
 * negotiation, with the schemas of a snapshot. */
void stage_columns_show_all(struct node *n, struct arena *a);

/* Returns the index that stage_columns_ask returned for the column of this name. False: not asked
 * for. */
bool stage_columns_find(const struct node *n, const char *name, uint32_t types, uint32_t *index);

/* Returns the room that a batch needs on its way through the stage: schema_out, or schema_in of a
 * stage with `expand`, plus the converted columns. */
struct leat_schema stage_columns_room(const struct node *n);

#endif
