/* stage_columns.h -- columns of a node as its stage sees them.
 *
 *   schema_in   a:text   b:int64  c:bool                  columns of the batches
 *   shown_in    a:text   b:0      c:0                     after the stage requests a as text
 *               a:text   b:0      c:0  d:number  c:text   after it adds d, and requests c as text:
 *                                                         this c has index 4, because `out` has
 *                                                         the 4 columns a, b, c and d
 *
 * A column that the stage has not requested has type 0. The columns that the host converts lie
 * after all columns that the stage knows, where a later stage has its own. The host fills them
 * before each call of the stage, and nobody else reads them. Their indexes are known only after the
 * stage has named the columns that it adds, so negotiate() is called a second time. */
#ifndef LEAT_HOST_GRAPH_STAGE_COLUMNS_H
#define LEAT_HOST_GRAPH_STAGE_COLUMNS_H

#include "graph.h"

/* Sets n->shown_in from n->schema_in, with no column requested yet. Converted columns start at
 * index `first`, which must be at least schema_in.n_columns. */
void stage_columns_begin(struct node *n, struct arena *a, uint32_t first);

/* Requests column `column` of schema_in as one of `types` and sets *index to its index for the
 * stage. Returns LEAT_OK; LEAT_EARG if the column cannot become one of the types; or LEAT_EFULL if
 * the stage requests too many conversions. */
int stage_columns_ask(struct node *n, struct arena *a, uint32_t column, uint32_t types,
                      uint32_t *index);

/* Sets n->schema_out from n->shown_out. Columns that the stage did not request get their types
 * back. */
void stage_columns_take(struct node *n, struct arena *a);

/* Sets n->shown_out from n->schema_out. Columns that the stage did not request keep type 0. */
void stage_columns_show(struct node *n);
/* Requests every column as every type that it can become. For a stage that is opened without a
 * negotiation, with the schemas of a snapshot. */
void stage_columns_show_all(struct node *n, struct arena *a);

/* Finds the index that stage_columns_ask() returned for the column `name`. Returns false if the
 * stage has not requested this column as one of `types`. */
bool stage_columns_find(const struct node *n, const char *name, uint32_t types, uint32_t *index);

/* True if a later node looks at column `column` of n->schema_out. */
bool stage_columns_is_read(const struct graph *g, const struct node *n, uint32_t column);

/* Returns the schema that bounds a batch while it passes through the stage: schema_out, or
 * schema_in of a stage with `expand`, plus the converted columns. */
struct leat_schema stage_columns_room(const struct node *n);

#endif
