/* test_son.c -- the online Newton family against its dense definition, and its properties.
 *
 * Members: adagrad, full_on, rfd_son (both kinds and scaled), rp_son, oja_son, and their common
 * part. */
#include "support/suite.h"
#include "core/mix64.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/loss.h"
#include "support/event_times.h"
#include "support/son_rig.h"
#include "support/random.h"

enum { D = NAIVE_D, KINDS = NAIVE_OJA + 1 };

/* A row of up to 7 entries and its dense form. It may repeat a feature, be empty, or be zero. */
struct example {
    uint32_t n;
    uint64_t id[8];
    double x[8], dense[D], weight;
    double y;
};

static struct example draw(uint64_t *s, double scale)
{
    static const double hidden[D] = {2, -1, .5, 0, 0, 1, -1, 3, -.2, .1, 0, -2};
    struct example e = {.n = (uint32_t)(mix64_next(s) % 8)};
    double margin = 0.4 * uniform(s, -1, 1);
    for (uint32_t i = 0; i < e.n; i++) {
        uint32_t j = (uint32_t)(mix64_next(s) % D);
        j %= 1 + (uint32_t)(mix64_next(s) % D); /* separate: C does not order two calls */
        e.id[i] = 1000 + j;
        e.x[i] = scale * uniform(s, -1, 1);
        e.dense[j] += e.x[i];
        margin += hidden[j] * e.x[i] / scale;
    }
    e.y = margin > 0 ? 1 : -1;
    e.weight = mix64_next(s) % 4 ? 1 : (double)(mix64_next(s) % 4) / 2;
    return e;
}

static double margin_of(const struct son_rig *g, const struct example *e)
{
    double s = 0;
    for (uint32_t i = 0; i < e->n; i++)
        s += son_rig_weight(g, e->id[i]) * e->x[i];
    return s;
}

static enum son_result learn(struct son_rig *g, const struct example *e, double *z)
{
    return son_rig_learn(g, e->n, e->id, e->x, e->y, e->weight, z);
}

static void near(double a, double b, double tolerance, const char *what, int kind, int step)
{
    ck_assert_msg(fabs(a - b) <= tolerance * (1 + fabs(b)),
                  "%s: %.12g, not %.12g (kind %d, step %d)", what, a, b, kind, step);
}

/* ---- the definition ---- */

struct shape {
    uint32_t m, buffer, warm;
    double alpha0;
};

/* Checks the learner against the twin. Numeric labels lie within the clip, and tolerances scale
 * with it. */
static void follow(enum naive_kind kind, struct son_options opt, struct shape h, uint64_t seed)
{
    struct son_rig g;
    struct naive n = naive_of(kind, &opt, h.m, h.buffer, h.warm);
    double unit = opt.numbers ? opt.clip : 1, within = opt.numbers ? 1e-7 : 1e-8;
    if (opt.alpha0 == 0 && kind == NAIVE_PAPER)
        within = 1e-5; /* the last rows before a full rank
                                                                  have eigenvalues near 0 */
    son_rig_open(&g, kind, &opt, h.m, h.buffer, h.warm, 64);
    const double *xi = kind == NAIVE_RP ? g.column.xi : NULL;
    for (int step = 0; step < 400; step++) {
        struct example e = draw(&seed, 2);
        double z;
        if (opt.numbers) e.y = opt.clip * uniform(&seed, -1, 1);
        ck_assert_int_eq(learn(&g, &e, &z), SON_OK);
        near(z / unit, naive_learn(&n, e.dense, e.y, e.weight, xi) / unit, within, "z", kind, step);
        for (uint32_t j = 0; j < D && step % 20 == 19; j++)
            near(son_rig_weight(&g, 1000 + j) / unit, n.w[j] / unit, within, "w", kind, step);
        if (kind == NAIVE_RFD) near(g.rfd.alpha, n.alpha, 1e-9, "alpha", kind, step);
    }
    son_rig_close(&g);
}

static void follow_all(enum son_loss loss, double clip)
{
    static const struct shape shapes[] = {{1, 0, 0, 1}, {4, 0, 0, 1},    {4, 1, 0, 2},
                                          {3, 5, 7, 5}, {20, 0, 20, .1}, {8, 0, 20, 1}};
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
            struct shape h = shapes[k];
            if (kind == NAIVE_FD) h.alpha0 *= 20; /* a smaller one amplifies any difference */
            follow((enum naive_kind)kind,
                   (struct son_options){.loss = loss, .clip = clip, .alpha0 = h.alpha0}, h,
                   17 * k + 1);
        }
}

