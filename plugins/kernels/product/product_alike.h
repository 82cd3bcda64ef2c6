/* product_alike.h -- triplets of one sigma, in a basis that only the data determine
 *
 * If several triplets have the same sigma, any rotation of them is as good. Which one a
 * decomposition returns depends on rounding errors. product_settle() chooses: U U' is the projector
 * on the left vectors of the sigma, and does not depend on the basis. Its columns are made
 * orthonormal with pivots, the longest remaining column first; of equal ones that of the first
 * feature in the order. The right vectors are rotated like the left ones.
 *
 * Sigmas are the same if each differs from the next by at most 2^-40 of the largest sigma.
 *
 * Example. X Y' = diag(1, 1, 1) has one sigma, and U U' is the identity. The columns are equally
 * long, so the first triplet is that of the first feature in the order, (1, e_1, e_1). */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_ALIKE_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_ALIKE_H

#include "product_top.h"

struct product_alike {
    uint32_t first, n; /* triplets first .. first + n - 1 have the same sigma */
};
/* Returns the triplets that have the sigma of triplet i. */
struct product_alike product_alike(const struct product_triplets *t, uint32_t i);

/* Returns the grain for the components of the vectors of triplet i, times the root of its sigma. A
 * vector is determined less exactly if the next sigma is close. */
double product_alike_grain(const struct product_triplets *t, uint32_t i);

size_t product_settle_bytes(uint32_t left_features, uint32_t columns);
/* Rotates the vectors of triplets of one sigma, so that the first `shown` triplets depend only on
 * the product. Vectors of other triplets are then not orthogonal any more.
 * block: product_settle_bytes() bytes, aligned to 64. */
void product_settle(struct product_triplets *t, uint32_t shown, const struct product_order *order,
                    void *block);

#endif
