/* product_state.h -- sketches of products as plain arrays, and sums of two of them
 *
 * A state has the sums, the used columns of A and B, and the pairs that wait in buffers. It knows
 * features by their numbers. The caller owns the ids, and enrolls them in the state's order before
 * loading.
 *
 * A merge adds the products: the columns of both sketch X Y' + weight X2 Y2', and are shrunk as if
 * they had come from the stream. `lost` and `doubted` add up, so the bound of the sum is the sum
 * of the bounds plus the value that the last shrinkage subtracts. The probabilities of failure add
 * up, too. With a random method, the other sketch's columns are moved and get new signs. This
 * leaves its product unchanged and makes the two sketches independent although they share a seed.
 * Merging is commutative and associative within the bounds, not to the digit.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_STATE_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_STATE_H

#include "product.h"

/* Limits of loaded numbers. An example's values are floats times the root of a float, and a merge
 * multiplies them by the root of its weight: below 1e70. One side of a factored buffer has sums of
 * products of such values: below 1e140. So products of two numbers, and of two sums, stay
 * finite. */
#define PRODUCT_MAX_VALUE  1e70  /* value of a waiting pair */
#define PRODUCT_MAX_NUMBER 1e140 /* number of A and B  */
#define PRODUCT_MAX_SUM    1e150 /* sum of product_sums */

/* Arrays of one side. The last three hold the waiting pairs. */
struct product_side_parts {
    uint32_t features, entries;
    const double *rows;    /* features x used */
    const uint32_t *start; /* columns + 1     */
    const uint32_t *feature;
    const double *value;
};

struct product_parts {
    struct product_sums sums;
    uint32_t used, columns; /* columns: number of waiting pairs */
    struct product_side_parts side[2];
};

/* product_parts returns everything except `rows`, lent by the sketch. product_pack writes `rows` to
 * the caller's memory. */
struct product_parts product_parts(const struct product *p);
void product_pack(const struct product *p, int side, double *rows);

/* Returns NULL if a sketch with these options could have such parts, else their fault. */
const char *product_check_parts(const struct product_options *opt,
                                const struct product_parts *parts);
/* Loads the parts into a fresh sketch. Its tables have the features already, and its buffers have
 * room for the waiting pairs. */
void product_load(struct product *p, const struct product_parts *parts);

/* Adds `weight` > 0 times the product of q, which is used up. number[side][f] is p's number of q's
 * feature f, or FEATURE_TABLE_NONE. Returns false as product_add does. */
bool product_merge(struct product *p, struct product *q, uint32_t *const number[2], double weight);

#endif
