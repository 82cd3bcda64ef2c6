/* test_state.c -- the laws of snapshot, restore and merge, for every learner that has them. */
/* tier: long (20 s) */
#include "support/suite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/laws.h"

/* ---- comparison of two models ---- */

static void near(double a, double b, double tolerance, const char *what)
{
    double most = tolerance * (1 + fmax(fabs(a), fabs(b)));
    ck_assert_msg(fabs(a - b) <= most || (isnan(a) && isnan(b)), "%s: %.9g and %.9g", what, a, b);
}

/* Checks that two states predict alike for examples that neither has seen. Each prediction starts
 * from the unchanged state. */
static void predict_alike(const struct learner *l, const struct kept *a, const struct kept *b,
                          uint32_t ids)
{
    struct harness *one = learner_fresh(l), *other = learner_fresh(l);
    for (uint64_t k = 0; k < 100; k++) {
        float score[2];
        kept_restore(one, a);
        kept_restore(other, b);
        learner_learn(one, 900 + k, 1, ids, &score[0]);
        learner_learn(other, 900 + k, 1, ids, &score[1]);
        near((double)score[0], (double)score[1], l->tolerance, "score");
    }
    harness_free(one);
    harness_free(other);
}

/* True for a figure from a sample, which depends on the records and their order. */
static int is_sampled(const char *column)
{
    return !strncmp(column, "covered", strlen("covered")) || !strncmp(column, "left", 4);
}

static uint32_t column_of(const struct harness_answer *a, const char *name)
{
    uint32_t c = 0;
    while (c < a->n_columns && strcmp(a->column[c], name))
        c++;
    return c;
}

/* Returns the row of a feature. Without room for its name, the row shows the id, with which the
 * name ends. */
static const double *row_of(const struct harness_answer *a, const char *name)
{
    const char *id = name + strcspn(name, "0123456789");
    for (uint32_t i = 0; i < a->n_rows; i++)
        if (!strcmp(a->name[i] + strcspn(a->name[i], "0123456789"), id)) return a->value[i];
    return NULL;
}

/* Checks that the answer of b has the rows of a, in any order. */
static void answer_alike(const struct learner *l, const struct kept *a, const struct kept *b)
{
    struct harness *one = learner_fresh(l), *other = learner_fresh(l);
    kept_restore(one, a);
    kept_restore(other, b);
    const struct harness_answer *x = learner_top(one), *y = learner_top(other);
    ck_assert_uint_eq(x->n_rows, y->n_rows);
    for (uint32_t i = 0; i < x->n_rows; i++) {
        const double *row = row_of(y, x->name[i]);
        if (!row) /* any of the equal lightest features may be in the answer */
            near(fabs(x->value[i][0]), fabs(y->value[y->n_rows - 1][0]), l->tolerance, x->name[i]);
        for (uint32_t c = 0; row && c < x->n_columns; c++)
            if (!is_sampled(x->column[c])) near(x->value[i][c], row[c], l->tolerance, x->name[i]);
    }
    harness_free(one);
    harness_free(other);
}

/* ---- snapshot and restore ---- */

START_TEST(a_restored_learner_continues_bit_for_bit)
{
    static float want[700], got[700];
    for (EACH_LEARNER(l)) {
        struct harness *h = learner_after(l, 1, 700, MANY), *copy = learner_fresh(l);
        struct kept s = kept_from(h), end;
        kept_restore(copy, &s);
        ck_assert(kept_is_of(copy, &s));
        learner_learn(h, 2, 700, MANY, want);
        learner_learn(copy, 2, 700, MANY, got);
        ck_assert_msg(!memcmp(want, got, sizeof want), "%s {%s}", l->stage, l->with);
        end = kept_from(h);
        ck_assert(kept_is_of(copy, &end) && !kept_is_of(copy, &s));
        free(end.bytes);
        free(s.bytes);
        harness_free(h);
        harness_free(copy);
    }
}
END_TEST

