/* cooccurrence_answer.h -- the answer of learn.cooccurrence. */
#ifndef LEAT_LEARNERS_COUNTING_COOCCURRENCE_ANSWER_H
#define LEAT_LEARNERS_COUNTING_COOCCURRENCE_ANSWER_H

#include <leat/plugin.h>

#include "cooccurrence_held.h"

/* Order of the rows: by the low end of the lift, with pairs that may be luck last; or of the
 * PMI. */
enum cooccurrence_rank { BY_LIFT, BY_PMI };

const char *const *cooccurrence_columns(const void *cfg, uint32_t *n);

/* Returns the bytes that an answer allocates. */
size_t cooccurrence_answer_bytes(const struct cooccurrence_shape *s, uint32_t name_bytes);

int cooccurrence_answer(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                        const struct leat_query *question, enum cooccurrence_rank rank,
                        struct leat_result *out);

#endif
