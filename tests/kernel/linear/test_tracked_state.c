/* test_tracked_state.c -- copies and merges of learners of tracked features. */
#include "support/merge_rig.h"
#include "support/tracked_rig.h"

/* ---- copies and merges ---- */

static struct linear_options some_options(int k)
{
    struct linear_options opt = {.sgd = {.lambda = 1e-3, .eta0 = 0.2},
                                 .rule = (enum tracked_rule)(k % RULES),
                                 .counts = k & 8,
                                 .product = k & 4,
                                 .churn_one = k & 4,
                                 .conservative = k & 4,
                                 .seed = 99};
    opt.sgd.rates = (enum sgd_rates)(k / RULES % 3);
    return opt;
}

START_TEST(a_copy_goes_on_as_the_model_itself)
{
    for (int k = 0; k < 12 * RULES; k++) {
        struct linear_options opt = some_options(k);
        struct linear_shape shape = {k % 5 ? 15 : 100, 16, 2, 0};
        struct model a = model_new(shape, opt), b = model_new(shape, opt);
        uint64_t seed = 5;
        struct sample r;
        for (int i = 0; i < 700; i++) {
            draw(&r, &seed, 200, i % KINDS);
            learn(&a.m, &r.row);
            if (i == 300) {
                struct linear_parts p = store_parts(&a.m.s);
                ck_assert_ptr_null(store_load(&b.m.s, &p));
            }
            if (i > 300) learn(&b.m, &r.row);
        }
        ck_assert(!memcmp(a.m.s.member.weight, b.m.s.member.weight, state_bytes(&a.m)));
        ck_assert(a.m.s.sgd.bias == b.m.s.sgd.bias && a.m.s.sgd.t == b.m.s.sgd.t);
        ck_assert_uint_eq(a.m.replaced, b.m.replaced);
        free(a.block);
        free(b.block);
    }
}
END_TEST

START_TEST(a_feature_in_two_slots_is_refused)
{
    for (int k = 0; k < RULES; k++) {
        struct linear_shape shape = {6, 4, 2, 0};
        struct model a = model_new(shape, some_options(k + 4));
        uint32_t id[6] = {1, 2, 3, 4, 5, 6};
        struct linear_parts p = store_parts(&a.m.s);
        p.n = 6;
        p.id = id;
        for (int twice = 0; twice < 2; twice++) {
            struct model b = model_new(shape, some_options(k + 4));
            const char *wrong = store_load(&b.m.s, &p);
            ck_assert(twice ? !strcmp(wrong, "ids has an id twice") : !wrong);
            id[5] = 5;
            free(b.block);
        }
        free(a.block);
    }
}
END_TEST

static struct model learned(struct linear_shape shape, struct linear_options opt, uint64_t seed,
                            int rows)
{
    struct model t = model_new(shape, opt);
    struct sample r;
    for (int i = 0; i < rows; i++) {
        draw(&r, &seed, 60, i % KINDS);
        learn(&t.m, &r.row);
    }
    return t;
}

static double known(const struct sgd_options *o, double a)
{
    if (o->rates == SGD_NEWTON) return 1 + a;
    return a > 0 ? fmax(1e-12, a / -expm1(-2 * o->rate * sqrt(a))) : 1e-12;
}

/* Returns what a model knows of a feature, by its accumulator *sum, or its number of examples. */
static double known_of(const struct tracked *m, uint32_t id, double *sum)
{
    uint32_t s = id_slots_seek(&m->s.set, id);
    bool in = s < m->s.set.n && m->s.set.id[s] == id;
    const struct sgd *c = &m->s.sgd;
    *sum = in && m->s.member.sum ? (double)m->s.member.sum[s] / c->grown : 0;
    if (!m->s.member.sum) return (double)c->t;
    if (!in) return 0;
    return known(&c->opt, *sum);
}