START_TEST(a_restored_learner_gives_the_same_answer)
{
    for (EACH_LEARNER(l)) {
        struct harness *h = learner_after(l, 1, 700, MANY), *copy = learner_fresh(l);
        struct kept s = kept_from(h);
        kept_restore(copy, &s);
        ck_assert_uint_gt(law_same_top(h, copy), 50);
        free(s.bytes);
        harness_free(h);
        harness_free(copy);
    }
}
END_TEST

START_TEST(a_restore_leaves_nothing_of_what_was_there)
{
    for (EACH_LEARNER(l)) {
        struct kept s = kept_of(l, 1, 300, MANY), none = kept_of(l, 1, 0, MANY);
        struct harness *h = learner_after(l, 3, 700, MANY);
        kept_restore(h, &s);
        ck_assert(kept_is_of(h, &s));
        kept_restore(h, &none);
        ck_assert(kept_is_of(h, &none));
        ck_assert_uint_eq(learner_top(h)->n_rows, 0);
        free(s.bytes);
        free(none.bytes);
        harness_free(h);
    }
}
END_TEST

/* ---- the laws of merge ---- */

START_TEST(a_fresh_state_is_the_identity_of_merge)
{
    for (EACH_LEARNER(l))
        law_identity_of_merge(l, 700, MANY);
}
END_TEST

START_TEST(merge_is_commutative)
{
    for (EACH_LEARNER(l)) {
        struct kept a = kept_of(l, 1, 700, MANY), b = kept_of(l, 2, 300, MANY);
        struct kept ab = kept_merged(l, &a, &b), ba = kept_merged(l, &b, &a);
        predict_alike(l, &ab, &ba, MANY);
        answer_alike(l, &ab, &ba);
        free(a.bytes), free(b.bytes), free(ab.bytes), free(ba.bytes);
    }
}
END_TEST

/* Three models, and two ways to merge them into one. */
struct three {
    struct kept part[3], ab, bc, left, right;
};

static struct three three_of(const struct learner *l, uint32_t ids)
{
    struct three t = {
        .part = {kept_of(l, 1, 700, ids), kept_of(l, 2, 300, ids), kept_of(l, 3, 500, ids)}};
    t.ab = kept_merged(l, &t.part[0], &t.part[1]);
    t.bc = kept_merged(l, &t.part[1], &t.part[2]);
    t.left = kept_merged(l, &t.ab, &t.part[2]);
    t.right = kept_merged(l, &t.part[0], &t.bc);
    return t;
}

static void free_three(struct three *t)
{
    for (int i = 0; i < 3; i++)
        free(t->part[i].bytes);
    free(t->ab.bytes);
    free(t->bc.bytes);
    free(t->left.bytes);
    free(t->right.bytes);
}

START_TEST(merge_is_associative_while_every_feature_is_kept)
{
    for (EACH_LEARNER(l)) {
        struct three t = three_of(l, l->few);
        predict_alike(l, &t.left, &t.right, l->few);
        answer_alike(l, &t.left, &t.right);
        free_three(&t);
    }
}
END_TEST

/* Any order and any tree of merges gives the same bytes, whether features are dropped or not. */
START_TEST(linear_learners_merge_to_the_same_bytes_in_any_tree)
{
    int looked_at = 0;
    for (EACH_LEARNER(l)) {
        if (!strstr(l->stage, "awm") && !strstr(l->stage, "wm") && !strstr(l->stage, "logistic") &&
            !strstr(l->stage, "truncation") && !strstr(l->stage, "hash") &&
            !strstr(l->stage, "mission") && !strstr(l->stage, "bear") &&
            !strstr(l->stage, "space_saving") && strcmp(l->stage, "learn.count_min"))
            continue;
        if (strstr(l->with, "half_life=1s") || strstr(l->with, "half_life=2s"))
            continue; /* rounded */
        struct three t = three_of(l, MANY);
        struct kept back = kept_merged(l, &t.part[2], &t.ab),
                    cb = kept_merged(l, &t.part[2], &t.part[1]),
                    other = kept_merged(l, &cb, &t.part[0]);
        const struct kept *same[] = {&t.right, &back, &other};
        for (int k = 0; k < 3; k++)
            ck_assert_msg(same[k]->n == t.left.n && !memcmp(same[k]->bytes, t.left.bytes, t.left.n),
                          "%s %s: tree %d", l->stage, l->with, k);
        free(back.bytes), free(cb.bytes), free(other.bytes);
        free_three(&t);
        looked_at++;
    }
    ck_assert_int_gt(looked_at, 12);
}
END_TEST