START_TEST(the_squared_loss_is_learned_as_dense_solutions_say)
{
    follow_all(SON_SQUARED, 1);
    follow_all(SON_SQUARED, 2.5);
}
END_TEST

START_TEST(labels_that_are_numbers_are_learned_as_dense_solutions_say)
{
    static const struct shape shapes[] = {{4, 0, 0, 1}, {3, 5, 7, 5}, {20, 0, 20, .1}};
    static const double clips[] = {0.02, 1, 5, 1e6};
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t k = 0; k < 3; k++)
            for (int c = 0; c < 4; c++) {
                struct shape h = shapes[k];
                if (kind == NAIVE_FD) h.alpha0 *= 20;
                follow((enum naive_kind)kind,
                       (struct son_options){SON_SQUARED, clips[c], h.alpha0, true, false}, h,
                       19 * k + 1);
            }
}
END_TEST

/* y = 3 x1 - 2 x2 + 1, in thousands: least squares by the normal equations. */
START_TEST(a_line_is_found_in_any_unit)
{
    static const double units[] = {1, 1000};
    for (int kind = 0; kind < KINDS; kind++)
        for (int u = 0; u < 2; u++) {
            struct son_options opt = {SON_SQUARED, 8 * units[u], kind == NAIVE_FD ? 1 : .1, true,
                                      false};
            struct son_rig g;
            uint64_t s = 3;
            double apart = 0;
            son_rig_open(&g, (enum naive_kind)kind, &opt, 4, 0, 5, 64);
            for (int step = 0; step < 6000; step++) {
                double x[] = {uniform(&s, -1, 1), uniform(&s, -1, 1), 1}, z;
                double y = units[u] * (3 * x[0] - 2 * x[1] + 1);
                static const uint64_t id[] = {1, 2, 3};
                ck_assert_int_eq(son_rig_learn(&g, 3, id, x, y, 1, &z), SON_OK);
                if (step >= 5500) apart += fabs(z - y) / units[u] / 500;
            }
            ck_assert_msg(apart < .1, "kind %d, unit %g: %g", kind, units[u], apart);
            son_rig_close(&g);
        }
}
END_TEST

/* (alpha0 I + sum 2 c x x')^-1 sum 2 c y x, which LAPACK solves. */
START_TEST(with_the_hessian_weights_are_those_of_ridge_regression)
{
    static const enum naive_kind kinds[] = {NAIVE_FULL, NAIVE_FD};
    for (int kind = 0; kind < 2; kind++) {
        const struct son_options opt = {SON_SQUARED, 1e6, 0.7, true, true};
        struct son_rig g;
        uint64_t s = 5;
        double H[D * D] = {0}, b[D] = {0}, z;
        son_rig_open(&g, kinds[kind], &opt, 2 * D, 0, 0, 64);
        for (uint32_t j = 0; j < D; j++)
            H[j * D + j] = opt.alpha0;
        for (int step = 0; step < 500; step++) {
            struct example e = draw(&s, 2);
            e.y = uniform(&s, -9, 9);
            ck_assert_int_eq(learn(&g, &e, &z), SON_OK);
            for (uint32_t i = 0; i < D * D; i++)
                H[i] += 2 * e.weight * e.dense[i / D] * e.dense[i % D];
            for (uint32_t j = 0; j < D; j++)
                b[j] += 2 * e.weight * e.y * e.dense[j];
        }
        ck_assert_int_eq(LAPACKE_dposv(LAPACK_ROW_MAJOR, 'L', D, 1, H, D, b, 1), 0);
        for (uint32_t j = 0; j < D; j++)
            near(son_rig_weight(&g, 1000 + j), b[j], 1e-6, "w", kinds[kind], 500);
        son_rig_close(&g);
    }
}
END_TEST

START_TEST(mu_of_numbers_is_the_largest_that_holds_for_all_labels_within_the_clip)
{
    for (double C = 0.5; C <= 64; C *= 4) {
        double mu = son_mu(&(struct son_options){SON_SQUARED, C, 1, true, false}), beyond = 1;
        for (int i = 0; i < 40 * 40 * 40; i++) {
            double u = C * (i % 40 - 19.5) / 19.5, v = C * (i / 40 % 40 - 19.5) / 19.5,
                   y = C * (i / 1600 - 19.5) / 19.5, along = 2 * (u - y) * (v - u),
                   rest = (v - y) * (v - y) - (u - y) * (u - y) - along;
            ck_assert_double_ge(rest - mu / 2 * along * along, -1e-9 * C * C);
            beyond = fmin(beyond, rest - 1.2 * mu / 2 * along * along);
        }
        ck_assert_double_lt(beyond, 0);
    }
}
END_TEST

