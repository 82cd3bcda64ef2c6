/* test_expand.c -- laws of every stage that turns the arriving records into others.
 *
 * These are shape.window, .sort, .reservoir, result.*, lua.flat. */
#include <stdlib.h>
#include <string.h>

#include "support/expand_rig.h"
#include "support/suite.h"

static const uint32_t sizes[] = {1, 7, 64};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void expect_same(const struct expander *e, const struct expanded *a,
                        const struct expanded *b, const char *when)
{
    ck_assert_msg(expanded_same(a, b), "%s { %s } gives other records %s", e->stage, e->with, when);
}

/* expand_rig.c and the harness fail a stage that allocates. */
START_TEST(records_are_made_and_nothing_is_allocated_for_them)
{
    for (EACH_EXPANDER(e)) {
        struct expanded x = expanded_of(e, 32, 32);
        ck_assert_msg(x.n_made > 200, "%s { %s } makes nothing", e->stage, e->with);
        expanded_free(&x);
    }
}
END_TEST

START_TEST(no_size_of_a_batch_changes_what_is_made_and_rejected)
{
    for (EACH_EXPANDER(e)) {
        struct expanded all = expanded_of(e, 50, 1000);
        for (int i = 0; i < SIZES * SIZES; i++) {
            struct expanded x = expanded_of(e, sizes[i / SIZES], sizes[i % SIZES]);
            expect_same(e, &all, &x, "with batches of another size");
            expanded_free(&x);
        }
        expanded_free(&all);
    }
}
END_TEST

/* Returns a copy that continues from the state. A stage without a state needs none. */
static struct harness *restored(const struct expander *e, struct harness *h)
{
    struct harness *copy = expander_new(e, 16, 5);
    if (!h->stage->state->snapshot) return copy;
    size_t n, n_again;
    const void *bytes = harness_snapshot(h, &n);
    ck_assert_msg(bytes && harness_restore(copy, bytes, n) == LEAT_OK, "%s: %s", e->stage,
                  copy->said);
    const void *again = harness_snapshot(copy, &n_again);
    ck_assert_msg(n == n_again && !memcmp(bytes, again, n), "%s: another state", e->stage);
    return copy;
}

/* Checks that one instance's output before the cut and another's after it equal `all`. */
static void expect_cut(const struct expander *e, const struct expanded *all, uint32_t cut)
{
    struct expanded x = {0};
    struct harness *h = expander_new(e, 16, 5);
    expander_run(e, h, 16, 0, cut, &x);
    struct harness *copy = restored(e, h);
    expander_run(e, copy, 16, cut, EXPAND_RECORDS, &x);
    expect_same(e, all, &x, "after a restart");
    expanded_free(&x);
    harness_free(h);
    harness_free(copy);
}

START_TEST(a_restored_stage_goes_on_as_if_it_had_never_stopped)
{
    static const uint32_t cuts[] = {0, 1, 50, 137, 300, 699};
    for (EACH_EXPANDER(e)) {
        struct expanded all = expanded_of(e, 16, 5);
        for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++)
            expect_cut(e, &all, cuts[i]);
        expanded_free(&all);
    }
}
END_TEST

/* Whichever part of the state was read, the stage stays fresh. */
START_TEST(a_state_that_is_cut_off_is_refused_and_leaves_nothing)
{
    for (EACH_EXPANDER(e)) {
        struct expanded before = {0}, all = expanded_of(e, 16, 5), x = {0};
        struct harness *h = expander_new(e, 16, 5), *copy = expander_new(e, 16, 5);
        expander_run(e, h, 16, 0, 333, &before);
        size_t n = 0;
        const char *bytes = h->stage->state->snapshot ? harness_snapshot(h, &n) : NULL;
        for (size_t k = 0; k < n; k += 1 + k / 40)
            ck_assert_msg(harness_restore(copy, bytes, k) != LEAT_OK, "%s: %zu", e->stage, k);
        expander_run(e, copy, 16, 0, EXPAND_RECORDS, &x);
        expect_same(e, &all, &x, "after a state that was refused");
        expanded_free(&before), expanded_free(&all), expanded_free(&x);
        harness_free(h), harness_free(copy);
    }
}
END_TEST

START_TEST(a_stage_that_gets_no_memory_does_not_open_and_leaks_nothing)
{
    for (EACH_EXPANDER(e)) {
        int opened = LEAT_ENOMEM;
        for (int64_t k = 0; opened != LEAT_OK; k++) {
            struct harness *h = expander_try(e, 16, 16, k, &opened);
            ck_assert_msg(opened == LEAT_OK || opened == LEAT_ENOMEM, "%s: %d", e->stage, opened);
            harness_free(h);
        }
    }
}
END_TEST

LEAT_SUITE("expand", records_are_made_and_nothing_is_allocated_for_them,
           no_size_of_a_batch_changes_what_is_made_and_rejected,
           a_restored_stage_goes_on_as_if_it_had_never_stopped,
           a_state_that_is_cut_off_is_refused_and_leaves_nothing,
           a_stage_that_gets_no_memory_does_not_open_and_leaks_nothing)
