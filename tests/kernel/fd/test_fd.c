/* test_fd.c -- the theorems of frequent directions, on streams made to break them. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/fd_rig.h"

enum { N = 300, D = 40 };

enum stream { LOW_RANK, DECAY, REPEATED, ORTHOGONAL, GROWING, FALLING, ZEROS, ONE_HOT, STREAMS };

/* Largest rank of a stream. */
static const uint32_t rank_of[] = {6, D, 1, D, D, D, 3, D};

static void make_row(enum stream kind, uint32_t t, uint64_t *s, double *x)
{
    double size = kind == GROWING ? pow(1.05, t) : kind == FALLING ? pow(0.95, t) : 1;
    uint64_t basis = 17;
    memset(x, 0, D * sizeof *x);
    if (kind == ORTHOGONAL) x[t % D] = 1;
    if (kind == ONE_HOT) x[fd_random(s) % 5] += 1, x[5 + fd_random(s) % (D - 5)] += 1;
    for (uint32_t k = 0; k < 6 && (kind == LOW_RANK || kind == REPEATED || kind == ZEROS); k++) {
        double a = kind == REPEATED ? k == 0 : fd_normal(s) / (1 + k);
        if (kind == ZEROS && (k > 2 || t % 3)) a = 0;
        for (uint32_t j = 0; j < D; j++)
            x[j] += a * fd_normal(&basis);
    }
    for (uint32_t j = 0; j < D && (kind == DECAY || kind == GROWING || kind == FALLING); j++)
        x[j] = size * fd_normal(s) * pow(0.8, j);
}

static double *make(enum stream kind, double scale)
{
    uint64_t s = 100 + kind;
    double *a = calloc((size_t)N * D, sizeof *a);
    for (uint32_t t = 0; t < N; t++) {
        make_row(kind, t, &s, a + t * D);
        for (uint32_t j = 0; j < D; j++)
            a[t * D + j] *= scale;
    }
    return a;
}

/* Entries of a dense row. */
static uint32_t sparse(const double *x, uint32_t *feature, double *value)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < D; j++)
        if (x[j] != 0) {
            feature[n] = j;
            value[n++] = x[j];
        }
    return n;
}

static void feed(struct fd_rig *t, const double *a, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++) {
        uint32_t feature[D], n;
        double value[D], before = t->f.lost;
        n = sparse(a + k * D, feature, value);
        fd_rig_row(t, n, feature, value, 1);
        if (t->f.lost < before) ck_abort_msg("lost has become less");
    }
}

static struct fd_rig *sketch(struct fd_options opt, const double *a)
{
    struct fd_rig *t = fd_rig_new(opt);
    feed(t, a, 0, N);
    return t;
}

/* Feeds the rows with factor f between them. c becomes the faded covariance, D x D. */
static void feed_fading(struct fd_rig *t, const double *a, double f, bool backwards, double *c)
{
    for (uint32_t k = 0; k < N; k++) {
        uint32_t feature[D], n;
        double value[D];
        n = sparse(a + k * D, feature, value);
        for (uint32_t i = 0; i < n && backwards; i++)
            feature[i] = D - 1 - feature[i];
        fd_fade(&t->f, f);
        if (fd_is_faint(&t->f)) fd_rig_shrink(t, NULL);
        fd_rig_row(t, n, feature, value, fd_kept(&t->f, 1));
        for (uint32_t i = 0; i < D * D; i++)
            c[i] *= f;
        fd_add_square(1, D, a + k * D, 1, c);
    }
}

/* 0 <= C - B'B <= lost I */
static void is_within_bounds(const struct fd_rig *t, const double *c, const char *what)
{
    double e[D * D], lambda[D], top[D], *b = fd_rig_dense(t, D, NULL);
    fd_spectrum(D, c, top);
    memcpy(e, c, sizeof e);
    fd_add_square(t->f.rows, D, b, -t->f.fade, e);
    fd_spectrum(D, e, lambda);
    ck_assert_msg(lambda[0] >= -1e-10 * top[D - 1], "%s: %g of %g", what, lambda[0], top[D - 1]);
    ck_assert_msg(lambda[D - 1] <= fd_lost(&t->f) + 1e-10 * top[D - 1], "%s: %g > %g", what,
                  lambda[D - 1], fd_lost(&t->f));
    free(b);
}

