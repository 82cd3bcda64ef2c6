/* test_fade.c -- half-lives: lazy fading gives the same as fading everything at each record. */
#include "support/suite.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "kernels/linear/logistic.h"
#include "kernels/linear/tracked/tracked.h"
#include "kernels/linear/wm/wm.h"
#include "support/merge_rig.h"
#include "support/zeroed.h"

enum { IDS = 40, MAX_ROW = 6 };

struct sample {
    uint64_t id[MAX_ROW];
    float x[MAX_ROW], weight;
    uint32_t n;
    int y;
    bool new_record;
};

/* Distinct ids, small ones more often; two examples a record. */
static void draw(struct sample *a, uint64_t *s)
{
    uint32_t first = (uint32_t)(mix64_next(s) % IDS * (mix64_next(s) % IDS) / IDS);
    a->n = (uint32_t)(mix64_next(s) % (MAX_ROW + 1));
    for (uint32_t i = 0; i < a->n; i++) {
        a->id[i] = (first + 11 * i) % IDS;
        a->x[i] = (float)(mix64_next(s) % 2001) / 1000 - 1;
    }
    a->y = mix64_next(s) % 4 == 0 || (a->n && a->id[0] % 3 == 0) ? 1 : -1;
    a->weight = (float)(mix64_next(s) % 3) * 0.5f + 0.5f;
    a->new_record = mix64_next(s) % 2;
}

/* Everything fades at each record, in double. */
struct eager {
    double w[IDS], accumulator[IDS], count[IDS][2], bias, mass[2], records[2], age;
};

static double eager_learn(struct eager *d, const struct sgd_options *o, const struct sample *a)
{
    double z = d->bias, f = a->new_record ? exp2(-1 / o->half_life) : 1;
    for (uint32_t i = 0; i < a->n; i++)
        z += d->w[a->id[i]] * (double)a->x[i];
    for (double *v = (double *)d; v < (double *)(d + 1); v++)
        if (v != &d->bias) *v *= f;
    double eta = o->schedule == SGD_SQRT ? o->eta0 / sqrt(d->age + 1)
                                         : o->eta0 / (1 + o->eta0 * o->lambda * d->age);
    double p = 1 / (1 + exp(a->y * z)), c = (double)a->weight, g = -c * a->y * p;
    d->age += 1;
    for (uint32_t k = 0; k < IDS; k++)
        d->w[k] *= 1 - eta * o->lambda;
    for (uint32_t i = 0; i < a->n; i++) {
        double x = (double)a->x[i], *sum = &d->accumulator[a->id[i]], *w = &d->w[a->id[i]];
        *sum += o->rates == SGD_ADAGRAD ? g * g * x * x : c * p * (1 - p) * x * x;
        if (o->rates == SGD_SHARED) *w -= eta * g * x;
        if (o->rates == SGD_ADAGRAD && *sum > 0) *w -= 0.5 * g * x / sqrt(*sum);
        if (o->rates == SGD_NEWTON) *w -= g * x / (1 + *sum);
        d->count[a->id[i]][a->y > 0]++;
    }
    if (a->new_record) {
        d->mass[a->y > 0] += c;
        d->records[a->y > 0]++;
    }
    if (o->bias == SGD_BIAS_SGD) d->bias -= eta * g;
    if (o->bias == SGD_BIAS_PRIOR && a->new_record)
        d->bias = log((d->mass[1] + 0.5) / (d->mass[0] + 0.5));
    return z;
}

static void near(double got, double want, double tolerance, const char *what)
{
    ck_assert_msg(fabs(got - want) <= tolerance * (1 + fabs(want)), "%s: %.9g, not %.9g", what, got,
                  want);
}

static const double half_lives[] = {1, 3, 50, 1000, 1e6};

static struct sgd_options options(int k)
{
    return (struct sgd_options){.lambda = k % 2 ? 1e-3 : 0,
                                .eta0 = 0.2,
                                .schedule = k % 3 == 1 ? SGD_SQRT : SGD_INVERSE,
                                .bias = k / 2 % 3,
                                .rates = k / 3 % 3,
                                .half_life = half_lives[k % 5]};
}

/* Streams are long enough for counts to be renewed, except at the longest half-life. */
static int rows(const struct sgd_options *o) { return o->half_life == 1000 ? 30000 : 4000; }

