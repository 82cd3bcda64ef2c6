/* last_rows.h -- the last records that came to a sink, as text, for the report of the run: of a
 * pipeline without a learner they are the answer, or its end.
 *
 * Only of records that a stage has made of others, such as the rows of a window. Of a batch the
 * last are copied, at most LAST_ROWS, so a fast stream costs no more than a slow one. Belongs to
 * the thread of the sink. */
#ifndef LEAT_HOST_EXEC_INSTANCE_LAST_ROWS_H
#define LEAT_HOST_EXEC_INSTANCE_LAST_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include <leat/batch.h>

#include "host/memory/arena.h"
#include "host/graph/graph.h"

enum {
    LAST_ROWS = 20,
    LAST_COLUMNS = 16, /* the first of the sink's input */
    LAST_TEXT = 60     /* bytes of a cell; of a longer one its beginning */
};

struct last_cell {
    uint8_t len;
    bool has, cut;
    char text[LAST_TEXT];
};

struct last_rows {
    uint32_t n_columns;
    uint64_t n; /* records so far; row r of them is in cell[r % LAST_ROWS] while it is kept */
    struct last_cell cell[LAST_ROWS][LAST_COLUMNS];
};

/* For a sink whose input is negotiated; NULL: its records are kept nowhere. */
struct last_rows *last_rows_new(const struct node *sink, struct arena *a);

/* Takes the last of the selected records; `in` is the schema of the batch. */
void last_rows_take(struct last_rows *l, const struct leat_schema *in, const struct leat_batch *b);

#endif
