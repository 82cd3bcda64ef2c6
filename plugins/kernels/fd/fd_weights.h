/* fd_weights.h -- weights w = u + B'c of many features of a lazily rotated sketch (fd.h)
 *
 * A feature's weight is the product of q = (c, 1) and its current column (b, u), which is the
 * stored column after the maps M_v .. M_(n-1) since its version v. So
 *
 *   w = q'(M_(n-1) .. M_v (b, u)) = (M_v' .. M_(n-1)' q)'(b, u)
 *
 * The vector in brackets on the right depends on v only, so features of one version share it. A
 * weight then costs one product of vectors, and not a catch-up.
 *
 * Example: two shrinks halved all columns, u has not changed, and c = 3. Then q is (3, 1) for
 * columns of version n, and (3/4, 1) for those from before both shrinks. A column b = 8 with u = 1
 * from then has the weight 7. */
#ifndef LEAT_KERNELS_FD_FD_WEIGHTS_H
#define LEAT_KERNELS_FD_FD_WEIGHTS_H

#include "fd.h"

/* Sets w[i] to the weight of feature from + i, for n features. `c` has f->rows coefficients. f has
 * `weights`. Results do not depend on how features are divided into calls. Uses scratch of f. */
void fd_weights(const struct fd *f, const double *row, uint32_t row_stride, uint32_t from,
                uint32_t n, const double *c, double *w);

#endif
