/* suite.h -- every test program defines suite(); tests/support/main.c runs it. */
#ifndef LEAT_TESTS_SUPPORT_SUITE_H
#define LEAT_TESTS_SUPPORT_SUITE_H

#include <check.h>
#include <stddef.h>

Suite *suite(void);

/* Adds a case of n tests. tests/run.sh chooses by the tag, which may be NULL. */
static inline void suite_add_tests(Suite *s, const char *name, const char *tag,
                                   const TTest *const *test, size_t n)
{
    TCase *c = tcase_create(name);
    tcase_set_timeout(c, 300);
    if (tag) tcase_set_tags(c, tag);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(c, test[i]);
    suite_add_tcase(s, c);
}

/* Defines a suite of one case: LEAT_SUITE("rank", test_a, test_b) */
#define LEAT_SUITE(NAME, ...)                                                                      \
    Suite *suite(void)                                                                             \
    {                                                                                              \
        const TTest *tests[] = {__VA_ARGS__};                                                      \
        Suite *s = suite_create(NAME);                                                             \
        suite_add_tests(s, NAME, NULL, tests, sizeof tests / sizeof *tests);                       \
        return s;                                                                                  \
    }

/* Defines a suite with long tests that `make test` leaves out: LEAT_TIERS("rank", (test_a, test_b),
 * (slow_c)) */
#define LEAT_TIERS(NAME, SHORT, LONG)                                                              \
    Suite *suite(void)                                                                             \
    {                                                                                              \
        const TTest *brief[] = {LEAT_LISTED SHORT}, *slow[] = {LEAT_LISTED LONG};                  \
        Suite *s = suite_create(NAME);                                                             \
        suite_add_tests(s, NAME, NULL, brief, sizeof brief / sizeof *brief);                       \
        suite_add_tests(s, NAME, "long", slow, sizeof slow / sizeof *slow);                        \
        return s;                                                                                  \
    }
#define LEAT_LISTED(...) __VA_ARGS__

#endif
