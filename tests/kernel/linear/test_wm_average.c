/* test_wm_average.c -- theorem 2's projection and mean of all iterates, against dense vectors.
 *
 * The vectors are doubles, projected and summed after each example. */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/wm_rig.h"
#include "support/merge_rig.h"

/* The paper's z times the root of the depth, as in the cells. */
struct dense {
    const struct wm *twin; /* for the hash functions, shape and options */
    double *z, *sum, bias;
    uint64_t t;
    uint32_t projected;
};

static struct dense dense_new(const struct wm *twin)
{
    return (struct dense){.twin = twin, .z = calloc(cells(twin), 8), .sum = calloc(cells(twin), 8)};
}

static void dense_free(struct dense *d)
{
    free(d->z);
    free(d->sum);
}

static double length_of(const struct dense *d)
{
    double square = 0;
    for (size_t c = 0; c < cells(d->twin); c++)
        square += d->z[c] * d->z[c];
    return sqrt(square / d->twin->s.shape.depth);
}

static double mean_of_rows(const struct dense *d, const double *z, uint64_t id)
{
    double sum = 0;
    float sign;
    for (uint32_t j = 0; j < d->twin->s.shape.depth; j++)
        sum += z[oracle_wm_cell(d->twin, j, id, &sign)] * (double)sign;
    return sum / d->twin->s.shape.depth;
}

/* Steps along the gradient of the logistic loss plus lambda/2 |z|^2, at the constant rate eta0.
 * Returns the margin. */
static double dense_learn(struct dense *d, const struct linear_row *r)
{
    const struct linear_options *o = &d->twin->s.opt;
    double margin = d->bias, eta = o->sgd.eta0, y = r->y, c = (double)r->weight;
    for (uint32_t i = 0; i < r->n; i++)
        margin += mean_of_rows(d, d->z, r->id[i]) * (double)r->x[i];
    double g = -y * c / (1 + exp(y * margin));
    for (size_t k = 0; k < cells(d->twin); k++)
        d->z[k] *= 1 - eta * o->sgd.lambda;
    for (uint32_t i = 0; i < r->n; i++)
        for (uint32_t j = 0; j < d->twin->s.shape.depth; j++) {
            float sign;
            double *z = &d->z[oracle_wm_cell(d->twin, j, r->id[i], &sign)];
            *z -= (double)sign * eta * g * (double)r->x[i];
        }
    if (o->sgd.bias == SGD_BIAS_SGD) d->bias -= eta * g;
    double length = length_of(d);
    if (o->radius > 0 && length > o->radius) {
        for (size_t k = 0; k < cells(d->twin); k++)
            d->z[k] *= o->radius / length;
        d->projected++;
    }
    for (size_t k = 0; k < cells(d->twin); k++)
        d->sum[k] += d->z[k];
    d->t++;
    return margin;
}

static int ascending(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median_of_mean(const struct dense *d, uint64_t id)
{
    double v[WM_MAX_DEPTH];
    uint32_t n = d->twin->s.shape.depth;
    float sign;
    for (uint32_t j = 0; j < n; j++) {
        v[j] = d->sum[oracle_wm_cell(d->twin, j, id, &sign)] / (double)d->t;
        v[j] *= (double)sign;
    }
    qsort(v, n, sizeof *v, ascending);
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

enum { IDS = 200, SETTINGS = 24 };

static struct linear_options options_of(int k)
{
    static const double lambdas[] = {0, 1e-3, 0.05, 0.9}, radii[] = {0, 0.3, 2};
    struct linear_options o = {.sgd = {.lambda = lambdas[k % 4],
                                       .eta0 = k % 4 == 3 ? 1 : 0.3,
                                       .schedule = SGD_CONSTANT,
                                       .bias = k % 5 ? SGD_BIAS_SGD : SGD_BIAS_NONE},
                               .average = k % 2 || k % 3 == 0,
                               .estimates = true,
                               .radius = radii[k % 3],
                               .seed = 70 + (uint64_t)k};
    return o;
}

static struct linear_shape shape_for(const struct linear_options *o, int k)
{
    return shape_of(12, k % 4 ? 64 : 50, 1 + (uint32_t)k % 5);
}

static void same_as_dense(const struct wm *m, const struct dense *d)
{
    double length = length_of(d), room = 1e-4 * (length + 1e-3);
    for (size_t c = 0; c < cells(m); c++)
        ck_assert_double_le(fabs((double)m->s.cell.weight[c] * m->s.sgd.alpha - d->z[c]), room);
    for (uint64_t id = 0; id < IDS && m->s.opt.average; id++)
        ck_assert_double_le(fabs(store_weight(&m->s, id) - median_of_mean(d, id)), room);
    if (m->s.opt.radius > 0) ck_assert_double_le(length, m->s.opt.radius * (1 + 1e-12));
}

START_TEST(weights_are_those_of_dense_vectors)
{
    uint32_t projected = 0, folds = 0;
    for (int k = 0; k < SETTINGS; k++) {
        struct linear_options o = options_of(k);
        struct model t = model_new(shape_for(&o, k), o);
        struct dense d = dense_new(&t.m);
        struct sample a;
        uint64_t s = 5 + (uint64_t)k;
        for (int row = 0; row < 600; row++) {
            double margin, alpha = t.m.s.sgd.alpha;
            draw(&a, &s, IDS, DISTINCT);
            ck_assert_int_eq(store_learn(&t.m.s, &a.row, &margin), LINEAR_OK);
            ck_assert_double_le(fabs(margin - dense_learn(&d, &a.row)), 1e-3 * (1 + fabs(margin)));
            folds += t.m.s.sgd.alpha > alpha;
            if (row % 50 == 0) same_as_dense(&t.m, &d);
            ck_assert_ptr_null(store_check(&t.m.s));
        }
        same_as_dense(&t.m, &d);
        projected += d.projected;
        dense_free(&d);
        free(t.block);
    }
    ck_assert_uint_gt(projected, 1000);
    ck_assert_uint_gt(folds, 100);
}
END_TEST

START_TEST(what_is_only_asked_for_is_from_the_mean)
{
    struct linear_options o = options_of(5);
    struct model t = model_new(shape_for(&o, 5), o);
    struct dense d = dense_new(&t.m);
    struct sample a;
    uint64_t s = 8;
    ck_assert(o.average && store_weight(&t.m.s, 1) == 0);
    for (int row = 0; row < 400; row++) {
        double margin;
        draw(&a, &s, IDS, DISTINCT);
        ck_assert_int_eq(store_learn(&t.m.s, &a.row, &margin), LINEAR_OK);
        dense_learn(&d, &a.row);
        double want = d.bias;
        for (uint32_t i = 0; i < a.row.n; i++)
            want += mean_of_rows(&d, d.sum, a.id[i]) / (double)d.t * (double)a.x[i];
        ck_assert_double_le(fabs(store_margin(&t.m.s, a.row.n, a.id, a.x) - want), 1e-4);
    }
    dense_free(&d);
    free(t.block);
}
END_TEST

START_TEST(a_merge_has_the_mean_of_all_iterates)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct linear_options o = options_of(k);
        if (!o.average) continue;
        struct linear_shape shape = shape_for(&o, k);
        struct model a = model_new(shape, o), b = model_new(shape, o), m = model_new(shape, o);
        struct sample row;
        uint64_t s = 3;
        double margin;
        for (int i = 0; i < 500; i++) {
            draw(&row, &s, IDS, DISTINCT);
            ck_assert_int_eq(store_learn(i < 300 ? &a.m.s : &b.m.s, &row.row, &margin), LINEAR_OK);
        }
        rig_merge(&m.m.s, &a.m.s, &b.m.s, 1, NULL);
        ck_assert_ptr_null(store_check(&m.m.s));
        if (shape.depth <= 2) /* with more rows, a median of means is not a mean of medians */
            for (uint64_t id = 0; id < IDS; id++) {
                double want =
                    (300 * store_weight(&a.m.s, id) + 200 * store_weight(&b.m.s, id)) / 500;
                ck_assert_double_le(fabs(store_weight(&m.m.s, id) - want), 1e-5 * (1 + fabs(want)));
            }
        draw(&row, &s, IDS, DISTINCT);
        ck_assert_int_eq(store_learn(&m.m.s, &row.row, &margin), LINEAR_OK);
        free(a.block), free(b.block), free(m.block);
    }
}
END_TEST

