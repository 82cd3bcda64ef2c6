/* multiply.c -- implementation of multiply.h */
#include "multiply.h"

#include <string.h>

#include "core/wide.h"
#include "vectors.h"

/* Product C = alpha A B. Number (i, k) of A is a[i * a_row + k * a_inner]; number (k, j) of B is
 * b[k * b_inner + j * b_column]. */
struct multiply {
    size_t m, n, k;
    double alpha;
    const double *a, *b;
    size_t a_row, a_inner, b_inner, b_column;
    bool add, lower; /* lower: C is square, and only its lower triangle is computed */
    double *c;
    size_t ldc;
};

static void multiply_run(const struct multiply *p)
{
    for (size_t i = 0; i < p->m; i++)
        for (size_t j = 0; j < (p->lower ? i + 1 : p->n); j++) {
            double s = p->add ? p->c[i * p->ldc + j] : 0;
            for (size_t k = 0; k < p->k; k++)
                s += p->a[i * p->a_row + k * p->a_inner] *
                     (p->alpha * p->b[k * p->b_inner + j * p->b_column]);
            p->c[i * p->ldc + j] = s;
        }
}

void multiply_nn(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, lda, 1, ldb, 1, add, false, c, ldc});
}

void multiply_tn(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, 1, lda, ldb, 1, add, false, c, ldc});
}

void multiply_nt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, lda, 1, 1, ldb, add, false, c, ldc});
}

void multiply_tt(size_t m, size_t n, size_t k, double alpha, const double *a, size_t lda,
                 const double *b, size_t ldb, bool add, double *c, size_t ldc)
{
    multiply_run(&(struct multiply){m, n, k, alpha, a, b, 1, lda, 1, ldb, add, false, c, ldc});
}

void multiply_square_nt(size_t n, size_t k, double alpha, const double *a, size_t lda, bool add,
                        double *c, size_t ldc)
{
    multiply_run(&(struct multiply){n, n, k, alpha, a, a, lda, 1, 1, lda, add, true, c, ldc});
}

void multiply_square_tn(size_t n, size_t k, double alpha, const double *a, size_t lda, bool add,
                        double *c, size_t ldc)
{
    multiply_run(&(struct multiply){n, n, k, alpha, a, a, 1, lda, lda, 1, add, true, c, ldc});
}

/* ---- vectors ---- */

void multiply_vector_n(size_t m, size_t n, double alpha, const double *a, size_t lda,
                       const double *x, bool add, double *y)
{
    for (size_t i = 0; i < m; i++) {
        double s = alpha * vectors_dot(n, a + i * lda, x);
        y[i] = add ? y[i] + s : s;
    }
}

void multiply_vector_t(size_t m, size_t n, double alpha, const double *a, size_t lda,
                       const double *x, bool add, double *y)
{
    if (!add) memset(y, 0, n * sizeof *y);
    for (size_t i = 0; i < m; i++)
        vectors_add(n, alpha * x[i], a + i * lda, y);
}

void multiply_packed_add(size_t n, double alpha, const double *x, double *s)
{
    for (size_t i = 0; i < n; s += ++i)
        vectors_add(i + 1, alpha * x[i], x, s);
}

void multiply_packed_vector(size_t n, double alpha, const double *s, const double *x, bool add,
                            double *y)
{
    for (size_t i = 0; i < n; s += ++i) {
        double t = alpha * vectors_dot(i + 1, s, x);
        y[i] = add ? y[i] + t : t;
        vectors_add(i, alpha * x[i], s, y);
    }
}
