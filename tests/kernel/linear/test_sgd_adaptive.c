/* test_sgd_adaptive.c -- the importance-invariant step against its differential equation.
 *
 * Runge and Kutta's method integrates the equation in long double. Tempering and rates are compared
 * with formulas. */
#include "support/suite.h"

#include <float.h>
#include <math.h>

#include "kernels/linear/sgd_adaptive.h"
#include "support/random.h"

enum { LOSSES = 3 };
static const double taus[] = {-700,  -100, -30, -15.5, -14.9, -5,    -1,    -1e-3, 0,  0.3, 0.9,
                              0.999, 1,    1.5, 5,     10,    14.99, 15.01, 16,    20, 40,  700};
static const double Ps[] = {0, 1e-12, 1e-6, 1e-3, 0.1, 1, 7, 1e3, 1e6, 1e8};
static const double cs[] = {1e-3, 0.5, 1, 3, 100, 1e4};
enum {
    TAUS = sizeof taus / sizeof *taus,
    PS = sizeof Ps / sizeof *Ps,
    CS = sizeof cs / sizeof *cs
};

/* ---- the oracle ---- */

/* -l' */
static long double pull(enum loss_kind loss, long double tau)
{
    if (loss == LOSS_LOGISTIC) return 1 / (1 + expl(tau));
    if (loss == LOSS_SQUARED) return 1 - tau;
    return tau >= 1 ? 0 : tau > 0 ? 1 - tau : 1;
}

/* Returns a step in which l' changes little. It ends where the formula of the loss changes. */
static long double step_from(enum loss_kind loss, long double tau)
{
    if (loss == LOSS_SQUARED) return 0.02L;
    if (loss == LOSS_SMOOTHED_HINGE) return tau < -1e-15L ? -tau : 0.02L;
    return tau < -50 ? (-tau - 49) / 2 : 0.02L * (1 + expl(tau));
}

/* Returns how far tau moves in the time s of dtau/ds = -l'(tau). */
static long double moved(enum loss_kind loss, long double tau, long double s)
{
    long double d = 0;
    while (s > 0) {
        long double h = fminl(s, step_from(loss, tau + d)), at = tau + d;
        long double a = pull(loss, at), b = pull(loss, at + h / 2 * a);
        long double c = pull(loss, at + h / 2 * b), e = pull(loss, at + h * c);
        long double by = h / 6 * (a + 2 * b + 2 * c + e);
        if (fabsl(by) <= 1e-19L * fabsl(d)) break; /* it has arrived */
        d += by;
        s -= h;
    }
    return d;
}

static double wanted(enum loss_kind loss, double tau, double P, double c)
{
    if (P == 0) return (double)(c * pull(loss, tau));
    return (double)(moved(loss, tau, (long double)P * c) / P);
}

/* Returns the tolerance: margins are doubles, and their differences have no more digits. */
static double allowed(double tau, double P, double way)
{
    return 1e-5 * fabs(way) + (P > 0 ? 1e-14 * (1 + fabs(tau)) / P : 0);
}

/* For a P c below 1e-6, the difference of two margins has too few digits. */
static double allowed_in(double tau, double P, double c, double way)
{
    return P * c < 1e-6 ? 1e-5 * fabs(way) : allowed(tau, P, way);
}

#define EACH_SETTING                                                                               \
    for (int loss = 0; loss < LOSSES; loss++)                                                      \
        for (int i = 0; i < TAUS; i++)                                                             \
            for (int j = 0; j < PS; j++)                                                           \
                for (int k = 0; k < CS; k++)

START_TEST(a_step_goes_as_far_as_its_differential_equation)
{
    EACH_SETTING
    {
        double tau = taus[i], P = Ps[j], c = cs[k];
        double way = sgd_adaptive_path(loss, tau, P, c), want = wanted(loss, tau, P, c);
        ck_assert_msg(fabs(way - want) <= allowed_in(tau, P, c, want),
                      "loss %d, tau %g, P %g, c %g: %.12g, not %.12g", loss, tau, P, c, way, want);
    }
}
END_TEST

