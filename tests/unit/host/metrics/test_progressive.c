/* test_progressive.c -- progressive validation against a naive recomputation in long double. */
#include "support/suite.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/metrics/compare.h"
#include "host/metrics/progressive.h"
#include "host/store/state_codec.h"
#include "support/random.h"

/* ---- a batch of examples, and a stream to cut into batches ---- */

enum { MAX = 20000 };

struct stream {
    int n;
    float score[MAX], label[MAX], weight[MAX];
    uint8_t bad[MAX];
};

struct fixture {
    struct leat_batch b;
    uint8_t status[MAX];
    uint32_t sel[MAX], start[MAX + 1], record[MAX];
};

static uint64_t state;

/* Adds examples [from, to). Example e has e % 7 features; its record has another index. */
static struct leat_batch *batch(struct fixture *f, struct stream *s, int from, int to)
{
    int n = to - from;
    for (int i = 0; i < n; i++) {
        f->sel[i] = (uint32_t)i;
        f->record[i] = (uint32_t)(n - 1 - i);
        f->status[n - 1 - i] = s->bad[from + i] ? LEAT_ROW_REJECTED : LEAT_ROW_OK;
        f->start[i + 1] = f->start[i] + (uint32_t)((from + i) % 7);
    }
    f->b = (struct leat_batch){.n_examples = (uint32_t)n,
                               .n_ex_sel = (uint32_t)n,
                               .ex_sel = f->sel,
                               .status = f->status,
                               .ex_start = f->start,
                               .ex_record = f->record,
                               .ex_label = s->label + from,
                               .ex_weight = s->weight + from,
                               .score = s->score + from};
    return &f->b;
}

static void feed(struct progressive *p, struct stream *s, int step)
{
    static struct fixture f;
    for (int i = 0; i < s->n; i += step)
        progressive_add(p, batch(&f, s, i, i + step < s->n ? i + step : s->n), false);
}

static double metric(const struct progressive *p, const char *name)
{
    const char *names[PROGRESSIVE_METRICS];
    double values[PROGRESSIVE_METRICS];
    size_t n = progressive_metrics(p, names, values, PROGRESSIVE_METRICS);
    for (size_t i = 0; i < n; i++)
        if (!strcmp(names[i], name)) return values[i];
    ck_abort_msg("no metric %s", name);
    return NAN;
}

/* ---- the naive answers ---- */

static int counts(const struct stream *s, int i)
{
    return !s->bad[i] && isfinite(s->score[i]) && isfinite(s->label[i]) && isfinite(s->weight[i]) &&
           s->weight[i] > 0;
}

struct scored {
    float score;
    int positive;
    double weight;
};

static int by_score(const void *a, const void *b)
{
    float x = ((const struct scored *)a)->score, y = ((const struct scored *)b)->score;
    return (x > y) - (x < y);
}

/* Returns the exact weighted AUC by sorting; ties count half. */
static double exact_auc(const struct stream *s)
{
    struct scored *v = calloc((size_t)s->n + 1, sizeof *v);
    int n = 0;
    for (int i = 0; i < s->n; i++)
        if (counts(s, i)) v[n++] = (struct scored){s->score[i], s->label[i] > 0, s->weight[i]};
    qsort(v, (size_t)n, sizeof *v, by_score);
    long double won = 0, below = 0, all[2] = {0, 0};
    for (int i = 0; i < n;) {
        long double here[2] = {0, 0};
        int j = i;
        for (; j < n && v[j].score == v[i].score; j++)
            here[v[j].positive] += v[j].weight;
        won += here[1] * (below + here[0] / 2);
        below += here[0];
        all[0] += here[0];
        all[1] += here[1];
        i = j;
    }
    free(v);
    return (double)(won / (all[0] * all[1]));
}

static void draw_margins(struct stream *s, uint64_t seed, double scale)
{
    state = seed;
    s->n = MAX;
    for (int i = 0; i < MAX; i++) {
        double m = normal(&state) * 2 - 0.5;
        s->score[i] = (float)(m * scale);
        s->label[i] = uniform(&state, 0, 1) < 1 / (1 + exp(-m)) ? 1 : (i % 2 ? 0 : -1);
        s->weight[i] = (float)(0.25 + 3 * uniform(&state, 0, 1));
        s->bad[i] = uniform(&state, 0, 1) < 0.05;
        if (i % 97 == 0) s->score[i] = NAN;
        if (i % 89 == 0) s->label[i] = NAN;
        if (i % 83 == 0) s->weight[i] = i % 2 ? 0 : INFINITY;
    }
}

static struct stream drawn;

START_TEST(log_loss_agrees_with_libm)
{
    for (int i = -200000; i <= 200000; i++) {
        double m = i * 1e-4 * (1 + fabs(i * 1e-4)), got = progressive_log_loss(m, 1);
        double want = (double)(m > 0 ? log1pl(expl(-m)) : -m + log1pl(expl(m)));
        ck_assert_msg(fabs(got - want) <= 1e-14 * want, "margin %.17g: %.17g, not %.17g", m, got,
                      want);
        ck_assert(progressive_log_loss(-m, 0) == got);
    }
    for (double t = 1e-300; t < 1e-3; t *= 1.7)
        ck_assert_double_eq_tol(progressive_log_loss(t, 1), log(2) - t / 2, 1e-6);
}
END_TEST

START_TEST(log_loss_stands_extreme_margins)
{
    ck_assert(progressive_log_loss(0, 1) == progressive_log_loss(-0.0, 0));
    ck_assert_double_eq_tol(progressive_log_loss(0, 1), log(2), 1e-15);
    ck_assert(progressive_log_loss(3e38, 0) == 3e38);
    ck_assert(progressive_log_loss(-3e38, 1) == 3e38);
    ck_assert(progressive_log_loss(3e38, 1) < 1e-300);
    ck_assert(progressive_log_loss(699, 1) > 0);
    ck_assert(progressive_log_loss(701, 1) <= progressive_log_loss(699, 1));
}
END_TEST

START_TEST(examples_of_a_learner_that_does_not_predict_are_counted_without_a_loss)
{
    draw_margins(&drawn, 3, 1);
    struct progressive *p = progressive_new("m", LEAT_SCORE_NONE, NULL);
    feed(p, &drawn, 777);
    int n = 0;
    for (int i = 0; i < drawn.n; i++)
        n += !drawn.bad[i]; /* labels, scores and weights play no part */
    ck_assert(progressive_examples(p) == (uint64_t)n);
    ck_assert(isnan(progressive_loss(p)));
    ck_assert_uint_eq(progressive_labels(p)->records, 0);
    progressive_free(p);
}
END_TEST

