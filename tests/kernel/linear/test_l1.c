/* test_l1.c -- the L1 penalty: lazy shrinking gives the same as shrinking all weights each time.
 *
 * Cells that get no updates end at 0. */
#include "support/suite.h"
#include "core/mix64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/linear/awm/awm.h"
#include "kernels/linear/l1.h"
#include "kernels/linear/logistic.h"
#include "kernels/linear/wm/wm.h"
#include "support/zeroed.h"

enum { IDS = 60, MAX_ROW = 8 };

struct sample {
    uint64_t id[MAX_ROW];
    float x[MAX_ROW];
    uint32_t n;
    int y;
};

/* Distinct ids. Half of the features do not affect the label, and the last ones are rare. */
static void draw(struct sample *a, uint64_t *s)
{
    double z = 0;
    uint32_t first = (uint32_t)(mix64_next(s) % IDS * (mix64_next(s) % IDS) / IDS);
    a->n = (uint32_t)(mix64_next(s) % MAX_ROW);
    for (uint32_t i = 0; i < a->n; i++) {
        a->id[i] = (first + 7 * i) % IDS;
        a->x[i] = (float)(mix64_next(s) % 2001) / 1000 - 1;
        if (a->id[i] % 2) z += a->id[i] % 4 == 1 ? (double)a->x[i] : -(double)a->x[i];
    }
    a->y = z + (double)(mix64_next(s) % 1000) / 1000 - 0.5 > 0 ? 1 : -1;
}

/* Every weight decays, steps and shrinks at every example, in double. */
struct eager {
    double w[IDS], bias;
    uint64_t t;
};

static double eager_learn(struct eager *d, const struct sgd_options *o, const struct sample *a)
{
    double z = d->bias, eta = o->eta0 / (1 + o->eta0 * o->lambda * (double)d->t++);
    for (uint32_t i = 0; i < a->n; i++)
        z += d->w[a->id[i]] * (double)a->x[i];
    double g = -a->y / (1 + exp(a->y * z));
    for (uint32_t k = 0; k < IDS; k++)
        d->w[k] *= 1 - eta * o->lambda;
    for (uint32_t i = 0; i < a->n; i++)
        d->w[a->id[i]] -= eta * g * (double)a->x[i];
    for (uint32_t k = 0; k < IDS; k++)
        d->w[k] = copysign(fmax(0, fabs(d->w[k]) - eta * o->l1), d->w[k]);
    d->bias -= eta * g;
    return z;
}

static const double l1s[] = {1e-5, 1e-3, 0.01, 0.1};

/* More examples than it takes to fold the penalty. */
enum { LONG = SGD_FOLD_PENALTY + 5000 };

START_TEST(the_active_set_is_shrunk_as_if_it_were_all_at_once)
{
    for (uint64_t k = 0; k < 8; k++) {
        struct linear_options opt = {
            .sgd = {.lambda = k % 2 ? 1e-3 : 0, .eta0 = 0.2, .l1 = l1s[k / 2]},
            .max_row = MAX_ROW,
            .seed = k};
        struct linear_shape shape = {IDS, 64, 1 + (uint32_t)k % 3, 0};
        void *block = zeroed(store_block_bytes(&awm_kernel, &shape, &opt));
        struct eager d = {0};
        struct awm m;
        struct sample a;
        uint64_t s = k;
        uint32_t zeros = 0;
        store_init(&m.s, &awm_kernel, &shape, &opt, block);
        for (int r = 0; r < (k == 2 ? LONG : 5000); r++) {
            double z;
            draw(&a, &s);
            struct linear_row row = {a.id, a.x, a.n, a.y, 1, true};
            ck_assert_int_eq(store_learn(&m.s, &row, &z), LINEAR_OK);
            double want = eager_learn(&d, &opt.sgd, &a);
            ck_assert_msg(fabs(z - want) < 1e-4 * (1 + fabs(want)), "row %d: %g, not %g", r, z,
                          want);
        }
        for (uint64_t id = 0; id < IDS; id++) {
            ck_assert_double_le(fabs(store_weight(&m.s, id) - d.w[id]), 1e-4);
            zeros += store_weight(&m.s, id) == 0;
        }
        ck_assert((zeros > IDS / 5) == (opt.sgd.l1 > 0.005));
        free(block);
    }
}
END_TEST

