/* product_exact.h -- counts the product of the waiting pairs exactly, while all pairs wait
 *
 * A sketch with opt.exact keeps its first pairs in the buffers of product.h, S_x and S_y, and
 * X Y' = S_x S_y' exactly. Row i of the product is the sum of x_ij y_j over the columns j with
 * feature i (F. Gustavson, Two fast algorithms for sparse matrices, ACM TOMS 1978). A row is summed
 * in the order of the stream, so no sum depends on when it was computed.
 *
 * Compaction. When the buffers are full, the pairs are replaced by the rows of their product: the
 * row p_i' of the left feature i becomes the pair (2^e e_i, 2^-e p_i). This changes no digit of
 * later sums, because powers of two are exact and the row comes before all later pairs. The rows
 * stay if they take at most 3/4 of the buffers; otherwise the pairs go to the sketch, which is then
 * not exact any more. So X Y' is exact for any length of the stream if it has at most about 3/4 l
 * entries for each feature of the larger side. cod and fd do not compact: their bounds need the
 * columns of the stream.
 *
 * Example. The pairs (e_1, e_1 + 2 e_2) and (e_1, e_2) become one: (e_1, e_1 + 3 e_2).
 *
 * Scratch memory is the rows of the larger side's features, which hold nothing yet.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_EXACT_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_EXACT_H

#include "kernels/base/rank.h"
#include "product.h"
#include "product_top.h"

/* True while the buffers hold all pairs of the stream, and there is scratch memory for their
 * product. */
bool product_is_exact(const struct product *p);
/* Returns the view of an exact product: no columns, and a bound of the rounding errors. The bound
 * is 0 if all sums are whole numbers below 2^53, as counts are. */
struct product_view product_exact_look(const struct product *p);

/* Returns the number of entries in one side's buffer at which the buffers of an exact product are
 * full. */
uint32_t product_exact_full_at(const struct product_options *opt, uint32_t x, uint32_t y);

/* Replaces the pairs by the rows of their product. Returns false if these are too many; nothing
 * has changed then. */
bool product_exact_compact(struct product *p);

/* Finds the k entries as product_entries() does (product_top.h). of[s] is the only feature of side
 * s whose entries count; FEATURE_TABLE_NONE: all count. */
uint32_t product_exact_entries(struct product *p, const uint32_t of[2],
                               const struct product_order *order, uint32_t k, struct pair *entry);

#endif