START_TEST(labels_are_counted_without_predictions_if_asked_for)
{
    draw_margins(&drawn, 3, 1);
    struct progressive *p = progressive_new("m", LEAT_SCORE_NONE, NULL);
    char text[300];
    uint64_t of[2] = {0, 0};
    progressive_count_labels(p);
    feed(p, &drawn, 777);
    for (int i = 0; i < drawn.n; i++)
        if (!drawn.bad[i]) of[drawn.label[i] > 0]++;
    ck_assert_uint_eq(progressive_labels(p)->of[0], of[0]);
    ck_assert_uint_eq(progressive_labels(p)->of[1], of[1]);
    ck_assert_ptr_null(progressive_example_fault(p, of[0] + of[1], false, text, sizeof text));
    progressive_clear(p);
    for (int i = 0; i < drawn.n; i++)
        drawn.label[i] = 1;
    feed(p, &drawn, 777);
    ck_assert_ptr_nonnull(progressive_example_fault(p, MAX, false, text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "have the label +1"));
    progressive_free(p);
}
END_TEST

START_TEST(margin_figures_agree_with_recomputation)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        draw_margins(&drawn, seed, 1);
        struct progressive *p = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
        feed(p, &drawn, 777);
        long double w = 0, wrong = 0, loss = 0, expected = 0, positives = 0;
        int n = 0;
        for (int i = 0; i < drawn.n; i++) {
            if (!counts(&drawn, i)) continue;
            int y = drawn.label[i] > 0;
            long double m = drawn.score[i], z = y ? m : -m;
            n++;
            w += drawn.weight[i];
            loss += drawn.weight[i] * log1pl(expl(-z));
            if ((m >= 0) != y) wrong += drawn.weight[i];
            expected += drawn.weight[i] / (1 + expl(-m));
            if (y) positives += drawn.weight[i];
        }
        ck_assert(metric(p, "examples") == n);
        ck_assert(progressive_examples(p) == (uint64_t)n);
        ck_assert_double_eq_tol(metric(p, "error_rate"), (double)(wrong / w), 1e-12);
        ck_assert_double_eq_tol(metric(p, "log_loss"), (double)(loss / w), 1e-12);
        ck_assert_double_eq_tol(metric(p, "calibration"), (double)(expected / positives), 1e-12);
        progressive_free(p);
    }
}
END_TEST

START_TEST(auc_lies_within_its_stated_error)
{
    static const double scales[] = {1e-30, 1e-6, 1e-3, 0.1, 1, 10, 1e3, 1e30};
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        draw_margins(&drawn, 7 + k, scales[k]);
        struct progressive *p = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
        feed(p, &drawn, 4096);
        double exact = exact_auc(&drawn), error = metric(p, "auc_error");
        ck_assert_msg(fabs(metric(p, "auc") - exact) <= error + 1e-12,
                      "scale %g: %g, exact %g +- %g", scales[k], metric(p, "auc"), exact, error);
        /* three certain digits for margins of the usual size, two for any */
        ck_assert_double_lt(error, scales[k] >= 0.1 && scales[k] <= 10 ? 1e-3 : 1e-2);
        ck_assert_double_gt(exact, 0.7);
        progressive_free(p);
    }
}
END_TEST

START_TEST(auc_of_true_ties_is_exact)
{
    state = 5;
    drawn.n = 5000;
    for (int i = 0; i < drawn.n; i++) { /* five scores; some are negative, and two are 0 and -0 */
        static const float values[] = {-1.5f, -0.0f, 0.0f, 0.25f, 3.0f};
        int k = (int)(5 * uniform(&state, 0, 1));
        drawn.score[i] = values[k];
        drawn.label[i] = uniform(&state, 0, 1) < 0.1 + 0.2 * k;
        drawn.weight[i] = 1;
        drawn.bad[i] = 0;
    }
    struct progressive *p = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
    feed(p, &drawn, 100);
    ck_assert(metric(p, "auc_error") == 0);
    ck_assert_double_eq_tol(metric(p, "auc"), exact_auc(&drawn), 1e-12);
    progressive_free(p);
}
END_TEST

START_TEST(auc_of_a_perfect_and_a_reversed_order_is_one_and_zero)
{
    for (int reversed = 0; reversed < 2; reversed++) {
        drawn.n = 1000;
        for (int i = 0; i < drawn.n; i++) {
            drawn.label[i] = i % 3 ? 1 : -1;
            drawn.score[i] = (i % 3 ? 2 : -2) * (reversed ? -1 : 1) * (1 + i / 1000.0f);
            drawn.weight[i] = 1;
            drawn.bad[i] = 0;
        }
        struct progressive *p = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
        feed(p, &drawn, 64);
        ck_assert(metric(p, "auc") == 1 - reversed);
        ck_assert(metric(p, "error_rate") == reversed);
        progressive_free(p);
    }
}
END_TEST

START_TEST(a_score_in_the_next_bin_is_in_order)
{
    /* Two scores one bin apart, at every octave and with both signs. Their order must be
     * certain. */
    for (int e = -126; e <= 126; e++)
        for (int sign = -1; sign <= 1; sign += 2) {
            float a = (float)sign * ldexpf(1, e), b = (float)sign * ldexpf(1.0625f, e);
            float low = a < b ? a : b, high = a < b ? b : a;
            drawn.n = 2;
            drawn.score[0] = low, drawn.score[1] = high;
            drawn.label[0] = -1, drawn.label[1] = 1;
            drawn.weight[0] = drawn.weight[1] = 1;
            drawn.bad[0] = drawn.bad[1] = 0;
            struct progressive *p = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
            feed(p, &drawn, 2);
            ck_assert_msg(metric(p, "auc") == 1 && metric(p, "auc_error") == 0, "at %g", low);
            progressive_free(p);
        }
}
END_TEST

START_TEST(value_figures_agree_with_recomputation)
{
    draw_margins(&drawn, 11, 1);
    for (int i = 0; i < drawn.n; i++)
        drawn.label[i] += 3.5f + (float)normal(&state);
    struct progressive *p = progressive_new("m", LEAT_SCORE_VALUE, NULL);
    feed(p, &drawn, 1000);
    long double w = 0, squared = 0, absolute = 0;
    for (int i = 0; i < drawn.n; i++) {
        if (!counts(&drawn, i)) continue;
        long double e = (long double)drawn.score[i] - drawn.label[i];
        w += drawn.weight[i];
        squared += drawn.weight[i] * e * e;
        absolute += drawn.weight[i] * fabsl(e);
    }
    ck_assert_double_eq_tol(metric(p, "squared_loss"), (double)(squared / w), 1e-11);
    ck_assert_double_eq_tol(metric(p, "rmse"), (double)sqrtl(squared / w), 1e-11);
    ck_assert_double_eq_tol(metric(p, "mae"), (double)(absolute / w), 1e-11);
    progressive_free(p);
}
END_TEST

START_TEST(how_the_stream_is_cut_into_batches_changes_no_bit)
{
    draw_margins(&drawn, 13, 1);
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_CLASS; kind++) {
        const char *names[PROGRESSIVE_METRICS];
        double want[PROGRESSIVE_METRICS], got[PROGRESSIVE_METRICS];
        static const int steps[] = {MAX, 1, 63, 64, 65, 4097};
        for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
            struct progressive *p = progressive_new("m", (enum leat_score)kind, NULL);
            feed(p, &drawn, steps[k]);
            size_t n = progressive_metrics(p, names, k ? got : want, PROGRESSIVE_METRICS);
            if (k) ck_assert_mem_eq(got, want, n * sizeof *want);
            progressive_free(p);
        }
    }
}
END_TEST