START_TEST(the_logistic_loss_is_learned_as_dense_solutions_say)
{
    follow_all(SON_LOGISTIC, 1);
    follow_all(SON_LOGISTIC, 3);
}
END_TEST

START_TEST(the_squared_hinge_is_learned_as_dense_solutions_say)
{
    follow_all(SON_SQUARED_HINGE, 0.5);
    follow_all(SON_SQUARED_HINGE, 4);
}
END_TEST

START_TEST(without_alpha0_robust_directions_are_what_dense_solutions_say)
{
    static const struct shape shapes[] = {{4, 0, 20, 0}, {8, 0, 0, 0}, {2, 1, 3, 0}};
    for (uint64_t k = 0; k < 3; k++)
        follow(NAIVE_RFD, (struct son_options){.loss = SON_SQUARED, .clip = 1, .alpha0 = 0},
               shapes[k], k + 5);
}
END_TEST

/* H is singular below the rank of the rows, until a shrink loses something. */
START_TEST(the_papers_form_without_alpha0_steps_by_the_pseudo_inverse)
{
    static const struct shape shapes[] = {{4, 0, 0, 0}, {8, 0, 0, 0},     {2, 1, 0, 0},
                                          {5, 1, 0, 0}, {D + 2, 0, 0, 0}, {9, 4, 3, 0}};
    for (uint64_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
        for (uint64_t seed = 1; seed <= 5; seed++)
            follow(NAIVE_PAPER, (struct son_options){.loss = SON_SQUARED, .clip = 1}, shapes[k],
                   seed);
}
END_TEST

/* Draws an example with a value and a weight above 0. By records, other examples fade nothing. */
static struct example draw_to_teach(uint64_t *s)
{
    for (;;) {
        struct example e = draw(s, 1);
        double xx = 0;
        for (int j = 0; j < D; j++)
            xx += e.dense[j] * e.dense[j];
        if (xx > 0 && e.weight > 0) return e;
    }
}

/* H = alpha I + B'B. Each example first multiplies alpha and B'B by a factor, which differs by
 * event time. After a shrink alpha is at least its initial value. half_life: in seconds if
 * `by_time`. */
static void fades_as_dense_solutions(enum naive_kind kind, uint32_t m, double half_life,
                                     bool by_time)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 3};
    struct naive n = naive_of(kind, &opt, m, 4, 2);
    struct event_times times = {.seed = 3};
    struct son_rig g;
    uint64_t s = 30;
    son_rig_open(&g, kind, &opt, m, 4, 2, 64);
    g.rfd.opt.half_life = by_time ? half_life * (double)EVENT_SECOND : half_life;
    n.fades = true;
    g.rfd.opt.by_time = by_time;
    if (!by_time) g.rfd.fade = exp2(-1 / half_life);
    for (int step = 0; step < 300; step++) {
        struct example e = draw_to_teach(&s);
        struct son_features f = son_rig_features(&g);
        double z, passed = 1, weight = e.weight;
        if (by_time) e.weight *= rfd_son_at(&g.rfd, &f, event_times_next(&times, &passed));
        weight *= exp2(-times.late / half_life);
        n.fade = exp2(-passed / half_life);
        ck_assert_int_eq(learn(&g, &e, &z), SON_OK);
        near(z, naive_learn(&n, e.dense, e.y, weight, NULL), 1e-7, "z", kind, step);
        near(g.rfd.fd.fade * g.rfd.alpha, n.alpha, 1e-8, "alpha", kind, step);
    }
    for (uint32_t j = 0; j < D; j++)
        near(son_rig_weight(&g, 1000 + j), n.w[j], 1e-7, "w", kind, (int)j);
    son_rig_close(&g);
}

static void fade_all(bool by_time)
{
    static const enum naive_kind kinds[] = {NAIVE_FD, NAIVE_RFD, NAIVE_PAPER, NAIVE_ROOT};
    static const double half_lives[] = {3, 20, 300};
    for (int k = 0; k < 4; k++)
        for (int h = 0; h < 3; h++)
            for (uint32_t m = 3; m <= 14; m += 11)
                fades_as_dense_solutions(kinds[k], m, half_lives[h], by_time);
}

START_TEST(fading_is_that_of_dense_solutions) { fade_all(false); }
END_TEST

START_TEST(by_event_time_it_fades_by_what_has_passed) { fade_all(true); }
END_TEST

/* ---- losses ---- */

