/* test_sort.c -- sort.h against qsort(), on orders that slow a Quicksort down. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/sort.h"
#include "support/random.h"
#include "support/suite.h"

static uint64_t comparisons;

#define is_less(a, b) (comparisons++, (a) < (b))
SORT(doubles, double, is_less)
SELECT(doubles, double)

struct pair {
    uint32_t key, value;
};

#define has_larger_key(a, b) ((a).key > (b).key)
SORT(falling, struct pair, has_larger_key)

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum order { RANDOM, RISING, FALLING, EQUAL, TWO_VALUES, FEW_VALUES, ORGAN_PIPE, SAWTOOTH, ORDERS };

static double value_at(enum order o, uint32_t i, uint32_t n, uint64_t *rng)
{
    switch (o) {
    case RISING:
        return i;
    case FALLING:
        return -(double)i;
    case EQUAL:
        return 7;
    case TWO_VALUES:
        return below(rng, 2);
    case FEW_VALUES:
        return below(rng, 20);
    case ORGAN_PIPE:
        return i < n / 2 ? i : n - i;
    case SAWTOOTH:
        return i % 37;
    default:
        return uniform(rng, -1, 1);
    }
}

static void sorts_as_qsort(const double *v, uint32_t n)
{
    double *mine = malloc((n + 1) * sizeof *mine), *theirs = malloc((n + 1) * sizeof *theirs);
    memcpy(mine, v, n * sizeof *mine);
    memcpy(theirs, v, n * sizeof *theirs);
    doubles_sort(mine, n);
    qsort(theirs, n, sizeof *theirs, by_value);
    ck_assert_mem_eq(mine, theirs, n * sizeof *mine);
    free(mine);
    free(theirs);
}

START_TEST(every_order_of_every_length_is_sorted)
{
    double v[300];
    uint64_t rng = seed_given();
    for (int o = 0; o < ORDERS; o++)
        for (uint32_t n = 0; n < 300; n++) {
            for (uint32_t i = 0; i < n; i++)
                v[i] = value_at((enum order)o, i, n, &rng);
            sorts_as_qsort(v, n);
        }
}
END_TEST

START_TEST(a_selected_element_is_that_of_the_sorted_array)
{
    enum { N = 300 };
    double v[N], work[N];
    uint64_t rng = seed_given();
    for (int o = 0; o < ORDERS; o++)
        for (uint32_t n = 1; n < N; n++) {
            const uint32_t k = (uint32_t)below(&rng, n);
            for (uint32_t i = 0; i < n; i++)
                work[i] = v[i] = value_at((enum order)o, i, n, &rng);
            qsort(v, n, sizeof *v, by_value);
            ck_assert_double_eq(doubles_select(work, n, k), v[k]);
            qsort(work, n, sizeof *work, by_value);
            ck_assert_mem_eq(work, v, n * sizeof *v);
        }
}
END_TEST

START_TEST(no_order_takes_more_than_some_n_log_n_comparisons)
{
    enum { N = 100000, LOG_N = 17 };
    double *v = malloc(N * sizeof *v);
    uint64_t rng = seed_given();
    for (int o = 0; o < ORDERS; o++) {
        for (uint32_t i = 0; i < N; i++)
            v[i] = value_at((enum order)o, i, N, &rng);
        comparisons = 0;
        sorts_as_qsort(v, N);
        ck_assert_msg(comparisons < 4 * LOG_N * (uint64_t)N, "order %d: %ju", o,
                      (uintmax_t)comparisons);
    }
    free(v);
}
END_TEST

/* M. McIlroy's adversary (A killer adversary for Quicksort, 1999). The elements have no values
 * until comparisons need them. Then they get the worst values for any choice of pivots. */
static struct adversary {
    uint32_t *value, n_given, candidate;
    uint64_t comparisons;
} foe;

static bool is_before(uint32_t a, uint32_t b)
{
    foe.comparisons++;
    if (foe.value[a] == UINT32_MAX && foe.value[b] == UINT32_MAX)
        foe.value[a == foe.candidate ? a : b] = foe.n_given++;
    if (foe.value[a] == UINT32_MAX)
        foe.candidate = a;
    else if (foe.value[b] == UINT32_MAX)
        foe.candidate = b;
    return foe.value[a] < foe.value[b];
}

SORT(foes, uint32_t, is_before)

/* Returns the comparisons that the adversary forces on a sort of n elements, with so many
 * divisions. */
static uint64_t comparisons_at_worst(uint32_t n, int divisions)
{
    uint32_t *v = malloc(n * sizeof *v), *value = malloc(n * sizeof *value);
    memset(value, 0xff, n * sizeof *value);
    foe = (struct adversary){.value = value};
    for (uint32_t i = 0; i < n; i++)
        v[i] = i;
    foes_sort_part(v, n, divisions);
    for (uint32_t i = 1; i < n; i++)
        ck_assert_uint_le(value[v[i - 1]], value[v[i]]);
    free(v);
    free(value);
    return foe.comparisons;
}

START_TEST(an_adversary_cannot_make_it_quadratic)
{
    enum { N = 20000, LOG_N = 14 };
    ck_assert_uint_gt(comparisons_at_worst(N, N), 200 * LOG_N * (uint64_t)N);
    ck_assert_uint_lt(comparisons_at_worst(N, 2 * LOG_N), 5 * LOG_N * (uint64_t)N);
}
END_TEST

START_TEST(records_are_sorted_by_any_order_and_none_is_lost)
{
    enum { N = 5000 };
    struct pair v[N];
    uint64_t rng = seed_given(), sum = 0;
    for (uint32_t i = 0; i < N; i++)
        v[i] = (struct pair){below(&rng, 1000), i};
    falling_sort(v, N);
    for (uint32_t i = 0; i < N; i++) {
        ck_assert(!i || v[i - 1].key >= v[i].key);
        sum += v[i].value;
    }
    ck_assert_uint_eq(sum, (uint64_t)N * (N - 1) / 2);
}
END_TEST

LEAT_SUITE("sort", every_order_of_every_length_is_sorted,
           a_selected_element_is_that_of_the_sorted_array,
           no_order_takes_more_than_some_n_log_n_comparisons, an_adversary_cannot_make_it_quadratic,
           records_are_sorted_by_any_order_and_none_is_lost)
