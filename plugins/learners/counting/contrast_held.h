/* contrast_held.h -- learn.contrast: models with their names, in memory of the host.
 *
 * A model learns if it is a leaf of the shape that the script asks for. Another one, such as a
 * union (contrast_union.h), has an empty model beside it that learns (`next`). The first batch
 * settles the one into the other. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_HELD_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_HELD_H

#include "contrast.h"
#include "kernels/counting/contrast/contrast_union.h"

/* Times the budget of a leaf whose state will be merged (--split); a power of two. A feature at the
 * border of the budget is a member in some leaves alone, and what others lack widens its bounds. */
enum { CONTRAST_SPLIT_TIMES = 8 };

/* Sets *s to the shape that the script asks for. Returns false if nothing fits the budget. */
bool contrast_held_shape(const void *cfg, bool split, struct contrast_shape *s);

/* Makes an empty leaf. Returns LEAT_OK or LEAT_ENOMEM. */
int contrast_held_make(struct leat_ctx *ctx, const struct contrast_shape *s,
                       const struct contrast_options *o, uint32_t name_bytes,
                       struct contrast_held *h);
/* Makes an empty union of leaves of this shape, with room for names of this many bytes in all. */
int contrast_held_make_union(struct leat_ctx *ctx, const struct contrast_shape *leaf,
                             struct contrast_union_size size, size_t names,
                             const struct contrast_held *like, struct contrast_held *h);
/* Gives h, which does not learn, an empty model that does. */
int contrast_held_make_next(struct leat_ctx *ctx, struct contrast_held *h);
void contrast_held_release(struct leat_ctx *ctx, void *held);
/* Returns the model that learns, which has the front: h, or the one beside it. */
static inline struct contrast_held *contrast_held_learner(struct contrast_held *h)
{
    return h->next ? h->next : h;
}

/* Bytes of the names of a leaf. */
size_t contrast_held_names_bytes(uint32_t members, uint32_t name_bytes);

/* Adds `other` to the live model, in place. Each of its records counts `weight` times. Changes
 * nothing unless it returns LEAT_OK. */
int contrast_held_add(struct leat_ctx *ctx, void *live, void *other, double weight);
/* Settles h into the model that learns, if there is one beside it. Warns of features that leave. */
void contrast_held_settle(struct leat_ctx *ctx, struct contrast_held *h);
/* Sorts the members and the samples of a union. */
void contrast_held_sort(const struct contrast_held *h);

#endif
