/* test_logistic.c -- exact weights against a dense twin, while tables grow. */
#include "support/chosen_ids.h"
#include "support/suite.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/adaptive/adaptive.h"
#include "kernels/linear/logistic.h"
#include "kernels/base/rank.h"
#include "support/random.h"
#include "support/zeroed.h"

enum { IDS = 500, MAX_ROW = 16 };

/* Ids far apart and close together, including the largest. */
static uint64_t wide(uint32_t k) { return k % 3 ? (uint64_t)k << (k % 7 * 8) : UINT64_MAX - k; }

struct model {
    struct logistic m;
    void *block, *scratch;
};

static struct model growing_model(struct logistic_options opt, uint32_t capacity, uint32_t max)
{
    struct model t;
    t.block = calloc(1, logistic_block_bytes(max, &opt));
    t.scratch = calloc(1, logistic_scratch_bytes(MAX_ROW));
    logistic_init(&t.m, &opt, capacity, max, t.block, MAX_ROW, t.scratch);
    return t;
}

static struct model model_new(struct logistic_options opt, uint32_t capacity)
{
    return growing_model(opt, capacity, capacity);
}

/* Lets the last weights alone predict. */
static void follow_last(struct logistic *m)
{
    m->blend.part[0] = 1;
    m->blend.part[1] = 0;
}

static void model_free(struct model *t)
{
    free(t->block);
    free(t->scratch);
}

/* Dense double weights and the formulas of sgd.h, with decay of every weight at every step. */
struct dense {
    double w[IDS], accumulator[IDS], bias, plus, minus;
    uint32_t count[IDS][2];
};

static double dense_learn(struct dense *d, const struct sgd_options *o, uint64_t t,
                          const uint32_t *k, const struct linear_row *r)
{
    double z = d->bias, eta = o->eta0 / (1 + o->eta0 * o->lambda * (double)t);
    for (uint32_t i = 0; i < r->n; i++)
        z += d->w[k[i]] * (double)r->x[i];
    double p = 1 / (1 + exp(r->y * z)), g = -(double)r->weight * r->y * p;
    for (uint32_t i = 0; i < IDS; i++)
        d->w[i] *= 1 - eta * o->lambda;
    for (uint32_t i = 0; i < r->n; i++) {
        double x = (double)r->x[i], *sum = &d->accumulator[k[i]];
        *sum += o->rates == SGD_ADAGRAD ? g * g * x * x : (double)r->weight * p * (1 - p) * x * x;
        if (o->rates == SGD_SHARED) d->w[k[i]] -= eta * g * x;
        if (o->rates == SGD_ADAGRAD && *sum > 0) d->w[k[i]] -= 0.5 * g * x / sqrt(*sum);
        if (o->rates == SGD_NEWTON) d->w[k[i]] -= g * x / (1 + *sum);
        d->count[k[i]][r->y > 0]++;
    }
    for (uint32_t i = 0; i < IDS; i++)
        d->w[i] = fabs(d->w[i]) > eta * o->l1 ? d->w[i] - copysign(eta * o->l1, d->w[i]) : 0;
    if (r->new_record) *(r->y > 0 ? &d->plus : &d->minus) += (double)r->weight;
    if (o->bias == SGD_BIAS_SGD) d->bias -= eta * g;
    if (o->bias == SGD_BIAS_PRIOR) d->bias = log((d->plus + 0.5) / (d->minus + 0.5));
    return z;
}

