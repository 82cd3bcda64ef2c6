/* xz.h -- decodes xz, lzma and lzip, for decoder.c. */
#ifndef LEAT_COMMON_INPUTS_XZ_H
#define LEAT_COMMON_INPUTS_XZ_H

#include "decoder_step.h"

enum { XZ_BYTES = 1 << 20 }; /* most memory of a decoder in addition to its dictionary */

/* Returns the dictionary that a file's first bytes declare, rounded down to a MiB; 0 if they do not
 * declare it. */
uint64_t xz_window(const unsigned char *first, size_t n);
/* Returns a new decoder, which allows a dictionary of `window`; NULL if there is no memory. */
void *xz_begin(uint64_t window);
/* Decodes. liblzma itself continues with the next member and skips padding. */
enum outcome xz_run(void *state, struct decoder_step *s);
void xz_end(void *state);

#endif