/* The order of merges may change which feature is dropped. It must not change the figures of the
 * others. */
START_TEST(features_that_all_sides_keep_weigh_the_same_whichever_two_are_merged_first)
{
    for (EACH_LEARNER(l)) {
        struct three t = three_of(l, l->few + l->few / 2); /* some are dropped */
        struct kept *s[] = {&t.left, &t.right, &t.ab, &t.bc, &t.part[0], &t.part[1], &t.part[2]};
        struct harness *h[7];
        const struct harness_answer *a[7];
        int common = 0;
        for (int k = 0; k < 7; k++) {
            kept_restore(h[k] = learner_fresh(l), s[k]);
            a[k] = learner_top(h[k]);
        }
        for (uint32_t i = 0; i < a[0]->n_rows; i++) {
            const double *row[7];
            int in_all = 1;
            for (int k = 0; k < 7; k++)
                in_all &= (row[k] = row_of(a[k], a[0]->name[i])) != NULL;
            if (in_all) near(row[0][0], row[1][0], l->tolerance, a[0]->name[i]);
            common += in_all;
        }
        ck_assert_msg(common > 5, "%s %s: %d", l->stage, l->with, common);
        for (int k = 0; k < 7; k++)
            harness_free(h[k]);
        free_three(&t);
    }
}
END_TEST

START_TEST(merging_into_a_restored_learner_is_merging_into_the_learner)
{
    for (EACH_LEARNER(l)) {
        struct harness *h = learner_after(l, 1, 700, MANY);
        struct kept a = kept_from(h), b = kept_of(l, 2, 300, MANY), ab = kept_merged(l, &a, &b);
        kept_merge(h, &b, 1);
        ck_assert(kept_is_of(h, &ab));
        free(a.bytes), free(b.bytes), free(ab.bytes);
        harness_free(h);
    }
}
END_TEST

START_TEST(a_merged_learner_learns_on_and_can_be_restored)
{
    static float want[300], got[300];
    for (EACH_LEARNER(l)) {
        struct kept a = kept_of(l, 1, 700, MANY), b = kept_of(l, 2, 300, MANY);
        struct harness *h = learner_fresh(l), *copy = learner_fresh(l);
        kept_restore(h, &a);
        kept_merge(h, &b, 1);
        struct kept s = kept_from(h);
        kept_restore(copy, &s);
        learner_learn(h, 4, 300, MANY, want);
        learner_learn(copy, 4, 300, MANY, got);
        ck_assert(!memcmp(want, got, sizeof want));
        free(a.bytes), free(b.bytes), free(s.bytes);
        harness_free(h);
        harness_free(copy);
    }
}
END_TEST

/* ---- results of a merge ---- */

static int fades(const struct learner *l) { return strstr(l->with, "half_life") != NULL; }

/* True if a learner merges by what its own rates know (sums.h). */
static int has_own_rates(const struct learner *l)
{
    const char *rates = strstr(l->with, "rates=");
    if (rates) return strncmp(rates, "rates=shared", strlen("rates=shared")) != 0;
    return !strcmp(l->stage, "learn.awm") || !strcmp(l->stage, "learn.logistic") ||
           !strcmp(l->stage, "learn.truncation") || !strcmp(l->stage, "learn.hash") ||
           !strcmp(l->stage, "learn.wm");
}

/* Checks a weight that was merged from p and twice q by curvature: it is between the smaller of two
 * of one sign and their sum. Features of learn.hash share cells, so its slack is wider. */
static void between(const struct learner *l, double w, double p, double q, const char *name)
{
    double least = p * q > 0 ? fmin(fabs(p), fabs(q)) : 0;
    double slack = strcmp(l->stage, "learn.hash") ? 1.01 : 1.2;
    ck_assert_msg(fabs(w) <= slack * (fabs(p) + 2 * fabs(q)) && fabs(w) >= least / slack &&
                      (p * q < 0 || w * p >= 0),
                  "%s %s: %s: %g of %g and %g", l->stage, l->with, name, w, p, q);
}

