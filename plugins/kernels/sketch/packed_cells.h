/* packed_cells.h -- the cells of a Count-Min sketch, as small as what they count.
 *
 * Rows of `width` words of 32 bits. At first each word holds four cells of 8 bits;
 * when a count does not fit, every two neighbours become one cell of twice the bits
 * with the larger count of both:
 *
 *   bits  8    | 3 | 17 | 0 | 255 |    a feature of which 256 is to be kept lives in the last cell
 *   bits 16    |   17   |   256   |    then 32: one cell a word
 *
 * So a stream of few large counts, or one whose large counts are kept elsewhere, has four times the
 * cells of one of 32 bits. No cell is ever below what it was raised to, so a sketch that is never
 * below a feature's count stays so.
 *
 * A feature lives where the 32 bits of a hash say, which is the same place in cells of all sizes:
 * floor(hash * cells / 2^32), and half the cells are half the place.
 */
#ifndef LEAT_KERNELS_SKETCH_PACKED_CELLS_H
#define LEAT_KERNELS_SKETCH_PACKED_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { PACKED_CELLS_FIRST_BITS = 8 };

struct packed_cells {
    uint32_t *word;       /* rows x width */
    uint32_t rows, width; /* width: words a row, at most 2^29 */
    uint32_t bits;        /* of a cell: 8, 16 or 32 */
};

/* word: zeroed, or with cells of so many bits. */
void packed_cells_init(struct packed_cells *c, uint32_t rows, uint32_t width, uint32_t *word,
                       uint32_t bits);

static inline uint64_t packed_cells_words(const struct packed_cells *c)
{
    return (uint64_t)c->rows * c->width;
}
static inline uint32_t packed_cells_most(const struct packed_cells *c)
{
    return UINT32_MAX >> (32 - c->bits);
}

/* Where a row keeps the feature of that hash: a word, and by how many bits to shift it. */
struct packed_place {
    uint32_t *word;
    uint32_t shift;
};
static inline struct packed_place packed_cells_at(const struct packed_cells *c, uint32_t row,
                                                  uint32_t hash)
{
    uint64_t bit = ((uint64_t)hash * (c->width * (32 / c->bits)) >> 32) * c->bits;
    return (struct packed_place){&c->word[(uint64_t)row * c->width + (bit >> 5)], bit & 31};
}

static inline uint32_t packed_cells_get(const struct packed_cells *c, uint32_t row, uint32_t hash)
{
    struct packed_place at = packed_cells_at(c, row, hash);
    return *at.word >> at.shift & packed_cells_most(c);
}

/* Cells become wider until that count fits. O(words). */
void packed_cells_widen(struct packed_cells *c, uint32_t count);

/* The cell is at least `count` from now on. */
static inline void packed_cells_raise(struct packed_cells *c, uint32_t row, uint32_t hash,
                                      uint32_t count)
{
    if (count > packed_cells_most(c)) packed_cells_widen(c, count);
    struct packed_place at = packed_cells_at(c, row, hash);
    uint32_t mask = packed_cells_most(c) << at.shift, raised = count << at.shift;
    if ((*at.word & mask) < raised) *at.word = (*at.word & ~mask) | raised;
}

/* Cell i of all, in the order of the words, if cells had `bits` bits, at least as
 * many as they have. */
uint32_t packed_cells_cell(const struct packed_cells *c, uint32_t bits, uint64_t i);
/* Cell i of all becomes `count`, which fits. */
void packed_cells_put(struct packed_cells *c, uint64_t i, uint32_t count);

/* Every cell x becomes floor(factor x + 1/2); 0 <= factor <= 1. */
void packed_cells_scale(struct packed_cells *c, double factor);

#endif
