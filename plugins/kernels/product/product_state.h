/* product_state.h -- sketches of products as plain arrays, and sums of two of them.
 *
 * A state is the sums, the used columns of A and B and the pairs that wait in buffers. Features are
 * known by their numbers; ids are the caller's, who enrolls them in a state's order before loading.
 *
 * A merge adds the products: X Y' + weight X2 Y2' is sketched by the columns of both, shrunk as if
 * they had come from the stream. `lost` and `doubted` add up, so the bound of the sum is the sum of
 * the bounds plus what the last shrinkage subtracts; chances of being wrong add up, too. The
 * columns of a random method's other sketch are moved and get new signs: that leaves its product as
 * it is and makes the two independent though they have one seed. Commutative and associative within
 * the bounds, not to the digit.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_STATE_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_STATE_H

#include "product.h"

/* Limits of what is loaded. An example's values are floats times the root of a float, and a merge
 * multiplies them by the root of its weight: below 1e70. A factored buffer has, on one side, sums
 * of their products: below 1e140. So products of two numbers, and of two sums, stay finite. */
#define PRODUCT_MAX_VALUE  1e70  /* of a waiting pair  */
#define PRODUCT_MAX_NUMBER 1e140 /* of A and B         */
#define PRODUCT_MAX_SUM    1e150 /* of product_sums    */

/* Of a side; the last three are of the pairs that wait. */
struct product_side_parts {
    uint32_t features, entries;
    const double *rows;    /* features x used */
    const uint32_t *start; /* columns + 1     */
    const uint32_t *feature;
    const double *value;
};

struct product_parts {
    struct product_sums sums;
    uint32_t used, columns; /* columns: waiting pairs */
    struct product_side_parts side[2];
};

/* All but `rows`, which product_pack writes to memory of the caller. Lent. */
struct product_parts product_parts(const struct product *p);
void product_pack(const struct product *p, int side, double *rows);

/* Could a sketch of these options have come to such parts? NULL, or what is wrong. */
const char *product_check_parts(const struct product_options *opt,
                                const struct product_parts *parts);
/* Into a fresh sketch whose tables have the features and whose buffers can hold the waiting
 * pairs. */
void product_load(struct product *p, const struct product_parts *parts);

/* Add `weight` > 0 times the product of q, which is used up. number[side][f]: p's number of q's
 * feature f, or FEATURE_TABLE_NONE. false: as of product_add. */
bool product_merge(struct product *p, struct product *q, uint32_t *const number[2], double weight);

#endif
