/* test_kll.c -- kll against exact ranks of sorted values. */
/* tier: long (8 s) */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/mix64.h"
#include "kernels/summaries/kll.h"
#include "support/random.h"
#include "support/suite.h"

static struct kll *sketch(uint32_t k, uint64_t seed)
{
    struct kll *s = calloc(1, kll_bytes(k));
    kll_init(s, k, seed);
    return s;
}

static double quantile(const struct kll *s, double q)
{
    struct kll_item *work = malloc(kll_work(s->k, 1) * sizeof *work);
    double x = kll_at(work, kll_gather(&s, 1, work), q);
    free(work);
    return x;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the smallest x of sorted v[0 .. n) with |{v <= x}| >= q n: the oracle. */
static double exact(const double *v, size_t n, double q)
{
    size_t i = 0;
    while ((double)(i + 1) < q * (double)n)
        i++;
    return v[i];
}

/* Returns the distance of q from the shares of sorted v[0 .. n) below x and up to x. */
static double share_off(const double *v, size_t n, double q, double x)
{
    size_t below = 0, upto = n;
    for (size_t high = n; below < high;) {
        size_t middle = (below + high) / 2;
        if (v[middle] < x)
            below = middle + 1;
        else
            high = middle;
    }
    for (size_t low = below; low < upto;) {
        size_t middle = (low + upto) / 2;
        if (v[middle] <= x)
            low = middle + 1;
        else
            upto = middle;
    }
    ck_assert_msg(upto > below, "%g is not one of the values", x);
    double from = (double)below / (double)n, to = (double)upto / (double)n;
    return q < from ? from - q : q > to ? q - to : 0;
}

enum order { SHUFFLED, SORTED, REVERSED, DUPLICATES, ZOOM_IN, ZOOM_OUT, ORDERS };

/* Fills v[0 .. n) with 0 .. n - 1 in this order; DUPLICATES: 40 different values, shuffled. */
static void fill(double *v, uint32_t n, enum order o, uint64_t seed)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = o == ZOOM_OUT ? n - 1 - i : i,
                 inward = from % 2 ? n - 1 - from / 2 : from / 2;
        v[i] = o == REVERSED ? n - 1 - i : o == ZOOM_IN || o == ZOOM_OUT ? inward : i;
        if (o == DUPLICATES) v[i] = floor(v[i] * 40 / n);
    }
    for (uint32_t i = n; (o == SHUFFLED || o == DUPLICATES) && i > 1; i--) {
        uint32_t j = below(&seed, i);
        double moved = v[i - 1];
        v[i - 1] = v[j];
        v[j] = moved;
    }
}

