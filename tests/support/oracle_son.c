/* oracle_son.c -- implementation of oracle_son.h. */
#include "oracle_son.h"

#include <lapacke.h>
#include <stdbool.h>
#include <string.h>

enum { D = NAIVE_D };

/* ---- dense algebra ---- */

static double dot(const double *a, const double *b)
{
    double s = 0;
    for (int i = 0; i < D; i++)
        s += a[i] * b[i];
    return s;
}

/* Solves h = H^-1 x by Gaussian elimination with pivots, then refines it once. */
static void eliminate(const double H[D][D], const double *x, double *h)
{
    double A[D][D + 1];
    for (int i = 0; i < D; i++) {
        memcpy(A[i], H[i], sizeof H[i]);
        A[i][D] = x[i];
    }
    for (int k = 0; k < D; k++) {
        int top = k;
        for (int i = k + 1; i < D; i++)
            if (fabs(A[i][k]) > fabs(A[top][k])) top = i;
        for (int j = 0; j <= D; j++) {
            double swap = A[k][j];
            A[k][j] = A[top][j];
            A[top][j] = swap;
        }
        for (int i = k + 1; i < D; i++)
            for (int j = D; j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    for (int i = D - 1; i >= 0; i--) {
        h[i] = A[i][D];
        for (int j = i + 1; j < D; j++)
            h[i] -= A[i][j] * h[j];
        h[i] /= A[i][i];
    }
}

static void solve(const double H[D][D], const double *x, double *h)
{
    double rest[D], more[D];
    eliminate(H, x, h);
    for (int i = 0; i < D; i++)
        rest[i] = x[i] - dot(H[i], h);
    eliminate(H, rest, more);
    for (int i = 0; i < D; i++)
        h[i] += more[i];
}

/* Finds eigenvalues (descending) and vectors (rows of V) of a D x D matrix, by Jacobi's
 * rotations. */
static void jacobi(double A[D][D], double *lambda, double V[D][D])
{
    memset(V, 0, sizeof(double[D][D]));
    double none = 0; /* smaller rotations change no bit */
    for (int i = 0; i < D; i++) {
        V[i][i] = 1;
        none += 1e-25 * A[i][i];
    }
    bool rotated = true;
    for (int sweep = 0; sweep < 60 && rotated; sweep++) {
        rotated = false;
        for (int p = 0; p < D; p++)
            for (int q = p + 1; q < D; q++) {
                if (fabs(A[p][q]) <= none) continue;
                rotated = true;
                double theta = 0.5 * atan2(2 * A[p][q], A[q][q] - A[p][p]), c = cos(theta),
                       s = sin(theta);
                for (int k = 0; k < D; k++) {
                    double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y, A[k][q] = s * x + c * y;
                }
                for (int k = 0; k < D; k++) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y, A[q][k] = s * x + c * y;
                    x = V[p][k], y = V[q][k];
                    V[p][k] = c * x - s * y, V[q][k] = s * x + c * y;
                }
            }
    }
    for (int i = 0; i < D; i++)
        lambda[i] = A[i][i];
    for (int i = 0; i < D; i++)
        for (int j = i + 1; j < D; j++)
            if (lambda[j] > lambda[i]) {
                double swap = lambda[i];
                lambda[i] = lambda[j], lambda[j] = swap;
                for (int k = 0; k < D; k++)
                    swap = V[i][k], V[i][k] = V[j][k], V[j][k] = swap;
            }
}

/* ---- frequent directions, by the eigenvectors of B'B ---- */

static void shrink(struct naive *n)
{
    double A[D][D] = {0}, lambda[D], V[D][D];
    for (uint32_t r = 0; r < n->rows; r++)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                A[i][j] += n->B[r][i] * n->B[r][j];
    jacobi(A, lambda, V);
    double lost = n->m <= D && lambda[n->m - 1] > 1e-14 * lambda[0] ? lambda[n->m - 1] : 0;
    n->rows = 0;
    for (uint32_t r = 0; r < n->m - 1 && r < D && lambda[r] > 1e-14 * lambda[0]; r++, n->rows++)
        for (int j = 0; j < D; j++)
            n->B[r][j] = sqrt(fmax(lambda[r] - lost, 0)) * V[r][j];
    if (n->kind == NAIVE_RFD || n->kind == NAIVE_PAPER) n->alpha += lost / 2;
    if (n->kind == NAIVE_ROOT) n->alpha += lost;
    if (n->fades) n->alpha = fmax(n->alpha, n->start);
    n->shrinks++;
}

/* ---- Oja ---- */

static void orthonormalise(struct naive *n)
{
    for (uint32_t i = 0; i < n->rows; i++) {
        for (int twice = 0; twice < 2; twice++)
            for (uint32_t k = 0; k < i; k++) {
                double p = dot(n->B[i], n->B[k]);
                for (int j = 0; j < D; j++)
                    n->B[i][j] -= p * n->B[k][j];
            }
        double length = sqrt(dot(n->B[i], n->B[i]));
        for (int j = 0; j < D; j++)
            n->B[i][j] /= length;
    }
}

static void oja(struct naive *n, const double *row)
{
    double rest[D], p[NAIVE_ROWS];
    memcpy(rest, row, sizeof rest);
    for (int twice = 0; twice < 2; twice++)
        for (uint32_t k = 0; k < n->rows; k++) {
            double on = dot(rest, n->B[k]);
            for (int j = 0; j < D; j++)
                rest[j] -= on * n->B[k][j];
        }
    if (n->rows < n->m && dot(rest, rest) > 1e-6 * dot(row, row)) {
        memcpy(n->B[n->rows++], rest, sizeof rest);
        orthonormalise(n);
    }
    n->t++;
    for (uint32_t k = 0; k < n->rows; k++) {
        p[k] = dot(n->B[k], row);
        n->S[k] += p[k] * p[k];
    }
    for (uint32_t k = 0; k < n->rows; k++)
        for (int j = 0; j < D; j++)
            n->B[k][j] += p[k] * row[j] / n->t;
    orthonormalise(n);
}

/* ---- H of each kind ---- */

static double scale_of(const struct naive *n, int j)
{
    return n->kind == NAIVE_SCALED ? sqrt(n->opt.alpha0 + sqrt(n->s[j])) : 1;
}

static void matrix_of(const struct naive *n, double H[D][D])
{
    if (n->kind == NAIVE_FULL) {
        memcpy(H, n->H, sizeof n->H);
        return;
    }
    for (int i = 0; i < D; i++)
        for (int j = 0; j < D; j++) {
            double sum = i == j ? n->alpha : 0;
            for (uint32_t r = 0; r < n->rows; r++)
                sum += (n->kind == NAIVE_OJA ? n->S[r] : 1) * n->B[r][i] * n->B[r][j];
            if (n->kind == NAIVE_ADAGRAD) sum = i == j ? n->opt.alpha0 + sqrt(n->s[j]) : 0;
            H[i][j] = scale_of(n, i) * sum * scale_of(n, j);
        }
}

static bool is_sketch(const struct naive *n)
{
    return n->kind == NAIVE_FD || n->kind == NAIVE_RFD || n->kind == NAIVE_SCALED ||
           n->kind == NAIVE_PAPER || n->kind == NAIVE_ROOT;
}

/* Adds an example: g x is the gradient, r x the row. */
static void take_in(struct naive *n, const double *x, double g, double r, const double *xi)
{
    double row[D];
    for (int j = 0; j < D; j++) {
        if (n->kind == NAIVE_ADAGRAD)
            n->s[j] += pow(g * x[j] / (n->opt.numbers ? n->opt.clip : 1), 2);
        row[j] = r * x[j] / scale_of(n, j);
        if (n->kind == NAIVE_ROOT) row[j] = g * x[j] / (n->opt.numbers ? n->opt.clip : 1);
    }
    if (n->kind == NAIVE_FULL)
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                n->H[i][j] += row[i] * row[j];
    if (n->kind == NAIVE_RFD && !n->rows && !n->shrinks)
        n->start = fmax(n->start, n->alpha = fmax(n->alpha, 0.01 * dot(row, row)));
    if (is_sketch(n)) memcpy(n->B[n->rows++], row, sizeof row);
    if (n->kind == NAIVE_RP)
        for (n->rows = 0; n->rows < n->m; n->rows++)
            for (int j = 0; j < D; j++)
                n->B[n->rows][j] += xi[n->rows] * x[j];
    if (n->kind == NAIVE_OJA) oja(n, row);
}

/* Solves h = H^+ x by LAPACK's eigenvectors; rest = x - H H^+ x. */
static void pseudo_solve(const double H[D][D], const double *x, double *h, double *rest)
{
    double V[D][D], lambda[D];
    memcpy(V, H, sizeof V);
    memcpy(rest, x, D * sizeof *x);
    memset(h, 0, D * sizeof *h);
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', D, &V[0][0], D, lambda);
    for (int k = 0; k < D; k++) {
        double v[D], on;
        if (lambda[k] <= 1e-11 * lambda[D - 1]) continue;
        for (int j = 0; j < D; j++)
            v[j] = V[j][k];
        on = dot(v, x);
        for (int j = 0; j < D; j++) {
            h[j] += on / lambda[k] * v[j];
            rest[j] -= on * v[j];
        }
    }
}

/* Solves h = H^(-1/2) x by LAPACK's eigenvectors. */
static void root_solve(const double H[D][D], const double *x, double *h)
{
    double V[D][D], lambda[D];
    memcpy(V, H, sizeof V);
    memset(h, 0, D * sizeof *h);
    LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'V', 'L', D, &V[0][0], D, lambda);
    for (int k = 0; k < D; k++) {
        double on = 0;
        for (int j = 0; j < D; j++)
            on += V[j][k] * x[j];
        for (int j = 0; j < D; j++)
            h[j] += on / sqrt(lambda[k]) * V[j][k];
    }
}