static void same_clock(const struct sgd *s, const struct eager *d)
{
    near(sgd_age(s), d->age, 1e-9, "age");
    for (int y = 0; y < 2; y++) {
        near(s->mass[y], d->mass[y], 1e-9, "mass");
        near(sgd_records(s, y), d->records[y], 1e-9, "records");
    }
}

START_TEST(logistic_is_a_learner_that_fades_everything_at_each_record)
{
    for (int k = 0; k < 30; k++) {
        struct logistic_options opt = {.sgd = options(k), .counts = true};
        void *block = zeroed(logistic_block_bytes(64, &opt)),
             *scratch = zeroed(logistic_scratch_bytes(MAX_ROW));
        struct eager d = {0};
        struct logistic m;
        struct sample a;
        uint64_t s = (uint64_t)k;
        int renewed = 0;
        logistic_init(&m, &opt, 64, 64, block, MAX_ROW, scratch);
        for (int r = 0; r < rows(&opt.sgd); r++) {
            double z, grown = m.sgd.grown;
            draw(&a, &s);
            struct linear_row row = {a.id, a.x, a.n, a.y, a.weight, a.new_record};
            ck_assert_int_eq(logistic_learn(&m, &row, &z), LINEAR_OK);
            near(z, eager_learn(&d, &opt.sgd, &a), 1e-4, "margin");
            renewed += m.sgd.grown < grown;
        }
        same_clock(&m.sgd, &d);
        for (uint32_t f = 0; f < m.n; f++) {
            near(logistic_weight(&m, m.id[f]), d.w[m.id[f]], 1e-4, "weight");
            if (m.accumulator)
                near((double)m.accumulator[f] / m.sgd.grown, d.accumulator[m.id[f]], 1e-5,
                     "accumulator");
            for (int y = 0; y < 2; y++)
                near(sgd_counted(&m.sgd, m.count[2 * f + y]), d.count[m.id[f]][y], 5e-3, "count");
        }
        ck_assert((renewed > 0) == (opt.sgd.half_life < 1e6));
        free(block);
        free(scratch);
    }
}
END_TEST

START_TEST(the_active_set_fades_likewise)
{
    for (int k = 0; k < 20; k++) {
        struct linear_options opt = {
            .sgd = options(k), .counts = true, .max_row = MAX_ROW, .seed = 3};
        struct linear_shape shape = {IDS, 64, 1, 0};
        void *block = zeroed(store_block_bytes(&awm_kernel, &shape, &opt));
        struct eager d = {0};
        struct awm m;
        struct sample a;
        uint64_t s = (uint64_t)k;
        store_init(&m.s, &awm_kernel, &shape, &opt, block);
        for (int r = 0; r < rows(&opt.sgd); r++) {
            double z;
            draw(&a, &s);
            struct linear_row row = {a.id, a.x, a.n, a.y, a.weight, a.new_record};
            ck_assert_int_eq(store_learn(&m.s, &row, &z), LINEAR_OK);
            double want = eager_learn(&d, &opt.sgd, &a);
            /* a feature that enters takes its first step at the shared rate */
            if (opt.sgd.rates == SGD_SHARED) near(z, want, 1e-4, "margin");
            const char *broken = store_check(&m.s);
            ck_assert_msg(!broken, "%s", broken);
        }
        same_clock(&m.s.sgd, &d);
        for (uint32_t slot = 0; slot < m.s.set.n; slot++) {
            const double *n = d.count[m.s.set.id[slot]];
            for (int y = 0; y < 2; y++)
                near(sgd_counted(&m.s.sgd, m.s.count[2 * slot + y]), n[y], 5e-3, "count");
        }
        free(block);
    }
}
END_TEST

START_TEST(cells_fade_and_forget)
{
    for (int k = 0; k < 10; k++) {
        struct linear_options opt = {.sgd = options(k), .counts = true, .max_row = MAX_ROW};
        opt.sgd.rates = SGD_SHARED;
        struct linear_shape shape = {IDS, 1u << 18, 1, 0}; /* no two share a cell */
        void *block = zeroed(store_block_bytes(&wm_kernel, &shape, &opt));
        struct eager d = {0};
        struct wm m;
        struct sample a;
        uint64_t s = (uint64_t)k;
        store_init(&m.s, &wm_kernel, &shape, &opt, block);
        for (int r = 0; r < 2000; r++) {
            double z;
            draw(&a, &s);
            struct linear_row row = {a.id, a.x, a.n, a.y, a.weight, a.new_record};
            ck_assert_int_eq(store_learn(&m.s, &row, &z), LINEAR_OK);
            near(z, eager_learn(&d, &opt.sgd, &a), 1e-4, "margin");
        }
        for (uint32_t slot = 0; slot < m.s.set.n; slot++)
            for (int y = 0; y < 2; y++)
                near(sgd_counted(&m.s.sgd, m.s.count[2 * slot + y]), d.count[m.s.set.id[slot]][y],
                     5e-3, "count");
        free(block);
    }
}
END_TEST

