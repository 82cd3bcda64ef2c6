/* reflect.c -- implementation of reflect.h */
#include "reflect.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/wide.h"
#include "lanes.h"

double reflect_scale(double max)
{
    int power;
    frexp(max, &power);
    return ldexp(1, power < -1000 ? -1000 : power);
}

double reflect_make(uint32_t n, double *x)
{
    double square = 0, last = x[n - 1];
    for (uint32_t k = 0; k + 1 < n; k++)
        square += x[k] * x[k];
    if (square <= REFLECT_NEGLIGIBLE * REFLECT_NEGLIGIBLE) {
        memset(x, 0, n * sizeof *x);
        return last;
    }
    double left = last > 0 ? -sqrt(square + last * last) : sqrt(square + last * last);
    x[n - 1] = last - left;
    double scale = sqrt(2 / (square + x[n - 1] * x[n - 1]));
    for (uint32_t k = 0; k < n; k++)
        x[k] *= scale;
    return left;
}

/* Defines the function `name`, which updates the columns `c` .. of `rows` rows. */
#define REFLECT_COLUMNS(name, lanes)                                                               \
    WIDE_INLINE void name(uint32_t rows, bool two, uint32_t c, uint32_t ld, double *a,             \
                          const double *u, const double *w, const double *z, const double *v,      \
                          const double *x, double *s)                                              \
    {                                                                                              \
        lanes wc = *(const lanes *)(w + c), vc = two ? *(const lanes *)(v + c) : wc;               \
        lanes sum = *(lanes *)(s + c);                                                             \
        for (uint32_t r = 0; r < rows; r++) {                                                      \
            lanes *at = (lanes *)(a + (size_t)r * ld + c), change = u[r] * wc;                     \
            if (two) change += z[r] * vc;                                                          \
            lanes left = *at - change;                                                             \
            *at = left;                                                                            \
            sum += x[r] * left;                                                                    \
        }                                                                                          \
        *(lanes *)(s + c) = sum;                                                                   \
    }
REFLECT_COLUMNS(reflect_columns4, lanes4)
REFLECT_COLUMNS(reflect_columns8, lanes8)

WIDE_INLINE void reflect_rows(uint32_t rows, bool two, uint32_t width, uint32_t ld, double *a,
                              const double *u, const double *w, const double *z, const double *v,
                              const double *x, double *s)
{
    uint32_t c = 0;
    for (; width - c >= 8; c += 8)
        reflect_columns8(rows, two, c, ld, a, u, w, z, v, x, s);
    if (c < width) reflect_columns4(rows, two, c, ld, a, u, w, z, v, x, s);
}

WIDE_INLINE void reflect_all(bool two, uint32_t rows, uint32_t width, uint32_t ld, double *a,
                             const struct reflect *by, const double *x, double *s)
{
    const double *u = by->u, *z = by->z;
    for (; rows >= 4; rows -= 4, a += (size_t)4 * ld, u += 4, x += 4) {
        reflect_rows(4, two, width, ld, a, u, by->w, z, by->v, x, s);
        if (two) z += 4;
    }
    for (; rows; rows--, a += ld, u++, x++) {
        reflect_rows(1, two, width, ld, a, u, by->w, z, by->v, x, s);
        if (two) z++;
    }
}

WIDE static void reflect_one(uint32_t rows, uint32_t width, uint32_t ld, double *a,
                             const struct reflect *by, const double *x, double *s)
{
    reflect_all(false, rows, width, ld, a, by, x, s);
}

WIDE static void reflect_two(uint32_t rows, uint32_t width, uint32_t ld, double *a,
                             const struct reflect *by, const double *x, double *s)
{
    reflect_all(true, rows, width, ld, a, by, x, s);
}

void reflect_update(uint32_t rows, uint32_t width, uint32_t ld, double *a, struct reflect by,
                    const double *x, double *s)
{
    assert(width % 4 == 0 && width <= ld);
    memset(s, 0, width * sizeof *s);
    if (by.z)
        reflect_two(rows, width, ld, a, &by, x, s);
    else
        reflect_one(rows, width, ld, a, &by, x, s);
}

/* The fused pass for H_i makes g of H_(i+1), which has one row and one column more. */
void reflect_product(uint32_t count, uint32_t extra, const double *v, uint32_t ld_v, uint32_t n,
                     double *z, double *g)
{
    uint32_t ld = reflect_padded(n);
    double *next = g + ld;
    memset(z, 0, (size_t)(extra + n) * ld * sizeof *z);
    for (uint32_t i = 0; i < n; i++)
        z[(size_t)(extra + i) * ld + i] = 1;
    memset(g, 0, ld * sizeof *g);
    if (count) g[0] = v[extra]; /* v_1'E */
    for (uint32_t i = 1; i <= count; i++, v += ld_v) {
        bool last = i == count;
        uint32_t rows = extra + i + !last, width = reflect_padded(i + !last);
        struct reflect by = {.u = v, .w = g};
        reflect_update(rows, width, ld, z, by, last ? v : v + ld_v, next);
        memset(next + width, 0, (ld - width) * sizeof *next);
        double *swap = g;
        g = next;
        next = swap;
    }
}
