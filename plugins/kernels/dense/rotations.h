/* rotations.h -- sweeps of plane rotations, kept to be applied to a matrix together.
 *
 * Rotation i of a sweep, of rows x = z_i and y = z_(i+1):
 *
 *   z_(i+1) = s x + c y,   z_i = c x - s y
 *
 * A sweep has the rotations end - 1, end - 2, .. first, in this order. Each column of the matrix
 * is changed by itself, so all orders of columns have the same bits. The matrix is kept in strips
 * of ROTATIONS_STRIP columns, one after the other, each of them row-major. All sweeps are applied
 * to one strip before the next, because a strip fits into the first cache.
 *
 * Example. The rotation c = 0, s = 1 of the rows 1 and 2 sets these to -2 and 1. */
#ifndef LEAT_KERNELS_DENSE_ROTATIONS_H
#define LEAT_KERNELS_DENSE_ROTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rotation {
    double c, s;
};

struct rotations {
    uint32_t rows, count, max; /* sweeps kept, and their limit */
    struct rotation *of;       /* rotation i of sweep k: of[k * rows + i] */
    uint32_t *range;           /* first and end of sweep k: range[2 k], range[2 k + 1] */
};

/* Makes an empty list of sweeps in n doubles. One sweep takes 2 rows + 1. */
void rotations_init(struct rotations *r, uint32_t rows, double *block, size_t n);
static inline bool rotations_is_full(const struct rotations *r) { return r->count == r->max; }
/* Returns the place of the next sweep's rotations; rotations_add() then adds it. */
static inline struct rotation *rotations_next(const struct rotations *r)
{
    return r->of + (size_t)r->count * r->rows;
}
void rotations_add(struct rotations *r, uint32_t first, uint32_t end);
/* Applies the sweeps to z, which is in strips. Forgets the sweeps. */
void rotations_apply(struct rotations *r, uint32_t columns, double *z);

/* ---- strips ---- */

#define ROTATIONS_STRIP 16

/* Returns the columns of all strips: the last one has a multiple of four. */
static inline uint32_t rotations_padded(uint32_t columns) { return (columns + 3) & ~3u; }
/* Sets z = a', in strips: rows * rotations_padded(columns) doubles. `rows` and `columns` are those
 * of z. */
void rotations_strips(uint32_t rows, uint32_t columns, const double *a, uint32_t ld, double *z);
/* Copies row i of z to out. */
void rotations_row(uint32_t rows, uint32_t columns, const double *z, uint32_t i, double *out);

#endif