static double loss_of(enum son_loss loss, double z)
{
    double miss = 1 - z; /* y = 1 */
    if (loss == SON_LOGISTIC) return loss_log1pexp(-z);
    return loss == SON_SQUARED_HINGE && miss < 0 ? 0 : miss * miss;
}

/* Returns how far f(v) is above the parabola that touches f at u with curvature mu f'(u)^2. */
static double gap_above(enum son_loss loss, double u, double v, double mu)
{
    double slope = son_slope(loss, u, 1), along = slope * (v - u);
    return loss_of(loss, v) - loss_of(loss, u) - along - mu / 2 * along * along;
}

START_TEST(mu_is_the_largest_curvature_that_holds_within_the_clip)
{
    for (enum son_loss loss = SON_SQUARED; loss <= SON_SQUARED_HINGE; loss++)
        for (double C = 0.25; C <= 16; C *= 2) {
            double mu = son_mu(&(struct son_options){.loss = loss, .clip = C}), smallest = 1,
                   beyond = 1;
            for (int i = 0; i <= 200; i++)
                for (int j = 0; j <= 200; j++) {
                    double u = C * (i - 100) / 100, v = C * (j - 100) / 100;
                    double scale = 1 + fabs(son_slope(loss, u, 1) * (v - u));
                    smallest = fmin(smallest, gap_above(loss, u, v, mu) / scale);
                    beyond = fmin(beyond, gap_above(loss, u, v, 1.2 * mu) / scale);
                }
            ck_assert_msg(smallest > -1e-12, "loss %d, C %g: %g", (int)loss, C, smallest);
            ck_assert_msg(beyond < 0, "loss %d, C %g: %g beyond", (int)loss, C, beyond);
        }
    ck_assert(son_mu(&(struct son_options){.loss = SON_SQUARED, .clip = 1}) == 0.125);
}
END_TEST

START_TEST(slopes_are_those_of_the_losses_for_both_labels)
{
    for (enum son_loss loss = SON_SQUARED; loss <= SON_SQUARED_HINGE; loss++)
        for (double z = -3.05; z < 3; z += 0.1) {
            double slope = (loss_of(loss, z + 1e-5) - loss_of(loss, z - 1e-5)) / 2e-5;
            near(son_slope(loss, z, 1), slope, 1e-8, "slope", (int)loss, 0);
            ck_assert(son_slope(loss, -z, -1) == -son_slope(loss, z, 1));
        }
}
END_TEST

START_TEST(log_odds_rise_with_the_prediction_and_are_finite_at_its_limits)
{
    for (enum son_loss loss = SON_SQUARED; loss <= SON_SQUARED_HINGE; loss++)
        for (double z = -1; z <= 1; z += 0.01) {
            double s = son_log_odds(loss, z);
            ck_assert(isfinite(s) && son_log_odds(loss, z - 0.01) <= s);
            near(son_log_odds(loss, -z), -s, 1e-12, "odd", (int)loss, 0);
        }
    /* p(+) = 0.8: where the expectation of the squared losses has its minimum, z = 0.6 */
    near(son_log_odds(SON_SQUARED, 0.6 / (1 - SON_DOUBT)), log(4), 1e-12, "squared", 0, 0);
    ck_assert(son_log_odds(SON_LOGISTIC, 7.5) == 7.5);
    ck_assert(son_log_odds(SON_SQUARED, 5) == son_log_odds(SON_SQUARED, 1));
}
END_TEST

/* ---- properties ---- */

/* An example beyond the clip on its label's side has no gradient at the clip. Only the projection
 * moves the weights. */
START_TEST(weights_are_projected_onto_the_clip)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 0.3};
        struct son_rig g;
        uint64_t s = 3;
        int projected = 0;
        son_rig_open(&g, (enum naive_kind)kind, &opt, 4, 0, 5, 64);
        for (int step = 0; step < 600; step++) {
            struct example e = draw(&s, 3);
            double before = margin_of(&g, &e), z;
            e.weight = 1;
            if (fabs(before) > 1) e.y = before > 0 ? 1 : -1;
            learn(&g, &e, &z);
            ck_assert(fabs(z) <= 1);
            if (fabs(before) <= 1) continue;
            near(margin_of(&g, &e), e.y, 1e-9, "w'x", kind, step);
            projected++;
        }
        ck_assert_msg(projected > 20, "kind %d: %d", kind, projected);
        son_rig_close(&g);
    }
}
END_TEST

