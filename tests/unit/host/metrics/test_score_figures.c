/* test_score_figures.c -- figures from a histogram of margins, against all margins in long
 * double. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "host/metrics/score_bins.h"
#include "support/random.h"

enum { MAX = 20000 };

struct scored {
    float score;
    int positive;
    double weight;
};

static struct scored drawn[MAX];
static struct score_bin bins[SCORE_BINS];
static uint64_t state;

/* Draws margins, too large by the factor `scale`. few: number of different margins; 0 for any. */
static void draw(uint64_t seed, double scale, int few)
{
    state = seed;
    memset(bins, 0, sizeof bins);
    for (int i = 0; i < MAX; i++) {
        double m = normal(&state) * 2 - 1;
        if (few) m = floor(m * few / 8) / few;
        drawn[i] =
            (struct scored){(float)(m * scale) + 0.0f, uniform(&state, 0, 1) < 1 / (1 + exp(-m)),
                            0.25 + 3 * uniform(&state, 0, 1)};
        score_bins_add(bins, drawn[i].score, (uint32_t)drawn[i].positive, drawn[i].weight);
    }
}

static int highest_first(const void *a, const void *b)
{
    float x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x < y) - (x > y);
}

struct exact {
    double average_precision, f1, brier;
};

/* Every score is a threshold. */
static struct exact exact_of(void)
{
    static struct scored v[MAX];
    long double all = 0, weight = 0, tp = 0, fp = 0, area = 0, f1 = 0, brier = 0;
    memcpy(v, drawn, sizeof v);
    qsort(v, MAX, sizeof *v, highest_first);
    for (int i = 0; i < MAX; i++) {
        long double p = 1 / (1 + expl(-(long double)v[i].score));
        all += v[i].positive * v[i].weight;
        brier += v[i].weight * (p - v[i].positive) * (p - v[i].positive);
        weight += v[i].weight;
    }
    for (int i = 0, j; i < MAX; i = j) {
        long double before = tp;
        for (j = i; j < MAX && v[j].score == v[i].score; j++)
            *(v[j].positive ? &tp : &fp) += v[j].weight;
        area += (tp - before) / all * (tp / (tp + fp));
        f1 = fmaxl(f1, 2 * tp / (2 * tp + fp + (all - tp)));
    }
    return (struct exact){(double)area, (double)f1, (double)(brier / weight)};
}

/* Returns F1 of the rule: positive if the score is at least `threshold`. */
static double f1_at(double threshold)
{
    long double right = 0, wrong = 0, missed = 0;
    for (int i = 0; i < MAX; i++) {
        bool said = (double)drawn[i].score >= threshold;
        *(said == drawn[i].positive ? &right
          : said                    ? &wrong
                 : &missed) += said == drawn[i].positive && !said ? 0 : drawn[i].weight;
    }
    return (double)(2 * right / (2 * right + wrong + missed));
}

static const double scales[] = {1e-30, 1e-3, 0.3, 1, 2, 10, 1e30};
enum { SCALES = sizeof scales / sizeof *scales };

static struct score_figures figures(void)
{
    struct score_figures f;
    score_figures_of(bins, &f);
    return f;
}

START_TEST(average_precision_lies_within_its_stated_error)
{
    for (int k = 0; k < SCALES; k++) {
        draw(3 + (uint64_t)k, scales[k], 0);
        double value = figures().average_precision, error = figures().average_precision_error,
               exact = exact_of().average_precision;
        ck_assert_msg(fabs(value - exact) <= error + 1e-12, "scale %g: %g, exact %g +- %g",
                      scales[k], value, exact, error);
        ck_assert_double_gt(exact, 0.5);
        ck_assert_double_lt(error, scales[k] >= 0.1 && scales[k] <= 10 ? 5e-3 : 5e-2);
    }
}
END_TEST

START_TEST(with_few_scores_all_figures_are_exact)
{
    draw(11, 1, 5);
    struct exact e = exact_of();
    struct score_figures f = figures();
    ck_assert(f.average_precision_error == 0);
    ck_assert_double_eq_tol(f.average_precision, e.average_precision, 1e-12);
    ck_assert_double_eq_tol(f.f1, e.f1, 1e-12);
    ck_assert_double_eq_tol(f.brier, e.brier, 1e-12);
}
END_TEST

