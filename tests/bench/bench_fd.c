/* bench_fd.c -- frequent directions: errors on a libsvm file, and the time of an example.
 *
 *     bench_fd FILE D        |A'A - B'B|_2 / |A'A|_2 of FD and RFD, doubling and at every row
 *     bench_fd sparse        us an example: 3 entries a row, d = 82,000 and 2,000,000
 *     bench_fd dense         us an example against an eager sketch by dsyrk and dgemm
 *     bench_fd eigen         us a problem against LAPACK's drivers
 *
 * A sparse row has three features: a uniform one of 7/8 d features, one of the others, where low
 * numbers are more frequent, and feature 0. All features are touched beforehand. Compared programs
 * take turns; figures are medians. */
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/dense/eigen.h"
#include "kernels/fd/fd_fold.h"
#include "figures.h"
#include "rows.h"
#include "support/fd_rig.h"

/* ---- errors ---- */

static void errors(const struct rows *r, uint32_t d, struct fd_options opt, const char *name)
{
    struct fd_rig *t = fd_rig_new_for(opt, d, d);
    double *e = calloc((size_t)d * d, 8), *lambda = calloc(d, 8), *x = calloc(d, 8), top;
    uint32_t *feature = calloc(d, 4);
    for (size_t i = 0; i < r->n; i++) {
        uint32_t n = (uint32_t)(r->start[i + 1] - r->start[i]);
        for (uint32_t k = 0; k < n; k++) {
            feature[k] = (uint32_t)r->id[r->start[i] + k] - 1;
            x[k] = (double)r->x[r->start[i] + k];
        }
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t l = 0; l < n; l++)
                e[(size_t)feature[k] * d + feature[l]] += x[k] * x[l];
        fd_rig_row(t, n, feature, x, 1);
    }
    fd_spectrum(d, e, lambda);
    top = lambda[d - 1];
    double *b = fd_rig_dense(t, d, NULL), alpha = t->f.lost / 2;
    fd_add_square(t->f.rows, d, b, -1, e);
    fd_spectrum(d, e, lambda);
    printf("m = %-3u %-9s FD %.5g  RFD %.5g  lost %.5g  shrinks %llu\n", opt.m, name,
           fmax(fabs(lambda[0]), lambda[d - 1]) / top,
           fmax(fabs(lambda[0] - alpha), fabs(lambda[d - 1] - alpha)) / top, t->f.lost / top,
           (unsigned long long)t->f.log.n);
    free(e), free(lambda), free(x), free(feature), free(b);
    fd_rig_free(t);
}

/* ---- sparse ---- */

enum { NNZ = 3 };

struct sparse_columns {
    struct fd f;
    void *block;
    double *row, *p;
    uint32_t d, stride;
    uint64_t s;
};

static struct sparse_columns sparse_new(uint32_t m, uint32_t d)
{
    struct fd_options opt = {.m = m};
    struct sparse_columns t = {.d = d, .stride = fd_stride(&opt), .s = 1};
    uint32_t touched = 8 * (m + 1), at[8], feature[8];
    size_t bytes = (fd_block_bytes(&opt, d, touched) + 63) & ~(size_t)63;
    t.block = memset(aligned_alloc(64, bytes), 0, bytes);
    t.row = calloc((size_t)d * t.stride, 8);
    t.p = calloc(fd_max_rows(&opt), 8);
    fd_init(&t.f, &opt, d, touched, t.block);
    for (uint32_t j = 0; j < d; j += 8) {
        for (uint32_t i = 0; i < 8; i++)
            feature[i] = j + i;
        fd_touch(&t.f, t.row, t.stride, d, 8, feature, at);
        if (fd_free_slots(&t.f) < 8) fd_shrink(&t.f, t.row, t.stride, d, NULL);
    }
    fd_shrink(&t.f, t.row, t.stride, d, NULL);
    return t;
}