START_TEST(weights_and_margins_are_those_of_a_dense_twin)
{
    uint32_t zeros[3] = {0};
    for (int setting = 0; setting < 81; setting++) {
        static struct dense d;
        uint64_t s = (uint64_t)setting + 1;
        const double lambda[] = {0, 1e-4, 0.05}, l1[] = {0, 1e-4, 0.01};
        struct logistic_options opt = {.sgd = {.lambda = lambda[setting % 3],
                                               .eta0 = 0.2,
                                               .bias = setting / 3 % 3,
                                               .rates = setting / 9 % 3,
                                               .l1 = l1[setting / 27]},
                                       .counts = true};
        struct model t = growing_model(opt, 4, 1024);
        memset(&d, 0, sizeof d);
        for (uint64_t step = 0; step < 3000; step++) {
            uint32_t k[MAX_ROW];
            uint64_t id[MAX_ROW];
            float x[MAX_ROW];
            struct linear_row r = {id,
                                   x,
                                   (uint32_t)(mix64_next(&s) % MAX_ROW),
                                   mix64_next(&s) % 3 ? 1 : -1,
                                   (float)(mix64_next(&s) % 3),
                                   mix64_next(&s) % 2};
            for (uint32_t i = 0; i < r.n; i++) {
                k[i] = (uint32_t)(mix64_next(&s) % (1 + step / 5)) %
                       IDS; /* ids repeat in a row, too */
                id[i] = wide(k[i]);
                x[i] = (float)(mix64_next(&s) % 2001) / 1000 - 1;
            }
            while (logistic_free_slots(&t.m) < r.n)
                logistic_grow(&t.m, 2 * t.m.capacity);
            double z;
            ck_assert_int_eq(logistic_learn(&t.m, &r, &z), LINEAR_OK);
            double want = dense_learn(&d, &opt.sgd, step, k, &r);
            ck_assert_msg(fabs(z - want) <= 1e-4 * (1 + fabs(want)), "step %d: %g, not %g",
                          (int)step, z, want);
        }
        ck_assert_uint_gt(t.m.n, 300);
        ck_assert_uint_eq(t.m.ignored, 0);
        for (uint32_t k = 0; k < IDS; k++) {
            double w = logistic_weight(&t.m, wide(k));
            ck_assert_double_le(fabs(w - d.w[k]), 1e-4 * (1 + fabs(d.w[k])));
            zeros[setting / 27] += w == 0 && d.accumulator[k] > 0;
        }
        for (uint32_t f = 0; f < t.m.n; f++) {
            uint32_t k = 0;
            while (wide(k) != t.m.id[f])
                k++;
            ck_assert(!memcmp(t.m.count + 2 * f, d.count[k], 8));
        }
        model_free(&t);
    }
    ck_assert_uint_eq(zeros[0], 0);
    ck_assert_uint_gt(zeros[2], 1000);
}
END_TEST

/* ---- adaptive rates ---- */

/* The formulas of sgd_adaptive.h in doubles. Every weight fades at each record, not lazily. */
struct adaptive_twin {
    double w[IDS], a[IDS], bias, G, size, sized;
    uint32_t held; /* weights, by their scale */
};

/* How far tau moves in the time s of dtau/ds = -l'(tau). */
static double moved(enum loss_kind loss, double tau, double s)
{
    if (loss == LOSS_SQUARED) return (1 - tau) * -expm1(-s);
    if (loss == LOSS_SMOOTHED_HINGE) {
        double straight = tau < 0 ? fmin(s, -tau) : 0;
        return straight + (tau + straight < 1 ? (1 - tau - straight) * -expm1(straight - s) : 0) *
                              (tau + straight >= 0);
    }
    double low = 0, high = s; /* d + e^tau (e^d - 1) = s */
    for (int k = 0; k < 200; k++) {
        double d = (low + high) / 2;
        double more = tau < 0 ? exp(tau + d) - exp(tau) : exp(tau) * expm1(d);
        *(d + more < s ? &low : &high) = d;
    }
    return low;
}

static double slope_of(enum loss_kind loss, double tau)
{
    if (loss == LOSS_LOGISTIC) return -1 / (1 + exp(tau));
    if (loss == LOSS_SQUARED) return tau - 1;
    return tau >= 1 ? 0 : tau > 0 ? tau - 1 : -1;
}

