/* test_tracked_rules.c -- promises of the rules of tracked features.
 *
 * These are the bounds of Space Saving and Count-Min, and the chances of probabilistic
 * truncation. */
#include "support/tracked_rig.h"

/* ---- Space Saving ---- */

START_TEST(space_saving_counts_are_never_too_low_nor_too_high_by_more_than_n_over_k)
{
    const uint32_t sizes[] = {1, 2, 7, 24, 63, 64, 65, 200};
    for (size_t c = 0; c < sizeof sizes / sizeof *sizes; c++) {
        uint32_t truth[UNIVERSE] = {0}, K = sizes[c];
        struct linear_options opt = {.sgd = plain, .rule = TRACKED_SPACE_SAVING};
        struct model t = model_new((struct linear_shape){.active = K}, opt);
        uint64_t N = count_stream(&t.m, 5 + c, 2000, truth), sum = 0;
        for (uint32_t s = 0; s < t.m.s.set.n; s++) {
            uint32_t exact = truth[t.m.s.set.id[s]];
            ck_assert_uint_ge(t.m.frequency[s], exact);
            ck_assert_uint_le((uint64_t)(t.m.frequency[s] - exact) * K, N);
            sum += t.m.frequency[s];
        }
        ck_assert_uint_eq(sum, N);
        for (uint32_t id = 0; id < UNIVERSE; id++) /* every frequent feature is there */
            if ((uint64_t)truth[id] * K > N)
                ck_assert(t.m.s.set.id[id_slots_seek(&t.m.s.set, id)] == id);
        free(t.block);
    }
}
END_TEST

START_TEST(churn_of_one_lets_at_most_one_feature_an_example_in)
{
    struct linear_options opt = {.sgd = plain, .rule = TRACKED_SPACE_SAVING, .churn_one = true};
    struct model t = model_new((struct linear_shape){.active = 10}, opt);
    uint32_t place[8] = {0};
    for (uint64_t k = 0; k < 8000; k++) { /* eight features that are always new */
        uint64_t id[8];
        float x[8] = {1, 1, 1, 1, 1, 1, 1, 1};
        for (uint64_t i = 0; i < 8; i++)
            id[i] = 8 * k + i;
        learn(&t.m, &(struct linear_row){id, x, 8, 1, 1, true});
        ck_assert(k < 2 || t.m.s.n_entrants == 1);
        if (k >= 2) place[t.m.s.entrant[0].entry]++;
    }
    for (int i = 0; i < 8; i++) /* uniform: 1000 each, standard deviation 30 */
        ck_assert_msg(place[i] > 850 && place[i] < 1150, "place %d: %u", i, place[i]);
    free(t.block);
}
END_TEST

/* ---- Count-Min ---- */

START_TEST(count_min_is_never_too_low_and_conservative_update_never_higher)
{
    for (uint32_t depth = 1; depth <= 5; depth++) {
        uint32_t truth[UNIVERSE] = {0}, again[UNIVERSE] = {0}, far = 0;
        struct linear_options opt = {.sgd = plain, .rule = TRACKED_COUNT_MIN, .seed = depth};
        struct linear_shape shape = {20, 64, depth, 0};
        struct model p = model_new(shape, opt);
        opt.conservative = true;
        struct model c = model_new(shape, opt);
        double N = (double)count_stream(&p.m, 9, 2000, truth);
        count_stream(&c.m, 9, 2000, again);
        for (uint32_t id = 0; id < UNIVERSE; id++) {
            uint32_t loose = count_min_estimate(&p.m, id), tight = count_min_estimate(&c.m, id);
            ck_assert_uint_ge(tight, truth[id]);
            ck_assert_uint_ge(loose, tight);
            far += loose - truth[id] > exp(1) * N / 64;
        }
        ck_assert_msg(far <= exp(-(double)depth) * UNIVERSE, "%u beyond the bound", far);
        free(p.block);
        free(c.block);
    }
}
END_TEST

