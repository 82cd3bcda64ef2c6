/* pow10.h -- exact powers of ten: 10^0 … 10^22 as doubles, 10^0 … 10^19 as integers.
 *
 * pow() and log10() of libm depend on the processor and the library, in the last bit. */
#ifndef LEAT_CORE_POW10_H
#define LEAT_CORE_POW10_H

#include <stdint.h>

// clang-format off
static const double pow10_f64[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
static const uint64_t pow10_u64[20] = {
    UINT64_C(1), UINT64_C(10), UINT64_C(100), UINT64_C(1000), UINT64_C(10000), UINT64_C(100000),
    UINT64_C(1000000), UINT64_C(10000000), UINT64_C(100000000), UINT64_C(1000000000),
    UINT64_C(10000000000), UINT64_C(100000000000), UINT64_C(1000000000000),
    UINT64_C(10000000000000), UINT64_C(100000000000000), UINT64_C(1000000000000000),
    UINT64_C(10000000000000000), UINT64_C(100000000000000000), UINT64_C(1000000000000000000),
    UINT64_C(10000000000000000000)};
// clang-format on

/* Returns 10^e, exact for e of 0 to 22 and rounded once for e of -22 to -1. */
static inline double pow10_of(int e)
{
    double x = 1;
    for (; e > 22; e -= 22)
        x *= pow10_f64[22];
    for (; e < -22; e += 22)
        x /= pow10_f64[22];
    return e < 0 ? x / pow10_f64[-e] : x * pow10_f64[e];
}

/* Returns the largest e with 10^e <= x; x is positive and finite. */
static inline int pow10_exponent(double x)
{
    int e = 0;
    while (e < 308 && pow10_of(e + 1) <= x)
        e++;
    while (pow10_of(e) > x)
        e--;
    return e;
}

#endif