/* min over k < m of |A - A_k|_F^2 / (m - k). */
static double least_tail(uint32_t m, const double *spectrum)
{
    double tail = 0, least = INFINITY;
    for (uint32_t j = 0; j < D; j++)
        tail += fmax(spectrum[j], 0);
    for (uint32_t k = 0; k < m; k++) {
        least = fmin(least, tail / (m - k));
        tail -= k < D ? fmax(spectrum[D - 1 - k], 0) : tail;
    }
    return least;
}

struct gap {
    double low, high, trace; /* of A'A - B'B */
    double top, tail;        /* |A'A|, least_tail */
};

static struct gap measure(uint32_t n, const double *a, const struct fd_rig *t)
{
    double *e = calloc(D * D, sizeof *e), lambda[D], *b = fd_rig_dense(t, D, NULL);
    struct gap g;
    fd_add_square(n, D, a, 1, e);
    fd_spectrum(D, e, lambda);
    g.top = lambda[D - 1];
    g.tail = least_tail(t->f.opt.m, lambda);
    fd_add_square(t->f.rows, D, b, -1, e);
    fd_spectrum(D, e, lambda);
    g.low = lambda[0];
    g.high = lambda[D - 1];
    g.trace = 0;
    for (uint32_t j = 0; j < D; j++)
        g.trace += e[j * D + j];
    free(e), free(b);
    return g;
}

/* Checks all claims of fd.h. Rounding is about 1e-15 of the largest eigenvalue. */
static void check_bounds(uint32_t n, const double *a, const struct fd_rig *t)
{
    struct gap g = measure(n, a, t);
    double lost = t->f.lost, rounding = 1e-12 * g.top;
    ck_assert_double_ge(g.low, -rounding);
    ck_assert_double_le(g.high, lost + rounding);
    ck_assert_double_le(lost, g.tail + rounding);
    /* Each shrink takes lambda_m from at least m eigenvalues. */
    ck_assert_double_ge(g.trace, t->f.opt.m * lost - rounding * D);
    /* Robust: off by at most half of it in either direction. */
    ck_assert_double_le(fabs(g.low - lost / 2), lost / 2 + rounding);
    ck_assert_double_le(fabs(g.high - lost / 2), lost / 2 + rounding);
}

START_TEST(errors_stay_within_the_bounds)
{
    double *a = make((enum stream)_i, 1);
    uint32_t m[] = {1, 2, 5, 10, 20, 30}, buffer[] = {0, 1, 3};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 3; k++) {
            struct fd_rig *t = sketch((struct fd_options){.m = m[i], .buffer = buffer[k]}, a);
            check_bounds(N, a, t);
            fd_rig_free(t);
        }
    free(a);
}
END_TEST

START_TEST(nothing_is_lost_while_the_rank_is_below_m)
{
    double *a = make((enum stream)_i, 1);
    for (uint32_t m = rank_of[_i] + 1; m < rank_of[_i] + 40; m += 13) {
        struct fd_rig *t = sketch((struct fd_options){.m = m}, a);
        struct gap g = measure(N, a, t);
        ck_assert(t->f.lost == 0);
        ck_assert_double_le(fmax(-g.low, g.high), 1e-12 * g.top);
        fd_rig_free(t);
    }
    free(a);
}
END_TEST