/* Merges a part of the stream and the rest, in either order. */
START_TEST(figures_of_two_halves_merge_to_those_of_the_whole)
{
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_CLASS; kind++) {
        draw_margins(&drawn, 17, 1);
        struct progressive *whole = progressive_new("m", (enum leat_score)kind, NULL);
        struct progressive *half[3];
        for (int h = 0; h < 3; h++)
            half[h] = progressive_new("m", (enum leat_score)kind, NULL);
        feed(whole, &drawn, 1000);
        static struct fixture f;
        int cut = drawn.n / 3;
        progressive_add(half[0], batch(&f, &drawn, 0, cut), false);
        progressive_add(half[1], batch(&f, &drawn, cut, drawn.n), false);
        progressive_merge(half[2], half[1]);
        progressive_merge(half[2], half[0]);
        progressive_merge(half[0], half[1]);
        const char *names[PROGRESSIVE_METRICS];
        double want[PROGRESSIVE_METRICS], got[PROGRESSIVE_METRICS];
        size_t n = progressive_metrics(whole, names, want, PROGRESSIVE_METRICS);
        for (int h = 0; h < 3; h += 2) {
            progressive_metrics(half[h], names, got, PROGRESSIVE_METRICS);
            for (size_t i = 0; i < n; i++)
                if (!strstr(names[i], "_last") && /* test_last_fifth.c tests it */
                    /* has a separate test */
                    !(kind == LEAT_SCORE_VALUE && strstr(names[i], "_constant")) &&
                    strcmp(names[i], "log_loss_constant")) /* the test of weights covers it */
                    ck_assert_double_eq_tol(got[i], want[i], 1e-12 * (1 + fabs(want[i])));
        }
        for (int h = 0; h < 3; h++)
            progressive_free(half[h]);
        progressive_free(whole);
    }
}
END_TEST

/* Nobody has measured a merged model, so only its examples are known, in any order of merges. */
START_TEST(merged_models_have_examples_and_no_other_figures)
{
    draw_margins(&drawn, 17, 1);
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_CLASS; kind++) {
        struct progressive *p = progressive_new("m", (enum leat_score)kind, NULL);
        struct progressive *other = progressive_new("m", (enum leat_score)kind, NULL);
        feed(p, &drawn, 1000);
        feed(other, &drawn, 100);
        uint64_t want = progressive_examples(p) + progressive_examples(other);
        ck_assert_uint_gt(want, 0);
        progressive_merge_models(p, other);
        const char *names[PROGRESSIVE_METRICS];
        double v[PROGRESSIVE_METRICS];
        size_t n = progressive_metrics(p, names, v, PROGRESSIVE_METRICS);
        for (size_t i = 0; i < n; i++)
            if (strcmp(names[i], "examples")) ck_assert_msg(isnan(v[i]), "%s %g", names[i], v[i]);
        ck_assert_uint_eq(progressive_examples(p), want);
        ck_assert_uint_eq(progressive_unmeasured(p), want);
        feed(p, &drawn, 100); /* it learns on, and is measured from here */
        ck_assert(isfinite(progressive_loss(p)));
        ck_assert_uint_eq(progressive_examples(p), want + progressive_examples(other));
        progressive_free(p);
        progressive_free(other);
    }
}
END_TEST

/* A model that counts k times has k times the examples, and nobody has measured it. */
START_TEST(a_model_that_counts_twice_has_twice_the_examples)
{
    draw_margins(&drawn, 17, 1);
    for (int kind = LEAT_SCORE_NONE; kind <= LEAT_SCORE_CLASS; kind++) {
        struct progressive *p = progressive_new("m", (enum leat_score)kind, NULL);
        feed(p, &drawn, 1000);
        uint64_t examples = progressive_examples(p);
        double loss = progressive_loss(p);
        ck_assert_uint_gt(examples, 0);
        progressive_weigh(p, 1);
        double same = progressive_loss(p);
        ck_assert(same == loss || (isnan(same) && isnan(loss)));
        ck_assert_uint_eq(progressive_examples(p), examples);
        progressive_weigh(p, 2);
        ck_assert_uint_eq(progressive_examples(p), 2 * examples);
        ck_assert_uint_eq(progressive_unmeasured(p), kind == LEAT_SCORE_NONE ? 0 : 2 * examples);
        progressive_weigh(p, 1e30); /* a count of 64 bits does not overflow */
        ck_assert_uint_gt(progressive_examples(p), 2 * examples);
        ck_assert_uint_lt(2 * progressive_examples(p), UINT64_MAX / 2);
        progressive_free(p);
    }
}
END_TEST

/* A perceptron's margins: ordered like log odds, but ten times as large. */
START_TEST(decisions_have_only_the_figures_of_an_order)
{
    struct progressive *p = progressive_new("m", LEAT_SCORE_DECISION, NULL);
    struct progressive *odds = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
    const char *names[PROGRESSIVE_METRICS];
    double v[PROGRESSIVE_METRICS], weight = 0, wrong = 0;
    draw_margins(&drawn, 29, 1);
    feed(p, &drawn, 100);
    feed(odds, &drawn, 100);
    for (int i = 0; i < drawn.n; i++) {
        if (!counts(&drawn, i)) continue;
        weight += (double)drawn.weight[i];
        wrong += (double)drawn.weight[i] * ((drawn.score[i] >= 0) != (drawn.label[i] > 0));
    }
    ck_assert_double_eq_tol(metric(p, "error_rate"), wrong / weight, 1e-12);
    ck_assert(metric(p, "auc") == metric(odds, "auc") && metric(p, "f1") == metric(odds, "f1"));
    ck_assert(metric(p, "error_rate_last") == metric(odds, "error_rate_last"));
    ck_assert(metric(p, "error_rate_constant") == metric(odds, "error_rate_constant"));
    size_t n = progressive_metrics(p, names, v, PROGRESSIVE_METRICS);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(!strstr(names[i], "log_loss") && !strstr(names[i], "calib") &&
                          strcmp(names[i], "brier") != 0,
                      "%s", names[i]);
    progressive_free(p);
    progressive_free(odds);
}
END_TEST

START_TEST(nothing_measured_gives_no_figures)
{
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_CLASS; kind++) {
        struct progressive *p = progressive_new("m", (enum leat_score)kind, NULL);
        const char *names[PROGRESSIVE_METRICS];
        double v[PROGRESSIVE_METRICS];
        size_t n = progressive_metrics(p, names, v, PROGRESSIVE_METRICS);
        ck_assert(n == (kind == LEAT_SCORE_MARGIN ? 17u : kind == LEAT_SCORE_VALUE ? 11u : 5u));
        for (size_t i = 0; i < n; i++)
            ck_assert_msg(strncmp(names[i], "examples", 8) ? isnan(v[i]) : v[i] == 0, "%s",
                          names[i]);
        ck_assert(progressive_metrics(p, names, v, 2) == 2);
        progressive_free(p);
    }
    progressive_free(NULL);
}
END_TEST

