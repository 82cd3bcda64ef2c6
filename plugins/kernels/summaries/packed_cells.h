/* packed_cells.h -- cells of a Count-Min sketch with as few bits as their counts allow
 *
 * Each row has `width` words of 32 bits. At first, a word holds four cells of 8 bits. If a count
 * does not fit, every two neighbouring cells become one cell with twice the bits and the larger of
 * both counts. Example:
 *
 *   bits  8    | 3 | 17 | 0 | 255 |    a feature in the last cell gets the count 256
 *   bits 16    |   17   |   256   |    bits 32: one cell per word
 *
 * So a stream whose cells have small counts has four times as many cells as with 32 bits each. No
 * cell is ever below the value that it was raised to. So an upper bound of a feature's count
 * remains an upper bound.
 *
 * The position of a feature is floor(hash * cells / 2^32), for the 32-bit hash of the
 * feature. Halving the number of cells halves the position, so the feature's cell is
 * contained in the wider one.
 */
#ifndef LEAT_KERNELS_SUMMARIES_PACKED_CELLS_H
#define LEAT_KERNELS_SUMMARIES_PACKED_CELLS_H

#include <stdbool.h>
#include <stdint.h>

enum { PACKED_CELLS_FIRST_BITS = 8 };

struct packed_cells {
    uint32_t *word;       /* [rows][width] */
    uint32_t rows, width; /* width: words per row, at most 2^29 */
    uint32_t bits;        /* bits per cell: 8, 16 or 32 */
};

/* Makes cells in the memory `word`, which is zeroed or already holds cells of `bits` bits. */
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

/* Cell of a hash in a row: its word, and its shift within the word. */
struct packed_place {
    uint32_t *word;
    uint32_t shift;
};
static inline struct packed_place packed_cells_at(const struct packed_cells *c, uint32_t row,
                                                  uint32_t hash)
{
    const int log2 = __builtin_ctz(c->bits); /* a division would take most of the time */
    uint64_t bit = ((uint64_t)hash * (c->width << (5 - log2)) >> 32) << log2;
    return (struct packed_place){&c->word[(uint64_t)row * c->width + (bit >> 5)], bit & 31};
}

static inline uint32_t packed_cells_get(const struct packed_cells *c, uint32_t row, uint32_t hash)
{
    struct packed_place at = packed_cells_at(c, row, hash);
    return *at.word >> at.shift & packed_cells_most(c);
}

/* Widens all cells until `count` fits. O(words). */
void packed_cells_widen(struct packed_cells *c, uint32_t count);

/* Raises the cell of a hash in a row to `count`, unless it is higher already. */
static inline void packed_cells_raise(struct packed_cells *c, uint32_t row, uint32_t hash,
                                      uint32_t count)
{
    if (count > packed_cells_most(c)) packed_cells_widen(c, count);
    struct packed_place at = packed_cells_at(c, row, hash);
    uint32_t mask = packed_cells_most(c) << at.shift, raised = count << at.shift;
    if ((*at.word & mask) < raised) *at.word = (*at.word & ~mask) | raised;
}

/* Returns cell i, counted over all rows, as it would be with `bits` bits per cell. `bits` is at
 * least c->bits. */
uint32_t packed_cells_cell(const struct packed_cells *c, uint32_t bits, uint64_t i);
/* Sets cell i, counted over all rows, to `count`, which must fit. */
void packed_cells_put(struct packed_cells *c, uint64_t i, uint32_t count);

/* Sets every cell x to floor(factor x + 1/2), for 0 <= factor <= 1. */
void packed_cells_scale(struct packed_cells *c, double factor);

#endif
