/* test_product_state.c -- the largest entries and triplets of sketches; states and sums of two. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/product/product_alike.h"
#include "kernels/product/product_top.h"
#include "support/product_rig.h"
#include "support/suite.h"
#include "support/zeroed.h"

enum { METHODS = PRODUCT_HASHING + 1, MX = 40, MY = 30 };

/* ---- the largest ---- */

static const struct product_order numbered; /* equal entries in the order of numbers, no grain */

static int larger(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    double p = fabs(x->weight), q = fabs(y->weight);
    return (p < q) - (p > q);
}

/* Returns all entries of the sketch, the largest first. */
static struct pair *all_entries(struct dense P)
{
    struct pair *e = calloc((size_t)P.m * P.n, sizeof *e);
    for (uint32_t i = 0; i < P.m * P.n; i++)
        e[i] = (struct pair){i / P.n, i % P.n, P.a[i]};
    qsort(e, (size_t)P.m * P.n, sizeof *e, larger);
    return e;
}

static struct product_triplets triplets_of(struct product_rig *r, void **block)
{
    struct product_view v;
    struct product_triplets t;
    ck_assert(product_look(&r->p, &v));
    const struct tall_matrix side[2] = {product_side(&r->p, 0), product_side(&r->p, 1)};
    ck_assert_uint_le(v.columns, product_max_columns(&r->p.opt));
    *block = zeroed(product_triplets_bytes(v.columns));
    ck_assert(product_triplets(side, v.columns, v.scale, *block, &t));
    return t;
}

/* All rows of a side in the coordinates of the triplets. */
static struct dense rows_of(const struct product_triplets *t, int side)
{
    struct dense d = dense_new(t->side[side].n, t->n);
    for (uint32_t from = 0, n; from < d.m; from += n) {
        n = d.m - from < 7 ? d.m - from : 7;
        memcpy(dense_at(d, from, 0), product_triplets_rows(t, side, from, n),
               (size_t)n * t->n * sizeof *d.a);
    }
    return d;
}