/* Squared distances of merged weights, and of means by examples, to those of one learner. */
struct distances {
    double merged, mean;
};

static void add_distance(struct distances *d, const double *one, double w, double mean)
{
    if (!one) return;
    d->merged += (w - one[0]) * (w - one[0]);
    d->mean += (mean - one[0]) * (mean - one[0]);
}

/* Returns a learner of all the records of a merge of the first with twice the second stream. */
static struct harness *learner_of_all(const struct learner *l)
{
    struct harness *h = learner_after(l, 1, 700, l->few);
    for (int k = 0; k < 2; k++)
        learner_learn(h, 2, 200, l->few, NULL);
    return h;
}

START_TEST(merged_weights_are_means_by_examples_or_curvature_and_counts_are_sums)
{
    for (EACH_LEARNER(l)) {
        if (fades(l)) continue; /* tests/kernel/linear/test_fade.c has faded ones */
        struct harness *a = learner_after(l, 1, 700, l->few), *b = learner_after(l, 2, 200, l->few);
        struct harness *ab = learner_fresh(l);
        struct kept sa = kept_from(a), sb = kept_from(b);
        kept_restore(ab, &sa);
        kept_merge(ab, &sb, 2);
        struct harness *all = learner_of_all(l);
        struct distances to_one = {0, 0};
        const struct harness_answer *x = learner_top(a), *y = learner_top(b), *z = learner_top(ab);
        int both = 0;
        for (uint32_t i = 0; i < z->n_rows; i++) {
            const double *p = row_of(x, z->name[i]), *q = row_of(y, z->name[i]);
            if (!p || !q) continue;
            double w = z->value[i][0], mean = (700 * p[0] + 2 * 200 * q[0]) / 1100;
            add_distance(&to_one, row_of(learner_top(all), z->name[i]), w, mean);
            if (has_own_rates(l) && !strstr(l->with, "averaged"))
                between(l, w, p[0], q[0], z->name[i]);
            else if (!l->counts_alone && !strstr(l->with, "averaged")) /* they have own records */
                near(w, mean, l->tolerance, z->name[i]);
            uint32_t n = column_of(z, "count"), m = column_of(x, "count");
            if (n < z->n_columns) ck_assert(z->value[i][n] == p[m] + 2 * q[m]);
            both++;
        }
        ck_assert_int_gt(both, 30);
        ck_assert_msg(!has_own_rates(l) || to_one.merged < to_one.mean, "%s %s: %g and %g",
                      l->stage, l->with, to_one.merged, to_one.mean);
        free(sa.bytes), free(sb.bytes);
        harness_free(a), harness_free(b), harness_free(ab), harness_free(all);
    }
}
END_TEST

/* A merged model has the records and counts of one learner of all the examples. */
START_TEST(prior_bias_and_counts_are_those_of_one_learner_of_all_the_data)
{
    int looked_at = 0;
    for (EACH_LEARNER(l)) {
        if (!strstr(l->with, "bias=prior") || !strstr(l->with, "counts=true") || fades(l)) continue;
        struct harness *h = learner_after(l, 1, 700, l->few),
                       *all = learner_after(l, 1, 700, l->few);
        struct kept b = kept_of(l, 2, 300, l->few);
        learner_learn(all, 2, 300, l->few, NULL);
        kept_merge(h, &b, 1);
        const struct harness_answer *x = learner_top(h), *y = learner_top(all);
        ck_assert(harness_metric(h, "bias") == harness_metric(all, "bias"));
        ck_assert(harness_metric(h, "bias") != 0);
        for (uint32_t i = 0; i < x->n_rows; i++) {
            const double *row = row_of(y, x->name[i]);
            uint32_t c = column_of(x, "relative_risk"), d = column_of(y, "relative_risk");
            if (row) ck_assert(!memcmp(x->value[i] + c, row + d, 4 * sizeof *row));
            looked_at += row != NULL;
        }
        free(b.bytes);
        harness_free(h);
        harness_free(all);
    }
    ck_assert_int_gt(looked_at, 60);
}
END_TEST