/* Moves w by k H^-1 x; with `to`, until w'x = to. A singular H has its pseudo-inverse. With `to`, w
 * moves along the part of x outside H's range, if there is one. */
static void move(struct naive *n, const double *x, double k, const double *to)
{
    double H[D][D], h[D], rest[D];
    matrix_of(n, H);
    if (n->kind == NAIVE_PAPER && n->alpha == 0) {
        pseudo_solve(H, x, h, rest);
        if (to && dot(rest, rest) > 1e-8 * dot(x, x)) memcpy(h, rest, sizeof h);
    } else if (n->kind == NAIVE_ROOT) {
        root_solve(H, x, h);
    } else {
        solve(H, x, h);
    }
    if (to) k = (*to - dot(n->w, x)) / dot(x, h);
    for (int j = 0; j < D; j++)
        n->w[j] += k * h[j];
}

/* Returns the slope by other formulas than the learners'. Central differences are not exact to
 * 1e-8. */
static double slope_of(enum son_loss loss, double z, double y)
{
    if (loss == SON_LOGISTIC) return -y / (1 + exp(y * z));
    return loss == SON_SQUARED_HINGE && y * z > 1 ? 0 : 2 * (z - y);
}

static double mu_of(enum son_loss loss, double C, bool numbers)
{
    if (numbers) return 1 / (2 * (C + C) * (C + C)); /* |z - y| is at most C + C */
    if (loss == SON_LOGISTIC) return exp(-C);
    if (loss == SON_SQUARED_HINGE && C > 1) return (3 * C - 1) / (8 * C * C * (1 + C));
    return 1 / (2 * (1 + C) * (1 + C));
}