START_TEST(tracked_features_with_room_for_all_fade_likewise)
{
    for (int k = 0; k < 24; k++) {
        struct linear_options opt = {.sgd = options(k),
                                     .rule = (enum tracked_rule)(k % 4),
                                     .counts = true,
                                     .conservative = k % 3,
                                     .max_row = MAX_ROW,
                                     .seed = 5};
        bool sketch = opt.rule == TRACKED_COUNT_MIN;
        struct linear_shape shape = {IDS, sketch ? 1u << 14 : 0, sketch, 0};
        void *block = zeroed(store_block_bytes(&tracked_kernel, &shape, &opt));
        struct eager d = {0};
        struct tracked m;
        struct sample a;
        uint64_t s = (uint64_t)k;
        store_init(&m.s, &tracked_kernel, &shape, &opt, block);
        for (int r = 0; r < rows(&opt.sgd); r++) {
            double z;
            draw(&a, &s);
            struct linear_row row = {a.id, a.x, a.n, a.y, a.weight, a.new_record};
            ck_assert_int_eq(store_learn(&m.s, &row, &z), LINEAR_OK);
            near(z, eager_learn(&d, &opt.sgd, &a), 1e-4, "margin");
            const char *broken = store_check(&m.s);
            ck_assert_msg(!broken, "%s", broken);
        }
        for (uint32_t slot = 0; slot < m.s.set.n; slot++) {
            const double *n = d.count[m.s.set.id[slot]];
            near(sgd_counted(&m.s.sgd, m.s.count[2 * slot]), n[0], 5e-3, "count");
            if (m.frequency)
                near(sgd_counted(&m.s.sgd, m.frequency[slot]), n[0] + n[1], 5e-3, "seen");
        }
        free(block);
    }
}
END_TEST

/* Features 0 .. 9 are frequent at first, then 10 .. 19, among rare ones. */
static uint32_t of_the_second_half(enum tracked_rule rule, double half_life)
{
    struct linear_options opt = {.sgd = {.eta0 = 0.1, .half_life = half_life},
                                 .rule = rule,
                                 .churn_one = true,
                                 .max_row = MAX_ROW,
                                 .seed = 1};
    bool sketch = rule == TRACKED_COUNT_MIN;
    struct linear_shape shape = {10, sketch ? 256 : 0, sketch ? 2 : 0, 0};
    void *block = zeroed(store_block_bytes(&tracked_kernel, &shape, &opt));
    struct tracked m;
    uint64_t s = 9;
    uint32_t n = 0;
    store_init(&m.s, &tracked_kernel, &shape, &opt, block);
    for (uint32_t r = 0; r < 6000; r++) {
        double z;
        uint64_t id[2] = {mix64_next(&s) % 10 + (r < 4000 ? 0 : 10), 100 + mix64_next(&s) % 200};
        float x[2] = {1, 1};
        struct linear_row row = {id, x, 1 + (r % 10 == 0), 1, 1, true};
        ck_assert_int_eq(store_learn(&m.s, &row, &z), LINEAR_OK);
        const char *broken = store_check(&m.s);
        ck_assert_msg(!broken, "%s", broken);
    }
    for (uint32_t slot = 0; slot < m.s.set.n; slot++)
        n += m.s.set.id[slot] >= 10 && m.s.set.id[slot] < 20;
    free(block);
    return n;
}

START_TEST(what_was_frequent_makes_room_for_what_is)
{
    ck_assert_uint_ge(of_the_second_half(TRACKED_COUNT_MIN, 300), 8);
    ck_assert_uint_le(of_the_second_half(TRACKED_COUNT_MIN, 0), 4);
    /* Space Saving lets newcomers in, half-life or not */
    ck_assert_uint_ge(of_the_second_half(TRACKED_SPACE_SAVING, 300), 8);
}
END_TEST