START_TEST(a_sketch_with_room_for_the_rank_is_the_full_matrix)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 2};
    static const enum naive_kind kinds[] = {NAIVE_FD, NAIVE_RFD};
    for (int k = 0; k < 2; k++) {
        struct son_rig g, full;
        uint64_t s = 11;
        son_rig_open(&g, kinds[k], &opt, D + 1, 3, 4, 64);
        son_rig_open(&full, NAIVE_FULL, &opt, 0, 0, 0, 64);
        for (int step = 0; step < 1000; step++) {
            struct example e = draw(&s, 1);
            double a, b;
            learn(&g, &e, &a);
            learn(&full, &e, &b);
            near(a, b, 1e-8, "z", (int)kinds[k], step);
        }
        ck_assert(g.rfd.alpha == 2 && g.rfd.fd.log.n > 100);
        son_rig_close(&g);
        son_rig_close(&full);
    }
}
END_TEST

/* Full-matrix AdaGrad: H^2 = alpha0 I + the sum of all (g x)(g x)'. */
START_TEST(the_examples_of_the_headers_are_right)
{
    const struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 1};
    const struct {
        enum naive_kind kind;
        double w;
    } kernel[] = {{NAIVE_ADAGRAD, 2.0 / 3}, {NAIVE_FULL, 4.0 / 3}};
    for (int i = 0; i < 2; i++) {
        struct son_rig g;
        double z, x = 1;
        son_rig_open(&g, kernel[i].kind, &opt, 1, 0, 0, 64);
        son_rig_learn(&g, 1, &(uint64_t){7}, &x, 1, 1, &z);
        ck_assert(z == 0);
        near(son_rig_weight(&g, 7), kernel[i].w, 1e-15, "w", (int)kernel[i].kind, 0);
        if (kernel[i].kind == NAIVE_FULL) near(*g.full.U * *g.full.U, 1.5, 1e-15, "H", 0, 0);
        son_rig_close(&g);
    }
}
END_TEST

START_TEST(s_adagrad_with_room_for_the_rank_is_full_matrix_adagrad)
{
    struct son_options opt = {.loss = SON_LOGISTIC, .clip = 3, .alpha0 = 0.5};
    struct naive n = naive_of(NAIVE_ROOT, &opt, D + 1, 1, 0);
    struct son_rig g;
    uint64_t s = 21;
    son_rig_open(&g, NAIVE_ROOT, &opt, D + 1, 1, 0, 64);
    for (int step = 0; step < 600; step++) {
        struct example e = draw(&s, 1);
        double z;
        learn(&g, &e, &z);
        near(z, naive_learn(&n, e.dense, e.y, e.weight, NULL), 1e-8, "z", NAIVE_ROOT, step);
    }
    ck_assert(g.rfd.alpha == 0.5 && n.alpha == 0.5);
    son_rig_close(&g);
}
END_TEST

START_TEST(s_adagrad_adds_all_that_is_lost_to_alpha)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 0.5};
    struct son_rig g;
    uint64_t s = 4;
    double z;
    son_rig_open(&g, NAIVE_ROOT, &opt, 5, 0, 0, 64);
    for (int step = 0; step < 1000; step++) {
        struct example e = draw(&s, 1);
        learn(&g, &e, &z);
        near(g.rfd.alpha, 0.5 + g.rfd.fd.lost, 1e-12, "alpha", NAIVE_ROOT, step);
    }
    ck_assert(g.rfd.alpha > 5);
    son_rig_close(&g);
}
END_TEST

START_TEST(alpha_rises_by_half_of_what_is_lost_and_never_falls)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 0.5};
    struct son_rig g, plain;
    uint64_t s = 4;
    double was = 0, z;
    son_rig_open(&g, NAIVE_RFD, &opt, 5, 0, 10, 64);
    son_rig_open(&plain, NAIVE_FD, &opt, 5, 0, 0, 64);
    for (int step = 0; step < 2000; step++) {
        struct example e = draw(&s, 1);
        learn(&g, &e, &z);
        learn(&plain, &e, &z);
        ck_assert(g.rfd.alpha >= was);
        was = g.rfd.alpha;
        near(was, 0.5 + g.rfd.fd.lost / 2, 1e-12, "alpha", 0, step);
        ck_assert(plain.rfd.alpha == 0.5);
    }
    ck_assert(was > 5);
    son_rig_close(&g);
    son_rig_close(&plain);
}
END_TEST

