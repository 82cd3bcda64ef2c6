/* test_guarded.c -- guard pages on a machine whose pages have 64 KB, as those of some arm64 are. */
#include "support/suite.h"

#include <stdint.h>
#include <unistd.h>

#include "host/flow/guarded.h"
#include "host/plugin/call_trap.h"

enum { LARGE = 1 << 16 };

/* Replaces the one of libc. */
long sysconf(int name)
{
    ck_assert_int_eq(name, _SC_PAGESIZE);
    return LARGE;
}

static char *guard;
static size_t guard_bytes, guards;

void call_trap_guard(const void *bytes, size_t n, const char *name)
{
    ck_assert_str_eq(name, "column x");
    guard = (char *)(uintptr_t)bytes;
    guard_bytes = n;
    guards++;
}

void call_trap_unguard(const void *bytes)
{
    ck_assert_ptr_eq(bytes, guard);
    guards--;
}

START_TEST(a_guard_is_a_whole_page_of_the_machine)
{
    struct guarded *all = NULL;
    const size_t sizes[] = {1, 64, 5000, LARGE, LARGE + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char *p = guarded_take(&all, sizes[i], "column x");
        ck_assert_ptr_nonnull(p);
        ck_assert_uint_eq(guard_bytes, LARGE);
        ck_assert_uint_le((size_t)(guard - p) - sizes[i], 63);
        p[0] = guard[-1] = 1;
        guarded_free(all);
        all = NULL;
        ck_assert_uint_eq(guards, 0);
    }
}
END_TEST

LEAT_SUITE("guarded", a_guard_is_a_whole_page_of_the_machine)