START_TEST(scales_from_1e_minus_10_to_1e10_give_the_same_sketch)
{
    double *unit = make(DECAY, 1), scale[] = {1e-10, 1e-5, 1e5, 1e10};
    struct fd_rig *t = sketch((struct fd_options){.m = 8}, unit);
    for (int i = 0; i < 4; i++) {
        double *a = make(DECAY, scale[i]), square = scale[i] * scale[i];
        struct fd_rig *u = sketch((struct fd_options){.m = 8}, a);
        check_bounds(N, a, u);
        ck_assert_double_le(fabs(u->f.lost / square - t->f.lost), 1e-12 * t->f.lost);
        ck_assert_uint_eq(u->f.rows, t->f.rows);
        for (uint32_t r = 0; r < t->f.rows; r++)
            ck_assert_double_le(fabs(fd_gram(&u->f, r, r) / square - fd_gram(&t->f, r, r)),
                                1e-11 * fd_gram(&t->f, 0, 0));
        fd_rig_free(u);
        free(a);
    }
    fd_rig_free(t);
    free(unit);
}
END_TEST

/* Rows 1e-10 and 1e10 in one stream. */
START_TEST(small_rows_beside_huge_ones_do_no_harm)
{
    double *a = make(DECAY, 1);
    for (uint32_t t = 0; t < N; t++)
        for (uint32_t j = 0; j < D; j++)
            a[t * D + j] *= pow(10, (double)(t * 7 % 21) - 10);
    for (uint32_t m = 1; m < 20; m += 6) {
        struct fd_rig *t = sketch((struct fd_options){.m = m}, a);
        check_bounds(N, a, t);
        fd_rig_free(t);
    }
    free(a);
}
END_TEST

START_TEST(rows_whose_squares_vanish_do_no_harm)
{
    double scale[] = {1e-150, 1e-158, 1e-161, 1e-170, 1e-310};
    for (int i = 0; i < 5; i++) {
        double *a = make(DECAY, scale[i]), sum = 0;
        struct fd_rig *t = sketch((struct fd_options){.m = 8}, a);
        double *b = fd_rig_dense(t, D, NULL);
        for (uint32_t k = 0; k < t->f.rows * D; k++)
            sum += fabs(b[k]);
        ck_assert(isfinite(sum) && isfinite(t->f.lost));
        fd_rig_free(t);
        free(a), free(b);
    }
}
END_TEST

START_TEST(the_gram_matrix_is_that_of_the_rows)
{
    double *a = make(ONE_HOT, 1);
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 7});
    for (uint32_t k = 0; k + 10 < N; k += 10) {
        feed(t, a, k, k + 10);
        uint32_t rows = t->f.rows;
        double *b = fd_rig_dense(t, D, NULL), worst = 0;
        for (uint32_t i = 0; i < rows; i++)
            for (uint32_t j = 0; j < rows; j++) {
                double s = -fd_gram(&t->f, i, j);
                for (uint32_t l = 0; l < D; l++)
                    s += b[i * D + l] * b[j * D + l];
                worst = fd_larger(worst, fabs(s));
            }
        ck_assert_double_le(worst, 1e-11);
        free(b);
    }
    fd_rig_free(t);
    free(a);
}
END_TEST

START_TEST(rows_appended_without_products_give_the_same_sketch)
{
    double *a = make(LOW_RANK, 1);
    struct fd_rig *t = sketch((struct fd_options){.m = 4}, a);
    struct fd_rig *u = fd_rig_new((struct fd_options){.m = 4});
    for (uint32_t k = 0; k < N; k++) {
        uint32_t feature[D], n;
        double value[D];
        n = sparse(a + k * D, feature, value);
        fd_rig_touch(u, n, feature);
        double xx = fd_square(&u->f, n, u->at, value);
        fd_append(&u->f, n, u->at, value, 1, NULL, xx);
        if (fd_full(&u->f)) fd_rig_shrink(u, NULL);
    }
    check_bounds(N, a, u);
    ck_assert_double_le(fabs(u->f.lost - t->f.lost), 1e-10 * t->f.lost);
    fd_rig_free(t), fd_rig_free(u);
    free(a);
}
END_TEST