START_TEST(without_alpha0_predictions_do_not_depend_on_the_scale_of_features)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 0};
    struct son_rig one, large;
    uint64_t s = 4;
    son_rig_open(&one, NAIVE_RFD, &opt, 5, 0, 10, 64);
    son_rig_open(&large, NAIVE_RFD, &opt, 5, 0, 10, 64);
    for (int step = 0; step < 1000; step++) {
        struct example e = draw(&s, 1), f = e;
        double a, b;
        for (uint32_t i = 0; i < f.n; i++)
            f.x[i] *= 0x1p20;
        learn(&one, &e, &a);
        learn(&large, &f, &b);
        near(a, b, 1e-7, "z", 0, step);
    }
    son_rig_close(&one);
    son_rig_close(&large);
}
END_TEST

/* E[B'B] is the sum of the rows' squares, and the signs are fair. */
START_TEST(random_projection_is_unbiased)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 100};
    enum { M = 200 };
    struct son_rig g;
    uint64_t s = 2;
    double want[D][D] = {0}, got[D][D] = {0}, size = 0, off = 0;
    son_rig_open(&g, NAIVE_RP, &opt, M, 0, 0, 64);
    for (int step = 0; step < 300; step++) {
        struct example e = draw(&s, 1);
        double z;
        e.weight = 1;
        learn(&g, &e, &z);
        double r = sqrt(0.125) * son_slope(SON_SQUARED, z, e.y);
        for (int i = 0; i < D; i++)
            for (int j = 0; j < D; j++)
                want[i][j] += r * r * e.dense[i] * e.dense[j];
    }
    struct son_features f = {g.table.row, g.table.stride, g.table.n};
    for (uint32_t i = 0; i < D; i++)
        for (uint32_t j = 0; j < D; j++) {
            const double *a = son_feature(&f, feature_table_find(&g.table, 1000 + i)) + 1,
                         *b = son_feature(&f, feature_table_find(&g.table, 1000 + j)) + 1;
            got[i][j] = son_dot(M, a, b);
            size += want[i][j] * want[i][j];
            off += (got[i][j] - want[i][j]) * (got[i][j] - want[i][j]);
        }
    /* E off <= (trace^2 + size) / M */
    double trace = 0;
    for (int i = 0; i < D; i++)
        trace += want[i][i];
    ck_assert_msg(off < 3 * (trace * trace + size) / M, "%g of %g", off, size);
    son_rig_close(&g);
}
END_TEST

/* ---- bad input ---- */

static const double wild[] = {0, 1, -1, 1e-30, -1e-17, 1e-8, 1e7, -3e11, 1e15, -9e14};

START_TEST(values_of_any_size_leave_every_number_finite)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (uint64_t seed = 1; seed <= 30; seed++) {
            struct son_options opt = {
                .loss = (enum son_loss)(seed % 3), .clip = seed % 2 ? 1 : 20, .alpha0 = 1e-10};
            struct son_rig g;
            uint64_t s = seed;
            son_rig_open(&g, (enum naive_kind)kind, &opt, 1 + (uint32_t)(seed % 7) * 4, seed % 3,
                         seed % 5, 64);
            for (int step = 0; step < 300; step++) {
                uint64_t id[6];
                double x[6], z;
                double scale =
                    mix64_next(&s) % 2 ? 1 : pow(10, -(double)(mix64_next(&s) % 40)); /* of all */
                for (int i = 0; i < 6; i++) {
                    id[i] = mix64_next(&s) % 40;
                    x[i] = scale * wild[mix64_next(&s) % (seed % 4 ? 10 : 4)] / 6;
                }
                double weight = mix64_next(&s) % 8 ? 1 : 1e15 * (double)(mix64_next(&s) % 2);
                son_rig_learn(&g, 1 + (uint32_t)(mix64_next(&s) % 6), id, x,
                              mix64_next(&s) % 2 ? 1 : -1, weight, &z);
                ck_assert(fabs(z) <= opt.clip);
            }
            for (uint64_t id = 0; id < 40; id++)
                ck_assert_msg(isfinite(son_rig_weight(&g, id)), "kind %d, seed %d", kind,
                              (int)seed);
            for (size_t i = 0; i < (size_t)g.table.n * g.table.stride; i++)
                ck_assert(isfinite(g.table.row[i]));
            son_rig_close(&g);
        }
}
END_TEST

START_TEST(one_example_is_learned_by_all)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct son_options opt = {
            .loss = SON_SQUARED, .clip = 1, .alpha0 = kind == NAIVE_RFD ? 0 : 1};
        const uint64_t id[] = {7, 7, 9};
        const double x[] = {0.5, 0.5, 2};
        struct son_rig g;
        double z;
        son_rig_open(&g, (enum naive_kind)kind, &opt, 1, 0, 20, 64);
        ck_assert_int_eq(son_rig_learn(&g, 3, id, x, 1, 1, &z), SON_OK);
        ck_assert(z == 0 && son_rig_weight(&g, 7) > 0 && son_rig_weight(&g, 9) > 0);
        ck_assert_int_eq(son_rig_learn(&g, 0, id, x, -1, 1, &z), SON_OK);
        ck_assert(z == 0);
        son_rig_close(&g);
    }
}
END_TEST