/* Weight of a feature in the merge of a and b. */
static double merged_weight(const struct tracked *a, const struct tracked *b, uint32_t id)
{
    double in_a, in_b, of_a = known_of(a, id, &in_a), of_b = known_of(b, id, &in_b);
    double total = in_a + in_b, by = of_a + of_b;
    if (a->s.member.sum) by = known(&a->s.sgd.opt, total);
    double sum = of_a * store_weight(&a->s, id) + of_b * store_weight(&b->s, id);
    return by > 0 ? sum / by : 0;
}

static struct model merged(const struct model *a, const struct model *b, double count)
{
    struct model m = model_new(a->m.s.shape, a->m.s.opt);
    rig_merge(&m.m.s, &a->m.s, &b->m.s, count, NULL);
    const char *broken = store_check(&m.m.s);
    ck_assert_msg(!broken, "%s", broken);
    return m;
}

START_TEST(merges_commute_and_without_losers_are_means_of_weights)
{
    for (int k = 0; k < 12 * RULES; k++) {
        struct linear_options opt = some_options(k);
        struct linear_shape shape = {k % 3 ? 20 : 60, 16, 2, 0};
        struct model a = learned(shape, opt, 1, 200), b = learned(shape, opt, 2, 100);
        struct model ab = merged(&a, &b, 1), ba = merged(&b, &a, 1);
        ck_assert(!memcmp(ab.m.s.member.weight, ba.m.s.member.weight, state_bytes(&ab.m)));
        ck_assert(ab.m.s.sgd.bias == ba.m.s.sgd.bias && ab.m.s.sgd.t == 300);
        for (uint32_t s = 0; s < ab.m.s.set.n; s++) {
            uint32_t id = ab.m.s.set.id[s];
            double mean = merged_weight(&a.m, &b.m, id);
            ck_assert(fabs(store_weight(&ab.m.s, id) - mean) < 1e-6 * (1 + fabs(mean)));
        }
        struct sample r;
        uint64_t seed = 3;
        for (int i = 0; i < 100; i++) { /* it goes on learning */
            draw(&r, &seed, 60, i % KINDS);
            learn(&ab.m, &r.row);
            ck_assert_ptr_null(store_check(&ab.m.s));
        }
        free(a.block);
        free(b.block);
        free(ab.block);
        free(ba.block);
    }
}
END_TEST

START_TEST(merged_counts_are_never_too_low_nor_too_high_by_more_than_n_over_k)
{
    for (uint32_t K = 5; K < 60; K += 9) {
        uint32_t truth[UNIVERSE] = {0};
        struct linear_options opt = {.sgd = plain, .rule = TRACKED_SPACE_SAVING};
        struct linear_shape shape = {.active = K};
        struct model a = model_new(shape, opt), b = model_new(shape, opt);
        uint64_t N = count_stream(&a.m, 1, 800, truth);
        N += count_stream(&b.m, 2, 300, truth);
        struct model m = merged(&a, &b, 1);
        for (uint32_t s = 0; s < K; s++) {
            uint32_t exact = truth[m.m.s.set.id[s]];
            ck_assert_uint_ge(m.m.frequency[s], exact);
            ck_assert_uint_le((uint64_t)(m.m.frequency[s] - exact) * K, N);
        }
        free(a.block);
        free(b.block);
        free(m.block);
    }
}
END_TEST

/* Returns the key by which a feature stays in a merge of a and b, from the data of both sides. */
static double merged_key(const struct tracked *a, const struct tracked *b, const struct tracked *m,
                         uint32_t id)
{
    const struct tracked *side[2] = {a, b};
    double w = merged_weight(a, b, id), priority = 0, frequency = 0;
    for (int k = 0; k < 2; k++) {
        uint32_t s = id_slots_seek(&side[k]->s.set, id);
        bool in = s < side[k]->s.shape.active && side[k]->s.set.id[s] == id;
        if (m->priority && in) priority = fmax(priority, side[k]->priority[s]);
    }
    if (m->counter) frequency = count_min_estimate(m, id);
    return m->counter ? frequency : m->priority ? fabs(w) * priority : fabs(w);
}