static double adaptive_twin_learn(struct adaptive_twin *d, const struct sgd_options *o,
                                  const uint32_t *k, const struct linear_row *r)
{
    double z = d->bias, c = (double)r->weight, P = 0, size = 0, along[MAX_ROW];
    double f = o->half_life > 0 && r->new_record ? exp2(-1 / o->half_life) : 1;
    for (uint32_t i = 0; i < r->n; i++) {
        double x = fabs((double)r->x[i]), most = 10 * sqrt(d->a[k[i]]), *w = &d->w[k[i]];
        double scale = d->G > 0 ? sqrt(d->a[k[i]] / d->G) : 0;
        if (scale > 2 && fabs(*w) > 10 / scale) {
            *w = copysign(10 / scale, *w);
            d->held++;
        }
        if (d->a[k[i]] > 0 && x > most) *w *= most / x;
        z += d->w[k[i]] * (double)r->x[i];
    }
    double tau = r->y * z, slope = slope_of(o->loss, tau);
    for (uint32_t i = 0; i < IDS; i++)
        d->w[i] *= f * (1 - o->eta0 * o->lambda), d->a[i] *= f;
    d->G = d->G * f + c * slope * slope;
    for (uint32_t i = 0; i < r->n; i++) {
        double x = (double)r->x[i], *a = &d->a[k[i]];
        *a += c * slope * slope * x * x;
        double scale = fmax(fabs(x), d->G > 0 ? sqrt(*a / d->G) : 0);
        double u = x == 0 ? 0 : scale >= 1 ? x / scale : x / pow(scale, 0.25);
        size += u * u;
        along[i] = x == 0 ? 0 : u / sqrt(*a + 8 * x * x);
        P += along[i] * x;
    }
    d->size = d->size * f + size, d->sized = d->sized * f + (size > 0);
    double rate = size > 0 ? o->rate / sqrt(d->size / fmax(1, d->sized)) : 0;
    double bias_rate = o->bias == SGD_BIAS_SGD ? o->rate / sqrt(d->G + 8) : 0;
    P = P * rate + bias_rate;
    double s = P > 0 ? moved(o->loss, tau, P * c) / P : -c * slope;
    for (uint32_t i = 0; i < r->n; i++)
        d->w[k[i]] += r->y * s * rate * along[i];
    d->bias += r->y * s * bias_rate;
    return z;
}

/* Different ids. Every third feature has values on its own scale, which grows. */
static void draw_row(struct linear_row *r, uint32_t *k, uint64_t *id, float *x, uint64_t *s, int t)
{
    uint32_t first = below(s, IDS);
    *r = (struct linear_row){id, x, below(s, MAX_ROW), below(s, 3) ? 1 : -1, 1, below(s, 4) > 0};
    if (below(s, 4) == 0) r->weight = (float)exp2(uniform(s, -3, 6));
    for (uint32_t i = 0; i < r->n; i++) {
        k[i] = (first % 40 + i * 7) % IDS;
        id[i] = wide(k[i]);
        x[i] = (float)uniform(s, -1, 1);
        if (k[i] % 3 == 0 && t > 100) x[i] *= (float)exp2(uniform(s, 0, t / 20));
        if (below(s, 20) == 0) x[i] = 0;
    }
}

START_TEST(adaptive_rates_are_those_of_their_formulas)
{
    uint32_t held = 0;
    for (int setting = 0; setting < 36; setting++) {
        static const double half_lives[] = {0, 2, 100};
        static struct adaptive_twin d;
        struct logistic_options opt = {.sgd = {.lambda = setting % 2 ? 1e-3 : 0,
                                               .eta0 = 0.2,
                                               .rate = setting % 5 ? 1 : 0.3,
                                               .schedule = SGD_CONSTANT,
                                               .bias = setting / 2 % 2,
                                               .rates = SGD_ADAPTIVE,
                                               .loss = setting / 4 % 3,
                                               .half_life = half_lives[setting / 12]}};
        struct model t = model_new(opt, 512);
        uint64_t s = (uint64_t)setting + 1, id[MAX_ROW];
        uint32_t k[MAX_ROW];
        float x[MAX_ROW];
        memset(&d, 0, sizeof d);
        for (int row = 0; row < 300; row++) {
            struct linear_row r;
            double z;
            draw_row(&r, k, id, x, &s, row);
            follow_last(&t.m);
            double asked = logistic_margin(&t.m, r.n, id, x);
            ck_assert_int_eq(logistic_learn(&t.m, &r, &z), LINEAR_OK);
            ck_assert(z == asked);
            double want = adaptive_twin_learn(&d, &opt.sgd, k, &r);
            ck_assert_msg(fabs(z - want) <= 1e-4 * (1 + fabs(want)),
                          "setting %d, row %d: %.9g, not %.9g", setting, row, z, want);
        }
        follow_last(&t.m);
        for (uint32_t i = 0; i < IDS; i++)
            ck_assert_double_le(fabs(logistic_weight(&t.m, wide(i)) - d.w[i]),
                                1e-4 * (1 + fabs(d.w[i])));
        held += d.held;
        model_free(&t);
    }
    ck_assert_uint_gt(held, 100);
}
END_TEST

