/* zero_blocks.h -- bytes that are mostly zeros, without them: sketches and histograms that are
 * large because nobody knows yet what will come.
 *
 *   bitmap   one bit for each block of ZERO_BLOCKS_BLOCK bytes: is it there? In words of 64 bits,
 *            little endian, the first block lowest; zeros up to a multiple of ZERO_BLOCKS_BLOCK
 *   blocks   those that are not all zeros, in their order; the last one is filled up with zeros
 *
 * What is written depends on the bytes alone. Any thread.
 */
#ifndef LEAT_STORE_ZERO_BLOCKS_H
#define LEAT_STORE_ZERO_BLOCKS_H

#include <stddef.h>

enum { ZERO_BLOCKS_BLOCK = 64 };

/* Is it worth it? By a sample of the blocks, so it may be wrong, and costs next to nothing. */
int zero_blocks_pays(const void *bytes, size_t n);

/* Room that n bytes need at most. */
size_t zero_blocks_most(size_t n);
/* Writes at most so much; how much. */
size_t zero_blocks_put(char *to, const void *bytes, size_t n);

/* How long the form of n bytes is that begins at `from`; 0: longer than `room`, or none. */
size_t zero_blocks_length(const char *from, size_t room, size_t n);
/* Its blocks of numbers; behind the bitmap. */
size_t zero_blocks_bitmap(size_t n);
/* Back, to zeros. */
void zero_blocks_get(char *to, const char *from, size_t n);

#endif
