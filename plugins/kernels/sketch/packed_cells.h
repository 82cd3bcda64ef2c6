/* packed_cells.h -- the cells of a Count-Min sketch, as small as their counts allow
 *
 * Each row has `width` words of 32 bits. At first each word holds four cells of 8 bits. When a
 * count does not fit, every two neighbours become one cell of twice the bits, with the larger of
 * both counts. Example:
 *
 *   bits  8    | 3 | 17 | 0 | 255 |    a feature with the new count 256 lives in the last cell
 *   bits 16    |   17   |   256   |    bits 32: one cell per word
 *
 * So a stream with few large counts, or one that keeps them elsewhere, has four times as many cells
 * as a sketch with cells of 32 bits. No cell is ever below the value that it was raised to. So a
 * sketch that is never below a feature's count stays so.
 *
 * The 32 bits of a hash determine a feature's place, which is consistent for all sizes of cells:
 * floor(hash * cells / 2^32), and half as many cells halve the place.
 */
#ifndef LEAT_KERNELS_SKETCH_PACKED_CELLS_H
#define LEAT_KERNELS_SKETCH_PACKED_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { PACKED_CELLS_FIRST_BITS = 8 };

struct packed_cells {
    uint32_t *word;       /* rows x width */
    uint32_t rows, width; /* width: words of a row, at most 2^29 */
    uint32_t bits;        /* bits of a cell: 8, 16 or 32 */
};

/* `word` is zeroed, or holds cells of `bits` bits. */
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

/* Place of a hash in a row: a word, and the shift of the cell within it. */
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

/* Widens the cells until `count` fits. O(words). */
void packed_cells_widen(struct packed_cells *c, uint32_t count);

/* Raises the cell to at least `count`. */
static inline void packed_cells_raise(struct packed_cells *c, uint32_t row, uint32_t hash,
                                      uint32_t count)
{
    if (count > packed_cells_most(c)) packed_cells_widen(c, count);
    struct packed_place at = packed_cells_at(c, row, hash);
    uint32_t mask = packed_cells_most(c) << at.shift, raised = count << at.shift;
    if ((*at.word & mask) < raised) *at.word = (*at.word & ~mask) | raised;
}

/* Returns cell i of all rows, in the order of the words, as if cells had `bits` bits. `bits` is at
 * least the current number of bits. */
uint32_t packed_cells_cell(const struct packed_cells *c, uint32_t bits, uint64_t i);
/* Sets cell i of all rows to `count`, which must fit. */
void packed_cells_put(struct packed_cells *c, uint64_t i, uint32_t count);

/* Sets every cell x to floor(factor x + 1/2); 0 <= factor <= 1. */
void packed_cells_scale(struct packed_cells *c, double factor);

#endif
