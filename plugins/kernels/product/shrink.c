/* shrink.c -- implementation of shrink.h */
#include "shrink.h"
#include "kernels/base/random.h"
#include "kernels/dense/eigen.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernels/dense/gram.h"
#include "kernels/dense/multiply.h"
#include "kernels/dense/vectors.h"

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
    w->stack = layout_take(c, tall_matrix_stack(k), 8);
}

#define LEAST_SINE 0x1p-8 /* squared sine from which the triangle of gram.h is exact enough */

double shrink_rounding(const double *value, uint32_t n, uint32_t k)
{
    return n ? value[0] * 4 * k * DBL_EPSILON : 0;
}

/* Returns the value to subtract from n descending values. Sets *left to the number of values that
 * exceed it by more than a rounding error. */
static double shrink_subtract(const double *value, uint32_t n, uint32_t k, uint32_t level,
                              uint32_t *left)
{
    double rounding = shrink_rounding(value, n, k);
    double gamma = level && level <= n && value[level - 1] > rounding ? value[level - 1] : 0;
    uint32_t i = 0;
    while (i < n && value[i] - gamma > rounding)
        i++;
    *left = i;
    return gamma;
}

uint32_t shrink_triangle(struct tall_matrix A, uint32_t k, double *R, struct shrink_work *w)
{
    if (A.n >= k && gram_triangle(A, k, LEAST_SINE, R)) return k;
    return tall_matrix_triangle(A, k, R, w->stack, w->tall);
}

void shrink_map(uint32_t k, uint32_t n, const double *R, uint32_t r, const double *W, uint32_t ld,
                bool transposed, const double *factor, double *T)
{
    (transposed ? multiply_tt : multiply_tn)(k, n, r, 1, R, k, W, ld, false, T, n);
    for (uint32_t i = 0; i < k; i++)
        for (uint32_t j = 0; j < n; j++)
            T[(size_t)i * n + j] *= factor[j];
}

bool shrink_pair(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                 double *lost, struct shrink_work *w)
{
    assert(k <= AB[0].ld && k <= AB[1].ld && k <= w->tall->k);
    uint32_t rx = shrink_triangle(AB[0], k, w->R[0], w), ry = shrink_triangle(AB[1], k, w->R[1], w);
    uint32_t n = rx < ry ? rx : ry;
    *left = 0;
    *lost = 0;
    if (n) {
        multiply_nt(rx, ry, k, 1, w->R[0], k, w->R[1], k, false, w->M, ry); /* M = R_x R_y' */
        if (!tall_matrix_svd(rx, ry, w->M, w->sigma, w->U, w->Vt, w->tall)) return false;
    }
    *lost = shrink_subtract(w->sigma, n, k, level, left);
    double *factor = w->stack; /* sqrt(sigma - gamma) / sigma */
    for (uint32_t i = 0; i < *left; i++)
        factor[i] = sqrt(w->sigma[i] - *lost) / w->sigma[i];
    /* the map of A overwrites M; that of B overwrites R_y, which is not needed any more */
    shrink_map(k, *left, w->R[1], ry, w->Vt, ry, true, factor, w->M);
    shrink_map(k, *left, w->R[0], rx, w->U, n, false, factor, w->R[1]);
    tall_matrix_times(AB[0], k, w->M, *left, *left, k, w->tall);    /* A = Q_x U sqrt(..) */
    tall_matrix_times(AB[1], k, w->R[1], *left, *left, k, w->tall); /* B = Q_y V sqrt(..) */
    return true;
}

/* Sets G = A'A + B'B. */
static void shrink_gram(const struct tall_matrix AB[2], uint32_t k, double *G)
{
    for (int s = 0; s < 2; s++)
        multiply_square_tn(k, AB[s].n, 1, AB[s].a, AB[s].ld, s, G, k);
}

bool shrink_stacked(const struct tall_matrix AB[2], uint32_t k, uint32_t level, uint32_t *left,
                    double *lost, struct shrink_work *w)
{
    assert(k <= AB[0].ld && k <= AB[1].ld && k <= w->tall->k);
    shrink_gram(AB, k, w->M);
    if (!eigen(k, w->M, k, w->sigma, w->tall->work)) return false; /* Z'Z = V diag(lambda) V' */
    const double *v = w->tall->work;
    double delta = shrink_subtract(w->sigma, k, k, level, left);
    *lost = delta / 2;
    for (uint32_t i = 0; i < *left; i++) {
        double root =
            sqrt((w->sigma[i] - delta) / w->sigma[i]); /* sqrt((lambda - delta) / lambda) */
        for (uint32_t r = 0; r < k; r++)
            w->Vt[(size_t)r * k + i] = v[(size_t)i * eigen_ld(k) + r] * root;
    }
    tall_matrix_times(AB[0], k, w->Vt, k, *left, k, w->tall); /* Z = Z V sqrt(...) */
    tall_matrix_times(AB[1], k, w->Vt, k, *left, k, w->tall);
    return true;
}