/* The naive result: measurable examples from index n - n / 5 on. The marks hold that many. */
START_TEST(last_fifth_is_the_last_fifth_of_what_was_measured)
{
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_VALUE; kind++) {
        draw_margins(&drawn, 21, 1);
        drawn.n = 3000;
        struct progressive *p = progressive_new("m", (enum leat_score)kind, NULL);
        feed(p, &drawn, 100);
        uint64_t n = progressive_examples(p), from = n - n / 5, seen = 0;
        ck_assert(n > 1000 && n < 3000);
        long double weight = 0, loss = 0, second = 0;
        for (int i = 0; i < drawn.n; i++) {
            if (!counts(&drawn, i) || seen++ < from) continue;
            double s = drawn.score[i], y = drawn.label[i], w = drawn.weight[i];
            int margin = kind == LEAT_SCORE_MARGIN, positive = y > 0;
            weight += w;
            loss += w * (margin ? progressive_log_loss(s, positive) : (s - y) * (s - y));
            second += w * (margin ? (s >= 0) != positive : fabs(s - y));
        }
        ck_assert(metric(p, "examples_last") == (double)(n - from));
        const char *first = kind == LEAT_SCORE_MARGIN ? "log_loss_last" : "rmse_last";
        const char *other = kind == LEAT_SCORE_MARGIN ? "error_rate_last" : "mae_last";
        double mean = (double)(loss / weight);
        ck_assert_double_eq_tol(metric(p, first), kind == LEAT_SCORE_MARGIN ? mean : sqrt(mean),
                                1e-9);
        ck_assert_double_eq_tol(metric(p, other), (double)(second / weight), 1e-9);
        progressive_free(p);
    }
}
END_TEST

START_TEST(examples_of_weight_zero_are_measured_apart)
{
    static struct stream learned, held;
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_VALUE; kind++) {
        draw_margins(&drawn, 23, 1);
        learned.n = held.n = 0;
        for (int i = 0; i < drawn.n; i++) {
            if (i % 3 == 0) drawn.weight[i] = 0;
            struct stream *to = drawn.weight[i] == 0 ? &held : &learned;
            to->score[to->n] = drawn.score[i];
            to->label[to->n] = drawn.label[i];
            to->weight[to->n] = drawn.weight[i] == 0 ? 1 : drawn.weight[i];
            to->bad[to->n++] = drawn.bad[i];
        }
        struct progressive *both = progressive_new("m", (enum leat_score)kind, NULL);
        struct progressive *one = progressive_new("m", (enum leat_score)kind, NULL);
        struct progressive *other = progressive_new("m", (enum leat_score)kind, NULL);
        feed(both, &drawn, 1000);
        feed(one, &learned, 1000);
        feed(other, &held, 1000);
        const char *names[PROGRESSIVE_METRICS];
        double v[PROGRESSIVE_METRICS];
        size_t n = progressive_metrics(one, names, v, PROGRESSIVE_METRICS);
        for (size_t i = 0; i < n; i++)
            ck_assert_msg(metric(both, names[i]) == v[i], "%s", names[i]);
        static const char *const figures[2][5] = {
            {"examples", "error_rate", "log_loss", "auc", "auc_error"},
            {"examples", "rmse", "mae"}};
        for (int i = 0; i < 5 && figures[kind - 1][i]; i++) {
            char name[64];
            snprintf(name, sizeof name, "%s_held_out", figures[kind - 1][i]);
            ck_assert_msg(metric(both, name) == metric(other, figures[kind - 1][i]), "%s", name);
        }
        progressive_free(both);
        progressive_free(one);
        progressive_free(other);
    }
}
END_TEST

static void take_over(struct progressive *from, struct progressive *to)
{
    struct state_writer w;
    struct state_reader *r = malloc(sizeof *r);
    ck_assert_int_eq(state_writer_init(&w, "host", 1), LEAT_OK);
    progressive_write(from, &w.base);
    ck_assert_int_eq(state_writer_finish(&w), LEAT_OK);
    ck_assert_int_eq(state_reader_init(r, w.bytes, w.n), LEAT_OK);
    ck_assert_int_eq(progressive_read(to, &r->base), LEAT_OK);
    state_reader_free(r);
    state_writer_free(&w);
    free(r);
}

START_TEST(figures_read_from_a_snapshot_go_on_bit_for_bit)
{
    static struct stream half[2];
    struct progressive_table t = {.line = NULL};
    for (int kind = LEAT_SCORE_MARGIN; kind <= LEAT_SCORE_VALUE; kind++) {
        struct progressive *p[3]; /* of several learners, for comparison */
        for (int i = 0; i < 3; i++)
            p[i] = progressive_new("m", (enum leat_score)kind, &t);
        draw_margins(&drawn, 29, 1);
        for (int i = 0; i < MAX; i++) {
            if (i % 5 == 0) drawn.weight[i] = 0;
            int h = i >= MAX / 2, j = i % (MAX / 2);
            half[h].score[j] = drawn.score[i];
            half[h].label[j] = drawn.label[i];
            half[h].weight[j] = drawn.weight[i];
            half[h].bad[j] = drawn.bad[i];
            half[h].n = MAX / 2;
        }
        feed(p[0], &half[0], 1000);
        feed(p[0], &half[1], 1000);
        feed(p[1], &half[0], 1000);
        take_over(p[1], p[2]);
        feed(p[2], &half[1], 1000);
        const char *names[PROGRESSIVE_METRICS];
        double want[PROGRESSIVE_METRICS], got[PROGRESSIVE_METRICS];
        size_t n = progressive_metrics(p[0], names, want, PROGRESSIVE_METRICS);
        ck_assert_uint_eq(progressive_metrics(p[2], names, got, PROGRESSIVE_METRICS), n);
        ck_assert_mem_eq(got, want, n * sizeof *want);
        ck_assert(progressive_compare(p[0])->examples > 0);
        ck_assert_mem_eq(progressive_compare(p[2]), progressive_compare(p[0]),
                         sizeof(struct compare));
        for (int i = 0; i < 3; i++)
            progressive_free(p[i]);
    }
}
END_TEST

START_TEST(filtered_examples_are_not_seen)
{
    static struct fixture f;
    draw_margins(&drawn, 17, 1);
    drawn.n = 10;
    for (int i = 0; i < drawn.n; i++)
        drawn.score[i] = 1, drawn.label[i] = 1, drawn.weight[i] = 1, drawn.bad[i] = 0;
    struct leat_batch *b = batch(&f, &drawn, 0, 10);
    f.sel[0] = 2, f.sel[1] = 9;
    b->n_ex_sel = 2;
    struct progressive *p = progressive_new("m", LEAT_SCORE_MARGIN, NULL);
    progressive_add(p, b, false);
    ck_assert(progressive_examples(p) == 2);
    b->n_ex_sel = 0;
    progressive_add(p, b, false);
    ck_assert(progressive_examples(p) == 2);
    progressive_free(p);
}
END_TEST

