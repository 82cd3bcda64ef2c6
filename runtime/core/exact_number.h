/* exact_number.h -- numbers that are integers of 64 bits or doubles, compared without rounding.
 *
 * A double holds all integers up to 2^53. A long double would hold larger ones on some machines
 * (64 bits on x86, 113 on arm64), but has no more bits than a double on others. */
#ifndef LEAT_CORE_EXACT_NUMBER_H
#define LEAT_CORE_EXACT_NUMBER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

struct exact_number {
    bool whole;
    int64_t n; /* the number if `whole`  */
    double x;  /* the number if not      */
};

enum { EXACT_UNORDERED = 2 }; /* order of a NaN and anything */

static inline struct exact_number exact_integer(int64_t n)
{
    return (struct exact_number){true, n, 0};
}

static inline struct exact_number exact_double(double x)
{
    return (struct exact_number){false, 0, x};
}

/* True if a double represents n. */
static inline bool exact_fits_double(int64_t n)
{
    double x = (double)n;
    return x < 0x1p63 && (int64_t)x == n;
}

/* Returns -1 if n is below x, 1 if it is above, 0 if they are equal. */
static inline int exact_order_mixed(int64_t n, double x)
{
    if (isnan(x)) return EXACT_UNORDERED;
    if (x >= 0x1p63) return -1;
    if (x < -0x1p63) return 1;
    int64_t whole = (int64_t)x;
    if (n != whole) return n < whole ? -1 : 1;
    double rest = x - (double)whole; /* 0 if x has no room for a fraction */
    return (rest < 0) - (rest > 0);
}

/* Returns -1 if a is below b, 1 if it is above, 0 if they are equal. */
static inline int exact_order(struct exact_number a, struct exact_number b)
{
    if (a.whole && b.whole) return (a.n > b.n) - (a.n < b.n);
    if (a.whole) return exact_order_mixed(a.n, b.x);
    if (!b.whole) return isunordered(a.x, b.x) ? EXACT_UNORDERED : (a.x > b.x) - (a.x < b.x);
    int order = exact_order_mixed(b.n, a.x);
    return order == EXACT_UNORDERED ? order : -order;
}

#endif
