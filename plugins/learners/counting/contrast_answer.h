/* contrast_answer.h -- the answer of learn.contrast to LEAT_QUERY_TOP: bounds of every figure, and
 * which members are shown, in what order. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_ANSWER_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_ANSWER_H

#include "contrast_state.h"

/* Bytes that an answer takes, at most. */
size_t contrast_answer_bytes(const struct contrast_shape *s);

/* The names of its n columns. */
const char *const *contrast_columns(uint32_t *n);
/* What the last question for features of label +1 alone has found. */
struct contrast_found {
    bool asked;
    uint32_t rows;
    double evidence; /* of the row that is the least like chance: G of its four counts */
    struct leat_query question;
};
/* LEAT_OK or LEAT_ENOMEM, or what `out` returned. */
int contrast_answer(struct leat_ctx *ctx, const struct contrast_held *h,
                    const struct leat_query *question, struct leat_result *out,
                    struct contrast_found *found);
/* One sentence where that was nothing, or no more than chance; returns `text`, or NULL. */
const char *contrast_nothing(const struct contrast *m, const struct contrast_found *found,
                             char *text, size_t n);

#endif