static double sparse_run(struct sparse_columns *t, uint32_t examples)
{
    double start = rows_now();
    for (uint32_t k = 0; k < examples; k++) {
        uint32_t at[NNZ], users = t->d / 8 * 7;
        double a = (double)(fd_random(&t->s) >> 11) * 0x1p-53, x[NNZ] = {1, 1, 1};
        uint32_t feature[NNZ] = {1 + (uint32_t)(fd_random(&t->s) % (users - 1)),
                                 users + (uint32_t)(a * a * (t->d - users)), 0};
        fd_touch(&t->f, t->row, t->stride, t->d, NNZ, feature, at);
        fd_project(&t->f, NNZ, at, x, t->p);
        fd_append(&t->f, NNZ, at, x, 1 + 0.1 * a, t->p, fd_square(&t->f, NNZ, at, x));
        if (fd_full(&t->f)) fd_shrink(&t->f, t->row, t->stride, t->d, NULL);
    }
    return (rows_now() - start) / examples * 1e6;
}

static void sparse(void)
{
    uint32_t m[] = {10, 50};
    for (int i = 0; i < 2; i++) {
        struct sparse_columns few = sparse_new(m[i], 82000), many = sparse_new(m[i], 2000000);
        uint32_t examples = m[i] == 10 ? 400000 : 60000;
        double a[5], b[5], ratio[5];
        sparse_run(&few, examples), sparse_run(&many, examples);
        for (int k = 0; k < 5; k++) {
            a[k] = sparse_run(&few, examples);
            b[k] = sparse_run(&many, examples);
            ratio[k] = b[k] / a[k];
        }
        printf("m = %u: %.2f us at d = 82,000, %.2f us at d = 2,000,000, ratio %.2f\n", m[i],
               figures_median(a, 5), figures_median(b, 5), figures_median(ratio, 5));
        free(few.block), free(few.row), free(few.p);
        free(many.block), free(many.row), free(many.p);
    }
}

/* ---- dense ---- */

/* The eager sketch: rows into a matrix, G by dsyrk, the new rows by dgemm. */
static double eager_run(const double *x, uint32_t n, uint32_t d, uint32_t m)
{
    uint32_t max = 2 * m, rows = 0;
    double *b = calloc((size_t)max * d, 8), *g = calloc((size_t)max * max, 8);
    double *to = calloc((size_t)max * d, 8), *work = calloc(eigen_work(max), 8), lambda[512];
    double start = rows_now(), *w = calloc((size_t)max * max, 8);
    for (uint32_t k = 0; k < n; k++) {
        memcpy(b + (size_t)rows++ * d, x + (size_t)k * d, d * 8);
        if (rows < max) continue;
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)max, (int)d, 1, b, (int)d, 0, g,
                    (int)max);
        eigen(max, g, max, lambda, work);
        const double *u = work;
        for (uint32_t i = 0; i < m - 1; i++)
            for (uint32_t r = 0; r < max; r++)
                w[i * max + r] =
                    sqrt((lambda[i] - lambda[m - 1]) / lambda[i]) * u[i * eigen_ld(max) + r];
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m - 1, (int)d, (int)max, 1, w,
                    (int)max, b, (int)d, 0, to, (int)d);
        memcpy(b, to, (size_t)(m - 1) * d * 8);
        rows = m - 1;
    }
    double s = (rows_now() - start) / n * 1e6;
    free(b), free(g), free(to), free(work), free(w);
    return s;
}

static double lazy_run(const double *x, uint32_t n, uint32_t d, uint32_t m, bool project)
{
    struct fd_options opt = {.m = m};
    uint32_t stride = fd_stride(&opt), *feature = calloc(d, 4), *at = calloc(d, 4);
    size_t bytes = (fd_block_bytes(&opt, d, d) + 63) & ~(size_t)63;
    void *block = memset(aligned_alloc(64, bytes), 0, bytes);
    double *row = calloc((size_t)d * stride, 8), *p = calloc(fd_max_rows(&opt), 8);
    struct fd f;
    fd_init(&f, &opt, d, d, block);
    for (uint32_t j = 0; j < d; j++)
        feature[j] = j;
    double start = rows_now();
    for (uint32_t k = 0; k < n; k++) {
        const double *v = x + (size_t)k * d;
        fd_touch(&f, row, stride, d, d, feature, at);
        if (project) fd_project(&f, d, at, v, p);
        fd_append(&f, d, at, v, 1, project ? p : NULL, cblas_ddot((int)d, v, 1, v, 1));
        if (fd_full(&f)) fd_shrink(&f, row, stride, d, NULL);
    }
    double s = (rows_now() - start) / n * 1e6;
    free(feature), free(at), free(block), free(row), free(p);
    return s;
}