static const struct logistic_options penalised = {
    .sgd = {.rate = 1, .eta0 = 0.2, .l1 = 1e-3, .rates = SGD_ADAPTIVE}};

/* Learns one more row. The margin predicted before must equal the margin that it learns from. */
static void learn_drawn(struct model *t, uint64_t *s, int row)
{
    uint64_t id[MAX_ROW];
    uint32_t k[MAX_ROW];
    float x[MAX_ROW];
    struct linear_row r;
    double z;
    draw_row(&r, k, id, x, s, row);
    double asked = logistic_margin(&t->m, r.n, id, x);
    ck_assert_int_eq(logistic_learn(&t->m, &r, &z), LINEAR_OK);
    ck_assert(z == asked);
}

START_TEST(with_a_penalty_the_margin_that_is_asked_for_is_the_one_that_is_learned_from)
{
    struct model t = model_new(penalised, 512);
    uint64_t s = 3;
    for (int row = 0; row < 500; row++)
        learn_drawn(&t, &s, row);
    model_free(&t);
}
END_TEST

START_TEST(all_numbers_are_forgotten_by_the_same_share)
{
    struct model t = model_new(penalised, 512);
    uint64_t s = 4;
    float sum[IDS];
    double weight[IDS];
    for (int row = 0; row < 500; row++)
        learn_drawn(&t, &s, row);
    for (uint32_t i = 0; i < IDS; i++)
        weight[i] = logistic_weight(&t.m, wide(i));
    memcpy(sum, t.m.accumulator, t.m.n * sizeof *sum);
    double bias = t.m.sgd.bias, bias_sum = t.m.sgd.bias_sum;
    logistic_forget(&t.m, 0.5, 1.0 / 16);
    for (uint32_t i = 0; i < IDS; i++)
        ck_assert(logistic_weight(&t.m, wide(i)) == weight[i] / 2);
    for (uint32_t f = 0; f < t.m.n; f++)
        ck_assert(t.m.accumulator[f] == sum[f] / 16);
    ck_assert(t.m.sgd.bias == bias / 2 && t.m.sgd.bias_sum == bias_sum / 16);
    ck_assert_ptr_null(logistic_check(&t.m));
    model_free(&t);
}
END_TEST

START_TEST(a_sketch_in_which_all_features_have_slots_learns_the_same_to_the_bit)
{
    for (int setting = 0; setting < 12; setting++) {
        struct logistic_options opt = {.sgd = {.lambda = setting % 2 ? 1e-2 : 0,
                                               .eta0 = setting % 4 == 3 ? 50 : 0.2,
                                               .schedule = SGD_CONSTANT,
                                               .bias = setting / 2 % 2,
                                               .rates = SGD_ADAPTIVE,
                                               .loss = setting / 4}};
        struct linear_options same = {
            .sgd = opt.sgd, .precision = ADAPTIVE_FULL, .max_row = MAX_ROW, .seed = 9};
        struct linear_shape shape = {IDS, setting % 3 ? 0 : 64, setting % 3 == 0, 0};
        struct model t = model_new(opt, 512);
        struct adaptive m;
        void *block = zeroed(store_block_bytes(&adaptive_kernel, &shape, &same));
        store_init(&m.s, &adaptive_kernel, &shape, &same, block);
        uint64_t s = (uint64_t)setting + 1, id[MAX_ROW];
        uint32_t k[MAX_ROW];
        float x[MAX_ROW];
        for (int row = 0; row < 500; row++) {
            struct linear_row r;
            double z, want;
            draw_row(&r, k, id, x, &s, row);
            for (uint32_t i = 0; i < r.n; i++)
                id[i] = k[i] % 40; /* small: folds differ; they repeat in a row, too */
            follow_last(&t.m);
            ck_assert_int_eq(logistic_learn(&t.m, &r, &want), LINEAR_OK);
            ck_assert_int_eq(store_learn(&m.s, &r, &z), LINEAR_OK);
            /* An entering feature takes over what others left in its cell; here the cells are
             * untouched. */
            ck_assert_msg(z == want, "setting %d, row %d: %.17g, not %.17g", setting, row, z, want);
        }
        free(block);
        model_free(&t);
    }
}
END_TEST