START_TEST(the_largest_entries_are_found_of_every_method)
{
    struct dense X = dense_random(300, 200, 0.05, 3), Y = dense_random(700, 200, 0.05, 5);
    for (uint32_t i = 0; i < 300; i++) /* a few features hold most of the weight */
        for (uint32_t j = 0; j < 200; j++)
            *dense_at(X, i, j) *= 5.0 / (1 + i % 100);
    for (int method = 0; method < METHODS; method++)
        for (uint32_t k = 1; k <= 1000; k *= 10) {
            struct product_options o = product_of((enum product_method)method, 12);
            struct product_rig *r = rig_new(&o, 300, 700);
            rig_learn(r, X, Y, 0, 200);
            void *block;
            struct product_triplets t = triplets_of(r, &block);
            const uint32_t m[2] = {300, 700};
            void *work = zeroed(product_entries_bytes(m, t.columns));
            struct pair *got = calloc(k, sizeof *got);
            uint64_t looked;
            struct dense P = rig_product(r, NULL);
            struct pair *want = all_entries(P);
            double tiny = 1e-9 * fabs(want[0].weight);
            ck_assert_uint_eq(product_entries(&t, &numbered, k, 0, work, got, &looked), k);
            for (uint32_t i = 0; i < k; i++) {
                ck_assert_double_eq_tol(fabs(got[i].weight), fabs(want[i].weight), tiny);
                double there = *dense_at(P, got[i].a, got[i].b);
                ck_assert_double_eq_tol(got[i].weight, there, tiny);
            }
            if (k <= 10) ck_assert_uint_lt(looked, 300 * 700); /* pruning saves looks */
            dense_free(&P);
            free(block), free(work), free(got), free(want);
            rig_free(r);
        }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* One column is in bytes, another in shares. No omitted entry exceeds the bound. */
START_TEST(entries_of_features_of_any_scale_are_within_the_bound)
{
    enum { M = 20, N = 30, RECORDS = 60 };
    struct dense X = dense_random(M, RECORDS, 0.3, 7), Y = dense_random(N, RECORDS, 0.3, 8);
    for (uint32_t j = 0; j < RECORDS; j++) {
        for (uint32_t i = 0; i < M; i++)
            *dense_at(X, i, j) *= pow(10, (double)(i * 7 % M) - 10);
        for (uint32_t i = 0; i < N; i++)
            *dense_at(Y, i, j) *= pow(10, (double)(i * 7 % N) / 2 - 8);
    }
    struct dense P = dense_times_transposed(X, Y);
    for (int method = 0; method <= PRODUCT_SFD; method++) {
        struct product_options o = product_of((enum product_method)method, 64);
        struct product_rig *r = rig_new(&o, M, N);
        rig_learn(r, X, Y, 0, RECORDS);
        void *block;
        struct product_triplets t = triplets_of(r, &block);
        struct product_view v;
        ck_assert(product_look(&r->p, &v));
        const uint32_t m[2] = {M, N};
        void *work = zeroed(product_entries_bytes(m, t.columns));
        static struct pair got[M * N];
        uint64_t looked;
        uint32_t n = product_entries(&t, &numbered, M * N, v.rounding, work, got, &looked);
        struct dense S = dense_new(M, N);
        for (uint32_t i = 0; i < n; i++)
            *dense_at(S, got[i].a, got[i].b) = got[i].weight;
        for (uint32_t e = 0; e < M * N; e++)
            ck_assert_msg(fabs(S.a[e] - P.a[e]) <= v.bound, "method %d: %g is %g, bound %g", method,
                          P.a[e], S.a[e], v.bound);
        ck_assert_uint_gt(n, 50);
        dense_free(&S);
        free(block), free(work);
        rig_free(r);
    }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}
END_TEST

START_TEST(more_than_there_are_gives_all_that_are_not_zero)
{
    struct product_options o = product_of(PRODUCT_COD, 8);
    struct product_rig *r = rig_new(&o, 3, 4);
    struct dense X = dense_new(3, 2), Y = dense_new(4, 2);
    *dense_at(X, 0, 0) = 1, *dense_at(Y, 1, 0) = -2;
    *dense_at(X, 2, 1) = 1, *dense_at(Y, 3, 1) = 3;
    rig_learn(r, X, Y, 0, 2);
    void *block;
    struct product_triplets t = triplets_of(r, &block);
    const uint32_t m[2] = {3, 4};
    void *work = zeroed(product_entries_bytes(m, t.columns));
    struct pair got[12];
    uint64_t looked;
    ck_assert_uint_eq(t.n, 2);
    ck_assert_uint_eq(product_entries(&t, &numbered, 12, 0, work, got, &looked),
                      2); /* rounding adds no entries */
    ck_assert_double_eq_tol(got[0].weight, 3, 1e-12);
    ck_assert_double_eq_tol(got[1].weight, -2, 1e-12);
    dense_free(&X), dense_free(&Y);
    free(block), free(work);
    rig_free(r);
}
END_TEST

/* The k largest entries of A B' above `rounding`; returns how many. */
static uint32_t largest_of(struct dense A, struct dense B, uint32_t k, double rounding,
                           struct pair *got)
{
    const struct tall_matrix side[2] = {{A.a, A.m, A.n}, {B.a, B.m, B.n}};
    const uint32_t m[2] = {A.m, B.m};
    struct product_triplets t;
    uint64_t looked;
    void *block = zeroed(product_triplets_bytes(A.n)),
         *work = zeroed(product_entries_bytes(m, A.n));
    ck_assert(product_triplets(side, A.n, 1, block, &t));
    uint32_t n = product_entries(&t, &numbered, k, rounding, work, got, &looked);
    free(block), free(work);
    return n;
}

/* All entries of A B' are 1 or 0. Rows 1 to 64 of A are longer than row 0 in the coordinates of the
 * triplets, so they fill the first tile. The product of lengths of row 0 is the entry itself. */
START_TEST(an_equal_entry_of_a_later_tile_is_found)
{
    struct dense A = dense_new(65, 2), B = dense_new(257, 2);
    struct pair got[1];
    for (uint32_t i = 0; i < 65; i++)
        *dense_at(A, i, i > 0) = 1;
    for (uint32_t j = 0; j < 257; j++)
        *dense_at(B, j, j > 0) = 1;
    ck_assert_uint_eq(largest_of(A, B, 1, 0, got), 1);
    ck_assert(got[0].a == 0 && got[0].b == 0 && got[0].weight == 1);
    dense_free(&A), dense_free(&B);
}
END_TEST

START_TEST(an_entry_just_above_the_rounding_is_found)
{
    struct dense A = dense_new(1, 1), B = dense_new(1, 1);
    struct pair got[4];
    *dense_at(A, 0, 0) = 1.2, *dense_at(B, 0, 0) = 1;
    ck_assert_uint_eq(largest_of(A, B, 4, 1, got), 1);
    ck_assert_uint_eq(largest_of(A, B, 4, 1.3, got), 0);
    dense_free(&A), dense_free(&B);
}
END_TEST

START_TEST(the_heaviest_features_of_a_vector_are_in_their_order)
{
    struct dense A = dense_new(5, 1), B = dense_new(1, 1);
    const double value[] = {1, -3, 2, 3, 1e-12};
    const struct tall_matrix side[2] = {{A.a, 5, 1}, {B.a, 1, 1}};
    struct product_triplets t;
    struct product_heavy heavy[7];
    memcpy(A.a, value, sizeof value), *B.a = 1;
    void *block = zeroed(product_triplets_bytes(1));
    ck_assert(product_triplets(side, 1, 1, block, &t));
    product_heaviest(&t, 0, 1, 7, &numbered, heavy);
    const uint32_t order[] = {1, 3, 2, 0}; /* of equal ones the first; then rounding and nothing */
    for (int i = 0; i < 7; i++) {
        if (i < 4) ck_assert_uint_eq(heavy[i].feature, order[i]);
        double share = i < 4 ? fabs(value[order[i]]) / 3 : 0;
        ck_assert_double_eq_tol(fabs(heavy[i].value) / fabs(heavy[0].value), share, 1e-14);
    }
    dense_free(&A), dense_free(&B);
    free(block);
}
END_TEST

/* Columns are orthogonal, column i of length sqrt(sigma_i). */
static void orthogonal_of_length(struct dense U, const double *sigma)
{
    for (uint32_t i = 0; i < U.n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            double dot = 0;
            for (uint32_t r = 0; r < U.m; r++)
                dot += *dense_at(U, r, i) * *dense_at(U, r, j);
            ck_assert_double_eq_tol(dot, i == j ? sigma[i] : 0, 1e-9 * sigma[0]);
        }
}

/* Checks that no other feature is heavier than the third. */
static void heaviest_of_each(const struct product_triplets *t, int side, struct dense U)
{
    struct product_heavy *heavy = calloc((size_t)t->n * 3, sizeof *heavy);
    product_heaviest(t, side, t->n, 3, &numbered, heavy);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct product_heavy *h = heavy + 3 * (size_t)i;
        double tiny = 1e-12 * fabs(h[0].value);
        for (int j = 0; j < 3; j++)
            ck_assert_double_eq_tol(h[j].value, *dense_at(U, h[j].feature, i), tiny);
        for (uint32_t a = 0; a < U.m; a++)
            if (a != h[0].feature && a != h[1].feature && a != h[2].feature)
                ck_assert_double_le(fabs(*dense_at(U, a, i)), fabs(h[2].value) + tiny);
    }
    free(heavy);
}