static void dense(void)
{
    uint32_t d[] = {123, 500}, m[] = {10, 20, 50}, n = 5000;
    for (int i = 0; i < 6; i++) {
        uint32_t dd = d[i / 3], mm = m[i % 3];
        double *x = calloc((size_t)n * dd, 8), a[5], b[5], c[5];
        uint64_t s = 3;
        for (size_t k = 0; k < (size_t)n * dd; k++)
            x[k] = fd_normal(&s) * pow(0.97, (double)(k % dd));
        for (int k = 0; k < 5; k++) {
            a[k] = eager_run(x, n, dd, mm);
            b[k] = lazy_run(x, n, dd, mm, true);
            c[k] = lazy_run(x, n, dd, mm, false);
        }
        printf("d = %u, m = %u: eager %.2f us, ours %.2f us, without p %.2f us\n", dd, mm,
               figures_median(a, 5), figures_median(b, 5), figures_median(c, 5));
        free(x);
    }
}

/* ---- eigen ---- */

/* Makes rows like a sketch before a shrink: m - 1 orthogonal ones and m + 1 sparse ones. */
static void gram_like(uint32_t m, double *g, uint64_t *s)
{
    uint32_t n = 2 * m, d = 6 * m;
    double *b = calloc((size_t)n * d, 8);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < (i < m - 1 ? d : 3); j++)
            if (i < m - 1)
                b[i * d + j] = fd_normal(s) * exp(-3.0 * i / m);
            else
                b[i * d + fd_random(s) % d] = 1;
    cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)d, 1, b, (int)d, 0, g,
                (int)n);
    for (uint32_t i = 0; i < m - 1; i++)
        memset(g + i * n, 0, i * 8);
    free(b);
}

static double driver(int which, uint32_t m, const double *g, double *a, double *z, double *work)
{
    int n = 2 * (int)m, found, iwork[4096], suppz[1024];
    double lambda[512];
    memcpy(a, g, (size_t)n * (size_t)n * 8);
    double start = rows_now();
    if (which == 0) eigen((uint32_t)n, a, (uint32_t)n, lambda, work);
    if (which == 1)
        LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, lambda, work, 300000, iwork, 4096);
    if (which == 2) LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'U', n, a, n, lambda, work, 300000);
    if (which == 3)
        LAPACKE_dsyevr_work(LAPACK_COL_MAJOR, 'V', 'I', 'U', n, a, n, 0, 0, (int)m + 1, n, 0,
                            &found, lambda, z, n, suppz, work, 300000, iwork, 4096);
    return (rows_now() - start) * 1e6;
}

static void eigen(void)
{
    uint32_t m[] = {5, 10, 20, 30, 50, 100};
    double *a = calloc(40000, 8), *g = calloc(40000, 8), *z = calloc(40000, 8),
           *work = calloc(300000, 8);
    uint64_t s = 5;
    for (int i = 0; i < 6; i++) {
        double t[4][201];
        for (int k = 0; k < 201; k++) {
            gram_like(m[i], g, &s);
            for (int w = 0; w < 4; w++)
                t[w][k] = driver(w, m[i], g, a, z, work);
        }
        printf("n = %-3u ours %.1f us, dsyevd %.1f, dsyev %.1f, dsyevr of m %.1f\n", 2 * m[i],
               figures_median(t[0], 201), figures_median(t[1], 201), figures_median(t[2], 201),
               figures_median(t[3], 201));
    }
    free(a), free(g), free(z), free(work);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "sparse")) {
        sparse();
    } else if (!strcmp(what, "dense")) {
        dense();
    } else if (!strcmp(what, "eigen")) {
        eigen();
    } else if (argc > 2) {
        struct rows r = rows_read(what);
        uint32_t m[] = {10, 20, 50};
        for (int i = 0; i < 3; i++) {
            errors(&r, (uint32_t)atoi(argv[2]), (struct fd_options){.m = m[i]}, "doubling");
            errors(&r, (uint32_t)atoi(argv[2]), (struct fd_options){.m = m[i], .buffer = 1},
                   "every row");
        }
    } else {
        fprintf(stderr, "usage: bench_fd FILE D | sparse | dense | eigen\n");
        return 2;
    }
    return 0;
}