START_TEST(an_example_of_weight_zero_is_predicted_and_changes_nothing)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct son_options opt = {.loss = SON_SQUARED, .clip = 0.1, .alpha0 = 1};
        struct son_rig g;
        uint64_t s = 8;
        double z, before[D];
        son_rig_open(&g, (enum naive_kind)kind, &opt, 3, 0, 0, 64);
        for (int step = 0; step < 100; step++) {
            struct example e = draw(&s, 1);
            learn(&g, &e, &z);
            for (uint32_t j = 0; j < D; j++)
                before[j] = son_rig_weight(&g, 1000 + j);
            e = draw(&s, 5);
            e.weight = 0;
            double margin = margin_of(&g, &e);
            learn(&g, &e, &z);
            near(z, fmin(fmax(margin, -0.1), 0.1), 1e-9, "z", kind, step);
            for (uint32_t j = 0; j < D; j++)
                near(son_rig_weight(&g, 1000 + j), before[j], 1e-13, "weight", kind, step);
        }
        son_rig_close(&g);
    }
}
END_TEST

/* ---- the full matrix at sizes around its panels ---- */

enum { MOST = 65 };

/* Computes w and H by their definition, and solves H anew at each step. */
struct dense_newton {
    uint32_t n;
    double w[MOST], H[MOST][MOST];
};

static double dense_learn(struct dense_newton *o, const struct son_options *opt, const double *x,
                          double y)
{
    double A[MOST * MOST], h[MOST], s = 0, rho = 0;
    for (uint32_t i = 0; i < o->n; i++) {
        memcpy(A + i * o->n, o->H[i], o->n * sizeof *A);
        h[i] = x[i];
        s += o->w[i] * x[i];
    }
    LAPACKE_dposv(LAPACK_ROW_MAJOR, 'U', (int)o->n, 1, A, (int)o->n, h, 1);
    for (uint32_t i = 0; i < o->n; i++)
        rho += h[i] * x[i];
    double z = son_clip(s, opt->clip);
    struct son_gradient d = son_gradient(opt, z, y, 1);
    double k = -(s - z) / rho - d.g / (1 + d.r * d.r * rho);
    for (uint32_t i = 0; i < o->n; i++) {
        o->w[i] += k * h[i];
        for (uint32_t j = 0; j < o->n; j++)
            o->H[i][j] += d.r * d.r * x[i] * x[j];
    }
    return z;
}

static void same_matrix(const struct full_on *m, const struct dense_newton *o)
{
    double *packed = calloc(MOST * MOST, sizeof *packed), U[MOST][MOST] = {{0}};
    const double *next = packed;
    full_on_pack(m, packed);
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t j = i; j < m->n; j++)
            U[i][j] = *next++;
    for (uint32_t i = 0; i < m->n; i++)
        for (uint32_t j = 0; j < m->n; j++) {
            double sum = 0;
            for (uint32_t k = 0; k < m->n; k++)
                sum += U[k][i] * U[k][j];
            ck_assert_double_le(fabs(sum - o->H[i][j]), 1e-12 * (1 + fabs(o->H[i][j])));
        }
    free(packed);
}

/* Features come one after the other; each row has the newest and about half of the others. */
static void compare_full(uint32_t n)
{
    struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 2};
    struct son_rig g;
    struct dense_newton o = {0};
    uint64_t s = n;
    son_rig_open(&g, NAIVE_FULL, &opt, 0, 0, 0, 128);
    for (uint32_t step = 0; step < 4 * n; step++) {
        uint64_t id[MOST];
        double x[MOST], dense[MOST] = {0}, z;
        uint32_t known = step / 2 < n ? step / 2 + 1 : n, k = 0;
        for (; o.n < known; o.n++)
            o.H[o.n][o.n] = opt.alpha0;
        for (uint32_t j = 0; j < known; j++) {
            if (j + 1 < known && mix64_next(&s) % 2) continue;
            id[k] = 1000 + j;
            x[k++] = dense[j] = uniform(&s, -1, 1);
        }
        double y = mix64_next(&s) % 2 ? 1 : -1;
        ck_assert_int_eq(son_rig_learn(&g, k, id, x, y, 1, &z), SON_OK);
        ck_assert_double_le(fabs(z - dense_learn(&o, &opt, dense, y)), 1e-11);
    }
    for (uint32_t j = 0; j < n; j++)
        ck_assert_double_le(fabs(son_rig_weight(&g, 1000 + j) - o.w[j]), 1e-10);
    same_matrix(&g.full, &o);
    son_rig_close(&g);
}

