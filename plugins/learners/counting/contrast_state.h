/* contrast_state.h -- the memory and the state of learn.contrast: written, read, merged. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_STATE_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_STATE_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/counting/contrast/contrast.h"
#include "kernels/sketch/redundancy.h"

enum { CONTRAST_STATE_VERSION = 1 };

/* A model with its names and the memory of both. */
struct contrast_held {
    struct contrast model;
    struct names names;
    struct redundancy_parts *parts; /* of each name */
    void *block, *names_block;
};

/* Bytes of names and parts for so many members. */
size_t contrast_names_bytes(uint32_t members, uint32_t name_bytes);

/* An empty one, or LEAT_ENOMEM. */
int contrast_make(struct leat_ctx *ctx, const struct contrast_shape *s,
                  const struct contrast_options *o, uint32_t name_bytes, struct contrast_held *h);
void contrast_release(struct leat_ctx *ctx, struct contrast_held *h);

int contrast_write(const struct contrast_held *h, struct leat_writer *w);
/* The model that was written, like `live` in shape and parameters. h is set when LEAT_OK. */
int contrast_read(struct leat_ctx *ctx, const struct contrast_held *live, struct leat_reader *r,
                  struct contrast_held *h);
/* What the live model becomes when the written one is merged into it. *changed is false: it stays
 * as it is, and h is not set. */
int contrast_read_merge(struct leat_ctx *ctx, const struct contrast_held *live,
                        struct leat_reader *r, double weight, struct contrast_held *h,
                        bool *changed);

#endif
