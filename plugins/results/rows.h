/* rows.h -- records made of a learner's answers: how each begins, and the answer that rows are made
 * of.
 *
 *     learner   examples   time                   ... the stage's own columns
 *     "model"   20000      2026-11-23T10:00:00Z   of the input has event times, which is then also
 *                                                 the record's own
 *
 * The host lends an answer until expand has returned LEAT_OK, so nothing is copied but into the
 * batch. */
#ifndef LEAT_RESULTS_ROWS_H
#define LEAT_RESULTS_ROWS_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

/* The longest name in an answer, as the host keeps it. A longer id of a learner is cut to it. */
enum { ROWS_NAME = 512 };

struct rows {
    const struct leat_table *t; /* NULL: no answer has come, or all is given */
    uint32_t row;               /* of it, is the next */
};

/* The worse of two statuses of a negotiation. */
int rows_worse(int a, int b);

/* In negotiate: the first columns, and what else the stage's records have. */
int rows_negotiate(struct leat_negotiation *n);
/* A column of the stage's own, of text at most ROWS_NAME long. */
int rows_column(struct leat_negotiation *n, const char *name, enum leat_column_type type);

/* How many columns come before the stage's own. */
uint32_t rows_first(const struct leat_ctx *ctx);

/* A record with its first columns. Afterwards there is space for two texts of ROWS_NAME. Its index,
 * or below 0 if the batch is full. */
int rows_add(const struct leat_ctx *ctx, const struct leat_table *t, struct leat_batch *out);
/* A text of the batch; a longer one is cut. */
struct leat_str rows_text(struct leat_batch *out, const char *text, size_t len);

/* The call `show` of a stage whose instance begins with struct rows. */
int rows_show(struct leat_ctx *ctx, void *self, const struct leat_table *t);

#endif
