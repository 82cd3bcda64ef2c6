/* test_fd_lazy.c -- lazily rotated columns against an eager dense twin. */
#include "tests/support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/fd_rig.h"

enum { D = 600, NNZ = 3 };

/* Features up to `known`, few of them often. */
static void draw(uint64_t *s, uint32_t known, uint32_t *feature, double *x)
{
    for (uint32_t i = 0; i < NNZ; i++) {
        double a = (double)(fd_random(s) >> 11) * 0x1p-53;
        feature[i] = (uint32_t)(a * a * known);
        x[i] = fd_normal(s);
    }
}

static double square(uint32_t rows, uint32_t d, const double *b, const double *x)
{
    double all = 0;
    for (uint32_t r = 0; r < rows; r++) {
        double s = 0;
        for (uint32_t j = 0; j < d; j++)
            s += b[(size_t)r * d + j] * x[j];
        all += s * s;
    }
    return all;
}

static void scatter(uint32_t n, const uint32_t *feature, const double *x, double *dense)
{
    memset(dense, 0, D * sizeof *dense);
    for (uint32_t i = 0; i < n; i++)
        dense[feature[i]] += x[i];
}

/* u and B'c: a random c at each shrink. */
static void compare(struct fd_options opt, uint32_t examples)
{
    struct fd_rig *t = fd_rig_new(opt, 16, 4);
    struct fd_dense *o = fd_dense_new(opt, D);
    uint64_t s = 7;
    double worst = 0, *c = calloc(fd_max_rows(&opt), sizeof *c);
    for (uint32_t k = 0; k < examples; k++) {
        uint32_t feature[NNZ], known = 10 + (uint64_t)(D - 10) * k / examples;
        double x[NNZ], dense[D];
        draw(&s, known, feature, x);
        if (k % 7 == 0) feature[1] = feature[0]; /* a repeat */
        scatter(NNZ, feature, x, dense);
        for (uint32_t r = 0; opt.weights && r < fd_max_rows(&opt); r++)
            c[r] = fd_normal(&s);
        double eager = square(o->rows, D, o->b, dense);
        double lazy = fd_rig_row(t, NNZ, feature, x, 1, c);
        fd_dense_row(o, dense, opt.weights ? c : NULL);
        worst = fmax(worst, fabs(lazy - eager) / (1 + eager));
    }
    ck_assert_double_le(worst, 1e-9);
    ck_assert_uint_eq(fd_shrinks(&t->f), o->shrinks);
    ck_assert_double_le(fabs(fd_lost(&t->f) - o->lost), 1e-9 * o->lost);
    double u[D] = {0}, *b = fd_rig_dense(t, D, u), *e = calloc((size_t)D * D, sizeof *e);
    fd_add_square(fd_rows(&t->f), D, b, 1, e);
    fd_add_square(o->rows, D, o->b, -1, e);
    for (uint32_t i = 0; i < D * D; i++)
        ck_assert_double_le(fabs(e[i]), 1e-9 * o->lost);
    for (uint32_t j = 0; opt.weights && j < D; j++)
        ck_assert_double_le(fabs(u[j] - o->u[j]), 1e-9 * (1 + fabs(o->u[j])));
    free(b), free(e), free(c);
    fd_rig_free(t);
    fd_dense_free(o);
}

START_TEST(lazy_columns_equal_an_eager_sketch_while_features_arrive)
{
    compare((struct fd_options){.m = 10}, 20000);
    compare((struct fd_options){.m = 5, .buffer = 1}, 5000);
    compare((struct fd_options){.m = 20, .warm = 20}, 5000);
}
END_TEST

LEAT_SUITE("fd_lazy", lazy_columns_equal_an_eager_sketch_while_features_arrive)
