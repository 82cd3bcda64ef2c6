/* product_state.h -- copies of product sketches (product.h) as plain arrays, and merges of two
 *
 * A state has the sums, the columns of A and B in use, and the pairs that wait in buffers. It
 * identifies features by their numbers. The caller owns the ids, and must add them to the tables in
 * the order of these numbers before loading.
 *
 * A merge adds the products: the merged sketch represents X Y' + weight X2 Y2'. It gets the columns
 * of both sketches, and shrinks them as if they had come from the stream. `lost` and `doubted` add
 * up, so the merged bound is the sum of both bounds plus what the shrinkages of the merge subtract.
 * The probabilities of failure add up, too. With a random method, the columns of the second sketch
 * are moved and get new signs. This does not change its product, and makes the two sketches
 * independent although they share a seed. Merging is commutative and associative within the bounds,
 * but not exactly.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_STATE_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_STATE_H

#include "product.h"

/* Limits of loaded numbers. Values of an example are floats times the root of a float, and a merge
 * multiplies them by the root of its weight: below 1e70. A side of a factored buffer has sums of
 * products of such values: below 1e140. So a product of two numbers, or of two sums, is finite. */
#define PRODUCT_MAX_VALUE  1e70  /* value of a waiting pair    */
#define PRODUCT_MAX_NUMBER 1e140 /* number in A or B           */
#define PRODUCT_MAX_SUM    1e150 /* sum in struct product_sums */

/* Arrays of one side (X or Y). start, feature and value hold the waiting pairs. */
struct product_side_parts {
    uint32_t features, entries;
    const double *rows;    /* features x used: the rows of A or B           */
    const uint32_t *start; /* first entry of each waiting pair: columns + 1 */
    const uint32_t *feature;
    const double *value;
};

struct product_parts {
    struct product_sums sums;
    uint32_t used, columns; /* columns of A and B in use; number of waiting pairs */
    struct product_side_parts side[2];
};

/* product_parts() returns all parts except `rows`; the arrays belong to the sketch. product_pack()
 * writes `rows` to the caller's memory. */
struct product_parts product_parts(const struct product *p);
void product_pack(const struct product *p, int side, double *rows);

/* Checks whether a sketch with these options could have such parts. Returns NULL, or a text that
 * names the fault. */
const char *product_check_parts(const struct product_options *opt,
                                const struct product_parts *parts);
/* Loads the parts into p, which was just initialised. Its tables already have the features, and its
 * buffers have room for the waiting pairs. */
void product_load(struct product *p, const struct product_parts *parts);

/* Adds `weight` > 0 times the product of q to p. q is unusable after this. number[side][f] is the
 * number in p of q's feature f, or FEATURE_TABLE_NONE. Returns false if numbers became too large; p
 * is then unusable. */
bool product_merge(struct product *p, struct product *q, uint32_t *const number[2], double weight);

#endif