START_TEST(triplets_are_the_singular_values_and_vectors_of_the_sketch)
{
    struct dense X = dense_random(MX, 200, 0.2, 3), Y = dense_random(MY, 200, 0.2, 5);
    for (int method = 0; method < METHODS; method++) {
        struct product_options o = product_of((enum product_method)method, 9);
        struct product_rig *r = rig_new(&o, MX, MY);
        rig_learn(r, X, Y, 0, 200);
        void *block;
        struct product_triplets t = triplets_of(r, &block);
        struct dense P = rig_product(r, NULL), Q = dense_new(MX, MY),
                     UV[2] = {rows_of(&t, 0), rows_of(&t, 1)};
        double sigma[MY];
        dense_singular(P, sigma);
        for (uint32_t i = 0; i < t.n; i++) {
            ck_assert_double_eq_tol(t.sigma[i], sigma[i], 1e-9 * sigma[0]);
            for (uint32_t a = 0; a < MX; a++)
                for (uint32_t b = 0; b < MY; b++)
                    *dense_at(Q, a, b) += *dense_at(UV[0], a, i) * *dense_at(UV[1], b, i);
        }
        ck_assert_double_le(dense_distance(P, Q), 1e-9 * sigma[0]);
        for (int s = 0; s < 2; s++) {
            orthogonal_of_length(UV[s], t.sigma);
            heaviest_of_each(&t, s, UV[s]);
            dense_free(&UV[s]);
        }
        dense_free(&P), dense_free(&Q);
        free(block);
        rig_free(r);
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* Columns of very different sizes, divided unequally between the sides. Two columns are equal, and
 * one is zero. */
START_TEST(triplets_of_hard_columns_are_as_exact)
{
    enum { M = 300, N = 60, K = 8 };
    struct dense A = dense_random(M, K, 1, 3), B = dense_random(N, K, 1, 5);
    const double of_a[K] = {1e6, 1, 1e-4, 1e3, 1, 1, 1, 0},
                 of_b[K] = {1e-6, 1, 1e2, 1e-8, 1e-3, 1e-9, 1, 1};
    for (uint32_t j = 0; j < K; j++) {
        for (uint32_t i = 0; i < M; i++)
            *dense_at(A, i, j) = j == 6 ? *dense_at(A, i, 1) : *dense_at(A, i, j) * of_a[j];
        for (uint32_t i = 0; i < N; i++)
            *dense_at(B, i, j) *= of_b[j];
    }
    const struct tall_matrix side[2] = {{A.a, M, K}, {B.a, N, K}};
    struct product_triplets t;
    void *block = zeroed(product_triplets_bytes(K));
    ck_assert(product_triplets(side, K, 1, block, &t));
    ck_assert_uint_eq(t.n, K - 2);
    struct dense P = dense_times_transposed(A, B), UV[2] = {rows_of(&t, 0), rows_of(&t, 1)};
    double sigma[N];
    dense_singular(P, sigma);
    for (uint32_t i = 0; i < t.n; i++)
        ck_assert_double_eq_tol(t.sigma[i], sigma[i], 1e-13 * sigma[0]);
    struct dense Q = dense_times_transposed(UV[0], UV[1]);
    ck_assert_double_le(dense_distance(P, Q), 1e-13 * sigma[0]);

    enum { TOP = 500 };
    const uint32_t m[2] = {M, N};
    void *work = zeroed(product_entries_bytes(m, K));
    struct pair got[TOP], *want = all_entries(P);
    uint64_t looked;
    ck_assert_uint_eq(product_entries(&t, &numbered, TOP, 0, work, got, &looked), TOP);
    for (uint32_t i = 0; i < TOP; i++) {
        ck_assert_double_eq_tol(fabs(got[i].weight), fabs(want[i].weight), 1e-13 * sigma[0]);
        ck_assert_double_eq_tol(got[i].weight, *dense_at(P, got[i].a, got[i].b), 1e-13 * sigma[0]);
    }
    ck_assert_uint_lt(looked, M * N);
    for (int s = 0; s < 2; s++)
        dense_free(&UV[s]);
    dense_free(&A), dense_free(&B), dense_free(&P), dense_free(&Q);
    free(block), free(work), free(want);
}
END_TEST

/* ---- triplets of one sigma ---- */

enum { BLOCKS = 5, EACH = 3 };

/* Triplets of a product of blocks of ones, whose columns are rotated by `angle`. Feature f of the
 * left has rank[f]. */
static void settle(double angle, const uint32_t *rank, uint32_t shown, struct dense UV[2])
{
    struct product_order order = {{rank, NULL}, 0};
    struct dense A = dense_new(BLOCKS * EACH + 1, BLOCKS + 1),
                 B = dense_new(BLOCKS + 1, BLOCKS + 1);
    for (uint32_t i = 0; i < BLOCKS * EACH; i++)
        *dense_at(A, i, i / EACH) = 1;
    for (uint32_t i = 0; i < BLOCKS; i++)
        *dense_at(B, i, i) = 1;
    *dense_at(A, BLOCKS * EACH, BLOCKS) = *dense_at(B, BLOCKS, BLOCKS) = 3;
    for (uint32_t c = 0; c + 1 < A.n; c++) /* rotates both sides alike */
        for (int s = 0; s < 2; s++)
            for (uint32_t i = 0; i < (s ? B : A).m; i++) {
                double *x = dense_at(s ? B : A, i, c), *y = x + 1, v = *x, w = *y;
                *x = cos(angle) * v - sin(angle) * w;
                *y = sin(angle) * v + cos(angle) * w;
            }
    const struct tall_matrix side[2] = {{A.a, A.m, A.n}, {B.a, B.m, B.n}};
    struct product_triplets t;
    void *block = zeroed(product_triplets_bytes(A.n)),
         *work = zeroed(product_settle_bytes(A.m, A.n));
    ck_assert(product_triplets(side, A.n, 1, block, &t));
    ck_assert_uint_eq(product_alike(&t, 0).n, 1);
    ck_assert_uint_eq(product_alike(&t, 2).first, 1);
    ck_assert_uint_eq(product_alike(&t, 2).n, BLOCKS);
    product_settle(&t, shown, &order, work);
    UV[0] = rows_of(&t, 0), UV[1] = rows_of(&t, 1);
    dense_free(&A), dense_free(&B);
    free(block), free(work);
}

/* The blocks come one by one, in the order of their features, whatever the basis was. */
START_TEST(triplets_of_one_sigma_are_those_of_the_data)
{
    uint32_t rank[BLOCKS * EACH + 1];
    for (uint32_t turn = 0; turn < BLOCKS; turn++)
        for (double angle = 0; angle < 3; angle += 0.4) {
            for (uint32_t f = 0; f <= BLOCKS * EACH; f++)
                rank[f] = f == BLOCKS * EACH ? f : (f + turn * EACH) % (BLOCKS * EACH);
            struct dense UV[2];
            uint32_t shown = 1 + BLOCKS - turn % 2;
            settle(angle, rank, shown, UV);
            for (uint32_t i = 1; i < shown; i++) {
                uint32_t block = (i - 1 + BLOCKS - turn) % BLOCKS;
                for (uint32_t f = 0; f < BLOCKS * EACH; f++)
                    ck_assert_double_eq_tol(
                        fabs(*dense_at(UV[0], f, i)),
                        f / EACH == block ? sqrt(1.0 / EACH) * pow(EACH, 0.25) : 0, 1e-12);
                for (uint32_t g = 0; g < BLOCKS; g++)
                    ck_assert_double_eq_tol(fabs(*dense_at(UV[1], g, i)),
                                            g == block ? pow(EACH, 0.25) : 0, 1e-12);
            }
            dense_free(&UV[0]), dense_free(&UV[1]);
        }
}
END_TEST

/* ---- states ---- */

/* Returns a copy made from the parts. */
static struct product_rig *copy_of(struct product_rig *r)
{
    struct product_parts p = product_parts(&r->p);
    double *rows[2];
    for (int s = 0; s < 2; s++) {
        rows[s] = calloc((size_t)p.side[s].features * p.used + 1, sizeof **rows);
        product_pack(&r->p, s, rows[s]);
        p.side[s].rows = rows[s];
    }
    ck_assert_ptr_null(product_check_parts(&r->p.opt, &p));
    struct product_rig *copy = rig_new(&r->p.opt, p.side[0].features, p.side[1].features);
    product_load(&copy->p, &p);
    free(rows[0]), free(rows[1]);
    return copy;
}

START_TEST(a_copy_of_the_parts_goes_on_bit_for_bit)
{
    struct dense X = dense_random(MX, 400, 0.2, 3), Y = dense_random(MY, 400, 0.2, 5);
    for (int method = 0; method < METHODS; method++)
        for (uint32_t at = 0; at <= 400; at += 133) {
            struct product_options o = product_of((enum product_method)method, 5);
            struct product_rig *r = rig_new(&o, MX, MY);
            rig_learn(r, X, Y, 0, at);
            struct product_rig *copy = copy_of(r);
            rig_learn(r, X, Y, at, 400);
            rig_learn(copy, X, Y, at, 400);
            double bound[2];
            struct dense A = rig_product(r, &bound[0]), B = rig_product(copy, &bound[1]);
            ck_assert(!memcmp(A.a, B.a, MX * MY * sizeof *A.a) && bound[0] == bound[1]);
            dense_free(&A), dense_free(&B);
            rig_free(r), rig_free(copy);
        }
    dense_free(&X), dense_free(&Y);
}
END_TEST

START_TEST(parts_that_no_sketch_has_are_refused_with_a_reason)
{
    struct dense X = dense_random(4, 6, 1, 3), Y = dense_random(4, 6, 1, 5);
    struct product_options o = product_of(PRODUCT_SCOD, 5);
    struct product_rig *r = rig_new(&o, 4, 4);
    rig_learn(r, X, Y, 0, 3);
    struct product_parts good = product_parts(&r->p), p;
    double rows[32] = {0}, values[16];
    uint32_t starts[8] = {0, 4, 8, 12}, features[16];
    good.side[0].rows = good.side[1].rows = rows;
    ck_assert_uint_eq(good.columns, 3);
    ck_assert_ptr_null(product_check_parts(&o, &good));

    p = good, p.used = 6;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "columns is more than size"));
    p = good, p.sums.weight = -1;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "out of range"));
    p = good, p.sums.lost = NAN;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "out of range"));
    p = good, p.sums.skipped = 9;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "skipped"));
    p = good, p.used = 1, rows[3] = INFINITY;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "rows are too large"));
    rows[3] = 0;
    p = good, p.side[0].start = starts, starts[2] = 4;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "starts do not ascend"));
    starts[2] = 8, starts[3] = 11;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "begin with 0 and end with"));
    p = good, p.side[1].entries = 25; /* 5 columns, and no more than 5 features */
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "n_entries is more"));
    memcpy(features, good.side[1].feature, 12 * 4);
    p = good, p.side[1].feature = features, features[7] = 4;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "features has a number"));
    memcpy(values, good.side[1].value, 12 * 8);
    p = good, p.side[1].value = values, values[2] = NAN;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "values are too large"));
    o.method = PRODUCT_COD;
    p = good, p.used = 5;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "keeps one free"));
    o.method = PRODUCT_HASHING;
    p = good, p.used = 2;
    ck_assert_ptr_nonnull(strstr(product_check_parts(&o, &p), "columns is less than size"));
    dense_free(&X), dense_free(&Y);
    rig_free(r);
}
END_TEST

