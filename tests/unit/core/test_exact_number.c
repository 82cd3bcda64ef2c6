/* test_exact_number.c -- orders of integers and doubles, against long doubles, which hold both. */
#include "support/suite.h"

#include <float.h>

#include "support/random.h"

#include "core/exact_number.h"

static long double wide(struct exact_number a)
{
    return a.whole ? (long double)a.n : (long double)a.x;
}

static int wide_order(struct exact_number a, struct exact_number b)
{
    long double x = wide(a), y = wide(b);
    return x < y ? -1 : x > y ? 1 : x == y ? 0 : EXACT_UNORDERED;
}

/* Returns an integer near a power of two, or a double near one or near an integer. */
static struct exact_number number(uint64_t *seed)
{
    static const double special[] = {0x1p63,    -0x1p63, 0x1p64, -0x1.8p63, NAN,       INFINITY,
                                     -INFINITY, -0.0,    0.5,    -0.5,      0x1p-1074, DBL_MAX};
    uint64_t power = UINT64_C(1) << below(seed, 64), near = power + below(seed, 5) - 2;
    int64_t n = (int64_t)(below(seed, 2) ? near : 0 - near);
    switch (below(seed, 4)) {
    case 0:
        return exact_double(special[below(seed, sizeof special / sizeof *special)]);
    case 1:
        return exact_double((double)n + (double)below(seed, 3) / 2);
    case 2:
        return exact_double(nextafter((double)n, below(seed, 2) ? INFINITY : -INFINITY));
    default:
        return exact_integer(n);
    }
}

START_TEST(an_order_is_that_of_the_numbers_without_rounding)
{
    uint64_t seed = seed_given(), equal = 0;
    if (LDBL_MANT_DIG < 64) return; /* such a machine has no type for both */
    for (int round = 0; round < 200000; round++) {
        struct exact_number a = number(&seed), b = number(&seed);
        ck_assert_int_eq(exact_order(a, b), wide_order(a, b));
        equal += !exact_order(a, b);
        if (a.whole) ck_assert(exact_fits_double(a.n) == (wide(a) == (long double)(double)a.n));
    }
    ck_assert_uint_gt(equal, 1000);
}
END_TEST

START_TEST(integers_that_doubles_round_are_told_apart)
{
    const int64_t large = (INT64_C(1) << 53) + 1;
    ck_assert_int_eq(exact_order(exact_integer(large), exact_double(0x1p53)), 1);
    ck_assert_int_eq(exact_order(exact_double(0x1p53), exact_integer(large)), -1);
    ck_assert_int_eq(exact_order(exact_integer(INT64_MAX), exact_double(0x1p63)), -1);
    ck_assert_int_eq(exact_order(exact_integer(INT64_MIN), exact_double(-0x1p63)), 0);
    ck_assert(!exact_fits_double(large) && !exact_fits_double(INT64_MAX));
    ck_assert(exact_fits_double(INT64_MIN) && exact_fits_double(large - 1));
}
END_TEST

LEAT_SUITE("exact_number", an_order_is_that_of_the_numbers_without_rounding,
           integers_that_doubles_round_are_told_apart)
