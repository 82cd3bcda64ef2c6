/* contrast_chunk.h -- learn.contrast: counts the pairs of many examples, one pair of columns at a
 * time.
 *
 * An example is plain if cells count all of its entries, and all of its items have codes. Plain
 * examples of one shape form a chunk. Their pairs wait until the chunk ends:
 *
 *   shape    the joint of each item, and the number of its features
 *   couple   two items of the shape, or a ladder and itself: an example has one cell for it
 *   missed   of a couple: bits of the examples whose cell does not count it
 *
 * Then the cells of a couple count all examples of the chunk, before those of the next couple.
 * These cells lie near each other. What a cell has missed is counted afterwards, in the order of
 * examples.
 *
 * The model ends with the same bytes as by one example after another. Only a model that is full, or
 * becomes so, depends on the order of pairs. So a chunk has no more examples than the model has
 * room for the pairs of. It ends before an example whose entries could become members.
 *
 * Example. Two records (a, b) and (a, c) form a chunk. Its one couple has the cells ab and ac. If
 * ac is no member, its bit is 1, and the pair enters the model when the chunk ends. */
#ifndef LEAT_LEARNERS_COUNTING_CONTRAST_CHUNK_H
#define LEAT_LEARNERS_COUNTING_CONTRAST_CHUNK_H

#include "contrast_counter.h"

/* Counts example e of this kind if it is plain: its entries now, its pairs at the latest when the
 * chunk ends. Otherwise ends the chunk, and returns false. */
bool contrast_chunk_takes(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                          const struct leat_batch *b, uint32_t e, int kind);
/* Counts the pairs of the chunk, whose examples are in this batch. Must come before the batch
 * ends. */
void contrast_chunk_end(struct contrast_counter *c, struct learner *l, struct contrast_held *h,
                        const struct leat_batch *b);

#endif
