/* gram.c -- implementation of gram.h. */
#include "gram.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "multiply.h"
#include "vectors.h"

#define LEAST_SINE   0x1p-30 /* smallest squared sine in gram_orthonormal() */
#define LEAST_SQUARE 1e-200  /* squares of columns between these are exact enough */
#define MAX_SQUARE   1e200

/* Moves the lower triangle of G to the upper one, and clears the lower one. */
static void gram_turn(uint32_t k, double *G)
{
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j < i; j++) {
            G[j * k + i] = G[i * k + j];
            G[i * k + j] = 0;
        }
}

bool gram_triangle(struct tall_matrix A, uint32_t k, double least, double *R)
{
    assert(k <= A.ld);
    multiply_square_tn(k, A.n, 1, A.a, A.ld, false, R, k);
    gram_turn(k, R);
    for (size_t i = 0; i < k; i++) {
        double *row = R + i * k, square = 0;
        for (size_t p = 0; p < i; p++)
            square += R[p * k + i] * R[p * k + i];
        square += row[i];
        if (!(square >= LEAST_SQUARE && square <= MAX_SQUARE && row[i] >= least * square))
            return false;
        double root = sqrt(row[i]);
        for (size_t j = i; j < k; j++)
            row[j] /= root;
        for (size_t j = i + 1; j < k; j++)
            vectors_add(k - j, -row[j], row + j, R + j * k + j);
    }
    return true;
}

/* Sets X to the inverse of the upper triangular R. */
static void gram_invert(uint32_t k, const double *R, double *X)
{
    memset(X, 0, (size_t)k * k * sizeof *X);
    for (size_t i = k; i-- > 0;) {
        double *row = X + i * k, is = 1 / R[i * k + i];
        row[i] = 1;
        for (size_t j = i + 1; j < k; j++)
            vectors_add(k - j, -R[i * k + j], X + j * k + j, row + j);
        vectors_scale(k - i, is, row + i);
    }
}

void gram_orthonormal(struct tall_matrix A, uint32_t k, int passes, double *R, double *inverse,
                      struct tall_matrix_work *w)
{
    for (int pass = 0; pass < passes; pass++) {
        if (!gram_triangle(A, k, LEAST_SINE, R)) {
            tall_matrix_qr(A, k, R, w);
            return;
        }
        gram_invert(k, R, inverse);
        tall_matrix_times(A, k, inverse, k, k, 0, w);
    }
}