/* ---- sums ---- */

/* Sketches of columns [0, 150) and [150, 400), the second with its features in another order. */
static void two(const struct product_options *o, struct dense X, struct dense Y,
                struct product_rig *r[2])
{
    struct dense X2 = dense_new(MX, 400), Y2 = dense_new(MY, 400);
    for (uint32_t j = 0; j < 400; j++) {
        for (uint32_t i = 0; i < MX; i++)
            *dense_at(X2, MX - 1 - i, j) = *dense_at(X, i, j);
        for (uint32_t i = 0; i < MY; i++)
            *dense_at(Y2, (i + 7) % MY, j) = *dense_at(Y, i, j);
    }
    for (int k = 0; k < 2; k++)
        r[k] = rig_new(o, MX, MY);
    rig_learn(r[0], X, Y, 0, 150);
    rig_learn(r[1], X2, Y2, 150, 400);
    dense_free(&X2), dense_free(&Y2);
}

static void numbers(uint32_t x[MX], uint32_t y[MY])
{
    for (uint32_t i = 0; i < MX; i++)
        x[MX - 1 - i] = i;
    for (uint32_t i = 0; i < MY; i++)
        y[(i + 7) % MY] = i;
}

START_TEST(a_sum_is_within_its_bound_and_the_bounds_add_up)
{
    struct dense X = dense_random(MX, 400, 0.2, 3), Y = dense_random(MY, 400, 0.2, 5);
    for (int method = 0; method < METHODS; method++)
        for (uint32_t l = 1; l <= 64; l *= 4)
            for (double weight = 1; weight <= 4; weight += 3) {
                struct product_options o = product_of((enum product_method)method, l);
                struct product_rig *r[2];
                uint32_t x[MX], y[MY], *const number[2] = {x, y};
                struct dense P = dense_new(MX, MY);
                double bound, parts[2];
                two(&o, X, Y, r);
                numbers(x, y);
                for (int k = 0; k < 2; k++) {
                    struct dense S = rig_product(r[k], &parts[k]);
                    dense_free(&S);
                }
                for (uint32_t j = 0; j < 400; j++)
                    dense_add_pair(P, X, Y, j, j < 150 ? 1 : weight);
                ck_assert(product_merge(&r[0]->p, &r[1]->p, number, weight));
                struct dense S = rig_product(r[0], &bound);
                ck_assert_double_le(dense_distance(S, P), bound * (1 + 1e-9) + 1e-9);
                if (method == PRODUCT_COD || method == PRODUCT_FD)
                    ck_assert_double_ge(bound * (1 + 1e-12), parts[0] + weight * parts[1]);
                if (method == PRODUCT_SCOD && l == 64)
                    ck_assert_double_le(dense_distance(S, P), 1e-9 * dense_norm(P));
                ck_assert_uint_eq(r[0]->p.sums.pairs, 400);
                dense_free(&S), dense_free(&P);
                rig_free(r[0]), rig_free(r[1]);
            }
    dense_free(&X), dense_free(&Y);
}
END_TEST

