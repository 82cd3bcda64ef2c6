/* product_evaluate.h -- how far a sketch of X Y' is from the product itself, which is kept here as
 * all of its columns: for judging a method or a size on a stream, not for running one.
 *
 *   error       |X Y' - scale A B'| / (|X|_F |Y|_F)
 *   projection  |X Y' - U U' X Y' V V'| / sigma_{k+1}(X Y'),  U, V the first k singular vectors
 *               of A B': at least 1, and 1 when they are those of X Y' (NaN when X Y' has rank k
 *               or less)
 *
 * with spectral norms by JUDGE_STEPS steps of bidiagonalisation (spectral.h). X Y' is never formed.
 * Both sides must have numbered the features alike.
 */
#ifndef LEAT_KERNELS_PRODUCT_PRODUCT_EVALUATE_H
#define LEAT_KERNELS_PRODUCT_PRODUCT_EVALUATE_H

#include "kernels/dense/sparse_columns.h"

enum { JUDGE_STEPS = 100 };

struct judge {
    const struct sparse_columns *x, *y;
    uint32_t m[2];     /* features                    */
    uint32_t k;        /* of the projection, >= 1     */
    double frobenius;  /* |X|_F |Y|_F              */
    double norm, next; /* |X Y'|, sigma_{k+1}     */
};

struct judge_sketch {
    struct tall_matrix side[2]; /* features beyond its rows are zero */
    uint32_t columns;
    double scale;
};

struct judge_result {
    double error, projection;
};

/* Of the work of both calls, for sketches of up to `columns` columns. */
size_t judge_bytes(const uint32_t m[2], uint32_t columns, uint32_t k);
/* Fills in frobenius, norm and next. false: no convergence. */
bool judge_product(struct judge *j, void *block);
bool judge_sketch(const struct judge *j, const struct judge_sketch *s, struct judge_result *r,
                  void *block);

#endif