START_TEST(looking_changes_nothing)
{
    struct linear_options opt = {.sgd = {.eta0 = 0.2, .l1 = 0.01}, .max_row = MAX_ROW};
    struct linear_shape shape = {8, 64, 1, 0};
    struct linear_options bare = opt;
    bare.max_row = 0; /* no scratch */
    size_t bytes = store_block_bytes(&awm_kernel, &shape, &opt),
           kept = store_block_bytes(&awm_kernel, &shape, &bare);
    void *block = zeroed(bytes), *before = malloc(bytes);
    struct awm m;
    struct sample a;
    uint64_t s = 4;
    uint32_t top[8];
    float weight[8];
    double z;
    store_init(&m.s, &awm_kernel, &shape, &opt, block);
    for (int r = 0; r < 500; r++) {
        draw(&a, &s);
        struct linear_row row = {a.id, a.x, a.n, a.y, 1, true};
        store_learn(&m.s, &row, &z);
        memcpy(before, block, kept);
        uint32_t n = store_top(&m.s, 8, 0, weight, top);
        for (uint32_t k = 1; k < n; k++)
            ck_assert(fabs(store_slot_weight(&m.s, top[k])) <=
                      fabs(store_slot_weight(&m.s, top[k - 1])));
        store_margin(&m.s, a.n, a.id, a.x);
        ck_assert(!memcmp(before, block, kept));
    }
    free(before);
    free(block);
}
END_TEST

START_TEST(cells_that_nothing_feeds_end_at_0)
{
    for (uint32_t depth = 1; depth < 4; depth += 2) /* shrinking commutes with the median */ {
        struct linear_options opt = {.sgd = {.eta0 = 0.5, .l1 = 1e-3}, .max_row = MAX_ROW};
        struct linear_shape shape = {4, 300, depth, 0};
        void *block = zeroed(store_block_bytes(&wm_kernel, &shape, &opt));
        struct wm m;
        struct sample a;
        uint64_t s = depth;
        double z, before[IDS];
        store_init(&m.s, &wm_kernel, &shape, &opt, block);
        for (int r = 0; r < 500; r++) {
            draw(&a, &s);
            store_learn(&m.s, &(struct linear_row){a.id, a.x, a.n, a.y, 1, true}, &z);
        }
        for (uint64_t id = 0; id < IDS; id++)
            before[id] = store_weight(&m.s, id);
        for (int r = 0; r < 400; r++) /* 0.2 in all */
            store_learn(&m.s, &(struct linear_row){NULL, NULL, 0, 1, 1, true}, &z);
        for (uint64_t id = 0; id < IDS; id++) {
            double left = fmax(0, fabs(before[id]) - 0.2), w = store_weight(&m.s, id);
            ck_assert_double_le(fabs(fabs(w) - left), 1e-5);
            ck_assert(w == 0 || w * before[id] > 0);
        }
        free(block);
    }
}
END_TEST

START_TEST(shrinking_twice_is_shrinking_by_the_sum_and_never_crosses_0)
{
    uint64_t s = 3;
    for (int k = 0; k < 10000; k++) {
        float w = (float)(int64_t)(mix64_next(&s) % 4001 - 2000) / 1024,
              a = (float)(mix64_next(&s) % 999) / 512,
              b = (float)(mix64_next(&s) % 999) / 512; /* all of them exact */
        ck_assert(l1_shrink(l1_shrink(w, a), b) == l1_shrink(w, a + b));
        ck_assert(l1_shrink(w, a) * w >= 0 && fabsf(l1_shrink(w, a)) <= fabsf(w));
        ck_assert(l1_shrink(w, 0) == w);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    const struct sgd_options o = {.eta0 = 0.5, .schedule = SGD_CONSTANT, .l1 = 0.1};
    static const float want[] = {0.25f, 0.2f, 0.15f, 0.1f, 0.05f, 0, 0};
    struct sgd s;
    sgd_init(&s, &o);
    for (int i = 0; i < 9; i++) {
        if (i >= 3) ck_assert_float_eq_tol(l1_now(&s, 0.25f, 0.15f), want[i - 3], 1e-6);
        struct sgd_step step = sgd_advance(&s, 0, 1, 1, true);
        ck_assert_double_eq_tol(step.share, 0.05, 1e-12);
        s.penalty += step.share;
        if (i == 2) ck_assert_double_eq_tol(s.penalty, 0.15, 1e-12);
        if (i == 5) ck_assert_double_eq_tol(s.penalty, 0.3, 1e-12);
    }
}
END_TEST

LEAT_SUITE("lasso", the_active_set_is_shrunk_as_if_it_were_all_at_once, looking_changes_nothing,
           cells_that_nothing_feeds_end_at_0,
           shrinking_twice_is_shrinking_by_the_sum_and_never_crosses_0,
           the_example_of_the_header_is_what_happens)