/* ---- the table ---- */

struct lines {
    int n;
    char text[64][256];
};

static void keep(void *to, const char *text)
{
    struct lines *l = to;
    ck_assert_int_lt(l->n, 64);
    snprintf(l->text[l->n++], sizeof l->text[0], "%s", text);
}

static uint64_t fake_now(void)
{
    static uint64_t t;
    return t += 1000000000u;
}

static struct lines lines;

static struct progressive_table table(int vw)
{
    lines.n = 0;
    return (struct progressive_table){.line = keep, .to = &lines, .now = fake_now, .vw = vw};
}

static void five_margins(void)
{
    static const float score[] = {0, 1, -1, 2, 0.5f}, label[] = {1, 1, 1, -1, 0};
    drawn.n = 5;
    for (int i = 0; i < 5; i++)
        drawn.score[i] = score[i], drawn.label[i] = label[i], drawn.weight[i] = i == 1 ? 2 : 1,
        drawn.bad[i] = 0;
}

START_TEST(table_is_the_one_vowpal_wabbit_prints)
{
    struct progressive_table t = table(1);
    struct progressive *p = progressive_new("model", LEAT_SCORE_MARGIN, &t);
    five_margins();
    progressive_heading(&t);
    feed(p, &drawn, 5);
    progressive_finish(p);
    /* losses: ln 2 (w 1), log1p(e^-1) = .313262 (w 2), 1.313262, 2.126928, .974077 */
    static const char *const want[] = {
        "average  since         example        example  current  current  current",
        "loss     last          counter         weight    label  predict features",
        "0.693147 0.693147            1            1.0   1.0000   0.0000        0",
        "0.439890 0.313262            2            3.0   1.0000   1.0000        1",
        "0.951972 1.720095            4            5.0  -1.0000   2.0000        3",
        "",
        "finished run",
        "number of examples = 5",
        "weighted example sum = 6.000000",
        "weighted label sum = 2.000000",
        "average loss = 0.955656",
        "best constant = 0.693147",
        "best constant's loss = 0.636514",
        "total feature number = 10",
    };
    ck_assert_int_eq(lines.n, sizeof want / sizeof *want);
    for (int i = 0; i < lines.n; i++)
        ck_assert_str_eq(lines.text[i], want[i]);
    progressive_free(p);
}
END_TEST

START_TEST(rows_come_at_powers_of_two_wherever_batches_end)
{
    for (int step = 1; step <= 7; step += 3) {
        struct progressive_table t = table(0);
        struct progressive *p = progressive_new("model", LEAT_SCORE_VALUE, &t);
        draw_margins(&drawn, 3, 1);
        drawn.n = 300;
        memset(drawn.bad, 0, sizeof drawn.bad);
        feed(p, &drawn, step);
        int expected = 0;
        for (uint64_t k = 1; k <= progressive_examples(p); k *= 2)
            expected++;
        ck_assert_int_eq(lines.n, expected);
        for (int i = 0; i < lines.n; i++) {
            int counter;
            ck_assert_int_eq(sscanf(lines.text[i], "%*f %*f %d", &counter), 1);
            ck_assert_int_eq(counter, 1 << i);
        }
        progressive_free(p);
    }
}
END_TEST

/* Five examples of an earlier process: the row at example 8 is about three, read in a second. */
START_TEST(a_row_after_a_snapshot_is_about_this_process)
{
    struct progressive_table none = {.line = NULL}, t = table(0);
    struct progressive *before = progressive_new("model", LEAT_SCORE_MARGIN, &none);
    struct progressive *p = progressive_new("model", LEAT_SCORE_MARGIN, &t);
    double average, since, rate;
    five_margins();
    feed(before, &drawn, 5);
    take_over(before, p);
    feed(p, &drawn, 5);
    ck_assert_int_eq(lines.n, 1);
    ck_assert_int_eq(sscanf(lines.text[0], "%lf %lf", &average, &since), 2);
    ck_assert_int_eq(sscanf(strrchr(lines.text[0], ' '), "%lf", &rate), 1);
    /* losses by weight: ln 2, 2 log1p(e^-1), 1.313262 */
    ck_assert_double_eq_tol(since, (0.693147 + 2 * 0.313262 + 1.313262) / 4, 1e-6);
    ck_assert_double_gt(average, since + 0.05);
    ck_assert_double_eq(rate, 3);
    progressive_free(before);
    progressive_free(p);
}
END_TEST

