/* test_tallies.c -- tallies.c against arrays of exact counts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/window/tallies.h"
#include "support/random.h"
#include "support/suite.h"

enum { TEXTS = 3000, N = 200000, MOST = 256 };

static struct tallies make(uint32_t owners, uint32_t most, void **block, uint64_t **work)
{
    struct tallies t;
    *block = calloc(1, tallies_block_bytes(owners * TALLIES_LEAST));
    *work = malloc(most * sizeof **work);
    tallies_init(&t, owners * TALLIES_LEAST, most, *block, *work);
    return t;
}

static void add(struct tallies *t, struct tally *of, uint64_t *exact, uint32_t text)
{
    char name[16];
    int n = snprintf(name, sizeof name, "%u", text);
    tallies_add(t, of, name, (size_t)n);
    exact[text]++;
}

static uint32_t number_of(const struct tallied *a)
{
    char name[TALLY_TEXT + 1] = {0};
    memcpy(name, a->text, tallied_text_bytes(a));
    return (uint32_t)atoi(name);
}

/* Checks that every count encloses the truth. A missing text came at most `bound` times, and
 * `bound` is as small as the header promises for `limit` texts. */
static void check_bounds(const struct tallies *t, const struct tally *of, const uint64_t *exact,
                         uint32_t limit)
{
    bool kept[TEXTS] = {0};
    uint64_t all = 0;
    ck_assert(tallies_check(t));
    for (const struct tallied *a = NULL; (a = tallies_next(t, of, a));) {
        uint32_t i = number_of(a);
        ck_assert_uint_le(a->count - a->excess, exact[i]);
        ck_assert_uint_ge(a->count, exact[i]);
        kept[i] = true;
    }
    for (uint32_t i = 0; i < TEXTS; i++) {
        all += exact[i];
        if (!kept[i]) ck_assert_uint_le(exact[i], of->bound);
    }
    ck_assert_uint_le(of->bound * 3 * limit, 4 * all);
}

/* Returns the text that comes as number i of N. */
typedef uint32_t stream(uint32_t i, uint64_t *rng);
static uint32_t zipf(uint32_t i, uint64_t *rng)
{
    return (uint32_t)(TEXTS * pow(uniform(rng, 0, 1), 4));
}
static uint32_t even(uint32_t i, uint64_t *rng) { return (uint32_t)uniform(rng, 0, TEXTS); }
/* Gives texts in runs, the most frequent first: 0 comes nearly twice as often as the mean. */
static uint32_t sorted(uint32_t i, uint64_t *rng)
{
    return (uint32_t)(TEXTS * (1 - sqrt(1 - (double)i / N)));
}
static uint32_t reversed(uint32_t i, uint64_t *rng) { return sorted(N - 1 - i, rng); }
static uint32_t in_turn(uint32_t i, uint64_t *rng) { return i % TEXTS; }

START_TEST(bounds_hold_whatever_the_order)
{
    stream *const streams[] = {zipf, even, sorted, reversed, in_turn};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        void *block;
        uint64_t *work, rng = 3 + k, exact[TEXTS] = {0};
        struct tallies t = make(64, MOST, &block, &work);
        struct tally of = {0};
        for (uint32_t i = 0; i < N; i++)
            add(&t, &of, exact, streams[k](i, &rng));
        check_bounds(&t, &of, exact, MOST);
        ck_assert_uint_gt(of.bound, 0);
        free(block);
        free(work);
    }
}
END_TEST

START_TEST(counts_are_exact_up_to_the_limit)
{
    void *block;
    uint64_t *work, rng = 9, exact[TEXTS] = {0};
    struct tallies t = make(MOST / TALLIES_LEAST, MOST, &block, &work);
    struct tally of = {0};
    for (uint32_t i = 0; i < N; i++)
        add(&t, &of, exact, zipf(i, &rng) * MOST / TEXTS);
    uint32_t n = 0;
    for (const struct tallied *a = NULL; (a = tallies_next(&t, &of, a)); n++)
        ck_assert(a->count == exact[number_of(a)] && !a->excess);
    ck_assert_uint_eq(n, of.n);
    ck_assert_uint_gt(n, MOST / 2);
    ck_assert_uint_eq(of.bound, 0);
    free(block);
    free(work);
}
END_TEST

/* More owners come and go than the pool has space for at their limits. */
START_TEST(a_pool_that_is_used_up_is_shared)
{
    enum { OWNERS = 40 };
    void *block;
    uint64_t *work, rng = 5;
    static uint64_t exact[OWNERS][TEXTS];
    struct tally of[OWNERS] = {0};
    struct tallies t = make(OWNERS, MOST, &block, &work);
    memset(exact, 0, sizeof exact);
    bool halved = false, whole_again = false;
    for (uint32_t i = 0; i < 4 * N; i++) {
        uint32_t o = (uint32_t)uniform(&rng, 0, OWNERS);
        if (!(i % 4001)) {
            tallies_forget(&t, &of[o]);
            memset(exact[o], 0, sizeof exact[o]);
        }
        if (!(i % 100003))
            for (uint32_t k = 0; k < OWNERS - 4; k++) {
                tallies_forget(&t, &of[k]);
                memset(exact[k], 0, sizeof exact[k]);
            }
        whole_again |= halved && t.limit == MOST;
        add(&t, &of[o], exact[o], o < 4 ? even(i, &rng) : zipf(i, &rng));
        halved |= t.limit == TALLIES_LEAST;
        if (i % 10007 == 0) check_bounds(&t, &of[o], exact[o], TALLIES_LEAST);
    }
    ck_assert(halved && whole_again);
    for (uint32_t k = 0; k < OWNERS; k++)
        check_bounds(&t, &of[k], exact[k], TALLIES_LEAST);
    free(block);
    free(work);
}
END_TEST