START_TEST(f1_is_that_of_its_threshold_and_nearly_the_best)
{
    for (int k = 0; k < SCALES; k++) {
        draw(23 + (uint64_t)k, scales[k], 0);
        double f1 = figures().f1;
        ck_assert_double_eq_tol(f1, f1_at(figures().f1_threshold), 1e-12);
        double best = exact_of().f1;
        ck_assert_double_le(f1, best + 1e-12);
        ck_assert_double_gt(f1, best - 5e-3);
    }
}
END_TEST

START_TEST(brier_score_is_that_of_all_margins)
{
    for (int k = 0; k < SCALES; k++) {
        draw(31 + (uint64_t)k, scales[k], 0);
        ck_assert_double_eq_tol(figures().brier, exact_of().brier, 2e-5);
    }
}
END_TEST

/* Margins at the edge of a bin are as far from its middle as possible. */
START_TEST(brier_score_is_within_the_stated_bound)
{
    double most = 0;
    for (float m = 0x1p-6f; m < 100; m *= 1.01f) {
        uint32_t bits;
        memcpy(&bits, &m, sizeof bits);
        bits &= ~UINT32_C(0x7fff); /* the lower edge of a bin of 0.4 % */
        memcpy(&m, &bits, sizeof bits);
        memset(bins, 0, sizeof bins);
        for (int i = 0; i < 1000; i++)
            score_bins_add(bins, -(i ? m : nextafterf(m, 200)), 1, 1);
        double p = 1 / (1 + exp((double)m));
        most = fmax(most, fabs(figures().brier - (1 - p) * (1 - p)));
    }
    ck_assert_double_lt(most, 0.0008);
    ck_assert_double_gt(most, 0.0006);
}
END_TEST

/* Computes the error from the margins themselves, so its limits are at 0.1, 0.2, … */
static double exact_calibration_error(struct reliability r[RELIABILITY_BINS])
{
    double apart = 0, weight = 0;
    memset(r, 0, RELIABILITY_BINS * sizeof *r);
    for (int i = 0; i < MAX; i++) {
        double p = 1 / (1 + exp(-(double)drawn[i].score)), w = drawn[i].weight;
        int k = (int)(p * 10);
        r[k < 9 ? k : 9].weight += w;
        r[k < 9 ? k : 9].predicted += w * p;
        r[k < 9 ? k : 9].positives += drawn[i].positive * w;
        weight += w;
    }
    for (int k = 0; k < RELIABILITY_BINS; k++)
        apart += fabs(r[k].predicted - r[k].positives);
    return apart / weight;
}

START_TEST(reliability_bins_are_those_of_all_margins)
{
    for (int k = 0; k < SCALES; k++) {
        struct reliability want[RELIABILITY_BINS];
        draw(41 + (uint64_t)k, scales[k], 0);
        double exact = exact_calibration_error(want);
        struct score_figures f = figures();
        const struct reliability *got = f.reliability;
        ck_assert_double_eq_tol(f.calibration_error, exact, 1e-3);
        for (int b = 0; b < RELIABILITY_BINS; b++) {
            ck_assert_double_eq_tol(got[b].weight, want[b].weight, 0.004 * MAX);
            if (want[b].weight < 0.01 * MAX) continue;
            ck_assert_double_eq_tol(got[b].predicted / got[b].weight,
                                    want[b].predicted / want[b].weight, 2e-3);
        }
    }
}
END_TEST

START_TEST(right_probabilities_have_no_calibration_error_and_doubled_margins_have)
{
    draw(47, 1, 0);
    ck_assert_double_lt(figures().calibration_error, 0.015);
    draw(47, 2, 0);
    ck_assert_double_gt(figures().calibration_error, 0.05);
}
END_TEST

