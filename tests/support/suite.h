/* suite.h -- every test program defines suite(); tests/support/main.c runs it. */
#ifndef LEAT_TESTS_SUPPORT_SUITE_H
#define LEAT_TESTS_SUPPORT_SUITE_H

#include <check.h>

Suite *suite(void);

/* A suite of one case: LEAT_SUITE("rank", test_a, test_b) */
#define LEAT_SUITE(NAME, ...)                                                                      \
    Suite *suite(void)                                                                             \
    {                                                                                              \
        const TTest *tests[] = {__VA_ARGS__};                                                      \
        Suite *s = suite_create(NAME);                                                             \
        TCase *c = tcase_create(NAME);                                                             \
        tcase_set_timeout(c, 300);                                                                 \
        for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)                                  \
            tcase_add_test(c, tests[i]);                                                           \
        suite_add_tcase(s, c);                                                                     \
        return s;                                                                                  \
    }

#endif