START_TEST(a_sum_can_be_learned_on)
{
    struct dense X = dense_random(MX, 400, 0.2, 3), Y = dense_random(MY, 400, 0.2, 5);
    for (int method = 0; method < METHODS; method++) {
        struct product_options o = product_of((enum product_method)method, 6);
        struct product_rig *r[2];
        uint32_t x[MX], y[MY], *const number[2] = {x, y};
        struct dense P = dense_times_transposed(X, Y);
        double bound;
        two(&o, X, Y, r);
        numbers(x, y);
        ck_assert(product_merge(&r[0]->p, &r[1]->p, number, 1));
        for (int twice = 0; twice < 2; twice++)
            rig_learn(r[0], X, Y, 0, 400);
        struct dense S = rig_product(r[0], &bound);
        for (int i = 0; i < MX * MY; i++)
            P.a[i] *= 3;
        ck_assert_double_le(dense_distance(S, P), bound * (1 + 1e-9));
        struct product_rig *copy = copy_of(r[0]);
        dense_free(&S), dense_free(&P);
        rig_free(r[0]), rig_free(r[1]), rig_free(copy);
    }
    dense_free(&X), dense_free(&Y);
}
END_TEST

/* Sketches with one seed but different columns must have independent errors, so that the error of
 * their sum averages out over seeds. */