START_TEST(repeats_add_up)
{
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 4});
    uint32_t feature[] = {3, 5, 3, 3};
    double x[] = {1, 2, 4, -2}, column[8];
    fd_rig_touch(t, 4, feature);
    ck_assert(t->at[0] == t->at[2] && t->at[0] == t->at[3] && t->at[0] != t->at[1]);
    ck_assert(fd_square(&t->f, 4, t->at, x) == 9 + 4);
    ck_assert(fd_square(&t->f, 4, t->at, x) == 9 + 4);
    fd_append(&t->f, 4, t->at, x, 2, t->p, 13);
    ck_assert(fd_gram(&t->f, 0, 0) == 52);
    fd_column(&t->f, t->row, t->stride, 3, column, NULL);
    ck_assert(column[0] == 6);
    fd_rig_free(t);
}
END_TEST

START_TEST(rows_too_large_or_not_finite_change_nothing)
{
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 4});
    uint32_t feature[] = {3};
    double x[] = {1}, scale[] = {NAN, INFINITY, -INFINITY, 1.1e100};
    fd_rig_touch(t, 1, feature);
    for (int i = 0; i < 4; i++)
        ck_assert(!fd_append(&t->f, 1, t->at, x, scale[i], t->p, 1));
    ck_assert(!fd_append(&t->f, 1, t->at, x, 1, t->p, NAN));
    ck_assert_uint_eq(t->f.rows, 0);
    for (int i = 0; i < 100; i++)
        fd_rig_row(t, 1, feature, x, 1e100);
    ck_assert(isfinite(fd_gram(&t->f, 0, 0)) && fd_gram(&t->f, 0, 0) > 0);
    fd_rig_free(t);
}
END_TEST

START_TEST(weights_are_added_up_by_slot)
{
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 4, .weights = true});
    uint32_t feature[] = {3, 5, 3};
    double x[] = {1, 2, 4}, column[8], u;
    fd_rig_touch(t, 3, feature);
    fd_add_weight(&t->f, 3, t->at, x, 0.5);
    ck_assert(fd_weigh(&t->f, 3, t->at, x) == 2.5 * 5 + 2);
    fd_rig_shrink(t, NULL);
    fd_column(&t->f, t->row, t->stride, 3, column, &u);
    ck_assert(u == 2.5);
    fd_column(&t->f, t->row, t->stride, 0, column, &u);
    ck_assert(u == 0);
    fd_rig_free(t);
}
END_TEST

START_TEST(warm_shrinks_come_at_every_row)
{
    double *a = make(DECAY, 1);
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 6, .warm = 10});
    feed(t, a, 0, 15);
    ck_assert_uint_eq(t->f.log.n, 10);
    feed(t, a, 15, 21);
    ck_assert_uint_eq(t->f.log.n, 10);
    feed(t, a, 21, 22);
    ck_assert_uint_eq(t->f.log.n, 11);
    feed(t, a, 22, N);
    check_bounds(N, a, t);
    fd_rig_free(t);
    free(a);
}
END_TEST

/* ---- two sketches ---- */

START_TEST(a_difference_of_two_errs_by_the_larger_loss)
{
    double *a = make((enum stream)_i, 1), *e = calloc(D * D, sizeof *e), lambda[D];
    for (uint32_t m = 2; m < 20; m += 5) {
        struct fd_rig *t[2];
        memset(e, 0, D * D * sizeof *e);
        for (int k = 0; k < 2; k++)
            t[k] = fd_rig_new((struct fd_options){.m = m});
        for (uint32_t k = 0; k < N; k++) {
            int negative = k * k % 5 == 1;
            feed(t[negative], a, k, k + 1);
            fd_add_square(1, D, a + k * D, negative ? -1 : 1, e);
        }
        for (int k = 0; k < 2; k++) {
            double *b = fd_rig_dense(t[k], D, NULL);
            fd_add_square(t[k]->f.rows, D, b, k ? 1 : -1, e);
            free(b);
        }
        fd_spectrum(D, e, lambda);
        double rounding = 1e-12 * (1 + t[0]->f.lost + fabs(lambda[D - 1])) * N;
        ck_assert_double_le(lambda[D - 1], t[0]->f.lost + rounding);
        ck_assert_double_ge(lambda[0], -t[1]->f.lost - rounding);
        fd_rig_free(t[0]), fd_rig_free(t[1]);
    }
    free(a), free(e);
}
END_TEST

