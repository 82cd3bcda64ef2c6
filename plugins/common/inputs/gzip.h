/* gzip.h -- decodes gzip members, for decoder.c. */
#ifndef LEAT_COMMON_INPUTS_GZIP_H
#define LEAT_COMMON_INPUTS_GZIP_H

#include "decoder_step.h"

enum { GZIP_BYTES = 96 << 10 }; /* most memory of a decoder */

/* Returns a new decoder; NULL if there is no memory. gzip has no window to limit. */
void *gzip_begin(uint64_t window);
/* Decodes a part of a member, or skips zeros after the members. */
enum outcome gzip_run(void *state, struct decoder_step *s);
void gzip_end(void *state);

#endif