struct naive naive_of(enum naive_kind kind, const struct son_options *opt, uint32_t m,
                      uint32_t buffer, uint32_t warm)
{
    struct naive n = {.kind = kind, .opt = *opt, .m = m, .buffer = buffer, .warm = warm};
    n.start = n.alpha = kind == NAIVE_SCALED ? 1 : opt->alpha0;
    n.fade = 1;
    for (int j = 0; j < D; j++)
        n.H[j][j] = opt->alpha0;
    return n;
}

double naive_learn(struct naive *n, const double *x, double y, double weight, const double *xi)
{
    double C = n->opt.clip, s = dot(n->w, x), z = fmin(fmax(s, -C), C);
    if (dot(x, x) == 0 || weight == 0) return z;
    n->alpha *= n->fade;
    for (uint32_t r = 0; r < n->rows && n->fade < 1; r++)
        for (int j = 0; j < D; j++)
            n->B[r][j] *= sqrt(n->fade);
    double unit = n->opt.numbers ? C : 1, eta = n->kind == NAIVE_PAPER ? 1.0 / ++n->t : 0;
    double l = slope_of(n->opt.loss, z, y), g = weight * l,
           r = sqrt(weight * (mu_of(n->opt.loss, C, n->opt.numbers) + eta / unit / unit)) * l;
    for (int j = 0; j < D && n->kind == NAIVE_SCALED; j++)
        n->s[j] += pow(g * x[j] / (n->opt.numbers ? n->opt.clip : 1), 2);
    if (z != s) move(n, x, 0, &z);
    if (l == 0) return z;
    take_in(n, x, g, r, xi);
    uint32_t buffer = n->shrinks < n->warm ? 1 : n->buffer ? n->buffer : n->m + 1;
    bool root = n->kind == NAIVE_ROOT, first = root || n->kind == NAIVE_PAPER;
    bool full = is_sketch(n) && (root || n->rows >= n->m - 1 + buffer);
    if (full && first) shrink(n);
    move(n, x, -g, NULL);
    if (full && !first) shrink(n);
    return z;
}