START_TEST(sums_of_random_sketches_are_right_on_average)
{
    enum { RUNS = 3000 };
    struct dense X = dense_random(MX, 400, 0.2, 3), Y = dense_random(MY, 400, 0.2, 5);
    /* Both have the same columns: every cross term counts. */
    for (uint32_t i = 0; i < MX * 400; i++)
        X.a[i] = X.a[i / 400 * 400 + i % 5];
    for (uint32_t i = 0; i < MY * 400; i++)
        Y.a[i] = Y.a[i / 400 * 400 + i % 5];
    struct dense P = dense_new(MX, MY);
    for (uint32_t j = 0; j < 20; j++)
        dense_add_pair(P, X, Y, j, 1);
    double scale = dense_frobenius(X) * dense_frobenius(Y) / 20;
    for (int method = PRODUCT_COLUMNS; method < METHODS; method++) {
        struct dense mean = dense_new(MX, MY);
        for (uint64_t seed = 1; seed <= RUNS; seed++) {
            struct product_options o = product_of((enum product_method)method, 4);
            struct product_rig *r[2];
            uint32_t x[MX], y[MY], *const number[2] = {x, y};
            o.seed = seed;
            for (uint32_t i = 0; i < MX; i++)
                x[i] = i;
            for (uint32_t i = 0; i < MY; i++)
                y[i] = i;
            for (int k = 0; k < 2; k++) {
                r[k] = rig_new(&o, MX, MY);
                rig_learn(r[k], X, Y, 10 * (uint32_t)k, 10 * (uint32_t)k + 10);
            }
            ck_assert(product_merge(&r[0]->p, &r[1]->p, number, 1));
            struct dense S = rig_product(r[0], NULL);
            for (int i = 0; i < MX * MY; i++)
                mean.a[i] += S.a[i] / RUNS;
            dense_free(&S);
            rig_free(r[0]), rig_free(r[1]);
        }
        ck_assert_double_le(dense_distance(mean, P), 4 * scale / sqrt(4.0 * RUNS));
        dense_free(&mean);
    }
    dense_free(&X), dense_free(&Y), dense_free(&P);
}
END_TEST

