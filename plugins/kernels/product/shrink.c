/* shrink.c -- see shrink.h. */
#include "shrink.h"

#include <assert.h>
#include <cblas.h>
#include <float.h>
#include <math.h>

void shrink_work_init(struct shrink_work *w, struct tall_matrix_work *tall, uint32_t k,
                      struct layout *c)
{
    size_t square = (size_t)k * k;
    tall_matrix_work_init(tall, k, layout_take(c, tall_matrix_work_bytes(k), 1));
    w->tall = tall;
    w->R[0] = layout_take(c, square, 8);
    w->R[1] = layout_take(c, square, 8);
    w->M = layout_take(c, square, 8);
    w->U = layout_take(c, square, 8);
    w->Vt = layout_take(c, square, 8);
    w->sigma = layout_take(c, k, 8);
}

double shrink_rounding(const double *value, uint32_t n, uint32_t k)
{
    return n ? value[0] * 4 * k * DBL_EPSILON : 0;
}

/* What to subtract of n descending values, and how many are more than that and than rounding. */
static double subtract(const double *value, uint32_t n, uint32_t k, uint32_t level, uint32_t *left)
{
    double rounding = shrink_rounding(value, n, k);
    double gamma = level && level <= n && value[level - 1] > rounding ? value[level - 1] : 0;
    uint32_t i = 0;
    while (i < n && value[i] - gamma > rounding)
        i++;
    *left = i;
    return gamma;
}

bool shrink_pair(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                 double *lost, struct shrink_work *w)
{
    assert(k <= AB[0].ld && k <= AB[1].ld && k <= w->tall->k);
    uint32_t rx = tall_matrix_qr(AB[0], k, w->R[0], w->tall),
             ry = tall_matrix_qr(AB[1], k, w->R[1], w->tall); /* A = Q_x R_x, B = Q_y R_y */
    uint32_t n = rx < ry ? rx : ry;
    *left = 0;
    *lost = 0;
    if (n) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)rx, (blasint)ry, (blasint)k,
                    1, w->R[0], (blasint)k, w->R[1], (blasint)k, 0, w->M,
                    (blasint)ry); /* M = R_x R_y' */
        if (!tall_matrix_svd(rx, ry, w->M, w->sigma, w->U, w->Vt, w->tall)) return false;
    }
    *lost = subtract(w->sigma, n, k, level, left);
    for (uint32_t i = 0; i < *left; i++) {
        double root = sqrt(w->sigma[i] - *lost); /* sqrt(sigma - gamma) */
        for (uint32_t r = 0; r < rx; r++)
            w->U[(size_t)r * n + i] *= root;
        for (uint32_t r = 0; r < ry; r++)
            w->M[(size_t)r * k + i] = w->Vt[(size_t)i * ry + r] * root;
    }
    tall_matrix_times(AB[0], rx, w->U, n, *left, k, w->tall); /* A = Q_x U sqrt((Sigma - gamma)+) */
    tall_matrix_times(AB[1], ry, w->M, k, *left, k, w->tall); /* B = Q_y V sqrt((Sigma - gamma)+) */
    return true;
}

/* G = A'A + B'B. */
static void gram(const struct tall_matrix AB[2], uint32_t k, double *G)
{
    for (int s = 0; s < 2; s++)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, (blasint)k, (blasint)AB[s].n, 1, AB[s].a,
                    (blasint)AB[s].ld, s, G, (blasint)k);
    for (uint32_t i = 0; i < k; i++) /* LAPACK checks the other half for NaN */
        for (uint32_t j = i + 1; j < k; j++)
            G[(size_t)i * k + j] = 0;
}

bool shrink_stacked(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                    double *lost, struct shrink_work *w)
{
    assert(k <= AB[0].ld && k <= AB[1].ld && k <= w->tall->k);
    gram(AB, k, w->M);
    if (!tall_matrix_eigen(k, w->M, w->U, w->tall)) return false; /* Z'Z = V diag(lambda) V' */
    for (uint32_t i = 0; i < k; i++)
        w->sigma[i] = w->U[k - 1 - i];
    double delta = subtract(w->sigma, k, k, level, left);
    *lost = delta / 2;
    for (uint32_t i = 0; i < *left; i++) {
        double root =
            sqrt((w->sigma[i] - delta) / w->sigma[i]); /* sqrt((lambda - delta) / lambda) */
        for (uint32_t r = 0; r < k; r++)
            w->Vt[(size_t)r * k + i] = w->M[(size_t)(k - 1 - i) * k + r] * root;
    }
    tall_matrix_times(AB[0], k, w->Vt, k, *left, k, w->tall); /* Z = Z V sqrt(...) */
    tall_matrix_times(AB[1], k, w->Vt, k, *left, k, w->tall);
    return true;
}
