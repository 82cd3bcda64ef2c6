/* test_harness_pages.c -- the harness on a machine whose pages have 64 KB, as those of some arm64
 * are. */
#include "support/suite.h"

#include <unistd.h>

#include "sdk/harness/harness_impl.h"

enum { LARGE = 1 << 16 };

/* Replaces the one of libc. */
long sysconf(int name)
{
    ck_assert_int_eq(name, _SC_PAGESIZE);
    return LARGE;
}

START_TEST(a_guard_is_a_whole_page_of_the_machine)
{
    static struct harness_impl impl;
    struct harness h = {.impl = &impl};
    char *p = harness_array(&h, 5000, 8, 0, "column x");
    ck_assert_str_eq(harness_beyond(&h, p + 5000 + LARGE - 1), "column x");
    ck_assert_ptr_null(harness_beyond(&h, p + 5000 + LARGE));
    p[0] = p[4999] = 1;
    harness_free_arrays(&h);
    ck_assert_uint_eq(impl.n_arrays, 0);
}
END_TEST

LEAT_SUITE("harness pages", a_guard_is_a_whole_page_of_the_machine)