START_TEST(an_example_of_weight_a_plus_b_is_one_of_a_and_one_of_b)
{
    EACH_SETTING
    {
        double tau = taus[i], P = Ps[j], a = cs[k], b = cs[(k + i + j) % CS];
        if (P == 0) continue; /* now every step begins at the same margin */
        double first = sgd_adaptive_path(loss, tau, P, a);
        double second = sgd_adaptive_path(loss, tau + P * first, P, b);
        double both = sgd_adaptive_path(loss, tau, P, a + b);
        ck_assert_msg(fabs(both - first - second) <=
                          3 * allowed_in(tau, P, a + b, both) + allowed(tau + P * first, P, 0),
                      "loss %d, tau %g, P %g, %g + %g: %.12g, not %.12g", loss, tau, P, a, b,
                      first + second, both);
    }
}
END_TEST

/* Points near every place where another formula may begin. */
START_TEST(a_step_is_continuous_in_margin_and_weight)
{
    static const double near = 1e-10;
    for (int loss = 0; loss < LOSSES; loss++)
        for (double Pc = 1e-7; Pc < 2e8; Pc *= 10)
            for (double tau = -20; tau <= 20; tau += 0.5)
                for (double P = 1e-3; P < 1e4; P *= 10) {
                    double c = Pc / P;
                    double low = sgd_adaptive_path(loss, tau - near, P, c * (1 - near));
                    double high = sgd_adaptive_path(loss, tau + near, P, c * (1 + near));
                    double way = sgd_adaptive_path(loss, tau, P, c), room = allowed(tau, P, way);
                    room = fmax(room, 3 * near / P * fmin(1, Pc) + 3 * near * fabs(way));
                    ck_assert_msg(fabs(low - way) <= room && fabs(high - way) <= room,
                                  "loss %d, tau %g, P %g, c %g: %.12g %.12g %.12g", loss, tau, P, c,
                                  low, way, high);
                }
}
END_TEST

START_TEST(no_step_goes_past_the_label_or_away_from_it)
{
    static const double large[] = {-1e60, -1e17, -1e9};
    for (int loss = 0; loss < LOSSES; loss++)
        for (int i = -3; i < TAUS; i++)
            for (double P = 1e-30; P < 1e30; P *= 10)
                for (double c = 1e-20; c < 1e38; c *= 1e3) {
                    double tau = i < 0 ? large[i + 3] : taus[i];
                    double way = sgd_adaptive_path(loss, tau, P, c), end = tau + P * way;
                    ck_assert(isfinite(way));
                    if (loss == LOSS_LOGISTIC || tau < 1) ck_assert(way >= 0);
                    double digits = 1e-14 * (1 + fabs(tau));
                    if (loss != LOSS_LOGISTIC && tau <= 1) ck_assert(end <= 1 + digits);
                    if (loss == LOSS_SQUARED && tau >= 1) ck_assert(way <= 0 && end >= 1 - digits);
                }
}
END_TEST

/* A margin so far off that adding P c to it changes no digit. */
START_TEST(a_margin_that_is_far_off_moves_all_the_same)
{
    for (double tau = -1e3; tau > -1e60; tau *= 10) {
        ck_assert_double_le(fabs(sgd_adaptive_path(LOSS_LOGISTIC, tau, 1, 1) - 1), 1e-6);
        ck_assert_double_le(fabs(sgd_adaptive_path(LOSS_LOGISTIC, tau, 100, 2) - 2), 1e-6);
        ck_assert_double_le(fabs(sgd_adaptive_path(LOSS_SMOOTHED_HINGE, tau, 1, 1) - 1), 1e-6);
    }
}
END_TEST