START_TEST(merges_keep_the_features_that_the_rule_prefers)
{
    for (int k = 0; k < 6 * RULES; k++) {
        struct linear_options opt = some_options(k);
        struct linear_shape shape = {15, 16, 2, 0};
        struct model a = learned(shape, opt, 1, 200), b = learned(shape, opt, 2, 150);
        struct model m = merged(&a, &b, 1);
        double min = INFINITY;
        uint32_t lost = 0;
        for (uint32_t s = 0; s < 15; s++)
            min = fmin(min, merged_key(&a.m, &b.m, &m.m, m.m.s.set.id[s]));
        for (uint32_t s = 0; s < 15 && opt.rule != TRACKED_SPACE_SAVING; s++) {
            uint32_t id = s % 2 ? a.m.s.set.id[s] : b.m.s.set.id[s];
            if (m.m.s.set.id[id_slots_seek(&m.m.s.set, id)] == id) continue;
            ck_assert(merged_key(&a.m, &b.m, &m.m, id) <= min);
            lost++;
        }
        ck_assert(lost || opt.rule == TRACKED_SPACE_SAVING);
        free(a.block);
        free(b.block);
        free(m.block);
    }
}
END_TEST

START_TEST(merged_counts_of_a_count_min_are_never_too_low)
{
    for (uint64_t seed = 1; seed < 9; seed++) {
        uint32_t truth[UNIVERSE] = {0};
        struct linear_options opt = {
            .sgd = plain, .rule = TRACKED_COUNT_MIN, .conservative = seed % 2, .seed = seed};
        struct linear_shape shape = {20, 64, 2, 0};
        struct model a = model_new(shape, opt), b = model_new(shape, opt);
        count_stream(&a.m, seed, 500, truth);
        count_stream(&b.m, 100 + seed, 300, truth);
        struct model m = merged(&a, &b, 1);
        for (uint32_t s = 0; s < 20; s++)
            ck_assert_uint_ge(m.m.frequency[s], truth[m.m.s.set.id[s]]);
        for (uint32_t id = 0; id < UNIVERSE; id++)
            ck_assert_uint_ge(count_min_estimate(&m.m, id), truth[id]);
        free(a.block);
        free(b.block);
        free(m.block);
    }
}
END_TEST

START_TEST(merged_cells_of_a_plain_count_min_are_those_of_one_sketch_of_both_streams)
{
    uint32_t truth[UNIVERSE] = {0};
    struct linear_options opt = {.sgd = plain, .rule = TRACKED_COUNT_MIN, .seed = 6};
    struct linear_shape shape = {10, 32, 3, 0};
    struct model a = model_new(shape, opt), b = model_new(shape, opt), all = model_new(shape, opt);
    count_stream(&a.m, 1, 500, truth);
    count_stream(&b.m, 2, 500, truth);
    count_stream(&all.m, 1, 500, truth);
    count_stream(&all.m, 2, 500, truth);
    struct model m = merged(&a, &b, 1);
    ck_assert(!memcmp(m.m.counter, all.m.counter, 4 * 32 * 3));
    free(a.block);
    free(b.block);
    free(all.block);
    free(m.block);
}
END_TEST

LEAT_SUITE("tracked_state", a_copy_goes_on_as_the_model_itself, a_feature_in_two_slots_is_refused,
           merges_commute_and_without_losers_are_means_of_weights,
           merged_counts_are_never_too_low_nor_too_high_by_more_than_n_over_k,
           merges_keep_the_features_that_the_rule_prefers,
           merged_counts_of_a_count_min_are_never_too_low,
           merged_cells_of_a_plain_count_min_are_those_of_one_sketch_of_both_streams)