static double *sorted_copy(const double *v, size_t n)
{
    double *sorted = malloc(n * sizeof *sorted);
    memcpy(sorted, v, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    return sorted;
}

/* Checks every quantile of s against v[0 .. n). */
static void is_exact(const struct kll *s, const double *v, uint32_t n)
{
    double *sorted = sorted_copy(v, n);
    struct kll_item *work = malloc(kll_work(s->k, 1) * sizeof *work);
    uint32_t items = kll_gather(&s, 1, work);
    for (double q = 0; q <= 1; q += 0.00390625)
        ck_assert_double_eq(kll_at(work, items, q), exact(sorted, n, q));
    free(sorted);
    free(work);
}

START_TEST(as_many_values_as_the_block_holds_are_answered_exactly)
{
    const uint32_t ks[] = {KLL_MIN_K, 64, 200};
    for (int i = 0; i < 3; i++)
        for (int o = 0; o < ORDERS; o++) {
            uint32_t n = kll_capacity(ks[i]);
            double *v = malloc(n * sizeof *v);
            fill(v, n, (enum order)o, 3);
            struct kll *s = sketch(ks[i], 9);
            for (uint32_t j = 0; j < n; j++) {
                kll_add(s, v[j]);
                if (j % 41 == 0 || j < 10 || j == n - 1) is_exact(s, v, j + 1);
            }
            ck_assert_uint_eq(s->levels, 1);
            kll_add(s, 0);
            ck_assert_uint_eq(s->levels, 2);
            free(s);
            free(v);
        }
}
END_TEST

/* Returns the median distance of sorted v[0 .. n) from m: the oracle. */
static double exact_distance(const double *v, uint32_t n, double m)
{
    double *d = malloc(n * sizeof *d);
    for (uint32_t i = 0; i < n; i++)
        d[i] = fabs(v[i] - m);
    qsort(d, n, sizeof *d, by_value);
    double median = d[(n + 1) / 2 - 1];
    free(d);
    return median;
}

START_TEST(the_median_distance_is_exact_and_later_within_its_bound)
{
    const uint32_t ns[] = {1, 2, 3, 10, 343, 50000};
    for (int i = 0; i < 6; i++)
        for (int o = 0; o < ORDERS; o++) {
            uint32_t n = ns[i], k = 64, within = 0;
            double *v = malloc(n * sizeof *v);
            struct kll *s = sketch(k, 4);
            struct kll_item *work = malloc(kll_work(k, 1) * sizeof *work);
            fill(v, n, (enum order)o, 3);
            for (uint32_t j = 0; j < n; j++)
                kll_add(s, v[j] = v[j] * v[j]);
            uint32_t items = kll_gather((const struct kll *const *)&s, 1, work);
            const double from[] = {kll_at(work, items, .5), -5, v[0], 1e12};
            for (int c = 0; c < 4; c++) {
                double d = kll_distance(work, items, from[c]);
                if (n <= kll_capacity(k)) ck_assert_double_eq(d, exact_distance(v, n, from[c]));
                within = 0;
                for (uint32_t j = 0; j < n; j++)
                    within += fabs(v[j] - from[c]) <= d;
                ck_assert_double_ge((double)within, (.5 - 2 * kll_error(k)) * n);
            }
            free(work);
            free(s);
            free(v);
        }
}
END_TEST

START_TEST(weights_add_up_to_the_count_after_every_value)
{
    const uint32_t ks[] = {KLL_MIN_K, 9, 64, 333};
    for (int i = 0; i < 4; i++) {
        uint64_t rng = seed_given();
        struct kll *s = sketch(ks[i], rng);
        for (uint64_t n = 1; n <= 20000; n++) {
            kll_add(s, normal(&rng));
            uint64_t weights = 0;
            for (uint32_t h = 0; h < s->levels; h++)
                weights += (uint64_t)(s->end[h] - s->end[h + 1]) << h;
            ck_assert_uint_eq(s->n, n);
            ck_assert_uint_eq(weights, n);
            ck_assert_uint_le(s->end[0], kll_capacity(ks[i]));
            if (n % 7 == 0) ck_assert(kll_is_valid(s, ks[i]));
        }
        ck_assert_uint_gt(s->levels, 4);
        free(s);
    }
}
END_TEST

START_TEST(the_largest_sketch_and_the_smallest_take_long_streams)
{
    const uint32_t ks[] = {KLL_MIN_K, KLL_MAX_K};
    for (int i = 0; i < 2; i++) {
        struct kll *s = sketch(ks[i], 4);
        for (uint32_t n = 1000000; n--;)
            kll_add(s, n);
        ck_assert(kll_is_valid(s, ks[i]));
        ck_assert_double_le(fabs(quantile(s, 0.5) / 1e6 - 0.5), 2 * kll_error(ks[i]));
        free(s);
    }
}
END_TEST

static const double quantiles[] = {0.01, 0.1, 0.5, 0.9, 0.99};
enum { QUANTILES = 5, SEEDS = 400, N = 20000 };

/* Collects |share - q| of each quantile, from sketches of SEEDS seeds. */
static void errors_of(uint32_t k, enum order o, double error[QUANTILES][SEEDS])
{
    double *v = malloc(N * sizeof *v), *sorted = NULL;
    struct kll_item *work = malloc(kll_work(k, 1) * sizeof *work);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        fill(v, N, o, mix64(seed + seed_given()));
        if (!sorted) sorted = sorted_copy(v, N);
        struct kll *s = sketch(k, seed + seed_given());
        for (uint32_t i = 0; i < N; i++)
            kll_add(s, v[i]);
        uint32_t items = kll_gather((const struct kll *const *)&s, 1, work);
        for (int j = 0; j < QUANTILES; j++)
            error[j][seed] = share_off(sorted, N, quantiles[j], kll_at(work, items, quantiles[j]));
        free(s);
    }
    free(v);
    free(sorted);
    free(work);
}

