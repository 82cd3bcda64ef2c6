/* rows.h -- records made from a learner's answers: their first columns, and the current answer.
 *
 *     learner   examples   time                   ... columns of the stage
 *     "model"   20000      2026-11-23T10:00:00Z
 *
 * The column `time` exists only if the input has event times. It is also the record's event time.
 * The host keeps an answer until expand() has returned LEAT_OK, so the stage copies the answer's
 * texts only into the batch. */
#ifndef LEAT_RESULTS_ROWS_H
#define LEAT_RESULTS_ROWS_H

#include <stdbool.h>
#include <string.h>

#include <leat/plugin.h>

/* Largest number of bytes of a name in an answer; the host has the same limit. A learner's id is
 * cut to this length. */
enum { ROWS_NAME = 512 };

struct rows {
    const struct leat_table *t; /* current answer; NULL: all its rows were output */
    uint32_t row;               /* next row of `t` */
};

/* Returns the worse of two status codes of negotiate: an error, otherwise the larger code. */
int rows_worse(int a, int b);

/* Called by a stage's negotiate. Adds the first columns, declares that the records have no key, and
 * declares their largest size. */
int rows_negotiate(struct leat_negotiation *n);
/* Called by a stage's negotiate. Adds a column; its texts have at most ROWS_NAME bytes. */
int rows_column(struct leat_negotiation *n, const char *name, enum leat_column_type type);

/* Returns the number of columns that rows_negotiate() has added. */
uint32_t rows_first(const struct leat_ctx *ctx);

/* Adds a record with its first columns. Returns its index; a negative number if the batch is full.
 * After success, the batch has room for two texts of ROWS_NAME bytes. */
int rows_add(const struct leat_ctx *ctx, const struct leat_table *t, struct leat_batch *out);
/* Appends a text to the batch, cut to ROWS_NAME bytes. */
struct leat_str rows_text(struct leat_batch *out, const char *text, size_t len);

/* Used as a stage's `show`. Stores the answer t in struct rows, the first member of the
 * instance. */
int rows_show(struct leat_ctx *ctx, void *self, const struct leat_table *t);

#endif