START_TEST(growing_changes_no_answer)
{
    struct logistic_options opt = {.sgd = {.lambda = 1e-3, .eta0 = 0.3, .rates = SGD_NEWTON},
                                   .counts = true};
    struct model small = growing_model(opt, 1, 1024), large = model_new(opt, 1024);
    uint64_t s = 3;
    for (int step = 0; step < 4000; step++) {
        uint64_t id[MAX_ROW];
        float x[MAX_ROW];
        struct linear_row r = {id, x, MAX_ROW, mix64_next(&s) % 2 ? 1 : -1, 1, true};
        for (uint32_t i = 0; i < MAX_ROW; i++)
            id[i] = wide((uint32_t)(mix64_next(&s) % 900)), x[i] = (float)(mix64_next(&s) % 3);
        while (logistic_free_slots(&small.m) < MAX_ROW && small.m.capacity < 1024)
            logistic_grow(&small.m, 2 * small.m.capacity);
        double a, b;
        logistic_learn(&small.m, &r, &a);
        logistic_learn(&large.m, &r, &b);
        ck_assert(a == b);
        for (uint32_t f = small.m.fresh_from; f < small.m.n; f++) {
            ck_assert(id[small.m.fresh[f - small.m.fresh_from]] == small.m.id[f]);
            ck_assert_uint_eq(small.m.tag[f], 0);
            small.m.tag[f] = f + 1;
        }
    }
    ck_assert_uint_eq(small.m.n, large.m.n);
    ck_assert(!memcmp(small.m.weight, large.m.weight, small.m.n * sizeof(float)));
    ck_assert(!memcmp(small.m.accumulator, large.m.accumulator, small.m.n * sizeof(float)));
    ck_assert(!memcmp(small.m.count, large.m.count, small.m.n * 8));
    for (uint32_t f = 0; f < small.m.n; f++)
        ck_assert_uint_eq(small.m.tag[f], f + 1);
    model_free(&small);
    model_free(&large);
}
END_TEST

START_TEST(a_full_table_ignores_and_counts_what_is_new)
{
    struct model t = model_new((struct logistic_options){.sgd = {.eta0 = 0.1}}, 8);
    for (uint64_t id = 0; id < 100; id++) {
        uint64_t both[] = {id, 3};
        float x[] = {1, 1};
        double z;
        logistic_learn(&t.m, &(struct linear_row){both, x, 2, 1, 1, true}, &z);
    }
    ck_assert_uint_eq(t.m.n, 8);
    ck_assert_uint_eq(t.m.ignored, 92); /* 0 1 2 3 4 5 6 7 are in, 8 .. 99 are not */
    ck_assert(logistic_weight(&t.m, 50) == 0);
    ck_assert(logistic_weight(&t.m, 3) > 0);
    model_free(&t);
}
END_TEST

START_TEST(rows_that_are_refused_leave_every_byte_as_it_was)
{
    const float bad[] = {NAN, INFINITY, -INFINITY};
    struct logistic_options opt = {.sgd = {.lambda = 1e-3, .eta0 = 0.3, .rates = SGD_ADAGRAD},
                                   .counts = true};
    struct model t = model_new(opt, 1024);
    size_t bytes = logistic_block_bytes(1024, &opt);
    char *before = malloc(bytes);
    uint64_t s = 8;
    for (int step = 0; step < 500; step++) {
        uint64_t id[MAX_ROW];
        float x[MAX_ROW];
        struct linear_row r = {id, x, MAX_ROW, 1, 1, true};
        double z;
        for (uint32_t i = 0; i < MAX_ROW; i++)
            id[i] = mix64_next(&s) % 600, x[i] = 1;
        if (step % 2) logistic_learn(&t.m, &r, &z);
        memcpy(before, t.block, bytes);
        struct sgd sgd = t.m.sgd;
        uint32_t n = t.m.n;
        x[mix64_next(&s) % MAX_ROW] = bad[step % 3];
        ck_assert_int_eq(logistic_learn(&t.m, &r, &z), LINEAR_NONFINITE);
        r.n = MAX_ROW + 1;
        ck_assert_int_eq(logistic_learn(&t.m, &r, &z), LINEAR_TOO_LONG);
        ck_assert(!memcmp(before, t.block, bytes) && !memcmp(&sgd, &t.m.sgd, sizeof sgd) &&
                  n == t.m.n);
    }
    free(before);
    model_free(&t);
}
END_TEST

