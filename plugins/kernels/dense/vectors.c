/* vectors.c -- implementation of vectors.h */
#include "vectors.h"

#include <float.h>
#include <math.h>

#include "core/wide.h"

/* If a sum of squares is smaller, the squares may have lost digits. */
#define VECTORS_MIN_SQUARE 0x1p-900

WIDE static double vectors_dot_wide(size_t n, const double *x, const double *y)
{
    double s[VECTORS_LANES] = {0};
    size_t i = 0;
    for (; n - i >= VECTORS_LANES; i += VECTORS_LANES)
        for (size_t l = 0; l < VECTORS_LANES; l++)
            s[l] += x[i + l] * y[i + l];
    for (size_t l = 0; i < n; i++, l++)
        s[l] += x[i] * y[i];
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

double vectors_dot(size_t n, const double *x, const double *y) { return vectors_dot_wide(n, x, y); }

/* Returns |x| if the sum of its squares overflows or vanishes. Divides x by a power of two. */
static double vectors_scaled_norm(size_t n, const double *x)
{
    double max = 0, s = 0;
    int power;
    for (size_t i = 0; i < n; i++)
        max = fmax(max, fabs(x[i]));
    if (max == 0 || isinf(max)) return max;
    frexp(max, &power);
    if (power < -1000) power = -1000; /* 2^-power is finite */
    double scale = ldexp(1, -power);
    for (size_t i = 0; i < n; i++)
        s += (scale * x[i]) * (scale * x[i]);
    return ldexp(sqrt(s), power);
}

double vectors_norm(size_t n, const double *x)
{
    double square = vectors_dot(n, x, x);
    if (isnan(square)) return square;
    if (square >= VECTORS_MIN_SQUARE && square <= DBL_MAX) return sqrt(square);
    return vectors_scaled_norm(n, x);
}

/* Loops over 8 numbers become vector instructions. */
WIDE static void vectors_add_wide(size_t n, double a, const double *restrict x, double *restrict y)
{
    for (; n >= VECTORS_LANES; n -= VECTORS_LANES, x += VECTORS_LANES, y += VECTORS_LANES)
        for (size_t l = 0; l < VECTORS_LANES; l++)
            y[l] += a * x[l];
    for (size_t l = 0; l < n; l++)
        y[l] += a * x[l];
}

void vectors_add(size_t n, double a, const double *x, double *y) { vectors_add_wide(n, a, x, y); }

WIDE static void vectors_scale_wide(size_t n, double a, double *x)
{
    for (; n >= VECTORS_LANES; n -= VECTORS_LANES, x += VECTORS_LANES)
        for (size_t l = 0; l < VECTORS_LANES; l++)
            x[l] *= a;
    for (size_t l = 0; l < n; l++)
        x[l] *= a;
}

void vectors_scale(size_t n, double a, double *x) { vectors_scale_wide(n, a, x); }