/* ---- simultaneous iteration ---- */

static void simultaneous_fill(struct tall_matrix G, uint32_t k, uint64_t *random)
{
    for (uint32_t i = 0; i < G.n; i++)
        random_fill(random, k, G.a + (size_t)i * G.ld);
}

/* Sets K = S_x S_y' G. */
static void simultaneous_multiply(const struct sparse_columns *x, const struct sparse_columns *y,
                                  struct tall_matrix G, struct tall_matrix K, uint32_t k, double *t)
{
    tall_matrix_clear(K, k);
    sparse_columns_product(x, y, G, K, k, t);
}

static bool simultaneous_is_possible(const struct simultaneous_product *p)
{
    return p->x->columns == p->y->columns && p->k <= p->x->columns && p->k <= p->C.ld &&
           p->k <= p->D.ld;
}

void simultaneous(const struct simultaneous_product *p, uint32_t q, uint64_t *random,
                  struct simultaneous_work *w)
{
    assert(simultaneous_is_possible(p) && p->k <= p->C.n && p->k <= p->D.n);
    simultaneous_fill(p->D, p->k, random);                     /* D holds G at first    */
    simultaneous_multiply(p->x, p->y, p->D, p->C, p->k, w->t); /* lines 3 to 6: K = P G */
    for (uint32_t i = 0; i < q; i++) {                         /* K = (P P')^q P G */
        gram_orthonormal(p->C, p->k, 1, w->R, w->pair, w->tall);
        simultaneous_multiply(p->y, p->x, p->C, p->D, p->k, w->t); /* P' Q */
        simultaneous_multiply(p->x, p->y, p->D, p->C, p->k, w->t); /* P P' Q */
    }
    gram_orthonormal(p->C, p->k, 2, w->R, w->pair, w->tall);   /* line 7: Q = orth(K) */
    simultaneous_multiply(p->y, p->x, p->C, p->D, p->k, w->t); /* C = Q, D = P' Q */
}

/* ---- stacked form ---- */

/* Sets the k columns of T from `to` on to W W' times the k columns from `from` on. */
static void simultaneous_square(const struct simultaneous_product *p, uint32_t from, uint32_t to,
                                double *t)
{
    struct tall_matrix G[2] = {tall_matrix_from(p->C, from), tall_matrix_from(p->D, from)};
    struct tall_matrix K[2] = {tall_matrix_from(p->C, to), tall_matrix_from(p->D, to)};
    tall_matrix_clear(K[0], p->k);
    tall_matrix_clear(K[1], p->k);
    sparse_columns_square(p->x, p->y, G, K, p->k, t);
}

/* Makes the columns of two blocks, one above the other, orthonormal: QR of each block, then of both
 * R, stacked. */
static void simultaneous_orthonormal(const struct simultaneous_product *p, uint32_t at,
                                     struct simultaneous_work *w)
{
    uint32_t k = p->k;
    struct tall_matrix K[2] = {tall_matrix_from(p->C, at), tall_matrix_from(p->D, at)};
    uint32_t r0 = tall_matrix_qr(K[0], k, w->pair, w->tall);                  /* K_x = Q_x R_x */
    uint32_t r1 = tall_matrix_qr(K[1], k, w->pair + (size_t)r0 * k, w->tall); /* K_y = Q_y R_y */
    struct tall_matrix R = {w->pair, r0 + r1, k};
    tall_matrix_qr(R, k, w->R, w->tall);                    /* [R_x; R_y] = [U_x; U_y] R */
    tall_matrix_times(K[0], r0, w->pair, k, k, 0, w->tall); /* Q_x U_x */
    tall_matrix_times(K[1], r1, w->pair + (size_t)r0 * k, k, k, 0, w->tall); /* Q_y U_y */
}

