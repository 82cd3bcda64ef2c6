/* test_product_exact.c -- products that are counted exactly, against dense products. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/product/product_exact.h"
#include "kernels/product/product_state.h"
#include "support/product_rig.h"
#include "support/suite.h"
#include "support/zeroed.h"

enum { MX = 30, MY = 24 };

static struct product_options exact_of(enum product_method method, uint32_t l)
{
    struct product_options o = product_of(method, l);
    o.exact = true;
    return o;
}

/* A matrix of small whole numbers in which many columns are alike. */
static struct dense whole(uint32_t m, uint32_t n, double share, uint64_t seed)
{
    struct dense d = dense_random(m, n, share, seed);
    for (uint32_t i = 0; i < m * n; i++)
        d.a[i] = d.a[i] == 0 ? 0 : 1 + (double)(i % 3);
    return d;
}

/* Returns all entries of the exact product. */
static struct dense counted(struct product_rig *r)
{
    static const struct product_order numbered;
    const uint32_t all[2] = {FEATURE_TABLE_NONE, FEATURE_TABLE_NONE};
    struct dense P = dense_new(r->table[0].n, r->table[1].n);
    struct pair *got = calloc((size_t)P.m * P.n, sizeof *got);
    ck_assert(product_is_exact(&r->p));
    uint32_t n = product_exact_entries(&r->p, all, &numbered, P.m * P.n, got);
    for (uint32_t i = 0; i < n; i++) {
        if (i) ck_assert_double_ge(fabs(got[i - 1].weight), fabs(got[i].weight));
        *dense_at(P, got[i].a, got[i].b) = got[i].weight;
    }
    free(got);
    return P;
}

/* Streams of any length are exact if there is room for their pairs. */
START_TEST(a_long_stream_of_few_pairs_is_counted_exactly)
{
    enum { N = 3000 };
    struct dense X = whole(MX, N, 0.1, 3), Y = whole(MY, N, 0.1, 5);
    struct dense P = dense_times_transposed(X, Y);
    for (int i = 0; i < 2; i++) {
        struct product_options o = exact_of(i ? PRODUCT_SFD : PRODUCT_SCOD, 40);
        struct product_rig *r = rig_new(&o, MX, MY);
        rig_learn(r, X, Y, 0, N);
        ck_assert_uint_lt(r->p.buffer[1].columns, N / 2); /* the pairs were compacted */
        struct dense C = counted(r);
        ck_assert(!memcmp(C.a, P.a, MX * MY * sizeof *P.a));
        ck_assert(product_exact_look(&r->p).bound == 0);
        dense_free(&C);
        rig_free(r);
    }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}
END_TEST

/* With fractions the bound is that of rounding, even after sums that are whole by chance. */
START_TEST(sums_of_fractions_have_a_bound)
{
    struct product_options o = exact_of(PRODUCT_SCOD, 8);
    struct product_rig *r = rig_new(&o, 2, 2);
    for (int t = 0; t < 200; t++) {
        struct product_column c[2] = {{1, (uint32_t[1]){1}, (double[1]){t % 2 ? 0.25 : 0.75}},
                                      {1, (uint32_t[1]){0}, (double[1]){1}}};
        ck_assert(product_add(&r->p, c, 1));
        double bound = product_exact_look(&r->p).bound;
        ck_assert(bound > 0 && bound < 1e-11);
    }
    ck_assert_uint_lt(r->p.buffer[0].columns, 20);
    struct dense C = counted(r);
    ck_assert_double_eq_tol(*dense_at(C, 1, 0), 100, 1e-12);
    dense_free(&C);
    rig_free(r);
}
END_TEST

static double distance_to(struct product_rig *r, struct dense X, struct dense Y, double *bound)
{
    struct dense P = dense_times_transposed(X, Y), S = rig_product(r, bound);
    double e = dense_distance(P, S);
    dense_free(&P), dense_free(&S);
    return e;
}

