/* lz4.h -- decodes lz4 frames, for decoder.c. */
#ifndef LEAT_COMMON_INPUTS_LZ4_H
#define LEAT_COMMON_INPUTS_LZ4_H

#include "decoder_step.h"

/* Most memory of a decoder: a legacy frame has blocks of up to 8 MiB of text. */
enum { LZ4_BYTES = 17 << 20 };

/* Returns a new decoder; NULL if there is no memory. lz4 has no window to limit. */
void *lz4_begin(uint64_t window);
/* Decodes a part of a frame. */
enum outcome lz4_run(void *state, struct decoder_step *s);
void lz4_end(void *state);

#endif