START_TEST(ninety_nine_of_a_hundred_quantiles_are_within_the_error_in_any_order)
{
    static double error[QUANTILES][SEEDS];
    const uint32_t ks[] = {64, 512};
    for (int i = 0; i < 2; i++) {
        double bound = kll_error(ks[i]), largest = 0;
        uint32_t beyond = 0;
        for (int o = 0; o < ORDERS; o++) {
            errors_of(ks[i], (enum order)o, error);
            for (int j = 0; j < QUANTILES; j++) {
                uint32_t many = 0;
                for (int seed = 0; seed < SEEDS; seed++) {
                    many += error[j][seed] > bound;
                    largest = fmax(largest, error[j][seed]);
                }
                ck_assert_msg(many <= SEEDS / 100, "k %u, order %d, q %g: %u of %d beyond", ks[i],
                              o, quantiles[j], many, SEEDS);
                beyond += many;
            }
        }
        ck_assert_uint_le(beyond, ORDERS * QUANTILES * SEEDS / 100);
        ck_assert_double_gt(largest, bound / 2); /* the bound is not too loose */
    }
}
END_TEST

START_TEST(errors_are_as_often_up_as_down)
{
    double up = 0, sum = 0, squares = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct kll *s = sketch(32, seed + seed_given());
        for (uint32_t i = 0; i < N; i++)
            kll_add(s, (double)(i * 7919 % N));
        double off = quantile(s, 0.5) - 0.5 * N;
        up += off > 0;
        sum += off;
        squares += off * off;
        free(s);
    }
    double deviation = sqrt(squares / SEEDS);
    ck_assert_double_gt(deviation, 0);
    ck_assert_double_le(fabs(sum / SEEDS), 4 * deviation / sqrt(SEEDS));
    ck_assert_double_le(fabs(up / SEEDS - 0.5), 4 * 0.5 / sqrt(SEEDS));
}
END_TEST

enum { PANES = 12, K = 128 };

/* Panes get parts of very different size of a rising stream; the last one stays empty. */
static uint32_t pane_of(uint32_t i) { return i < 10 ? 0 : i < 300 ? 1 : 2 + i % (PANES - 3); }

START_TEST(sketches_together_answer_for_all_of_their_values)
{
    double *v = malloc(N * sizeof *v);
    struct kll_item *work = malloc(kll_work(K, PANES) * sizeof *work);
    uint32_t beyond = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct kll *pane[PANES], *whole = sketch(K, seed);
        const struct kll *reversed[PANES];
        for (uint32_t p = 0; p < PANES; p++)
            reversed[PANES - 1 - p] = pane[p] = sketch(K, mix64(seed << 8 | p));
        for (uint32_t i = 0; i < N; i++) {
            v[i] = i + 1e5 * pane_of(i);
            kll_add(pane[pane_of(i)], v[i]);
            kll_add(whole, v[i]);
        }
        double *sorted = sorted_copy(v, N), answer[101];
        uint32_t items = kll_gather((const struct kll *const *)pane, PANES, work);
        for (int q = 0; q <= 100; q++) {
            answer[q] = kll_at(work, items, q / 100.0);
            beyond += share_off(sorted, N, q / 100.0, answer[q]) > kll_error(K);
            double off = share_off(sorted, N, q / 100.0, quantile(whole, q / 100.0));
            ck_assert_double_le(off, 2 * kll_error(K));
        }
        ck_assert_uint_eq(work[items - 1].rank, N);
        ck_assert_double_eq(answer[0], sorted[0]);
        ck_assert_double_eq(answer[100], sorted[N - 1]);
        ck_assert_uint_eq(kll_gather(reversed, PANES, work), items);
        for (int q = 0; q <= 100; q++)
            ck_assert_double_eq(kll_at(work, items, q / 100.0), answer[q]);
        for (uint32_t p = 0; p < PANES; p++)
            free(pane[p]);
        free(whole);
        free(sorted);
    }
    ck_assert_uint_le(beyond, 50);
    free(v);
    free(work);
}
END_TEST

