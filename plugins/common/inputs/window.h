/* window.h -- how far back compressed data may refer: zstd's window, xz's dictionary. It is what
 * their decoders take memory for, and the data themselves say how much. */
#ifndef LEAT_COMMON_INPUTS_WINDOW_H
#define LEAT_COMMON_INPUTS_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WINDOW_ZSTD_HEAD = 18 }; /* no frame's header is longer */

/* The window of the frame whose first n bytes these are; 0 of one to skip. false: its header is
 * longer. */
bool window_zstd(const unsigned char *first, size_t n, uint64_t *window);

/* xz needs so much besides its dictionary, at most. */
#define WINDOW_XZ_MORE ((uint64_t)1 << 20)
/* The dictionary of a decoder that takes so many bytes, rounded down to a MiB: with
 * WINDOW_XZ_MORE it is enough. */
uint64_t window_xz_of(uint64_t decoder_bytes);
/* The dictionary of the file whose first n bytes these are, rounded so; 0: they do not say. */
uint64_t window_xz(const unsigned char *first, size_t n);

#endif