START_TEST(learners_that_only_count_merge_to_what_one_learner_of_all_the_data_knows)
{
    int looked_at = 0;
    for (EACH_LEARNER(l)) {
        if (!l->counts_alone) continue;
        struct harness *all = learner_after(l, 1, 700, l->few);
        struct kept a = kept_of(l, 1, 700, l->few), b = kept_of(l, 2, 300, l->few);
        struct kept ab = kept_merged(l, &a, &b);
        learner_learn(all, 2, 300, l->few, NULL);
        struct kept one = kept_from(all);
        predict_alike(l, &ab, &one, l->few);
        answer_alike(l, &ab, &one);
        free(a.bytes), free(b.bytes), free(ab.bytes), free(one.bytes);
        harness_free(all);
        looked_at++;
    }
    ck_assert_int_gt(looked_at, 1);
}
END_TEST

/* Gives held-out examples of known and unknown features between learned ones. */
static void hold_out(const struct learner *l)
{
    struct harness *with = learner_fresh(l), *without = learner_fresh(l);
    for (uint64_t k = 0; k < 30; k++) {
        learner_learn(with, k, 20, 90, NULL);
        learner_learn(without, k, 20, 90, NULL);
        learner_hold_out(with, 100 + k, 7, 270);
    }
    struct kept all = kept_from(without);
    ck_assert_msg(kept_is_of(with, &all), "%s { %s }", l->stage, l->with);
    free(all.bytes);
    harness_free(with);
    harness_free(without);
}

/* Learners that cannot be merged, or not exactly. */
static const struct learner others[] = {
    {.plugin = "learners_son", .stage = "learn.rfd_son", .with = "scale=diagonal alpha0=1"},
    {.plugin = "learners_son", .stage = "learn.adagrad", .with = "loss=logistic clip=5"},
    {.plugin = "learners_son", .stage = "learn.full_on", .with = "max_features=256"},
    {.plugin = "learners_son", .stage = "learn.oja_son", .with = "m=4"},
    {.plugin = "learners_son", .stage = "learn.rp_son", .with = "m=4"},
    {.plugin = "learners_son", .stage = "learn.ftrl_proximal", .with = "alpha=0.2"},
    {.plugin = "learners_fm", .stage = "learn.bias", .with = ""},
    {.plugin = "learners_fm", .stage = "learn.fm", .with = "factors=3"},
    {.plugin = "learners_fm", .stage = "learn.sftrl", .with = "m=5"},
    {.plugin = "learners_fm", .stage = "learn.fm_ftrl", .with = "max_features=256"},
    {.plugin = "learners_fm", .stage = "learn.ogd", .with = "max_features=256"},
    {.plugin = "learners_fm", .stage = "learn.ocg", .with = "max_features=256"},
};

START_TEST(examples_of_weight_0_leave_the_same_bytes)
{
    for (EACH_LEARNER(l))
        if (strcmp(l->stage, "learn.product")) hold_out(l); /* it has no weights */
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        hold_out(&others[i]);
}
END_TEST

LEAT_TIERS("state of learners",
           (examples_of_weight_0_leave_the_same_bytes, a_restored_learner_continues_bit_for_bit,
            a_restored_learner_gives_the_same_answer, a_restore_leaves_nothing_of_what_was_there,
            a_fresh_state_is_the_identity_of_merge,
            merged_weights_are_means_by_examples_or_curvature_and_counts_are_sums,
            prior_bias_and_counts_are_those_of_one_learner_of_all_the_data,
            learners_that_only_count_merge_to_what_one_learner_of_all_the_data_knows),
           (merge_is_commutative, merge_is_associative_while_every_feature_is_kept,
            linear_learners_merge_to_the_same_bytes_in_any_tree,
            features_that_all_sides_keep_weigh_the_same_whichever_two_are_merged_first,
            merging_into_a_restored_learner_is_merging_into_the_learner,
            a_merged_learner_learns_on_and_can_be_restored))