START_TEST(rank_is_what_sorting_gives)
{
    enum { N = 300 };
    float w[N];
    uint32_t count[2 * N], top[N];
    uint64_t s = 4;
    for (int round = 0; round < 300; round++) {
        uint32_t k = (uint32_t)(mix64_next(&s) % (N + 1)), min = (uint32_t)(mix64_next(&s) % 12),
                 rank = 0;
        for (uint32_t i = 0; i < N; i++) { /* many ties */
            w[i] = (float)(mix64_next(&s) % 21) - 10;
            count[2 * i] = (uint32_t)(mix64_next(&s) % 6);
            count[2 * i + 1] = (uint32_t)(mix64_next(&s) % 6);
        }
        bool filter = round % 2;
        uint32_t n = rank_heaviest(N, w, filter ? count : NULL, min, k, top);
        for (int heavy = 10; heavy >= 0; heavy--)
            for (uint32_t i = 0; i < N && rank < k; i++) {
                bool enough = !filter || count[2 * i] + count[2 * i + 1] >= min;
                if (fabsf(w[i]) == (float)heavy && enough) ck_assert_uint_eq(top[rank++], i);
            }
        ck_assert_uint_eq(n, rank);
    }
}
END_TEST

/* Returns a model of 20,000 ids, chosen for `known`; if that is 0, for the model's own secret. */
static struct model model_of_chosen(uint64_t known, uint64_t secret)
{
    struct model t =
        model_new((struct logistic_options){.sgd = {.eta0 = 0.5, .loss = LOSS_LOGISTIC}}, 32768);
    if (secret) t.m.secret = secret;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t id = chosen_id(known ? known : t.m.secret, i);
        float x = 1;
        double margin;
        struct linear_row r = {.id = &id, .x = &x, .n = 1, .y = i % 3 ? 1 : -1, .weight = 1};
        ck_assert(logistic_learn(&t.m, &r, &margin) == LINEAR_OK);
    }
    return t;
}

START_TEST(ids_chosen_without_the_secret_do_not_fall_on_one_place)
{
    struct model t = model_of_chosen(MIX64_GOLDEN, 0);
    ck_assert_uint_lt(longest_run(t.m.index, 2 * t.m.capacity), 200);
    model_free(&t);
    t = model_of_chosen(0, 0); /* the model's secret: they collide */
    ck_assert_uint_ge(longest_run(t.m.index, 2 * t.m.capacity), 20000);
    model_free(&t);
}
END_TEST

START_TEST(weights_and_numbers_do_not_depend_on_the_secret)
{
    struct model a = model_of_chosen(MIX64_GOLDEN, 0), b = model_of_chosen(MIX64_GOLDEN, 12345);
    ck_assert_uint_eq(a.m.n, b.m.n);
    ck_assert_mem_eq(a.m.id, b.m.id, a.m.n * sizeof *a.m.id);
    ck_assert_mem_eq(a.m.weight, b.m.weight, a.m.n * sizeof *a.m.weight);
    ck_assert_mem_ne(a.m.index, b.m.index, 2 * a.m.capacity * sizeof *a.m.index);
    model_free(&a);
    model_free(&b);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct logistic_options opt = {
        .sgd = {.eta0 = 0.5, .schedule = SGD_CONSTANT, .bias = SGD_BIAS_NONE}};
    struct model t = model_new(opt, 4);
    const uint64_t id[] = {7, 9};
    const float x[] = {1, 2};
    struct linear_row row = {.id = id, .x = x, .n = 1, .y = 1, .weight = 1, .new_record = true};
    double margin;
    ck_assert_int_eq(logistic_learn(&t.m, &row, &margin), LINEAR_OK);
    ck_assert(margin == 0 && logistic_weight(&t.m, 7) == 0.25);
    row.n = 2, row.y = -1;
    ck_assert_int_eq(logistic_learn(&t.m, &row, &margin), LINEAR_OK);
    ck_assert(margin == 0.25);
    ck_assert_double_eq_tol(logistic_weight(&t.m, 7), -0.031, 5e-4);
    ck_assert_double_eq_tol(logistic_weight(&t.m, 9), -0.562, 5e-4);
    ck_assert(t.m.id[0] == 7 && t.m.id[1] == 9);
    model_free(&t);
}
END_TEST