START_TEST(a_merge_adds_what_has_faded_on_either_side)
{
    struct logistic_options opt = {.sgd = options(2), .counts = true}; /* 50 records */
    struct sample a;
    struct eager d[2] = {0};
    struct logistic m[3];
    void *block[3], *scratch = zeroed(logistic_scratch_bytes(MAX_ROW));
    for (int i = 0; i < 3; i++)
        logistic_init(&m[i], &opt, 128, 128, block[i] = zeroed(logistic_block_bytes(128, &opt)),
                      MAX_ROW, scratch);
    for (int i = 0; i < 2; i++) {
        uint64_t s = (uint64_t)i;
        for (int r = 0; r < 900 + 300 * i; r++) {
            double z;
            draw(&a, &s);
            struct linear_row row = {a.id, a.x, a.n, a.y, a.weight, a.new_record};
            logistic_learn(&m[i], &row, &z);
            eager_learn(&d[i], &opt.sgd, &a);
        }
    }
    rig_merge_logistic(&m[2], &m[0], &m[1], 2);
    near(m[2].sgd.age, d[0].age + 2 * d[1].age, 1e-9, "age");
    for (uint32_t f = 0; f < m[2].n; f++) {
        uint64_t id = m[2].id[f];
        double w = (d[0].age * d[0].w[id] + 2 * d[1].age * d[1].w[id]) / m[2].sgd.age;
        near(logistic_weight(&m[2], id), w, 1e-4, "weight");
        for (int y = 0; y < 2; y++)
            near(sgd_counted(&m[2].sgd, m[2].count[2 * f + y]),
                 d[0].count[id][y] + 2 * d[1].count[id][y], 1e-2, "count");
    }
    for (int i = 0; i < 3; i++)
        free(block[i]);
    free(scratch);
}
END_TEST

START_TEST(counts_of_the_longest_half_life_have_room)
{
    struct sgd s;
    for (double h = 1; h <= 1e8; h *= 10) {
        sgd_init(&s, &(struct sgd_options){.half_life = h});
        ck_assert_uint_ge(s.unit, h > 5e6 ? h > 5e7 ? 4 : 32 : 128);
        ck_assert_double_ge(s.max_grown, 2);
        double max = h / log(2) * s.unit * s.max_grown; /* of one example a record */
        ck_assert_double_le(max, 0x1p31);
    }
}
END_TEST

START_TEST(the_example_of_the_header_of_sgd_is_what_happens)
{
    struct sgd s;
    sgd_init(&s, &(struct sgd_options){.eta0 = 0.5, .lambda = 0.1, .bias = SGD_BIAS_NONE});
    struct sgd_step step = sgd_advance(&s, 0, 1, 1, true);
    ck_assert(step.g == -0.5);
    ck_assert_double_eq_tol(s.alpha, 0.95, 1e-12);
    ck_assert_double_eq_tol(-(double)step.u, 0.263, 5e-4);
    ck_assert_double_eq_tol(-(double)step.u * s.alpha, 0.25, 1e-6);
    ck_assert_double_eq_tol(sgd_advance(&s, 0, 1, 1, true).eta, 0.476, 5e-4);

    static const double grown[] = {1.41, 2, 2.83};
    uint32_t count = 0;
    sgd_init(&s, &(struct sgd_options){.eta0 = 0.5, .half_life = 2});
    for (int i = 0; i < 3; i++) {
        sgd_record(&s, 1);
        sgd_count(&s, &count);
        ck_assert_double_eq_tol(s.grown, grown[i], 5e-3);
    }
    ck_assert_double_eq_tol(sgd_counted(&s, count), 2.21, 5e-3);
    ck_assert_double_eq_tol(0.5 + 0.707 + 1, 2.21, 5e-3);
}
END_TEST

LEAT_SUITE("fading", logistic_is_a_learner_that_fades_everything_at_each_record,
           the_active_set_fades_likewise, cells_fade_and_forget,
           tracked_features_with_room_for_all_fade_likewise,
           what_was_frequent_makes_room_for_what_is, a_merge_adds_what_has_faded_on_either_side,
           counts_of_the_longest_half_life_have_room,
           the_example_of_the_header_of_sgd_is_what_happens)