/* A bin contains its lowest score, but not the next lower one. */
START_TEST(a_bin_begins_at_its_lowest_score)
{
    for (uint32_t i = 0; i < SCORE_BINS; i++) {
        float low = score_bins_low(i);
        memset(bins, 0, sizeof bins);
        score_bins_add(bins, low, 1, 1);
        ck_assert_msg(bins[i].used || low == 0, "bin %u", i);
        if (i == 0 || low == 0 || !isfinite(low)) continue;
        score_bins_add(bins, nextafterf(low, -INFINITY), 0, 1);
        ck_assert_msg(bins[i - 1].used || nextafterf(low, -INFINITY) == 0, "below bin %u", i);
        ck_assert(bins[i].of[0] == 0);
    }
}
END_TEST

START_TEST(without_examples_or_positives_there_are_no_figures)
{
    memset(bins, 0, sizeof bins);
    ck_assert(isnan(figures().brier) && isnan(figures().calibration_error));
    score_bins_add(bins, 1, 0, 1);
    struct score_figures f = figures();
    ck_assert(isnan(f.average_precision) && isnan(f.average_precision_error));
    ck_assert(isnan(f.f1) && isnan(f.f1_threshold));
    ck_assert_double_eq_tol(f.brier, 0.5344466, 1e-6); /* sigmoid(1)^2 */
}
END_TEST

/* Computes the rates of a threshold from all scores. */
static void rates_of(float threshold, double *fp, double *tp)
{
    double said[2] = {0, 0}, all[2] = {0, 0};
    for (int i = 0; i < MAX; i++) {
        all[drawn[i].positive] += drawn[i].weight;
        if (drawn[i].score >= threshold) said[drawn[i].positive] += drawn[i].weight;
    }
    *fp = said[0] / all[0];
    *tp = said[1] / all[1];
}

START_TEST(points_of_the_roc_curve_are_the_rates_of_their_thresholds)
{
    struct roc_point roc[ROC_POINTS];
    double fp, tp, area = 0, auc, error;
    draw(53, 1, 0);
    uint32_t n = score_bins_roc(bins, roc);
    ck_assert_uint_gt(n, ROC_STEPS);
    ck_assert_uint_le(n, ROC_POINTS);
    ck_assert(roc[0].false_positives == 0 && roc[0].true_positives == 0);
    ck_assert(roc[n - 1].false_positives == 1 && roc[n - 1].true_positives == 1);
    for (uint32_t i = 1; i < n; i++) {
        rates_of((float)roc[i].threshold, &fp, &tp);
        ck_assert_double_eq_tol(roc[i].false_positives, fp, 1e-9);
        ck_assert_double_eq_tol(roc[i].true_positives, tp, 1e-9);
        area += (fp - roc[i - 1].false_positives) * (tp + roc[i - 1].true_positives) / 2;
    }
    score_bins_auc(bins, &auc, &error);
    ck_assert_double_eq_tol(area, auc, 0.005);
}
END_TEST

START_TEST(one_class_has_no_roc_curve_and_one_score_has_two_points)
{
    struct roc_point roc[ROC_POINTS];
    memset(bins, 0, sizeof bins);
    score_bins_add(bins, 1, 0, 1);
    ck_assert_uint_eq(score_bins_roc(bins, roc), 0);
    score_bins_add(bins, 1, 1, 1);
    ck_assert_uint_eq(score_bins_roc(bins, roc), 2);
    ck_assert(roc[1].threshold == 1);
}
END_TEST

LEAT_SUITE("score_figures", average_precision_lies_within_its_stated_error,
           with_few_scores_all_figures_are_exact, f1_is_that_of_its_threshold_and_nearly_the_best,
           brier_score_is_that_of_all_margins, brier_score_is_within_the_stated_bound,
           reliability_bins_are_those_of_all_margins,
           right_probabilities_have_no_calibration_error_and_doubled_margins_have,
           a_bin_begins_at_its_lowest_score, without_examples_or_positives_there_are_no_figures,
           points_of_the_roc_curve_are_the_rates_of_their_thresholds,
           one_class_has_no_roc_curve_and_one_score_has_two_points)