START_TEST(steps_are_finite_for_all_that_is)
{
    static const double ends[] = {0, 1e-320, 1e-45, 1e-5, 1, 1e8, 1e19, (double)FLT_MAX, 1e60};
    for (int loss = 0; loss < LOSSES; loss++)
        for (int i = 0; i < 9; i++)
            for (int j = 0; j < 9; j++)
                for (int k = 0; k < 8; k++)
                    for (int sign = -1; sign < 2; sign += 2)
                        ck_assert(
                            isfinite(sgd_adaptive_path(loss, sign * ends[i], ends[j], ends[k])));
}
END_TEST

START_TEST(an_example_of_weight_0_takes_no_step)
{
    for (int loss = 0; loss < LOSSES; loss++)
        for (int i = 0; i < TAUS; i++)
            for (int j = 0; j < PS; j++)
                ck_assert_double_le(fabs(Ps[j] * sgd_adaptive_path(loss, taus[i], Ps[j], 0)),
                                    1e-14 * (1 + fabs(taus[i])));
}
END_TEST

/* ---- values that grow ---- */

static bool close_to(double is, double want) { return fabs(is / want - 1) <= 1e-5; }

START_TEST(a_weight_counts_for_less_at_large_values_and_in_columns_of_them)
{
    uint64_t s = 5;
    int large = 0, coarse = 0;
    for (int k = 0; k < 10000; k++) {
        struct sgd clock = {.grown = k % 2 ? 1 : 1 + below(&s, 1000),
                            .alpha = exp2(uniform(&s, -20, 0)),
                            .bias_sum = exp2(uniform(&s, -10, 30))};
        float a = (float)exp2(uniform(&s, -30, 60)), x = (float)exp2(uniform(&s, -60, 60));
        float w = (float)exp2(uniform(&s, -60, 20)), sign = below(&s, 2) ? 1.0f : -1.0f;
        double usual = sqrt((double)a / clock.grown), scale = sqrt((double)a / clock.bias_sum);
        double less = fmin(1, 10 * usual / (double)x), most = 10 / scale / clock.alpha;
        double held = scale > 2 && (double)w > most ? most : (double)w;
        struct sgd_limits limits = sgd_adaptive_limits(&clock);
        ck_assert(close_to((double)sgd_adaptive_lessen(&limits, a, sign * x), less));
        ck_assert(close_to((double)sgd_adaptive_hold(&limits, sign * w, a), (double)sign * held));
        ck_assert(close_to((double)sgd_adaptive_temper(&limits, sign * w, a, x),
                           (double)sign * held * less));
        large += less < 1, coarse += held < (double)w;
    }
    ck_assert_int_gt(large, 1000);
    ck_assert_int_gt(coarse, 1000);
}
END_TEST

START_TEST(a_weight_that_has_learned_nothing_is_not_lessened_and_no_extreme_is_not_finite)
{
    struct sgd_limits limits = sgd_adaptive_limits(&(struct sgd){.grown = 1, .alpha = 1});
    ck_assert(sgd_adaptive_lessen(&limits, 0, 1e30f) == 1);
    ck_assert(sgd_adaptive_lessen(&limits, 1, 0) == 1);
    ck_assert(sgd_adaptive_lessen(&limits, 1, FLT_MAX) > 0);
    ck_assert(sgd_adaptive_hold(&limits, 3, 0) == 3);
    static const double ends[] = {0, 1e-300, 1e-9, 1, 1e30};
    static const float sums[] = {0, FLT_MIN, 1, SGD_LIMIT};
    for (int i = 0; i < 5; i++)
        for (int j = 2; j < 4; j++)
            for (int k = 0; k < 4; k++) {
                struct sgd clock = {.grown = 1, .alpha = ends[j], .bias_sum = ends[i]};
                limits = sgd_adaptive_limits(&clock);
                float w = sgd_adaptive_temper(&limits, SGD_LIMIT, sums[k], FLT_MAX);
                ck_assert(isfinite(w) && w >= 0);
            }
}
END_TEST

/* ---- examples ---- */

