/* zero_blocks.h -- a short form of bytes that are mostly zeros, such as fresh sketches.
 *
 * Sketches and histograms are large because their data is not known in advance.
 *
 *     bytes   | a.b. | 0000 | 0000 | ..c. | 0000 | d...      blocks of 64 bytes
 *     form    | 1 0 0 1 0 1 .. | a.b. | ..c. | d... |        bitmap, then the blocks not all zero
 *
 *   bitmap   one bit for each block of ZERO_BLOCKS_BLOCK bytes, 1: it is in the form. Words of 64
 *            bits, little-endian, the first block lowest; zeros up to the size of a block
 *   blocks   in their order; the last one of the bytes is filled up with zeros
 *
 * The form depends on the bytes alone. Any thread.
 */
#ifndef LEAT_HOST_STORE_ZERO_BLOCKS_H
#define LEAT_HOST_STORE_ZERO_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { ZERO_BLOCKS_BLOCK = 64 };

/* True if the form is probably much shorter. A sample of the blocks decides: the answer may be
 * wrong, and costs next to nothing. */
bool zero_blocks_pays(const void *bytes, size_t n);

/* Largest length of the form of n bytes. */
size_t zero_blocks_max(size_t n);
/* Writes the form; returns its length. */
size_t zero_blocks_put(char *to, const void *bytes, size_t n);

/* Returns the length of the form of n bytes that begins at `from`; 0: longer than `available`, or
 * malformed. */
size_t zero_blocks_length(const char *from, size_t available, size_t n);
/* Returns the length of the bitmap for n bytes; the blocks follow it. */
size_t zero_blocks_bitmap(size_t n);
/* Expands the form; `to` must be all zeros before. */
void zero_blocks_get(char *to, const char *from, size_t n);

#endif
