/* contrast_waiting.h -- learn.contrast: features of an example that no cell in front has counted.
 *
 * They wait until the model looks up many at once. Of the features that wait for one
 * contrast_waiting_end(), members are counted first. The others follow in one order: that of the
 * entries, or of the pairs that the entries stand for. So it makes no difference which of the
 * members had cells, and whether somebody has written the pairs. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_WAITING_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_WAITING_H

#include "contrast_counter.h"

/* Values of b of a feature that is no pair: a is an entry of the batch, or the number of a rung. */
#define COUNTER_ENTRY UINT32_MAX
#define COUNTER_RUNG  (UINT32_MAX - 1)

/* Counts in the model those that wait and are members. Notes the others. */
void contrast_waiting_find(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                           const struct leat_batch *b, int kind);
/* Counts all that wait. Members take their cells, new ones their names. */
void contrast_waiting_end(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, int kind);

/* Adds a feature of the current example. */
static inline void contrast_waiting_add(struct contrast_counter *c, struct learner *l,
                                        struct contrast_held *h, const struct leat_batch *b,
                                        int kind, struct counter_pair what, uint64_t id)
{
    c->waiting.id[c->waiting.n] = id;
    c->waiting.what[c->waiting.n++] = what;
    if (c->waiting.n == ID_SLOTS_FORESEEN) contrast_waiting_find(c, l, h, b, kind);
}

#endif