START_TEST(the_example_of_product_top_is_what_happens)
{
    struct dense A = dense_new(2, 1), B = dense_new(1, 1);
    const struct tall_matrix side[2] = {{A.a, 2, 1}, {B.a, 1, 1}};
    struct product_triplets t;
    struct pair got[2];
    A.a[0] = 3, A.a[1] = 4, B.a[0] = 2;
    void *block = zeroed(product_triplets_bytes(1));
    ck_assert(product_triplets(side, 1, 1, block, &t));
    ck_assert_uint_eq(t.n, 1);
    ck_assert_double_eq_tol(t.sigma[0], 10, 1e-14);
    const double *u = product_triplets_rows(&t, 0, 0, 2);
    ck_assert_double_eq_tol(fabs(u[0]), 0.6 * sqrt(10), 1e-14);
    ck_assert_double_eq_tol(fabs(u[1]), 0.8 * sqrt(10), 1e-14);
    ck_assert_double_eq_tol(fabs(*product_triplets_rows(&t, 1, 0, 1)), sqrt(10), 1e-14);
    ck_assert_uint_eq(largest_of(A, B, 2, 0, got), 2);
    ck_assert(got[0].a == 1 && got[0].b == 0 && got[0].weight == 8 && got[1].weight == 6);
    dense_free(&A), dense_free(&B);
    free(block);
}
END_TEST

LEAT_SUITE("product_state", the_largest_entries_are_found_of_every_method,
           entries_of_features_of_any_scale_are_within_the_bound,
           more_than_there_are_gives_all_that_are_not_zero, an_equal_entry_of_a_later_tile_is_found,
           an_entry_just_above_the_rounding_is_found,
           the_heaviest_features_of_a_vector_are_in_their_order,
           triplets_of_hard_columns_are_as_exact, triplets_of_one_sigma_are_those_of_the_data,
           triplets_are_the_singular_values_and_vectors_of_the_sketch,
           a_copy_of_the_parts_goes_on_bit_for_bit,
           parts_that_no_sketch_has_are_refused_with_a_reason,
           a_sum_is_within_its_bound_and_the_bounds_add_up, a_sum_can_be_learned_on,
           sums_of_random_sketches_are_right_on_average, the_example_of_product_top_is_what_happens)