/* Returns a sketch whose features are numbered backwards: its feature j is D - 1 - j. */
static struct fd_rig *backwards(struct fd_options opt, const double *a, uint32_t from, uint32_t to)
{
    struct fd_rig *t = fd_rig_new(opt);
    for (uint32_t k = from; k < to; k++) {
        uint32_t feature[D], n;
        double value[D];
        n = sparse(a + k * D, feature, value);
        for (uint32_t i = 0; i < n; i++)
            feature[i] = D - 1 - feature[i];
        fd_rig_row(t, n, feature, value, 1);
    }
    return t;
}

static struct fd_rig *merge(const struct fd_rig *a, const struct fd_rig *b, double count,
                            const double *ca, const double *cb)
{
    struct fd_rig *t = fd_rig_new(a->f.opt);
    uint32_t number[D];
    void *work = aligned_alloc(64, (fd_merge_bytes(&a->f.opt) + 63) & ~(size_t)63);
    memset(work, 0, fd_merge_bytes(&a->f.opt));
    for (uint32_t j = 0; j < b->known; j++)
        number[j] = D - 1 - j;
    t->known = D;
    struct fd_side left = {&a->f, a->row, a->stride, a->known, 1, 0.25, ca};
    struct fd_side right = {&b->f, b->row, b->stride, b->known, count, 0.75, cb};
    fd_merge(&t->f, t->row, t->stride, &left, &right, number, work);
    free(work);
    return t;
}

START_TEST(a_merged_sketch_is_within_the_bounds_and_goes_on)
{
    double *a = make((enum stream)_i, 1);
    uint32_t cut[] = {0, 13, N / 2, N - 30};
    for (uint32_t m = 1; m < 25; m += 6)
        for (int i = 0; i < 4; i++) {
            struct fd_options opt = {.m = m, .buffer = i % 2 ? 0 : 2};
            struct fd_rig *p = fd_rig_new(opt);
            feed(p, a, 0, cut[i]);
            struct fd_rig *q = backwards(opt, a, cut[i], N - 20), *t = merge(p, q, 1, NULL, NULL);
            ck_assert_double_ge(t->f.lost, p->f.lost + q->f.lost);
            check_bounds(N - 20, a, t);
            feed(t, a, N - 20, N);
            check_bounds(N, a, t);
            fd_rig_free(p), fd_rig_free(q), fd_rig_free(t);
        }
    free(a);
}
END_TEST

START_TEST(a_side_that_counts_four_times_is_its_rows_doubled)
{
    double *a = make(LOW_RANK, 1);
    struct fd_options opt = {.m = 20};
    struct fd_rig *p = fd_rig_new(opt), *q = backwards(opt, a, 100, N);
    feed(p, a, 0, 100);
    struct fd_rig *t = merge(p, q, 4, NULL, NULL);
    for (uint32_t k = 100 * D; k < N * D; k++)
        a[k] *= 2;
    check_bounds(N, a, t);
    ck_assert(t->f.lost == 0);
    fd_rig_free(p), fd_rig_free(q), fd_rig_free(t);
    free(a);
}
END_TEST

static double weight_of(const struct fd_rig *t, uint32_t feature, const double *c)
{
    double column[64] = {0}, u = 0;
    fd_column(&t->f, t->row, t->stride, feature, column, &u);
    for (uint32_t r = 0; r < t->f.rows; r++)
        u += c[r] * column[r];
    return u;
}

START_TEST(merged_weights_are_the_mean_by_share)
{
    double *a = make(DECAY, 1), c[64], zero[64] = {0};
    struct fd_options opt = {.m = 5, .weights = true};
    struct fd_rig *p = fd_rig_new(opt), *q = backwards(opt, a, 100, 155);
    for (int r = 0; r < 64; r++)
        c[r] = 1 + r;
    feed(p, a, 0, 100);
    fd_rig_shrink(p, c);
    feed(p, a, 155, 158);
    struct fd_rig *t = merge(p, q, 1, c, c);
    for (uint32_t j = 0; j < D; j++) {
        double mean = 0.25 * weight_of(p, j, c) + 0.75 * weight_of(q, D - 1 - j, c);
        ck_assert_double_le(fabs(weight_of(t, j, zero) - mean), 1e-12 * (1 + fabs(mean)));
    }
    fd_rig_free(p), fd_rig_free(q), fd_rig_free(t);
    free(a);
}
END_TEST

