/* contrast_answer.h -- the answer of learn.contrast to LEAT_QUERY_TOP: bounds of every figure, and
 * which members are shown, in what order. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_ANSWER_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_ANSWER_H

#include "contrast_chance.h"
#include "contrast_state.h"

/* Bytes that an answer takes, at most. */
size_t contrast_answer_bytes(const struct contrast_shape *s);

/* The names of its n columns. */
const char *const *contrast_columns(uint32_t *n);
/* LEAT_OK or LEAT_ENOMEM, or what `out` returned. *found: what the last question has found; one for
 * label +1 alone goes before others. */
int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found);

#endif