START_TEST(the_ends_are_exact_and_nothing_has_no_quantile)
{
    struct kll *s = sketch(16, 1), *none = sketch(16, 2);
    const struct kll *both[] = {none, s, none};
    struct kll_item work[1000];
    ck_assert_uint_ge(1000, kll_work(16, 3));
    ck_assert(isnan(quantile(s, 0.5)));
    ck_assert_uint_eq(kll_gather(both, 3, work), 0);
    ck_assert(isnan(kll_at(work, 0, 0)));
    uint64_t rng = 6;
    kll_add(s, -0.0);
    ck_assert(!signbit(quantile(s, 0)) && !signbit(s->max));
    kll_add(s, -1e300);
    kll_add(s, 1e300);
    for (int i = 0; i < 100000; i++)
        kll_add(s, uniform(&rng, -1, 1));
    uint32_t items = kll_gather(both, 3, work);
    ck_assert_double_eq(kll_at(work, items, 0), -1e300);
    ck_assert_double_eq(kll_at(work, items, 1e-6), -1e300);
    ck_assert_double_eq(kll_at(work, items, 1), 1e300);
    ck_assert_double_le(fabs(kll_at(work, items, 0.5)), 4 * kll_error(16));
    free(s);
    free(none);
}
END_TEST

START_TEST(unused_memory_is_not_touched)
{
    struct kll *s = malloc(kll_bytes(500));
    memset(s, 0x5a, kll_bytes(500));
    kll_init(s, 500, 1);
    for (int i = 0; i < 30; i++)
        kll_add(s, i);
    ck_assert_uint_eq(kll_used(s), sizeof *s + 30 * sizeof(double));
    for (size_t i = kll_used(s); i < kll_bytes(500); i++)
        ck_assert_int_eq(((unsigned char *)s)[i], 0x5a);
    free(s);
}
END_TEST

START_TEST(equal_seeds_give_equal_bytes_also_after_a_move_of_the_used_bytes)
{
    uint64_t rng = seed_given();
    struct kll *a = sketch(50, 8), *b = sketch(50, 8), *other = sketch(50, 9);
    for (int i = 0; i < 30000; i++) {
        double x = normal(&rng);
        kll_add(a, x);
        kll_add(b, x);
        kll_add(other, x);
        if (i % 1000) continue;
        struct kll *moved = malloc(kll_bytes(50));
        memset(moved, i >> 8, kll_bytes(50));
        memcpy(moved, b, kll_used(b));
        free(b);
        b = moved;
    }
    ck_assert_uint_eq(kll_used(a), kll_used(b));
    ck_assert_mem_eq(a, b, kll_used(a));
    ck_assert_mem_ne(a->item, other->item, a->end[0] * sizeof *a->item);
    free(a);
    free(b);
    free(other);
}
END_TEST

/* A sketch of k = 20 with several levels, in a block of exactly its size. */
static struct kll *used_sketch(void)
{
    struct kll *s = sketch(20, 5);
    uint64_t rng = 12;
    for (int i = 0; i < 1503; i++)
        kll_add(s, normal(&rng));
    return s;
}

