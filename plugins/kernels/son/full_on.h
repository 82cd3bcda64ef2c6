/* full_on.h -- the online Newton step with the exact matrix, for up to a few thousand features.
 *
 *   H = alpha0 I + sum of (r x)(r x)'      kept as H = U'U, U upper triangular
 *
 * An example: f = U^-T x, so x'H^-1 x = f'f without cancellation; h = U^-1 f = H^-1 x; the new row
 * rotates into U (Givens), and the step is along H_new^-1 x = h / (1 + r^2 f'f). O(d^2) time and
 * memory, d the features seen. A feature that was never seen before is a row sqrt(alpha0) e_j.
 *
 * A feature's own double: w_j. U is capacity x capacity, row-major; rows of features not seen yet
 * are 0.
 * Source: son.h; E. Hazan et al., Logarithmic regret algorithms, Machine Learning 2007.
 */
#ifndef LEAT_KERNELS_SON_FULL_ON_H
#define LEAT_KERNELS_SON_FULL_ON_H

#include "son.h"

#define FULL_ON_MAX_FEATURES 8192
enum { FULL_ON_STRIDE = 1 };

struct full_on {
    struct son_options opt;
    uint32_t capacity, n; /* room; features in U */
    double *U, *f, *h, *v;
};

size_t full_on_bytes(uint32_t capacity);
/* block: full_on_bytes() zeroed bytes, aligned to 64. */
void full_on_init(struct full_on *m, const struct son_options *opt, uint32_t capacity, void *block);
/* Move to a larger zeroed block. The old one is the caller's to free. */
void full_on_grow(struct full_on *m, uint32_t capacity, void *block);
/* Predict (*z), then learn; f->known <= capacity. SON_OVERFLOW: no weight has changed. */
enum son_result full_on_learn(struct full_on *m, const struct son_features *f,
                              const struct son_row *r, double *z);
double full_on_weight(const struct son_features *f, uint32_t feature);

#endif