/* One feature of large values: every step goes far beyond the ball. */
START_TEST(the_mean_is_exact_beside_steps_far_beyond_the_radius)
{
    static const float sizes[] = {1, 1e4f, 1e9f, 1e18f};
    for (int k = 0; k < 8; k++) {
        struct linear_options o = {.sgd = {.eta0 = 0.3, .lambda = 1e-4, .bias = SGD_BIAS_NONE},
                                   .average = true,
                                   .estimates = true,
                                   .radius = 0.5,
                                   .seed = 3};
        struct model t = model_new((struct linear_shape){4, 64, 1, 0}, o);
        uint64_t s = 9, id = 7;
        double sum = 0, mean = 0;
        for (int row = 1; row <= 2000; row++) {
            float x = k % 2       ? sizes[k / 2] * (float)uniform(&s, 0.5, 1)
                      : row % 100 ? 1
                                  : sizes[k / 2];
            struct linear_row r = {&id, &x, 1, below(&s, 3) ? 1 : -1, 1, true};
            double margin;
            float sign;
            ck_assert_int_eq(store_learn(&t.m.s, &r, &margin), LINEAR_OK);
            size_t c = oracle_wm_cell(&t.m, 0, id, &sign);
            double w = (double)(sign * t.m.s.cell.weight[c]) * t.m.s.sgd.alpha;
            ck_assert_double_le(fabs(w), o.radius * (1 + 1e-5));
            sum += w, mean = sum / row;
        }
        ck_assert_double_le(fabs(store_weight(&t.m.s, id) - mean), 1e-4);
        free(t.block);
    }
}
END_TEST

START_TEST(extreme_values_keep_a_finite_state)
{
    for (int k = 0; k < SETTINGS; k++) {
        struct linear_options o = options_of(k);
        struct model t = model_new(shape_for(&o, k), o);
        struct sample a;
        uint64_t s = 40 + (uint64_t)k;
        for (int row = 0; row < 300; row++) {
            double margin;
            draw_extreme(&a, &s, IDS, DISTINCT);
            if (store_learn(&t.m.s, &a.row, &margin) == LINEAR_OK) ck_assert(isfinite(margin));
            ck_assert_ptr_null(store_check(&t.m.s));
        }
        for (uint64_t id = 0; id < IDS; id++)
            ck_assert(isfinite(store_weight(&t.m.s, id)));
        ck_assert(isfinite(t.m.square) && isfinite(t.m.mass));
        for (size_t c = 0; o.average && c < cells(&t.m); c++)
            ck_assert(isfinite(t.m.behind[c]));
        free(t.block);
    }
}
END_TEST

LEAT_SUITE("mean of iterates", weights_are_those_of_dense_vectors,
           what_is_only_asked_for_is_from_the_mean, a_merge_has_the_mean_of_all_iterates,
           the_mean_is_exact_beside_steps_far_beyond_the_radius, extreme_values_keep_a_finite_state)
