/* paired_count_min_state.h -- the state of learn.paired_count_min: written, read, merged. */
#ifndef LEAT_LEARNERS_COUNTING_PAIRED_COUNT_MIN_STATE_H
#define LEAT_LEARNERS_COUNTING_PAIRED_COUNT_MIN_STATE_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/counting/paired_count_min/paired_count_min.h"

enum { PAIRED_STATE_VERSION = 1 };

/* A model with its names and the memory of both. */
struct paired_held {
    struct paired_count_min model;
    struct names names;
    void *block, *names_block;
};

/* An empty one, or LEAT_ENOMEM. */
int paired_make(struct leat_ctx *ctx, const struct paired_count_min_shape *s,
                const struct paired_count_min_options *o, uint32_t name_bytes,
                struct paired_held *h);
void paired_release(struct leat_ctx *ctx, struct paired_held *h);

int paired_write(const struct paired_held *h, struct leat_writer *w);
/* The model that was written, like `live` in shape and parameters. h is set when LEAT_OK. */
int paired_read(struct leat_ctx *ctx, const struct paired_held *live, struct leat_reader *r,
                struct paired_held *h);
/* What the live model becomes when the written one is merged into it. *changed is false: it stays
 * as it is, and h is not set. */
int paired_read_merge(struct leat_ctx *ctx, const struct paired_held *live, struct leat_reader *r,
                      double weight, struct paired_held *h, bool *changed);

#endif
