/* product_evaluate.h -- error of a sketch of X Y', compared with all columns of X and Y in memory
 *
 * For experiments that compare methods and sizes on a stream; not used while a sketch runs.
 *
 *   error       |X Y' - scale A B'| / (|X|_F |Y|_F)
 *   projection  |X Y' - U U' X Y' V V'| / sigma_{k+1}(X Y'),  U, V the first k singular vectors
 *               of A B': at least 1, and 1 if they are those of X Y' (NaN if X Y' has rank k or
 *               less)
 *
 * Example: X Y' = diag(3, 1), and the sketch A B' = diag(2, 0) of product.h. The error is
 * |diag(1, 1)| / (|X|_F |Y|_F) = 1/4. With k = 1, U = V = e_1, and the projection is 1 / 1 = 1. The
 * sketch diag(0, 2) has the error 3/4 and the projection 3.
 *
 * Spectral norms come from PRODUCT_EVALUATE_STEPS steps of bidiagonalisation (spectral.h). X Y' is
 * never formed. The exact columns and the sketch must use the same feature numbers.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_EVALUATE_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_EVALUATE_H

#include "kernels/dense/tall_matrix.h"

enum { PRODUCT_EVALUATE_STEPS = 100 };

struct product_evaluate {
    const struct sparse_columns *x, *y;
    uint32_t m[2];     /* features of x and of y      */
    uint32_t k;        /* k of `projection`, >= 1     */
    double frobenius;  /* |X|_F |Y|_F                 */
    double norm, next; /* |X Y'|, and its sigma_{k+1} */
};

struct product_evaluate_sketch {
    struct tall_matrix side[2]; /* features without a row count as 0 */
    uint32_t columns;
    double scale;
};

struct product_evaluate_result {
    double error, projection;
};

/* Returns the bytes of `block` that both functions below need, for sketches of up to
 * `columns` columns. */
size_t product_evaluate_bytes(const uint32_t m[2], uint32_t columns, uint32_t k);
/* Sets frobenius, norm and next. Returns false if there is no convergence. */
bool product_evaluate_exact(struct product_evaluate *j, void *block);
bool product_evaluate_sketch(const struct product_evaluate *j,
                             const struct product_evaluate_sketch *s,
                             struct product_evaluate_result *r, void *block);

#endif
