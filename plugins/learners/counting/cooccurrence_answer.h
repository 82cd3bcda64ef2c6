/* cooccurrence_answer.h -- the answer of learn.cooccurrence to LEAT_QUERY_TOP: the pairs of
 * highest PMI, with bounds. */
#ifndef LEAT_LEARNERS_COUNTING_COOCCURRENCE_ANSWER_H
#define LEAT_LEARNERS_COUNTING_COOCCURRENCE_ANSWER_H

#include "cooccurrence_state.h"

/* Bytes that an answer takes, at most. */
size_t cooccurrence_answer_bytes(const struct cooccurrence_shape *s, uint32_t name_bytes);

/* The names of its n columns. */
const char *const *cooccurrence_columns(uint32_t *n);
/* LEAT_OK or LEAT_ENOMEM, or what `out` returned. */
int cooccurrence_answer(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                        const struct leat_query *question, struct leat_result *out);

#endif