/* Averages and the regression of both margins, recomputed from their definitions. */
START_TEST(predictions_are_blends_of_last_weights_and_averages)
{
    static double sum[IDS], now[IDS], H[2][2], part[2] = {0.5, 0.5};
    static bool seen[IDS];
    struct logistic_options opt = {.sgd = {.rates = SGD_ADAPTIVE, .lambda = 1e-4, .eta0 = 0.1}};
    struct model t = model_new(opt, 512);
    struct logistic *m = &t.m;
    uint64_t s = 11, id[MAX_ROW];
    uint32_t k[MAX_ROW];
    float x[MAX_ROW];
    double of_bias = 0, all = 0, importance = 0;
    H[0][0] = H[1][1] = 20;
    for (int row = 0; row < 600; row++) {
        struct linear_row r;
        double got, bias = m->sgd.bias, last = bias, mean = all > 0 ? of_bias / all : 0;
        draw_row(&r, k, id, x, &s, row);
        for (uint32_t f = 0; f < m->n; f++)
            for (uint32_t i = 0; i < IDS; i++) {
                if (m->id[f] != wide(i)) continue;
                now[i] = (double)m->weight[f];
                if (!seen[i]) sum[i] = all * now[i];
                seen[i] = true;
            }
        for (uint32_t i = 0; i < r.n; i++) {
            x[i] = 1; /* no value is tempered */
            last += m->sgd.alpha * now[k[i]];
            mean += m->sgd.alpha * (all > 0 ? sum[k[i]] / all : now[k[i]]);
        }
        const double share = pow(importance + (double)r.weight, 3) - pow(importance, 3);
        importance += (double)r.weight;
        all += share;
        of_bias += share * bias;
        for (uint32_t i = 0; i < IDS; i++)
            sum[i] += share * now[i];
        double want = part[0] * last + part[1] * mean;
        ck_assert_int_eq(logistic_learn(m, &r, &got), LINEAR_OK);
        ck_assert_msg(fabs(got - want) <= 5e-3 * (1 + fabs(want)), "row %d: %g, not %g", row, got,
                      want);
        double z[2] = {fmax(-8, fmin(8, last)), fmax(-8, fmin(8, mean))};
        double p = 1 / (1 + exp(-(part[0] * z[0] + part[1] * z[1])));
        double h = (double)r.weight * p * (1 - p), g = (double)r.weight * (p - (r.y > 0));
        for (int i = 0; i < 4; i++)
            H[i / 2][i % 2] += h * z[i / 2] * z[i % 2];
        double det = H[0][0] * H[1][1] - H[0][1] * H[1][0];
        part[0] -= g * (H[1][1] * z[0] - H[0][1] * z[1]) / det;
        part[1] -= g * (H[0][0] * z[1] - H[1][0] * z[0]) / det;
    }
    ck_assert(fabs(part[0] - t.m.blend.part[0]) < 1e-2);
    model_free(&t);
}
END_TEST

LEAT_SUITE("logistic", ids_chosen_without_the_secret_do_not_fall_on_one_place,
           weights_and_numbers_do_not_depend_on_the_secret,
           weights_and_margins_are_those_of_a_dense_twin,
           adaptive_rates_are_those_of_their_formulas,
           predictions_are_blends_of_last_weights_and_averages,
           with_a_penalty_the_margin_that_is_asked_for_is_the_one_that_is_learned_from,
           all_numbers_are_forgotten_by_the_same_share,
           a_sketch_in_which_all_features_have_slots_learns_the_same_to_the_bit,
           growing_changes_no_answer, a_full_table_ignores_and_counts_what_is_new,
           rows_that_are_refused_leave_every_byte_as_it_was, rank_is_what_sorting_gives,
           the_example_of_the_header_is_what_happens)