START_TEST(ids_that_share_a_cell_in_one_row_share_it_in_another_by_chance_only)
{
    struct linear_options opt = {.sgd = plain, .rule = TRACKED_COUNT_MIN, .seed = 12};
    struct model t = model_new((struct linear_shape){4, 16, 4, 0}, opt);
    uint32_t together[4][4] = {{0}}, ids = 1000;
    for (uint32_t x = 0; x < ids; x++)
        for (uint32_t y = 0; y < x; y++)
            for (uint32_t i = 0; i < 4; i++)
                for (uint32_t j = 0;
                     j <= i && count_min_cell(&t.m, i, x) == count_min_cell(&t.m, i, y); j++)
                    together[i][j] += count_min_cell(&t.m, j, x) == count_min_cell(&t.m, j, y);
    double pairs = ids * (ids - 1) / 2.0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j <= i; j++) {
            double want = pairs / (i == j ? 16 : 16 * 16);
            ck_assert_msg(fabs(together[i][j] - want) < 0.15 * want, "rows %d, %d: %u, not %.0f", i,
                          j, together[i][j], want);
        }
    free(t.block);
}
END_TEST

START_TEST(count_min_tracks_the_most_frequent_features_when_cells_suffice)
{
    uint32_t truth[UNIVERSE] = {0}, K = 30;
    struct linear_options opt = {
        .sgd = plain, .rule = TRACKED_COUNT_MIN, .conservative = true, .seed = 4};
    struct model t = model_new((struct linear_shape){K, 1 << 14, 4, 0}, opt);
    count_stream(&t.m, 21, 3000, truth);
    uint32_t min = UINT32_MAX;
    for (uint32_t s = 0; s < K; s++) {
        ck_assert_uint_eq(t.m.frequency[s], truth[t.m.s.set.id[s]]);
        min = t.m.frequency[s] < min ? t.m.frequency[s] : min;
    }
    for (uint32_t id = 0; id < UNIVERSE; id++)
        ck_assert(truth[id] <= min || t.m.s.set.id[id_slots_seek(&t.m.s.set, id)] == id);
    free(t.block);
}
END_TEST

/* ---- probabilistic truncation ---- */

/* Adds chances of inclusion to p. Of n weights, k are drawn one after the other without
 * replacement, each with a probability proportional to its weight among the rest: p[i] += prob *
 * P(i is drawn). */
static void inclusion(const double *w, uint32_t n, uint32_t k, uint32_t taken, double prob,
                      double *p)
{
    double left = 0;
    for (uint32_t i = 0; i < n; i++)
        left += taken >> i & 1 ? 0 : w[i];
    for (uint32_t i = 0; i < n && k; i++) {
        if (taken >> i & 1) continue;
        p[i] += prob * w[i] / left;
        inclusion(w, n, k - 1, taken | 1u << i, prob * w[i] / left, p);
    }
}

enum { TRIALS = 20000 };

static void check_inclusion(const char *what, const double *w, uint32_t n, uint32_t k,
                            const uint32_t *kept)
{
    double p[8] = {0};
    inclusion(w, n, k, 0, 1, p);
    for (uint32_t i = 0; i < n; i++) {
        double sd = sqrt(p[i] * (1 - p[i]) * TRIALS) + 1;
        ck_assert_msg(fabs(kept[i] - p[i] * TRIALS) < 4.5 * sd, "%s %u: %u, not %.0f", what, i,
                      kept[i], p[i] * TRIALS);
    }
}

START_TEST(an_example_is_cut_to_a_sample_without_replacement_by_weight)
{
    const uint64_t id[] = {1, 2, 3, 4, 5, 6};
    const float x[] = {0.1f, -0.2f, 0.4f, -0.8f, 1.6f, 0.3f};
    const double w[] = {0.1, 0.2, 0.4, 0.8, 1.6, 0.3};
    for (uint32_t k = 1; k < 6; k++) {
        uint32_t kept[6] = {0};
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            struct linear_options opt = {.sgd = plain, .rule = TRACKED_SAMPLED, .seed = trial};
            struct model t = model_new((struct linear_shape){.active = k}, opt);
            learn(&t.m, &(struct linear_row){id, x, 6, 1, 1, true});
            for (uint32_t s = 0; s < k; s++)
                kept[t.m.s.set.id[s] - 1]++;
            free(t.block);
        }
        check_inclusion("feature", w, 6, k, kept);
    }
}
END_TEST