#define refused_with(CHANGE)                                                                       \
    do {                                                                                           \
        struct kll *s = used_sketch();                                                             \
        ck_assert(kll_is_valid(s, 20));                                                            \
        CHANGE;                                                                                    \
        ck_assert_msg(!kll_is_valid(s, 20), "accepted: " #CHANGE);                                 \
        free(s);                                                                                   \
    } while (0)

START_TEST(a_damaged_state_is_refused)
{
    refused_with(s->k = 0);
    refused_with(s->k = 21);
    refused_with(s->capacity++);
    refused_with(s->capacity = UINT32_MAX);
    refused_with(s->n++);
    refused_with(s->n = 0);
    refused_with(s->n = UINT64_MAX);
    refused_with(s->levels = 0);
    refused_with(s->levels++);
    refused_with(s->levels--);
    refused_with(s->levels = KLL_LEVELS + 1);
    refused_with(s->end[0]++);
    refused_with(s->end[0] = s->capacity + 1);
    refused_with(s->end[1]--);
    refused_with(s->end[2] = s->end[1] + 1);
    refused_with(s->end[KLL_LEVELS] = 1);
    refused_with((s->end[s->levels] = 1, s->n -= (uint64_t)1 << (s->levels - 1)));
    refused_with(s->item[0] = (double)NAN);
    refused_with(s->item[s->end[0] - 1] = (double)INFINITY);
    refused_with(s->item[s->end[0] - 1] = s->min - 1);
    refused_with(s->item[0] = s->item[s->end[s->levels - 1] - 1] + 1e-9);
    refused_with(s->min = s->max);
    refused_with(s->max = (double)INFINITY);
    refused_with(s->min = -(double)INFINITY);
    refused_with(s->min = (double)NAN);
    refused_with(s->kept |= (uint64_t)1 << s->levels);
    refused_with(s->owed |= (uint64_t)1 << 63);
    refused_with(memset(s, 0, kll_bytes(20)));
    refused_with(memset(s, 0xff, kll_bytes(20)));
    struct kll *s = sketch(20, 5);
    ck_assert(kll_is_valid(s, 20));
    s->max = 1;
    ck_assert(!kll_is_valid(s, 20));
    free(s);
}
END_TEST

/* Moves the end of a level, and sets n to the resulting sum of weights. */
static void forge_levels(struct kll *s, uint64_t *rng)
{
    s->levels = 1 + below(rng, KLL_LEVELS);
    uint32_t end = 0;
    for (uint32_t h = KLL_LEVELS + 1; h--;) {
        if (h < s->levels && below(rng, 3)) end += below(rng, (s->capacity - end) / 4 + 2);
        s->end[h] = end < s->capacity ? end : s->capacity;
    }
    s->n = 0;
    for (uint32_t h = 0; h < s->levels; h++)
        s->n += (uint64_t)(s->end[h] - s->end[h + 1]) << h;
    for (uint32_t i = 0; i < s->capacity; i++)
        s->item[i] = s->min;
}

static void is_usable(struct kll *s, uint64_t *rng)
{
    struct kll_item *work = malloc(kll_work(20, 2) * sizeof *work);
    const struct kll *twice[] = {s, s};
    uint64_t n = s->n;
    for (int i = 0; i < 2000; i++)
        kll_add(s, normal(rng));
    ck_assert_uint_eq(s->n, n + 2000);
    ck_assert(kll_is_valid(s, 20) || s->n > KLL_MAX_COUNT);
    double x = kll_at(work, kll_gather(twice, 2, work), 0.5);
    ck_assert(x >= s->min && x <= s->max);
    free(work);
}

START_TEST(a_state_that_is_accepted_can_be_used_whatever_it_holds)
{
    uint64_t rng = seed_given();
    uint32_t accepted = 0;
    for (int i = 0; i < 3000; i++) {
        struct kll *s = used_sketch();
        if (i % 2) forge_levels(s, &rng);
        for (uint32_t damages = below(&rng, 3); damages--;)
            ((unsigned char *)s)[below(&rng, (uint32_t)kll_bytes(20))] ^=
                (unsigned char)(1 << below(&rng, 8));
        if (kll_is_valid(s, 20)) {
            accepted++;
            is_usable(s, &rng);
        }
        free(s);
    }
    ck_assert_uint_gt(accepted, 1000);
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    struct kll *s = sketch(8, 1);
    ck_assert_uint_eq(kll_capacity(8), 165);
    for (int x = 1; x <= 100; x++)
        kll_add(s, x);
    ck_assert_double_eq(quantile(s, 0.5), 50);
    for (int x = 101; x <= 166; x++)
        kll_add(s, x);
    ck_assert_uint_eq(s->levels, 2);
    ck_assert_uint_eq(s->end[1], 82);            /* of weight 2 */
    ck_assert_uint_eq(s->end[0] - s->end[1], 2); /* of weight 1 */
    ck_assert_uint_eq(s->n, 166);
    free(s);
}
END_TEST

LEAT_TIERS("kll",
           (as_many_values_as_the_block_holds_are_answered_exactly,
            the_median_distance_is_exact_and_later_within_its_bound,
            weights_add_up_to_the_count_after_every_value,
            the_largest_sketch_and_the_smallest_take_long_streams, errors_are_as_often_up_as_down,
            sketches_together_answer_for_all_of_their_values,
            the_ends_are_exact_and_nothing_has_no_quantile, unused_memory_is_not_touched,
            equal_seeds_give_equal_bytes_also_after_a_move_of_the_used_bytes,
            a_damaged_state_is_refused, a_state_that_is_accepted_can_be_used_whatever_it_holds,
            the_example_of_the_header_is_what_happens),
           (ninety_nine_of_a_hundred_quantiles_are_within_the_error_in_any_order))