/* Nothing moves the margin of an example with even odds, so its step is half of the rate. */
static double rate_of_an_example(struct sgd *s, bool fresh, double size)
{
    struct sgd_adaptive e = sgd_adaptive_begin(s, 0, 1, 1, fresh);
    float step = sgd_adaptive_end(s, &e, &(struct sgd_ways){.size = size});
    if (sgd_must_renew(s)) sgd_renew(s, NULL, NULL, 0);
    return 2 * (double)step * e.step.alpha;
}

START_TEST(rates_follow_the_mean_size_of_rows_that_have_one)
{
    for (int k = 0; k < 4; k++) {
        struct sgd s;
        double half_life = k % 2 ? 20 : 0, sized = 0, size = 0;
        uint64_t seed = 1;
        sgd_init(&s, &(struct sgd_options){.rate = 0.7,
                                           .rates = SGD_ADAPTIVE,
                                           .half_life = half_life,
                                           .eta0 = 0.1,
                                           .loss = LOSS_LOGISTIC,
                                           .bias = SGD_BIAS_NONE});
        for (int t = 0; t < 500; t++) {
            bool fresh = k < 2 || below(&seed, 3);
            double more = t % 100 < 50 ? uniform(&seed, 0, 1e-3) : uniform(&seed, 0, 30);
            if (below(&seed, 3) == 0) more = 0;
            double f = half_life > 0 && fresh ? exp2(-1 / half_life) : 1;
            sized = sized * f + (more > 0), size = size * f + more;
            double rate = rate_of_an_example(&s, fresh, more);
            if (sized >= 1) ck_assert_double_le(fabs(rate / (0.7 / sqrt(size / sized)) - 1), 1e-5);
        }
    }
}
END_TEST

static struct sgd_adaptive example(double importance, double rate, double tau)
{
    struct sgd s;
    sgd_init(&s, &(struct sgd_options){
                     .rate = rate, .rates = SGD_ADAPTIVE, .loss = LOSS_SMOOTHED_HINGE});
    return sgd_adaptive_begin(&s, tau, 1, importance, true);
}

START_TEST(units_are_values_by_the_larger_of_themselves_and_their_mean_size)
{
    uint64_t seed = 3;
    struct sgd_adaptive e = {.shrunk = 1};
    for (int k = 0; k < 10000; k++) {
        double x = exp2(uniform(&seed, -30, 30)), G = exp2(uniform(&seed, -10, 20));
        double a = k % 3 ? G * exp2(uniform(&seed, -50, 50)) : 0;
        double scale = fmax(x, sqrt(a / G)), by = scale < 1 ? pow(scale, 0.25) : scale;
        e.spread = (float)(1 / G);
        double u = (double)sgd_adaptive_unit(&e, (float)a, (float)x);
        ck_assert_double_le(fabs(u * by / x - 1), 1e-6);
        ck_assert(sgd_adaptive_unit(&e, (float)a, (float)-x) == (float)-u);
    }
    ck_assert(sgd_adaptive_unit(&e, 0, 0) == 0);
}
END_TEST

START_TEST(what_is_right_already_adds_nothing_to_an_accumulator_however_large_its_value)
{
    for (float x = 1; x < 1e38f; x *= 10) {
        struct sgd_adaptive sure = example(1, 1, 2), light = example(0, 1, 0);
        ck_assert(sgd_adaptive_sum(&sure, 3, x) == 3);
        ck_assert(sgd_adaptive_sum(&light, 3, -x) == 3);
    }
}
END_TEST

START_TEST(directions_are_finite_for_every_value_and_add_up)
{
    static const float x[] = {0, 1e-45f, 1e-30f, 1, 1e18f, 1e19f, 1e30f, FLT_MAX};
    static const float spreads[] = {0, 1e-20f, 1, 1 / FLT_MIN};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 8; i++)
            for (float a = 0; a < 1e31f; a = a * 1e5f + 1e-8f) {
                struct sgd_adaptive e = {.spread = spreads[k], .shrunk = 1};
                struct sgd_ways sum = {1, 2}, other = {0};
                float d = sgd_adaptive_direction(&e, a, x[i], &sum);
                ck_assert_double_le(fabs((double)d * (double)x[i]), 0.354);
                ck_assert(fabs(sum.speed - 1 - (double)d * (double)x[i]) < 1e-6);
                ck_assert(sum.size >= 2 && sum.size <= 3.000001);
                ck_assert(sgd_adaptive_direction(&e, a, -x[i], &other) == -d);
            }
}
END_TEST

