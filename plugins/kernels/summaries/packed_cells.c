/* packed_cells.c -- implementation of packed_cells.h */
#include "packed_cells.h"

#include <assert.h>

void packed_cells_init(struct packed_cells *c, uint32_t rows, uint32_t width, uint32_t *word,
                       uint32_t bits)
{
    assert(rows && width && width <= 1u << 29);
    assert(bits == 8 || bits == 16 || bits == 32);
    *c = (struct packed_cells){word, rows, width, bits};
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Returns the word after widening its cells of `bits` bits: each cell is the larger of two. */
static uint32_t fold(uint32_t word, uint32_t bits)
{
    uint32_t most = UINT32_MAX >> (32 - bits), folded = 0;
    for (uint32_t at = 0; at < 32; at += 2 * bits)
        folded |= larger(word >> at & most, word >> (at + bits) & most) << at;
    return folded;
}

void packed_cells_widen(struct packed_cells *c, uint32_t count)
{
    while (count > packed_cells_most(c)) {
        for (uint64_t i = 0; i < packed_cells_words(c); i++)
            c->word[i] = fold(c->word[i], c->bits);
        c->bits *= 2;
    }
}

uint32_t packed_cells_cell(const struct packed_cells *c, uint32_t bits, uint64_t i)
{
    assert(bits >= c->bits && bits <= 32);
    uint64_t bit = i * bits;
    uint32_t word = c->word[bit >> 5];
    for (uint32_t b = c->bits; b < bits; b *= 2)
        word = fold(word, b);
    return word >> (bit & 31) & UINT32_MAX >> (32 - bits);
}

void packed_cells_put(struct packed_cells *c, uint64_t i, uint32_t count)
{
    assert(count <= packed_cells_most(c));
    uint64_t bit = i * c->bits;
    uint32_t *word = &c->word[bit >> 5], shift = bit & 31;
    *word = (*word & ~(packed_cells_most(c) << shift)) | count << shift;
}

void packed_cells_scale(struct packed_cells *c, double factor)
{
    uint64_t cells = packed_cells_words(c) * (32 / c->bits);
    for (uint64_t i = 0; i < cells; i++) {
        double x = (double)packed_cells_cell(c, c->bits, i);
        packed_cells_put(c, i, (uint32_t)(factor * x + 0.5));
    }
}