START_TEST(what_was_kept_elsewhere_continues_alike)
{
    void *block, *other;
    uint64_t *work, *other_work, rng = 7, exact[TEXTS] = {0}, none[TEXTS] = {0};
    struct tallies t = make(64, MOST, &block, &work), u = make(64, MOST, &other, &other_work);
    struct tally of = {0}, copy = {0};
    for (uint32_t i = 0; i < N; i++)
        add(&t, &of, exact, zipf(i, &rng));
    copy.bound = of.bound;
    for (const struct tallied *a = NULL; (a = tallies_next(&t, &of, a));)
        ck_assert(tallies_append(&u, &copy, a));
    ck_assert(!tallies_append(&u, &copy, tallies_next(&t, &of, NULL)));
    uint64_t again = rng;
    for (uint32_t i = 0; i < N; i++) {
        add(&t, &of, exact, zipf(i, &rng));
        add(&u, &copy, none, zipf(i, &again));
    }
    const struct tallied *a = NULL, *b = NULL;
    while ((a = tallies_next(&t, &of, a)) && (b = tallies_next(&u, &copy, b)))
        ck_assert(a->hash == b->hash && a->count == b->count && a->excess == b->excess);
    ck_assert(!a && !tallies_next(&u, &copy, b) && tallies_check(&u));
    free(block);
    free(work);
    free(other);
    free(other_work);
}
END_TEST

/* One owner has its pool alone. The other comes after a text of a neighbour, and is moved apart. */
START_TEST(an_owner_alone_keeps_what_it_keeps_beside_another)
{
    stream *const streams[] = {zipf, even, sorted, reversed, in_turn};
    for (size_t k = 0; k < sizeof streams / sizeof *streams; k++) {
        void *block, *other;
        uint64_t *work, *other_work, rng = 11 + k, again = rng, exact[TEXTS] = {0},
                                     none[TEXTS] = {0}, one[TEXTS] = {0};
        struct tallies t = make(64, MOST, &block, &work), u = make(64, MOST, &other, &other_work);
        struct tally of = {0}, beside = {0}, neighbour = {0};
        add(&u, &neighbour, one, 1);
        for (uint32_t i = 0; i < N / 4; i++) {
            add(&t, &of, exact, streams[k](i, &rng));
            add(&u, &beside, none, streams[k](i, &again));
            if (i == N / 8) tallies_forget(&u, &neighbour);
        }
        const struct tallied *a = NULL, *b = NULL;
        while ((a = tallies_next(&t, &of, a)) && (b = tallies_next(&u, &beside, b)))
            ck_assert(a->hash == b->hash && a->count == b->count && a->excess == b->excess &&
                      number_of(a) == number_of(b));
        ck_assert(!a && !tallies_next(&u, &beside, b) && of.bound && of.bound == beside.bound);
        ck_assert(tallies_check(&t) && tallies_check(&u));
        free(block);
        free(work);
        free(other);
        free(other_work);
    }
}
END_TEST

START_TEST(the_example_of_the_header_is_what_happens)
{
    static uint64_t exact[TEXTS];
    void *block;
    uint64_t *work;
    struct tally of = {.n = 0};
    struct tallies t = make(1, 32, &block, &work);
    for (uint32_t k = 1; k <= 32; k++)
        for (uint32_t i = 0; i < k; i++)
            add(&t, &of, exact, k);
    ck_assert(of.n == 32 && of.bound == 0);
    add(&t, &of, exact, 100);
    ck_assert(of.n == 25 && of.bound == 8);
    ck_assert_uint_le(of.bound, 529 / 24);
    for (const struct tallied *a = NULL; (a = tallies_next(&t, &of, a));) {
        uint32_t k = number_of(a);
        ck_assert_uint_gt(k, 8);
        ck_assert_uint_eq(a->count, k == 100 ? 9 : k);
        ck_assert_uint_eq(a->excess, k == 100 ? 8 : 0);
    }
    free(block);
    free(work);
}
END_TEST

LEAT_SUITE("tallies", bounds_hold_whatever_the_order, counts_are_exact_up_to_the_limit,
           a_pool_that_is_used_up_is_shared, what_was_kept_elsewhere_continues_alike,
           an_owner_alone_keeps_what_it_keeps_beside_another,
           the_example_of_the_header_is_what_happens)