/* Lengths that fill wide loops, blocks of them, and remainders. */
START_TEST(a_row_of_any_length_has_the_directions_of_its_entries_to_the_bit)
{
    enum { MAX = 200 };
    float x[MAX], a[MAX], d[MAX + 1];
    uint64_t seed = 5;
    struct sgd_adaptive e = example(3, 0.7, 0.2);
    for (uint32_t n = 0; n < MAX; n++) {
        struct sgd_ways sum = {0};
        for (uint32_t i = 0; i < n; i++) {
            x[i] = (float)uniform(&seed, -2, 2) * (below(&seed, 9) ? 1 : 1e30f);
            d[i] = a[i] = below(&seed, 4) ? (float)exp2(uniform(&seed, -30, 100)) : 0;
        }
        d[n] = 7;
        struct sgd_ways all = sgd_adaptive_directions(&e, n, x, d);
        ck_assert(d[n] == 7);
        for (uint32_t i = 0; i < n; i++)
            ck_assert(d[i] ==
                      sgd_adaptive_direction(&e, sgd_adaptive_sum(&e, a[i], x[i]), x[i], &sum));
        ck_assert(all.speed == sum.speed && all.size == sum.size);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct sgd s;
    sgd_init(&s, &(struct sgd_options){
                     .eta0 = 0.5, .rates = SGD_ADAPTIVE, .rate = 1.5, .bias = SGD_BIAS_NONE});
    struct sgd_adaptive e = sgd_adaptive_begin(&s, 0, 1, 1, true);
    struct sgd_ways sum = {0};
    float a = sgd_adaptive_sum(&e, 0, 2);
    float along = sgd_adaptive_direction(&e, a, 2, &sum);
    float u = sgd_adaptive_end(&s, &e, &sum);
    ck_assert(s.bias_sum == 0.25 && (double)a == 1);
    ck_assert_double_eq_tol(sum.size, 1, 1e-6);
    ck_assert_double_eq_tol(1.5 * (double)along, 0.261, 5e-4);
    ck_assert_double_eq_tol(1.5 * sum.speed, 0.522, 5e-4);
    ck_assert_double_eq_tol(sgd_adaptive_path(LOSS_LOGISTIC, 0, 1.5 * sum.speed, 1), 0.469, 5e-4);
    ck_assert_double_eq_tol((double)(u * along), 0.122, 5e-4);
    ck_assert_double_eq_tol((double)(2 * u * along), 0.245, 5e-4);
}
END_TEST

LEAT_SUITE("sgd_adaptive", a_step_goes_as_far_as_its_differential_equation,
           an_example_of_weight_a_plus_b_is_one_of_a_and_one_of_b,
           a_step_is_continuous_in_margin_and_weight, no_step_goes_past_the_label_or_away_from_it,
           a_margin_that_is_far_off_moves_all_the_same, steps_are_finite_for_all_that_is,
           an_example_of_weight_0_takes_no_step,
           a_weight_counts_for_less_at_large_values_and_in_columns_of_them,
           a_weight_that_has_learned_nothing_is_not_lessened_and_no_extreme_is_not_finite,
           rates_follow_the_mean_size_of_rows_that_have_one,
           units_are_values_by_the_larger_of_themselves_and_their_mean_size,
           what_is_right_already_adds_nothing_to_an_accumulator_however_large_its_value,
           a_row_of_any_length_has_the_directions_of_its_entries_to_the_bit,
           directions_are_finite_for_every_value_and_add_up,
           the_example_of_the_header_is_what_happens)
