/* zero_blocks.h -- a compact form of bytes that are mostly zeros, such as new sketches.
 *
 * Sketches and histograms are large because their data is not known in advance.
 *
 *     bytes   | a.b. | 0000 | 0000 | ..c. | 0000 | d...        blocks of 64 bytes
 *     form    | 1 0 0 1 0 1 .. | a.b. | ..c. | d... |          bitmap, then the blocks with data
 *
 *   bitmap   one bit per block of ZERO_BLOCKS_BLOCK bytes; 1 if the form contains the block. The
 *            bits are in 64-bit words, little-endian, the first block in the lowest bit. Zeros pad
 *            the bitmap to a multiple of a block
 *   blocks   the blocks with data, in order. Zeros pad the last block of the bytes
 *
 * The form depends only on the bytes. For any thread. */
#ifndef LEAT_HOST_STORE_ZERO_BLOCKS_H
#define LEAT_HOST_STORE_ZERO_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

enum { ZERO_BLOCKS_BLOCK = 64 };

/* True if the form is probably much shorter than the bytes. Looks only at a sample of the blocks,
 * so the answer costs next to nothing and may be wrong. */
bool zero_blocks_pays(const void *bytes, size_t n);

/* Returns the largest length that the form of n bytes can have. */
size_t zero_blocks_max(size_t n);
/* Writes the form of n bytes to `to` and returns its length. */
size_t zero_blocks_put(char *to, const void *bytes, size_t n);

/* Returns the length of a form that starts at `from` and expands to n bytes. Returns 0 if it is
 * malformed or longer than `available`. */
size_t zero_blocks_length(const char *from, size_t available, size_t n);
/* Returns the length of the bitmap for n bytes. The blocks follow it. */
size_t zero_blocks_bitmap(size_t n);
/* Expands the form at `from` to n bytes. `to` must be all zeros. */
void zero_blocks_get(char *to, const char *from, size_t n);

#endif
