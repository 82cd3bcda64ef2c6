/* cooccurrence_held.h -- the model of learn.cooccurrence with its names, its state and its merges.
 *
 *   a leaf   `model` and `names`: it counts records, within the budget
 *   a sum    `sum` and `sum_names`, of merged leaves; it grows with them, and `model` is empty
 *
 * A merge turns a leaf into a sum. The first record after that turns the sum into a leaf.
 */
#ifndef LEAT_LEARNERS_COUNTING_COOCCURRENCE_HELD_H
#define LEAT_LEARNERS_COUNTING_COOCCURRENCE_HELD_H

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "kernels/counting/cooccurrence/cooccurrence_sum.h"

enum { COOCCURRENCE_STATE_VERSION = 4 };
/* Width of a split's tables, in those of its budget. A pair that is rare in one split has to stay
 * there, too. */
enum { COOCCURRENCE_WIDER = 4 };

struct cooccurrence_held {
    struct cooccurrence model;
    struct names names;
    void *block, *names_block;
    struct cooccurrence_sum sum;
    struct name_pool sum_names;
    void *sum_block;        /* NULL: it is a leaf */
    uint32_t wider;         /* the tables are so many times those of the budget */
    uint64_t without_pairs; /* records with an empty side, or with fewer than two tokens */
};

/* Memory of the names: bytes of the budget, and length of the longest name. */
struct cooccurrence_names {
    uint32_t bytes, max_bytes;
};

/* Makes an empty leaf. The shape and the names are `wider` times those of a budget. */
int cooccurrence_make(struct leat_ctx *ctx, const struct cooccurrence_shape *s,
                      const struct cooccurrence_options *o, struct cooccurrence_names names,
                      uint32_t wider, struct cooccurrence_held *h);
void cooccurrence_release(struct leat_ctx *ctx, struct cooccurrence_held *h);

/* Turns a sum into a leaf that continues from it. Does nothing to a leaf. */
void cooccurrence_settle(struct leat_ctx *ctx, struct cooccurrence_held *h);
/* Makes a leaf of the sum's tokens, pairs and names, to be read only. The caller releases it. It is
 * valid until the sum changes. */
int cooccurrence_view(struct leat_ctx *ctx, const struct cooccurrence_held *h,
                      struct cooccurrence_held *view);

int cooccurrence_write(const struct cooccurrence_held *h, struct leat_writer *w);
int cooccurrence_restore(struct leat_ctx *ctx, struct cooccurrence_held *h, struct leat_reader *r);
int cooccurrence_merge(struct leat_ctx *ctx, struct cooccurrence_held *h, struct leat_reader *r,
                       double weight);

#endif