/* Features 1 to 4 enter, then change, one of them through 0; a fifth comes. */
static void grow_and_shrink(struct tracked *m)
{
    const uint64_t id[] = {1, 2, 3, 4, 5};
    const float before[] = {1, 1, 2, -1}, change[] = {1, 0, -1, 2}, only = 1.5f;
    learn(m, &(struct linear_row){id, before, 4, 1, 1, true});
    learn(m, &(struct linear_row){id, change, 4, 1, 2, true});
    learn(m, &(struct linear_row){id + 4, &only, 1, 1, 1, true});
}

START_TEST(chances_follow_weights_that_have_changed_since_they_were_drawn)
{
    struct linear_options opt = {.sgd = {.lambda = 0.01, .eta0 = 0.1}, .rule = TRACKED_SAMPLED};
    struct model all = model_new((struct linear_shape){.active = 5}, opt);
    uint32_t kept[5] = {0};
    double w[5];
    grow_and_shrink(&all.m);
    for (uint64_t i = 0; i < 5; i++)
        w[i] = fabs(store_weight(&all.m.s, i + 1));
    free(all.block);
    for (opt.seed = 1; opt.seed <= TRIALS; opt.seed++) {
        struct model t = model_new((struct linear_shape){.active = 4}, opt);
        grow_and_shrink(&t.m);
        for (uint32_t s = 0; s < 4; s++)
            kept[t.m.s.set.id[s] - 1]++;
        free(t.block);
    }
    check_inclusion("feature", w, 5, 4, kept);
}
END_TEST

START_TEST(draws_are_exponential_and_never_leave_their_range)
{
    struct linear_options ratio = {.rule = TRACKED_SAMPLED}, product = ratio;
    product.product = true;
    double sum = 0, squares = 0;
    uint32_t n = 200000;
    for (uint32_t i = 0; i < n; i++) {
        double v = tracked_draw(7, i / 10, i % 10), e = tracked_priority(&product, v);
        bool inverse = fabs((double)tracked_priority(&ratio, v) * e - 1) < 1e-6;
        bool between = v <= e * 1.00001 && e <= v / (1 - v) * 1.00001;
        if (!(v > 0 && v < 1 && inverse && between)) ck_abort_msg("%g of %g", e, v);
        sum += e;
        squares += e * e;
    }
    ck_assert(fabs(sum / n - 1) < 0.01 && fabs(squares / n - 2) < 0.05);
    const double ends[] = {0x1p-33, 1 - 0x1p-33};
    ck_assert(tracked_priority(&ratio, ends[0]) == 1e8f &&
              tracked_priority(&product, ends[1]) < 25);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct linear_options opt = {.sgd = plain, .rule = TRACKED_SPACE_SAVING};
    struct model t = model_new((struct linear_shape){.active = 2}, opt);
    const uint64_t id[] = {1, 1, 2, 3};
    const float x = 1;
    for (int i = 0; i < 4; i++)
        learn(&t.m, &(struct linear_row){&id[i], &x, 1, 1, 1, true});
    ck_assert(t.m.s.set.id[0] == 1 && t.m.frequency[0] == 2);
    ck_assert(t.m.s.set.id[1] == 3 && t.m.frequency[1] == 2);
    ck_assert(store_weight(&t.m.s, 2) == 0 && t.m.replaced == 1);
    free(t.block);
}
END_TEST

LEAT_SUITE("tracked_rules",
           space_saving_counts_are_never_too_low_nor_too_high_by_more_than_n_over_k,
           churn_of_one_lets_at_most_one_feature_an_example_in,
           count_min_is_never_too_low_and_conservative_update_never_higher,
           ids_that_share_a_cell_in_one_row_share_it_in_another_by_chance_only,
           count_min_tracks_the_most_frequent_features_when_cells_suffice,
           an_example_is_cut_to_a_sample_without_replacement_by_weight,
           chances_follow_weights_that_have_changed_since_they_were_drawn,
           draws_are_exponential_and_never_leave_their_range,
           the_example_of_the_header_is_what_happens)
