/* rotations.c -- implementation of rotations.h */
#include "rotations.h"

#include <assert.h>
#include <string.h>

#include "core/wide.h"
#include "lanes.h"

#define MAX_SWEEPS 64

void rotations_init(struct rotations *r, uint32_t rows, double *block, size_t n)
{
    size_t sweeps = n / (2 * (size_t)rows + 1);
    assert(sweeps > 0);
    *r = (struct rotations){.rows = rows, .of = (struct rotation *)block};
    r->max = sweeps < MAX_SWEEPS ? (uint32_t)sweeps : MAX_SWEEPS;
    r->range = (uint32_t *)(r->of + (size_t)r->max * rows);
}

void rotations_add(struct rotations *r, uint32_t first, uint32_t end)
{
    assert(r->count < r->max && first <= end && end < r->rows);
    r->range[2 * r->count] = first;
    r->range[2 * r->count++ + 1] = end;
}

/* ---- strips ---- */

void rotations_strips(uint32_t rows, uint32_t columns, const double *a, uint32_t ld, double *z)
{
    uint32_t all = rotations_padded(columns);
    for (uint32_t c = 0; c < all; c += ROTATIONS_STRIP) {
        uint32_t width = all - c < ROTATIONS_STRIP ? all - c : ROTATIONS_STRIP;
        for (uint32_t i = 0; i < rows; i++, z += width)
            for (uint32_t k = 0; k < width; k++)
                z[k] = c + k < columns ? a[(size_t)(c + k) * ld + i] : 0;
    }
}

void rotations_row(uint32_t rows, uint32_t columns, const double *z, uint32_t i, double *out)
{
    uint32_t all = rotations_padded(columns);
    for (uint32_t c = 0; c < columns; c += ROTATIONS_STRIP) {
        uint32_t width = all - c < ROTATIONS_STRIP ? all - c : ROTATIONS_STRIP;
        uint32_t n = columns - c < width ? columns - c : width;
        memcpy(out + c, z + (size_t)i * width, n * sizeof *out);
        z += (size_t)rows * width;
    }
}

/* Computes y = s x + c p and p = c x - s p. */
#define ROTATE(by, x, p, y)                                                                        \
    do {                                                                                           \
        double c_ = (by).c, s_ = (by).s;                                                           \
        (y) = s_ * (x) + c_ * (p);                                                                 \
        (p) = c_ * (x)-s_ * (p);                                                                   \
    } while (0)

/* Defines two functions, for `n` times as many columns as `lanes` has numbers.
 *
 * `one` applies the rotations end - 1 .. first of a sweep, where p has row `end`. `two` applies
 * those of sweep a, and one row later those of sweep b. p has the row that a's next rotation
 * needs, and q that of b's next one. It ends before the sweeps differ, and `one` does the rest. */
#define ROTATIONS(one, two, lanes, n)                                                              \
    WIDE_INLINE void one(uint32_t first, uint32_t end, size_t ld, const struct rotation *of,       \
                         double *z)                                                                \
    {                                                                                              \
        lanes p[n], y;                                                                             \
        double *row = z + (size_t)end * ld;                                                        \
        for (int k = 0; k < (n); k++)                                                              \
            p[k] = ((lanes *)row)[k];                                                              \
        for (uint32_t i = end; i-- > first; row -= ld)                                             \
            for (int k = 0; k < (n); k++) {                                                        \
                lanes x = ((lanes *)(row - ld))[k];                                                \
                ROTATE(of[i], x, p[k], y);                                                         \
                ((lanes *)row)[k] = y;                                                             \
            }                                                                                      \
        for (int k = 0; k < (n); k++)                                                              \
            ((lanes *)row)[k] = p[k];                                                              \
    }                                                                                              \
    WIDE_INLINE void two(const uint32_t *range, size_t ld, const struct rotation *a,               \
                         const struct rotation *b, double *z)                                      \
    {                                                                                              \
        uint32_t end = range[1], last = range[0] + 1 > range[2] ? range[0] + 1 : range[2];         \
        lanes p[n], q[n], y;                                                                       \
        double *row = z + (size_t)end * ld; /* row i + 1 */                                        \
        for (int k = 0; k < (n); k++) {                                                            \
            lanes x = ((lanes *)(row - ld))[k];                                                    \
            p[k] = ((lanes *)row)[k];                                                              \
            ROTATE(a[end - 1], x, p[k], q[k]);                                                     \
        }                                                                                          \
        for (uint32_t i = end - 1; i >= last; i--, row -= ld)                                      \
            for (int k = 0; k < (n); k++) {                                                        \
                lanes x = ((lanes *)(row - 2 * ld))[k], t;                                         \
                ROTATE(a[i - 1], x, p[k], t); /* row i is done by a */                             \
                ROTATE(b[i], t, q[k], y);                                                          \
                ((lanes *)row)[k] = y;                                                             \
            }                                                                                      \
        for (int k = 0; k < (n); k++) {                                                            \
            ((lanes *)row)[k] = q[k];                                                              \
            ((lanes *)(row - ld))[k] = p[k];                                                       \
        }                                                                                          \
        one(range[0], last - 1, ld, a, z);                                                         \
        one(range[2], last, ld, b, z);                                                             \
    }
ROTATIONS(rotations_one4, rotations_two4, lanes4, 1)
ROTATIONS(rotations_one16, rotations_two16, lanes8, 2)

/* Returns true if the next two sweeps may be applied together. */
static inline bool rotations_is_pair(const struct rotations *r, uint32_t k)
{
    const uint32_t *range = r->range + 2 * (size_t)k;
    return k + 1 < r->count && range[1] == range[3] && range[0] < range[1] && range[2] < range[3];
}

/* Applies all sweeps to `columns` columns, 4 or 16. */
WIDE_INLINE void rotations_columns(const struct rotations *r, uint32_t columns, size_t ld,
                                   double *z)
{
    for (uint32_t k = 0; k < r->count;) {
        const uint32_t *range = r->range + 2 * (size_t)k;
        const struct rotation *a = r->of + (size_t)k * r->rows, *b = a + r->rows;
        if (rotations_is_pair(r, k)) {
            columns == 4 ? rotations_two4(range, ld, a, b, z) : rotations_two16(range, ld, a, b, z);
            k += 2;
        } else {
            columns == 4 ? rotations_one4(range[0], range[1], ld, a, z)
                         : rotations_one16(range[0], range[1], ld, a, z);
            k++;
        }
    }
}

/* Applies all sweeps to a strip of `width` columns. */
WIDE static void rotations_strip(const struct rotations *r, uint32_t width, double *z)
{
    if (width == ROTATIONS_STRIP) {
        rotations_columns(r, ROTATIONS_STRIP, ROTATIONS_STRIP, z);
        return;
    }
    for (uint32_t c = 0; c < width; c += 4)
        rotations_columns(r, 4, width, z + c);
}

void rotations_apply(struct rotations *r, uint32_t columns, double *z)
{
    uint32_t all = rotations_padded(columns);
    for (uint32_t c = 0; c < all; c += ROTATIONS_STRIP) {
        uint32_t width = all - c < ROTATIONS_STRIP ? all - c : ROTATIONS_STRIP;
        rotations_strip(r, width, z);
        z += (size_t)r->rows * width;
    }
    r->count = 0;
}