START_TEST(the_full_matrix_is_right_around_whole_panels)
{
    static const uint32_t sizes[] = {1, 7, 8, 9, 16, 17, 63, 64, MOST};
    for (uint32_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        compare_full(sizes[k]);
}
END_TEST

START_TEST(the_examples_of_sketches_are_right)
{
    const struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 1};
    const enum naive_kind kinds[] = {NAIVE_RFD, NAIVE_OJA, NAIVE_RP};
    for (int i = 0; i < 3; i++) {
        struct son_rig g;
        double z, x = 1;
        son_rig_open(&g, kinds[i], &opt, i ? 1 : 2, 1, 0, 64);
        son_rig_learn(&g, 1, &(uint64_t){7}, &x, 1, 1, &z);
        near(son_rig_weight(&g, 7), 4.0 / 3, 1e-14, "w", (int)kinds[i], 0);
        if (kinds[i] == NAIVE_OJA) near(g.column.S[0], 0.5, 1e-14, "S", NAIVE_OJA, 0);
        if (kinds[i] == NAIVE_RP) near(g.column.G[0], 0.5, 1e-14, "G", NAIVE_RP, 0);
        if (kinds[i] == NAIVE_RFD) {
            son_rig_learn(&g, 1, &(uint64_t){8}, &x, 1, 1, &z);
            near(son_rig_weight(&g, 8), 4.0 / 3, 1e-14, "w", NAIVE_RFD, 1);
            near(g.rfd.alpha, 1.25, 1e-14, "alpha", NAIVE_RFD, 1);
            for (uint32_t k = 0; k < g.rfd.fd.rows; k++)
                near(fd_gram(&g.rfd.fd, k, k), 0, 1e-14, "B", NAIVE_RFD, 1);
        }
        son_rig_close(&g);
    }
}
END_TEST

START_TEST(the_example_of_s_adagrad_is_right)
{
    const struct son_options opt = {.loss = SON_SQUARED, .clip = 1, .alpha0 = 1};
    struct son_rig g;
    double z, x = 1;
    son_rig_open(&g, NAIVE_ROOT, &opt, 2, 1, 0, 64);
    g.rfd.opt.rate = 1;
    son_rig_learn(&g, 1, &(uint64_t){7}, &x, 1, 1, &z);
    near(son_rig_weight(&g, 7), 2 / sqrt(5), 1e-14, "w", NAIVE_ROOT, 0);
    near(g.rfd.alpha, 1, 1e-14, "alpha", NAIVE_ROOT, 0);
    son_rig_close(&g);
}
END_TEST

LEAT_SUITE("son", labels_that_are_numbers_are_learned_as_dense_solutions_say,
           a_line_is_found_in_any_unit, with_the_hessian_weights_are_those_of_ridge_regression,
           mu_of_numbers_is_the_largest_that_holds_for_all_labels_within_the_clip,
           the_squared_loss_is_learned_as_dense_solutions_say,
           the_logistic_loss_is_learned_as_dense_solutions_say,
           the_squared_hinge_is_learned_as_dense_solutions_say,
           without_alpha0_robust_directions_are_what_dense_solutions_say,
           fading_is_that_of_dense_solutions, by_event_time_it_fades_by_what_has_passed,
           the_papers_form_without_alpha0_steps_by_the_pseudo_inverse,
           mu_is_the_largest_curvature_that_holds_within_the_clip,
           slopes_are_those_of_the_losses_for_both_labels,
           log_odds_rise_with_the_prediction_and_are_finite_at_its_limits,
           weights_are_projected_onto_the_clip, a_sketch_with_room_for_the_rank_is_the_full_matrix,
           the_examples_of_the_headers_are_right,
           s_adagrad_with_room_for_the_rank_is_full_matrix_adagrad,
           s_adagrad_adds_all_that_is_lost_to_alpha,
           alpha_rises_by_half_of_what_is_lost_and_never_falls,
           without_alpha0_predictions_do_not_depend_on_the_scale_of_features,
           random_projection_is_unbiased, values_of_any_size_leave_every_number_finite,
           one_example_is_learned_by_all,
           an_example_of_weight_zero_is_predicted_and_changes_nothing,
           the_full_matrix_is_right_around_whole_panels, the_examples_of_sketches_are_right,
           the_example_of_s_adagrad_is_right)
