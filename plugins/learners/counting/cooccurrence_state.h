/* cooccurrence_state.h -- the memory and the state of learn.cooccurrence: written, read, merged. */
#ifndef LEAT_LEARNERS_COUNTING_COOCCURRENCE_STATE_H
#define LEAT_LEARNERS_COUNTING_COOCCURRENCE_STATE_H

#include <leat/plugin.h>

#include "kernels/base/packed_names.h"
#include "kernels/counting/cooccurrence/cooccurrence.h"

enum { COOCCURRENCE_STATE_VERSION = 1 };

/* Where names of tokens lie: bytes of the budget, and how long a name may be. */
struct cooccurrence_names {
    uint32_t bytes, max_bytes;
};

/* A model with the names of its tokens and the memory of both. */
struct cooccurrence_held {
    struct cooccurrence model;
    struct packed_names names;
    void *block, *names_block;
};

/* An empty one, or LEAT_ENOMEM. */
int cooccurrence_make(struct leat_ctx *ctx, const struct cooccurrence_shape *s,
                      const struct cooccurrence_options *o, struct cooccurrence_names names,
                      struct cooccurrence_held *h);
void cooccurrence_release(struct leat_ctx *ctx, struct cooccurrence_held *h);

int cooccurrence_write(const struct cooccurrence_held *h, struct leat_writer *w);
/* The model that was written, like `live` in shape and parameters. h is set when LEAT_OK. */
int cooccurrence_read(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                      struct leat_reader *r, struct cooccurrence_held *h);
/* What the live model becomes when the written one is merged into it. *changed is false: it stays
 * as it is, and h is not set. */
int cooccurrence_read_merge(struct leat_ctx *ctx, const struct cooccurrence_held *live,
                            struct leat_reader *r, double weight, struct cooccurrence_held *h,
                            bool *changed);

#endif