START_TEST(several_learners_are_told_apart)
{
    struct progressive_table t = table(0);
    struct progressive *a = progressive_new("awm", LEAT_SCORE_MARGIN, &t);
    struct progressive *b = progressive_new("sftrl_ratings", LEAT_SCORE_VALUE, &t);
    five_margins();
    progressive_heading(&t);
    feed(a, &drawn, 5);
    feed(b, &drawn, 5);
    progressive_finish(b);
    static const char *const want[] = {
        "learner       average  since         example        example  current  current  current"
        "   error     auc   calib     rmse      mae    ex/s",
        "              loss     last          counter         weight    label  predict features"
        "    rate",
        "awm           0.693147 0.693147            1            1.0   1.0000   0.0000        0"
        "  0.0000       -   0.500        -        -     0.5",
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ck_assert_str_eq(lines.text[i], want[i]);
    ck_assert_ptr_nonnull(strstr(lines.text[5], "sftrl_ratings 1.000000 1.000000"));
    ck_assert_ptr_nonnull(strstr(lines.text[9], "finished run of sftrl_ratings"));
    progressive_free(a);
    progressive_free(b);
}
END_TEST

START_TEST(a_narrow_terminal_gets_fewer_columns_each_below_its_heading)
{
    static const char *const ids[] = {"awm", "ratings"};
    size_t before = 0;
    for (size_t terminal = 40; terminal <= 130; terminal++) {
        struct progressive_table t = table(0);
        t.terminal = terminal;
        struct progressive *a = progressive_new(ids[0], LEAT_SCORE_MARGIN, &t);
        struct progressive *b = progressive_new(ids[1], LEAT_SCORE_VALUE, &t);
        five_margins();
        progressive_heading(&t);
        feed(a, &drawn, 5);
        feed(b, &drawn, 5);
        ck_assert_int_gt(lines.n, 4);
        size_t width = strlen(lines.text[2]);
        ck_assert_uint_ge(width, before);
        before = width;
        for (int i = 0; i < lines.n; i++) {
            ck_assert_uint_lt(strlen(lines.text[i]), terminal);
            if (i >= 2) ck_assert_uint_eq(strlen(lines.text[i]), width);
        }
        progressive_free(a);
        progressive_free(b);
    }
    ck_assert_uint_gt(before, 110);
}
END_TEST

START_TEST(eighty_columns_hold_the_figures_of_a_classifier)
{
    struct progressive_table t = table(0);
    t.terminal = 80;
    struct progressive *p = progressive_new("model", LEAT_SCORE_MARGIN, &t);
    five_margins();
    progressive_heading(&t);
    feed(p, &drawn, 5);
    static const char *const want[] = {
        "average  since         example  current  current   error     auc    ex/s",
        "loss     last          counter    label  predict    rate",
        "0.693147 0.693147            1   1.0000   0.0000  0.0000       -     1.0",
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        ck_assert_str_eq(lines.text[i], want[i]);
    progressive_free(p);
}
END_TEST

START_TEST(best_constant_of_values_is_their_mean_even_when_far_from_zero)
{
    struct progressive_table t = table(1);
    struct progressive *p = progressive_new("model", LEAT_SCORE_VALUE, &t);
    drawn.n = 4;
    for (int i = 0; i < 4; i++)
        drawn.score[i] = 0, drawn.label[i] = 8388608 + (float)i, drawn.weight[i] = 1,
        drawn.bad[i] = 0;
    feed(p, &drawn, 4);
    lines.n = 0;
    progressive_finish(p);
    ck_assert_str_eq(lines.text[6], "best constant = 8388609.500000");
    ck_assert_str_eq(lines.text[7], "best constant's loss = 1.250000");
    progressive_free(p);

    struct progressive *one = progressive_new("m", LEAT_SCORE_VALUE, &t);
    struct progressive *rest = progressive_new("m", LEAT_SCORE_VALUE, &t);
    static struct fixture f;
    progressive_add(one, batch(&f, &drawn, 0, 1), false);
    progressive_add(rest, batch(&f, &drawn, 1, 4), false);
    progressive_merge(one, rest);
    lines.n = 0;
    progressive_finish(one);
    ck_assert_str_eq(lines.text[6], "best constant = 8388609.500000");
    ck_assert_str_eq(lines.text[7], "best constant's loss = 1.250000");
    progressive_free(one);
    progressive_free(rest);
}
END_TEST

START_TEST(what_has_no_figure_is_said_so)
{
    struct progressive_table t = table(0);
    struct progressive *p = progressive_new("model", LEAT_SCORE_MARGIN, &t);
    static struct fixture f;
    five_margins();
    progressive_add(p, batch(&f, &drawn, 0, 1), false); /* one label, and no last fifth */
    lines.n = 0;
    progressive_finish(p);
    ck_assert_str_eq(lines.text[5], "average loss = 0.693147");
    ck_assert_str_eq(lines.text[6], "best constant = n.a.");
    ck_assert_str_eq(lines.text[7], "error rate = 0.000000 (last fifth n.a.)");
    ck_assert_str_eq(lines.text[8], "total feature number = 0");
    progressive_free(p);
}
END_TEST

START_TEST(class_figures_agree_with_recomputation)
{
    draw_margins(&drawn, 19, 1);
    double w = 0, wrong = 0, of[5] = {0};
    for (int i = 0; i < drawn.n; i++) {
        if (!counts(&drawn, i)) continue;
        drawn.label[i] = (float)(i % 7 < 3 ? 3 : i % 5);
        drawn.score[i] = (float)(i % 4);
        w += (double)drawn.weight[i];
        of[(int)drawn.label[i]] += (double)drawn.weight[i];
        if (drawn.score[i] != drawn.label[i]) wrong += (double)drawn.weight[i];
    }
    struct progressive_table t = {.line = keep, .to = &lines};
    struct progressive *p = progressive_new("m", LEAT_SCORE_CLASS, &t);
    feed(p, &drawn, 1000);
    ck_assert_double_eq_tol(metric(p, "error_rate"), wrong / w, 1e-11);
    ck_assert_double_eq_tol(progressive_loss(p), wrong / w, 1e-11);
    lines.n = 0;
    progressive_finish(p);
    char want[64];
    snprintf(want, sizeof want, "best constant's loss = %.6f", 1 - of[3] / w);
    ck_assert_str_eq(lines.text[5], "best constant = 3.000000");
    ck_assert_str_eq(lines.text[6], want);
    progressive_free(p);
}
END_TEST

/* Draws labels: 1 with this share, else -1; `sorted` puts 1 first. Weights balance both. */
static void draw_labels(struct stream *s, double share, bool sorted)
{
    state = 5;
    s->n = 4000;
    for (int i = 0; i < s->n; i++) {
        double where = sorted ? (double)i / s->n : uniform(&state, 0, 1);
        s->score[i] = 0;
        s->bad[i] = 0;
        s->label[i] = where < share ? 1 : -1;
        s->weight[i] = (float)(where < share ? 1 / share : 1 / (1 - share));
    }
}

static const char *fault_of(const struct stream *s, bool in_order, char text[512])
{
    struct progressive *p = progressive_new("x", LEAT_SCORE_MARGIN, NULL);
    feed(p, (struct stream *)s, 500);
    const char *fault = progressive_example_fault(p, progressive_examples(p), in_order, text, 512);
    progressive_free(p);
    return fault;
}

/* 150 classes, where label k comes about 1 / (k + 1) times as often as label 0. */
START_TEST(recall_and_precision_of_classes_are_those_of_counting)
{
    enum { KINDS = 150 };
    static struct stream s;
    static double came[KINDS], predicted[KINDS], right[KINDS];
    struct progressive_class c[PROGRESSIVE_CLASSES];
    struct progressive *p = progressive_new("m", LEAT_SCORE_CLASS, NULL);
    uint64_t rng = seed_given();
    memset(came, 0, sizeof came), memset(predicted, 0, sizeof came), memset(right, 0, sizeof came);
    s = (struct stream){.n = MAX};
    for (int i = 0; i < s.n; i++) {
        uint32_t label = (uint32_t)exp(uniform(&rng, 0, log(KINDS))) - 1;
        uint32_t score = below(&rng, 3) ? label : below(&rng, KINDS);
        s.label[i] = (float)label, s.score[i] = (float)score;
        s.weight[i] = 0.5f + (float)below(&rng, 2);
        came[label] += (double)s.weight[i], predicted[score] += (double)s.weight[i];
        if (label == score) right[label] += (double)s.weight[i];
    }
    feed(p, &s, 333);
    ck_assert_uint_eq(progressive_classes(p, c), PROGRESSIVE_CLASSES);
    for (uint32_t i = 0; i < PROGRESSIVE_CLASSES; i++) {
        uint32_t k = c[i].label, more = 0;
        ck_assert(c[i].weight == came[k] && c[i].predicted == predicted[k]);
        ck_assert(c[i].right == right[k]);
        for (uint32_t j = 0; j < KINDS; j++)
            more += came[j] > came[k] || (came[j] == came[k] && j < k);
        ck_assert_uint_eq(more, i);
    }
    progressive_clear(p);
    ck_assert_uint_eq(progressive_classes(p, c), 0);
    struct progressive *other = progressive_new("m", LEAT_SCORE_CLASS, NULL);
    feed(p, &s, 333);
    progressive_merge(p, other); /* the other process's classes are unknown */
    ck_assert_uint_eq(progressive_classes(p, c), 0);
    progressive_free(other);
    progressive_free(p);
}
END_TEST

START_TEST(labels_in_long_runs_are_a_fault_for_learners_in_order_alone)
{
    static struct stream s;
    char text[512];
    for (int k = 0; k < 3; k++) {
        draw_labels(&s, k ? .5 / k : .05, false);
        ck_assert_ptr_null(fault_of(&s, true, text));
        draw_labels(&s, k ? .5 / k : .05, true);
        ck_assert_ptr_null(fault_of(&s, false, text));
        ck_assert_ptr_nonnull(fault_of(&s, true, text));
        ck_assert_ptr_nonnull(strstr(text, "runs (1 changes in 4000 records"));
    }
    ck_assert_ptr_nonnull(strstr(text, "some 1500)")); /* 2 n p (1 - p), p = 1/4 */
    draw_labels(&s, .01, true);                        /* about 79 changes are expected */
    ck_assert_ptr_null(fault_of(&s, true, text));
}
END_TEST

START_TEST(one_label_is_a_fault_for_all_learners)
{
    static struct stream s;
    char text[512];
    for (int label = -1; label < 2; label += 2) {
        draw_labels(&s, .5, false);
        for (int i = 0; i < s.n; i++)
            s.label[i] = (float)label;
        ck_assert_ptr_nonnull(fault_of(&s, false, text));
        ck_assert_ptr_nonnull(strstr(text, label > 0 ? "4000 examples have the label +1,"
                                                     : "4000 examples have the label -1,"));
        s.n = 9;
        ck_assert_ptr_null(fault_of(&s, true, text));
    }
}
END_TEST

/* ---- losses of constants ---- */

static struct progressive *measured(enum leat_score kind, struct stream *s)
{
    struct progressive *p = progressive_new("m", kind, NULL);
    feed(p, s, 64);
    return p;
}

START_TEST(the_constants_log_loss_is_that_of_the_share_so_far)
{
    static struct stream s;
    state = 5;
    for (s.n = 1; s.n < 3000; s.n = 3 * s.n + 1) {
        double of[2] = {0, 0}, loss = 0;
        for (int i = 0; i < s.n; i++) {
            int y = below(&state, 5) == 0;
            s.label[i] = y ? 1 : -1;
            s.weight[i] = 1;
            loss -= log((of[y] + 0.5) / (i + 1));
            of[y]++;
        }
        struct progressive *p = measured(LEAT_SCORE_MARGIN, &s);
        ck_assert_double_eq_tol(progressive_constant_loss(p), loss / s.n, 1e-9);
        ck_assert_double_eq_tol(metric(p, "log_loss_constant"), loss / s.n, 1e-9);
        ck_assert_double_eq_tol(metric(p, "error_rate_constant"), fmin(of[0], of[1]) / s.n, 1e-12);
        progressive_free(p);
    }
}
END_TEST

/* A few heavy examples. Each has its loss from the share of the weights before it. */
START_TEST(the_constants_log_loss_of_weights_is_that_of_the_share_so_far)
{
    static struct stream s;
    double all = 0, weight = 0;
    struct progressive *p[2];
    state = 6;
    for (int k = 0; k < 2; k++) {
        double of[2] = {0, 0}, loss = 0;
        s.n = 700;
        for (int i = 0; i < s.n; i++) {
            int y = below(&state, 5) == 0;
            s.label[i] = y ? 1 : -1;
            s.weight[i] = k && i > 100 ? (float)(y ? 40 : 0.25) : 1; /* the first weights are 1 */
            loss -= (double)s.weight[i] * log((of[y] + 0.5) / (of[0] + of[1] + 1));
            of[y] += (double)s.weight[i];
        }
        p[k] = measured(LEAT_SCORE_MARGIN, &s);
        ck_assert_double_eq_tol(progressive_constant_loss(p[k]), loss / (of[0] + of[1]), 1e-9);
        all += loss, weight += of[0] + of[1];
    }
    progressive_merge(p[0], p[1]);
    ck_assert_double_eq_tol(metric(p[0], "log_loss_constant"), all / weight, 1e-9);
    progressive_free(p[0]), progressive_free(p[1]);
}
END_TEST

/* Returns the mean squared loss of each label against the mean of the earlier labels, which it sums
 * anew. *absolute: the absolute loss. */
static double mean_loss(const struct stream *s, int from, int to, double *absolute)
{
    double squares = 0, weight = 0;
    *absolute = 0;
    for (int t = from; t < to; t++) {
        double sum = 0, before = 0, w = (double)s->weight[t];
        for (int i = 0; i < t; i++) {
            sum += (double)s->weight[i] * (double)s->label[i];
            before += (double)s->weight[i];
        }
        double e = (double)s->label[t] - (before > 0 ? sum / before : 0);
        squares += w * e * e;
        *absolute += w * fabs(e);
        weight += w;
    }
    *absolute /= weight;
    return sqrt(squares / weight);
}

START_TEST(the_constants_squared_loss_is_that_of_the_mean_so_far)
{
    static struct stream s = {.n = 1000};
    double absolute;
    state = 9;
    for (int i = 0; i < s.n; i++) {
        s.label[i] = i == 1 ? 1e5f : (float)below(&state, 1000) / 8 + (float)i;
        s.weight[i] = (float)(1 + below(&state, 3));
    }
    struct progressive *p = measured(LEAT_SCORE_VALUE, &s);
    double rmse = mean_loss(&s, 0, s.n, &absolute);
    ck_assert_double_eq_tol(metric(p, "rmse_constant") / rmse, 1, 1e-9);
    ck_assert_double_eq_tol(metric(p, "mae_constant") / absolute, 1, 1e-9);
    ck_assert_double_eq_tol(progressive_constant_loss(p) / rmse / rmse, 1, 1e-9);
    rmse = mean_loss(&s, s.n - s.n / 5, s.n, &absolute);
    ck_assert_double_eq_tol(metric(p, "rmse_constant_last") / rmse, 1, 1e-9);
    ck_assert_double_eq_tol(metric(p, "mae_constant_last") / absolute, 1, 1e-9);
    progressive_free(p);
}
END_TEST

/* Each label is predicted from earlier labels of the same stream. */
START_TEST(the_constants_of_two_streams_are_added_up)
{
    static struct stream s[2] = {{.n = 300}, {.n = 200}};
    struct progressive *p[2];
    double absolute[2], squares = 0;
    state = 3;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < s[k].n; i++) {
            s[k].label[i] = (float)below(&state, 100) + 1000 * (float)k;
            s[k].weight[i] = 1;
        }
        double rmse = mean_loss(&s[k], 0, s[k].n, &absolute[k]);
        squares += s[k].n * rmse * rmse;
        p[k] = measured(LEAT_SCORE_VALUE, &s[k]);
    }
    progressive_merge(p[0], p[1]);
    ck_assert_double_eq_tol(metric(p[0], "rmse_constant") / sqrt(squares / 500), 1, 1e-9);
    ck_assert_double_eq_tol(metric(p[0], "mae_constant"), 0.6 * absolute[0] + 0.4 * absolute[1],
                            1e-6);
    for (int k = 0; k < 2; k++)
        progressive_free(p[k]);
}
END_TEST