bool simultaneous_stacked(const struct simultaneous_product *p, uint32_t q, uint64_t *random,
                          struct simultaneous_work *w)
{
    uint32_t k = p->k, at = (1 + q) % 2 ? k : 0; /* the last Q must be in the first k columns */
    const struct tall_matrix T[2] = {p->C, p->D};
    assert(simultaneous_is_possible(p) && 2 * k <= p->C.ld && k <= p->C.n + p->D.n);
    simultaneous_fill(tall_matrix_from(T[0], at), k, random);
    simultaneous_fill(tall_matrix_from(T[1], at), k, random);
    for (uint32_t i = 0; i <= q; i++, at = k - at) {
        simultaneous_square(p, at, k - at, w->t); /* W W' Q */
        simultaneous_orthonormal(p, k - at, w);
    }
    simultaneous_square(p, 0, k, w->t);
    for (int s = 0; s < 2; s++) /* H = Q' W W' Q */
        multiply_tn(k, k, T[s].n, 1, T[s].a, T[s].ld, T[s].a + k, T[s].ld, s, w->R, k);
    if (!eigen(k, w->R, k, w->sigma, w->tall->work)) return false; /* H = U Lambda U' */
    const double *u = w->tall->work;
    for (uint32_t i = 0; i < k; i++) /* U sqrt(Lambda), the largest first */
        for (uint32_t j = 0; j < k; j++)
            w->pair[(size_t)j * k + i] =
                u[(size_t)i * eigen_ld(k) + j] * sqrt(fmax(w->sigma[i], 0));
    tall_matrix_times(T[0], k, w->pair, k, k, 0, w->tall); /* T = Q U sqrt(Lambda) */
    tall_matrix_times(T[1], k, w->pair, k, k, 0, w->tall);
    return true;
}

/* ---- certificate ---- */

/* Sets u = E v - before u, where E v = S_x S_y'v - C D'v. Scales u to length 1. Returns its length
 * before. */
static double simultaneous_apply_lack(const struct sparse_columns *x,
                                      const struct sparse_columns *y,
                                      const struct tall_matrix CD[2], uint32_t k, const double *v,
                                      double before, double *u, double *t)
{
    struct tall_matrix C = CD[0], D = CD[1];
    vectors_scale(C.n, -before, u);
    sparse_columns_apply(x, y, v, u);                     /* S_x S_y'v */
    multiply_vector_t(D.n, k, 1, D.a, D.ld, v, false, t); /* t = D'v */
    multiply_vector_n(C.n, k, -1, C.a, C.ld, t, true, u); /* - C t */
    double length = vectors_norm(C.n, u);
    if (length > 0) vectors_scale(C.n, 1 / length, u);
    return length;
}

/* True if all eigenvalues of B B' are below `limit`, where B is lower bidiagonal with the diagonal
 * a and the subdiagonal b: b[i] is in row i. */
static bool simultaneous_is_above(uint32_t n, const double *a, const double *b, double limit)
{
    double pivot = -1;
    for (uint32_t i = 0; i < n && pivot < 0; i++) {
        double off = i ? a[i - 1] * b[i] : 0;
        pivot = a[i] * a[i] + (i ? b[i] * b[i] : 0) - limit - (i ? off * off / pivot : 0);
    }
    return pivot < 0;
}

/* Returns the largest singular value of the bidiagonal matrix, by bisection. First divides it by
 * its largest number. */
static double simultaneous_largest(uint32_t n, double *a, double *b)
{
    double max = 0, low = 0, high = 4; /* numbers up to 1, two in a row */
    for (uint32_t i = 0; i < n; i++)
        max = fmax(max, fmax(a[i], b[i]));
    if (!(max > 0)) return max;
    for (uint32_t i = 0; i < n; i++) {
        a[i] /= max;
        b[i] /= max;
    }
    for (int i = 0; i < 50; i++) {
        double middle = (low + high) / 2;
        *(simultaneous_is_above(n, a, b, middle) ? &high : &low) = middle;
    }
    return max * sqrt(high);
}

enum { MAX_STEPS = 512 };
#define SHARE (1 - 1 / 1.21) /* epsilon: the certificate is at most 1.1 |E| */

double simultaneous_certificate(const struct simultaneous_product *p, double delta,
                                uint64_t *random, double *u, double *v, struct simultaneous_work *w)
{
    const struct tall_matrix CD[2] = {p->C, p->D}, DC[2] = {p->D, p->C};
    uint32_t m = p->C.n;
    double a[MAX_STEPS], b[MAX_STEPS + 1] = {0};
    assert(delta > 0 && simultaneous_is_possible(p));
    double chance = exp_log(1.648) + 0.5 * exp_log(m) - exp_log(delta);
    uint32_t steps = (uint32_t)fmin(ceil((chance / sqrt(SHARE) + 1) / 2), MAX_STEPS);
    double root = chance / (2.0 * steps - 1); /* of the epsilon that this many steps reach */
    random_fill(random, m, u);
    vectors_scale(m, 1 / vectors_norm(m, u), u); /* x on the unit sphere */
    memset(v, 0, p->D.n * sizeof *v);
    for (uint32_t i = 0; i < steps; i++) {
        a[i] = simultaneous_apply_lack(p->y, p->x, DC, p->k, u, b[i], v, w->t);
        b[i + 1] = simultaneous_apply_lack(p->x, p->y, CD, p->k, v, a[i], u, w->t);
        if (!isfinite(a[i]) || !isfinite(b[i + 1])) return (double)INFINITY;
    }
    return simultaneous_largest(steps, a, b) / sqrt(1 - root * root);
}
