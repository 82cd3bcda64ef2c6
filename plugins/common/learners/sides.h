/* sides.h -- records of two sides for learners: two examples of a record (feature.sides). */
#ifndef LEAT_COMMON_LEARNERS_SIDES_H
#define LEAT_COMMON_LEARNERS_SIDES_H

#include <stdbool.h>

#include <leat/plugin.h>

/* Checks, in negotiate, that each record has two examples. */
int sides_check(struct leat_negotiation *n);

/* Finds the next pair of examples among the selected ones from *k on. Returns false at the end of
 * the batch. Rejects records with only one example, more than max_row entries in an example,
 * numbers that are not finite, or a wrong importance weight. */
bool sides_next(struct leat_ctx *ctx, struct leat_batch *b, uint32_t max_row, uint32_t *k,
                uint32_t *x, uint32_t *y);

#endif