START_TEST(what_is_held_out_is_predicted_by_the_mean_of_the_rest)
{
    static struct stream s = {.n = 4, .label = {10, 20, 60, 40}, .weight = {1, 1, 0, 0}};
    struct progressive *p = measured(LEAT_SCORE_VALUE, &s);
    ck_assert_double_eq_tol(metric(p, "rmse_constant_held_out"), sqrt((45 * 45 + 25 * 25) / 2.0),
                            1e-9);
    ck_assert_double_eq_tol(metric(p, "rmse_constant"), 10, 1e-9);
    progressive_free(p);
}
END_TEST

START_TEST(the_first_label_is_predicted_as_0)
{
    static struct stream s = {.n = 3, .label = {10, 20, 60}, .weight = {1, 1, 1}};
    struct progressive *p = measured(LEAT_SCORE_VALUE, &s);
    ck_assert_double_eq_tol(metric(p, "rmse_constant"), 27.23, 0.01);
    progressive_free(p);
}
END_TEST

START_TEST(a_learner_that_is_worse_than_a_constant_is_at_fault)
{
    static struct stream s;
    char text[512];
    s.n = 1000;
    for (int i = 0; i < s.n; i++) {
        s.label[i] = i % 10 ? -1 : 1;
        s.weight[i] = 1;
        s.score[i] = i % 3 ? 1e6f : -1e6f;
    }
    struct progressive *p = measured(LEAT_SCORE_MARGIN, &s);
    ck_assert_ptr_nonnull(progressive_loss_fault(p, "wait", text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "and a constant has 0.32"));
    ck_assert_ptr_nonnull(strstr(text, ": wait"));
    progressive_free(p);
    for (int i = 0; i < s.n; i++)
        s.score[i] = s.label[i];
    p = measured(LEAT_SCORE_MARGIN, &s);
    ck_assert_ptr_null(progressive_loss_fault(p, "wait", text, sizeof text));
    progressive_free(p);
    s.score[7] = INFINITY;
    p = measured(LEAT_SCORE_MARGIN, &s);
    ck_assert_ptr_nonnull(progressive_loss_fault(p, "wait", text, sizeof text));
    ck_assert_ptr_nonnull(strstr(text, "of 1 of 1000 examples is not a finite number"));
    progressive_free(p);
}
END_TEST

