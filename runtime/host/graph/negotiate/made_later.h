/* made_later.h -- columns that hide a value of the records.
 *
 * Where only later stages name a parser's columns (LEAT_NAMED_LATER), it makes those that no stage
 * between makes. So a stage that makes a column "owner" (shape.lookup) hides what the records have
 * at "owner". After a parser that knows its columns the same is refused: no stage adds a column of
 * a name that is there. Before the run nobody knows what the records have. The parser sees it, and
 * asks for the columns that these are (leat_host.made_later). */
#ifndef LEAT_HOST_GRAPH_NEGOTIATE_MADE_LATER_H
#define LEAT_HOST_GRAPH_NEGOTIATE_MADE_LATER_H

#include "host/graph/graph.h"

/* Notes for each parser whose columns are named later which columns stages after it make, up to a
 * stage that makes other records, and which of these stages does. Those of a stage with
 * LEAT_REPLACES are left out: it may take the place of a column on purpose. Once all schemas are
 * negotiated; may be called again. */
void made_later_note(struct graph *g);

#endif
