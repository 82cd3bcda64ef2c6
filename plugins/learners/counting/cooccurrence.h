/* cooccurrence.h -- learn.cooccurrence: its model with names and memory, and its answer.
 *
 * cooccurrence.c is the stage and its state, cooccurrence_answer.c the answer.
 */
#ifndef LEAT_LEARNERS_COUNTING_COOCCURRENCE_H
#define LEAT_LEARNERS_COUNTING_COOCCURRENCE_H

#include <leat/plugin.h>

#include "kernels/base/packed_names.h"
#include "kernels/counting/cooccurrence/cooccurrence.h"

/* A model with the names of its tokens and the memory of both. */
struct cooccurrence_held {
    struct cooccurrence model;
    struct packed_names names;
    void *block, *names_block;
};

/* ---- the answer (cooccurrence_answer.c) ---- */

/* Bytes that an answer takes, at most. */
size_t cooccurrence_answer_bytes(const struct cooccurrence_shape *s, uint32_t name_bytes);

/* The names of its n columns. */
const char *const *cooccurrence_columns(const void *cfg, uint32_t *n);
/* LEAT_OK or LEAT_ENOMEM, or what `out` returned. */
int cooccurrence_answer(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                        const struct leat_query *question, struct leat_result *out);

#endif