/* Naive sums over examples [from, to) of a stream of values. */
static double squared_error(const struct stream *s, uint64_t from, uint64_t to)
{
    double sum = 0, weight = 0;
    for (uint64_t i = from; i < to; i++) {
        double e = (double)s->score[i] - (double)s->label[i];
        sum += (double)s->weight[i] * e * e;
        weight += (double)s->weight[i];
    }
    return sum / weight;
}

START_TEST(a_curve_has_the_averages_so_far_and_since_the_point_before)
{
    static struct stream s;
    struct progressive_point point[PROGRESSIVE_POINTS];
    state = 31;
    for (s.n = 0; s.n < MAX; s.n++) {
        s.score[s.n] = (float)normal(&state);
        s.label[s.n] = (float)normal(&state);
        s.weight[s.n] = 0.5f + (float)uniform(&state, 0, 1);
        s.bad[s.n] = 0;
    }
    for (int n = 1; n <= MAX; n = n * 3 + 1) {
        s.n = n;
        struct progressive *p = measured(LEAT_SCORE_VALUE, &s);
        size_t points = progressive_curve(p, point);
        ck_assert_uint_gt(points, 0);
        ck_assert_uint_le(points, PROGRESSIVE_POINTS);
        ck_assert_uint_eq(point[points - 1].examples, (uint64_t)n);
        for (size_t k = 0; k < points; k++) {
            uint64_t to = point[k].examples, from = k ? point[k - 1].examples : 0;
            ck_assert_uint_gt(to, from);
            ck_assert_double_eq_tol(point[k].loss, squared_error(&s, 0, to), 1e-9);
            ck_assert_double_eq_tol(point[k].loss_since, squared_error(&s, from, to), 1e-9);
        }
        progressive_free(p);
    }
}
END_TEST

START_TEST(without_examples_there_is_no_curve)
{
    struct progressive_point point[PROGRESSIVE_POINTS];
    struct roc_point roc[ROC_POINTS];
    struct progressive *p = progressive_new("none", LEAT_SCORE_MARGIN, NULL);
    ck_assert_uint_eq(progressive_curve(p, point), 0);
    ck_assert_uint_eq(progressive_roc(p, roc), 0);
    progressive_free(p);
}
END_TEST

LEAT_SUITE("progressive", labels_are_counted_without_predictions_if_asked_for,
           what_has_no_figure_is_said_so, class_figures_agree_with_recomputation,
           recall_and_precision_of_classes_are_those_of_counting,
           figures_read_from_a_snapshot_go_on_bit_for_bit,
           examples_of_a_learner_that_does_not_predict_are_counted_without_a_loss,
           log_loss_agrees_with_libm, log_loss_stands_extreme_margins,
           margin_figures_agree_with_recomputation, auc_lies_within_its_stated_error,
           auc_of_true_ties_is_exact, auc_of_a_perfect_and_a_reversed_order_is_one_and_zero,
           a_score_in_the_next_bin_is_in_order, value_figures_agree_with_recomputation,
           how_the_stream_is_cut_into_batches_changes_no_bit,
           figures_of_two_halves_merge_to_those_of_the_whole,
           merged_models_have_examples_and_no_other_figures,
           a_model_that_counts_twice_has_twice_the_examples, nothing_measured_gives_no_figures,
           decisions_have_only_the_figures_of_an_order,
           last_fifth_is_the_last_fifth_of_what_was_measured,
           examples_of_weight_zero_are_measured_apart, filtered_examples_are_not_seen,
           table_is_the_one_vowpal_wabbit_prints, rows_come_at_powers_of_two_wherever_batches_end,
           a_row_after_a_snapshot_is_about_this_process, several_learners_are_told_apart,
           a_narrow_terminal_gets_fewer_columns_each_below_its_heading,
           eighty_columns_hold_the_figures_of_a_classifier,
           best_constant_of_values_is_their_mean_even_when_far_from_zero,
           labels_in_long_runs_are_a_fault_for_learners_in_order_alone,
           one_label_is_a_fault_for_all_learners,
           the_constants_log_loss_is_that_of_the_share_so_far,
           the_constants_log_loss_of_weights_is_that_of_the_share_so_far,
           the_constants_squared_loss_is_that_of_the_mean_so_far, the_first_label_is_predicted_as_0,
           the_constants_of_two_streams_are_added_up,
           what_is_held_out_is_predicted_by_the_mean_of_the_rest,
           a_learner_that_is_worse_than_a_constant_is_at_fault,
           a_curve_has_the_averages_so_far_and_since_the_point_before,
           without_examples_there_is_no_curve)