/* At every length, the sketch that the pairs became is within its bound and its theorem. */
START_TEST(pairs_that_are_too_many_become_a_sketch_within_its_bound)
{
    struct dense X = dense_random(60, 500, 0.2, 3), Y = dense_random(70, 500, 0.15, 5);
    double norms = dense_frobenius(X) * dense_frobenius(Y);
    for (int method = PRODUCT_SCOD; method <= PRODUCT_SFD; method++)
        for (uint32_t l = 1; l <= 24; l += 1 + l / 2) {
            struct product_options o = exact_of((enum product_method)method, l);
            struct product_rig *r = rig_new(&o, 60, 70);
            rig_learn(r, X, Y, 0, 500);
            double bound, e = distance_to(r, X, Y, &bound);
            ck_assert(!product_is_exact(&r->p));
            ck_assert_msg(e <= bound * (1 + 1e-9), "method %d, l %u: %g > %g", method, l, e, bound);
            if (method <= PRODUCT_COD)
                ck_assert_double_le(bound, product_theorem(&o) * norms * (1 + 1e-9));
            rig_free(r);
        }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* cod and fd feed the pairs to the sketch as they came, so it is the one without `exact`. */
START_TEST(a_method_that_factors_nothing_makes_the_sketch_that_it_always_makes)
{
    struct dense X = dense_random(MX, 400, 0.2, 3), Y = dense_random(MY, 400, 0.15, 5);
    for (int method = PRODUCT_COD; method <= PRODUCT_FD; method++) {
        struct product_options o = exact_of((enum product_method)method, 12);
        struct product_rig *r[2];
        for (int k = 0; k < 2; k++, o.exact = false) {
            r[k] = rig_new(&o, MX, MY);
            rig_learn(r[k], X, Y, 0, 9);
            struct dense S = rig_product(r[k], NULL); /* looks leave nothing behind */
            dense_free(&S);
            ck_assert(product_is_exact(&r[k]->p) == !k);
            rig_learn(r[k], X, Y, 9, 400);
        }
        struct dense A = rig_product(r[0], NULL), B = rig_product(r[1], NULL);
        ck_assert(!memcmp(A.a, B.a, MX * MY * sizeof *A.a));
        dense_free(&A), dense_free(&B);
        rig_free(r[0]), rig_free(r[1]);
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* Two parts of a stream, merged with a weight. With few columns the sum becomes a sketch. */
static void merged(uint32_t l, double weight, bool exact)
{
    enum { N = 700 };
    struct dense X = whole(MX, N, 0.1, 3), Y = whole(MY, N, 0.1, 5), P = dense_new(MX, MY);
    for (uint32_t t = 0; t < N; t++)
        for (uint32_t i = 0; i < MX; i++)
            for (uint32_t j = 0; j < MY; j++)
                *dense_at(P, i, j) +=
                    *dense_at(X, i, t) * *dense_at(Y, j, t) * (t < 300 ? 1 : weight);
    for (int method = PRODUCT_SCOD; method <= PRODUCT_SFD; method++) {
        struct product_options o = exact_of((enum product_method)method, l);
        struct product_rig *p = rig_new(&o, MX, MY), *q = rig_new(&o, MX, MY);
        uint32_t x[MX], y[MY], *const number[2] = {x, y};
        for (uint32_t i = 0; i < MX; i++)
            x[i] = i;
        for (uint32_t i = 0; i < MY; i++)
            y[i] = i;
        rig_learn(p, X, Y, 0, 300);
        rig_learn(q, X, Y, 300, N);
        ck_assert(product_merge(&p->p, &q->p, number, weight));
        double bound;
        struct dense S = product_is_exact(&p->p) ? counted(p) : rig_product(p, &bound);
        if (product_buffers(&o)) ck_assert(product_is_exact(&p->p) == exact);
        if (product_is_exact(&p->p))
            ck_assert(!memcmp(S.a, P.a, MX * MY * sizeof *P.a));
        else
            ck_assert_double_le(dense_distance(S, P), bound * (1 + 1e-9));
        dense_free(&S);
        rig_free(p), rig_free(q);
    }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}

START_TEST(a_merge_of_exact_products_is_exact_while_they_fit)
{
    merged(200, 1, true);
    merged(200, 3, true);
    merged(40, 1, true);
    merged(40, 0.5, true);
    merged(6, 1, false);
}
END_TEST

START_TEST(entries_of_one_feature_of_a_side_are_asked_for)
{
    struct dense X = whole(MX, 90, 0.3, 3), Y = whole(MY, 90, 0.3, 5);
    struct dense P = dense_times_transposed(X, Y);
    struct product_options o = exact_of(PRODUCT_COD, 128);
    struct product_rig *r = rig_new(&o, MX, MY);
    static const struct product_order numbered;
    struct pair got[MX * MY];
    rig_learn(r, X, Y, 0, 90);
    uint32_t n =
        product_exact_entries(&r->p, (uint32_t[]){7, FEATURE_TABLE_NONE}, &numbered, MX * MY, got);
    ck_assert_uint_gt(n, 9);
    for (uint32_t i = 0; i < n; i++)
        ck_assert(got[i].a == 7 && got[i].weight == *dense_at(P, 7, got[i].b));
    n = product_exact_entries(&r->p, (uint32_t[]){FEATURE_TABLE_NONE, 3}, &numbered, MX * MY, got);
    ck_assert_uint_gt(n, 9);
    for (uint32_t i = 0; i < n; i++)
        ck_assert(got[i].b == 3 && got[i].weight == *dense_at(P, got[i].a, 3));
    dense_free(&X), dense_free(&Y), dense_free(&P);
    rig_free(r);
}
END_TEST

/* Two entries that differ by rounding errors stand in the order of their features' ranks. */
START_TEST(nearly_equal_entries_stand_in_the_order_of_their_ranks)
{
    const uint32_t left[3] = {2, 0, 1}, right[1] = {0}, all[2] = {UINT32_MAX, UINT32_MAX};
    struct product_order order = {{left, right}, product_grain(3)};
    struct product_options o = exact_of(PRODUCT_SCOD, 8);
    struct product_rig *r = rig_new(&o, 3, 1);
    struct pair got[3];
    ck_assert(order.grain == ldexp(1, -38));
    for (uint32_t f = 0; f < 3; f++) {
        struct product_column c[2] = {{1, (uint32_t[1]){f}, (double[1]){1 + f * 0x1p-50}},
                                      {1, (uint32_t[1]){0}, (double[1]){1}}};
        ck_assert(product_add(&r->p, c, 1));
    }
    ck_assert_uint_eq(product_exact_entries(&r->p, all, &order, 3, got), 3);
    for (uint32_t i = 0; i < 3; i++)
        ck_assert(got[i].a == i && got[i].weight == 1);
    order.grain = 0;
    product_exact_entries(&r->p, all, &order, 1, got);
    ck_assert(got[0].a == left[2]);
    rig_free(r);
}
END_TEST

LEAT_SUITE("product_exact", a_long_stream_of_few_pairs_is_counted_exactly,
           sums_of_fractions_have_a_bound, pairs_that_are_too_many_become_a_sketch_within_its_bound,
           a_method_that_factors_nothing_makes_the_sketch_that_it_always_makes,
           a_merge_of_exact_products_is_exact_while_they_fit,
           entries_of_one_feature_of_a_side_are_asked_for,
           nearly_equal_entries_stand_in_the_order_of_their_ranks)