START_TEST(a_faded_sketch_is_within_its_bounds_of_the_faded_covariance)
{
    static const double factors[] = {0.3, 0.9, 0.99, 0.999};
    for (int kind = 0; kind < STREAMS; kind++)
        for (int k = 0; k < 4; k++)
            for (uint32_t buffer = 0; buffer < 2; buffer++) {
                double *a = make((enum stream)kind, 1), c[D * D] = {0}, d[D * D] = {0};
                struct fd_options opt = {.m = 8, .buffer = buffer};
                struct fd_rig *t = fd_rig_new(opt), *u = fd_rig_new(opt);
                feed_fading(t, a, factors[k], false, c);
                is_within_bounds(t, c, "one");
                feed_fading(u, a, factors[3 - k], true, d);
                struct fd_rig *both = merge(t, u, 0.5, NULL, NULL);
                for (uint32_t i = 0; i < D * D; i++)
                    c[i] += 0.5 * d[i];
                is_within_bounds(both, c, "merged");
                fd_rig_free(t), fd_rig_free(u), fd_rig_free(both);
                free(a);
            }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct fd_rig *t = fd_rig_new((struct fd_options){.m = 2, .buffer = 1});
    const uint32_t feature[] = {0, 1};
    const double value[] = {2, 1};
    fd_rig_row(t, 1, &feature[0], &value[0], 1);
    fd_rig_append(t, 1, &feature[1], &value[1], 1);
    ck_assert(fd_full(&t->f) && t->f.rows == 2);
    ck_assert(fd_gram(&t->f, 0, 0) == 4 && fd_gram(&t->f, 1, 1) == 1 && fd_gram(&t->f, 1, 0) == 0);
    fd_rig_shrink(t, NULL);
    double *b = fd_rig_dense(t, 2, NULL);
    ck_assert(t->f.rows == 1 && t->f.lost == 1);
    ck_assert_double_eq_tol(fabs(b[0]), sqrt(3), 1e-15);
    ck_assert_double_eq(b[1], 0);
    free(b);
    fd_rig_free(t);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("fd");
    TCase *c = tcase_create("fd");
    tcase_set_timeout(c, 60);
    tcase_add_loop_test(c, errors_stay_within_the_bounds, 0, STREAMS);
    tcase_add_loop_test(c, nothing_is_lost_while_the_rank_is_below_m, 0, STREAMS);
    tcase_add_test(c, scales_from_1e_minus_10_to_1e10_give_the_same_sketch);
    tcase_add_test(c, small_rows_beside_huge_ones_do_no_harm);
    tcase_add_test(c, rows_whose_squares_vanish_do_no_harm);
    tcase_add_test(c, the_gram_matrix_is_that_of_the_rows);
    tcase_add_test(c, rows_appended_without_products_give_the_same_sketch);
    tcase_add_test(c, repeats_add_up);
    tcase_add_test(c, rows_too_large_or_not_finite_change_nothing);
    tcase_add_test(c, weights_are_added_up_by_slot);
    tcase_add_test(c, warm_shrinks_come_at_every_row);
    tcase_add_loop_test(c, a_difference_of_two_errs_by_the_larger_loss, 0, STREAMS);
    tcase_add_loop_test(c, a_merged_sketch_is_within_the_bounds_and_goes_on, 0, STREAMS);
    tcase_add_test(c, a_side_that_counts_four_times_is_its_rows_doubled);
    tcase_add_test(c, merged_weights_are_the_mean_by_share);
    tcase_add_test(c, a_faded_sketch_is_within_its_bounds_of_the_faded_covariance);
    tcase_add_test(c, the_example_of_the_header_is_what_happens);
    suite_add_tcase(s, c);
    return s;
}
