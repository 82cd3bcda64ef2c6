/* averaged.h -- the averages of a learner's weights: memory, sampling, state.
 *
 * Parameter `averaged` of learners that show weights. The memory is not part of the model's budget:
 * 24 bytes for each feature that the model can hold, rounded up to whole blocks. */
#ifndef LEAT_COMMON_LEARNERS_AVERAGED_H
#define LEAT_COMMON_LEARNERS_AVERAGED_H

#include <leat/plugin.h>

#include "kernels/summaries/averages.h"

#define AVERAGED_DOC                                                                               \
    "show the average of each weight over the records, with its spread, instead of the last "      \
    "weight; 24 bytes a feature, beside any budget"

/* Returns the bytes of the averages of n features. */
static inline uint64_t averaged_bytes(bool on, uint64_t n)
{
    return on ? averages_blocks(n) * sizeof(struct averages_block) : 0;
}

/* Allocates averages of n features, unless `on` is false. Returns false if there is not enough
 * memory. */
bool averaged_open(struct leat_ctx *ctx, bool on, uint64_t n, struct averages *a);
void averaged_close(struct leat_ctx *ctx, struct averages *a);
/* Reports parameters by which weights fade, because an average would show what they forget. */
int averaged_validate(bool on, const struct leat_interval *half_life, struct leat_diag *d);

/* Write and read the averages of n features; both do nothing if there are none. */
int averaged_write(const struct averages *a, uint32_t n, struct leat_writer *w);
int averaged_read(struct averages *a, uint32_t n, struct leat_reader *r);

#endif
