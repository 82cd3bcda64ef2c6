/* rows.h -- records made of a learner's answers: their first columns, and the current answer.
 *
 *     learner   examples   time                   ... the stage's own columns
 *     "model"   20000      2026-11-23T10:00:00Z   if the input has event times; the record gets it,
 *                                                 too
 *
 * The host lends an answer until expand() has returned LEAT_OK, so texts are copied only into the
 * batch. */
#ifndef LEAT_RESULTS_ROWS_H
#define LEAT_RESULTS_ROWS_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

/* Longest name in an answer, as in the host. A longer id of a learner is cut to it. */
enum { ROWS_NAME = 512 };

struct rows {
    const struct leat_table *t; /* NULL if no answer is waiting */
    uint32_t row;               /* next row of `t` */
};

/* Returns the worse of two statuses of a negotiation. */
int rows_worse(int a, int b);

/* Adds the first columns, and sets other properties of the stage's records, in negotiate. */
int rows_negotiate(struct leat_negotiation *n);
/* Adds one of the stage's columns; text of it has at most ROWS_NAME bytes. */
int rows_column(struct leat_negotiation *n, const char *name, enum leat_column_type type);

/* Returns the number of columns before the stage's own. */
uint32_t rows_first(const struct leat_ctx *ctx);

/* Adds a record with its first columns. Returns its index, or a negative number if the batch is
 * full. Afterwards there is space for two texts of ROWS_NAME. */
int rows_add(const struct leat_ctx *ctx, const struct leat_table *t, struct leat_batch *out);
/* Adds a text to the batch, cut to ROWS_NAME bytes. */
struct leat_str rows_text(struct leat_batch *out, const char *text, size_t len);

/* Shows an answer (the call `show`), for a stage whose instance begins with struct rows. */
int rows_show(struct leat_ctx *ctx, void *self, const struct leat_table *t);

#endif
