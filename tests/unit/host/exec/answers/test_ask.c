/* test_ask.c -- the answers that a long run stores, and their parts. */
#include "support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/exec/answers/ask.h"

static struct answer_history *fresh(void)
{
    struct answer_history *h = calloc(1, sizeof *h);
    ck_assert_ptr_nonnull(h);
    return h;
}

/* Adds the answer after 100 (number + 1) examples. Its features are f0, f1, … and its number. */
static void add(struct answer_history *h, uint64_t number, uint32_t rows)
{
    static char text[64][32];
    const char *name[64];
    uint32_t len[64];
    for (uint32_t i = 0; i < rows; i++) {
        len[i] = (uint32_t)snprintf(text[i], sizeof text[i], "f%u of %llu", (unsigned)i,
                                    (unsigned long long)number);
        name[i] = text[i];
    }
    answer_history_add(h, &(struct leat_table){.examples = 100 * (number + 1),
                                               .time = (int64_t)number,
                                               .n_rows = rows,
                                               .names = name,
                                               .name_len = len});
}

START_TEST(the_first_and_the_latest_answer_are_kept_and_others_at_equal_distances)
{
    struct answer_history *h = fresh();
    for (uint64_t answer = 0; answer < 1000; answer++) {
        add(h, answer, 3);
        uint32_t n = answer_history_moments(h);
        ck_assert_uint_ge(n, answer + 1 < ANSWER_MOMENTS / 2 ? answer + 1 : ANSWER_MOMENTS / 2);
        ck_assert_uint_le(n, ANSWER_SLOTS);
        ck_assert_uint_eq(h->moment[n - 1].answer, answer);
        ck_assert_uint_eq(h->moment[n - 1].examples, 100 * (answer + 1));
        for (uint32_t i = 0; i + 1 < n; i++)
            ck_assert_uint_eq(h->moment[i].answer, i * h->step);
    }
    free(h);
}
END_TEST

START_TEST(a_moment_has_the_first_names_of_its_answer)
{
    struct answer_history *h = fresh();
    for (uint64_t answer = 0; answer < 100; answer++)
        add(h, answer, 40);
    for (uint32_t i = 0; i < answer_history_moments(h); i++) {
        const struct answer_moment *m = &h->moment[i];
        char first[32];
        snprintf(first, sizeof first, "f0 of %llu", (unsigned long long)m->answer);
        ck_assert_uint_eq(m->n, ANSWER_MOMENT_ROWS);
        ck_assert_str_eq(m->name[0], first);
        ck_assert_int_eq(m->time, (int64_t)m->answer);
    }
    free(h);
}
END_TEST

START_TEST(a_long_name_is_cut_and_ends)
{
    struct answer_history *h = fresh();
    char text[2 * ANSWER_MOMENT_NAME];
    const char *name[] = {text};
    uint32_t len[] = {sizeof text};
    memset(text, 'x', sizeof text);
    answer_history_add(h, &(struct leat_table){.n_rows = 1, .names = name, .name_len = len});
    ck_assert_uint_eq(strlen(h->moment[0].name[0]), ANSWER_MOMENT_NAME - 1);
    free(h);
}
END_TEST

START_TEST(only_questions_that_repeat_have_a_history)
{
    struct leat_ask want = {.kind = LEAT_QUERY_TOP};
    ck_assert_uint_eq(answer_history_bytes(&want), 0);
    want.every.examples = 10;
    ck_assert_uint_eq(answer_history_bytes(&want), sizeof(struct answer_history));
    want.kind = LEAT_QUERY_METRICS;
    ck_assert_uint_eq(answer_history_bytes(&want), 0);
    ck_assert_uint_eq(answer_history_moments(&(struct answer_history){.n = 0}), 0);
}
END_TEST

LEAT_SUITE("answer_history", the_first_and_the_latest_answer_are_kept_and_others_at_equal_distances,
           a_moment_has_the_first_names_of_its_answer, a_long_name_is_cut_and_ends,
           only_questions_that_repeat_have_a_history)
