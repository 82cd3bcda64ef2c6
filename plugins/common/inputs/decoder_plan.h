/* decoder_plan.h -- what the decoder of an input may take, before it is read.
 *
 * Compressed data say in their first bytes how large a window they ask for (window.h). A file gets
 * it up to 128 MiB, and at least the 8 MiB that a pipe gets, which cannot be looked into. `set`, if
 * it is not 0, replaces all three. */
#ifndef LEAT_COMMON_INPUTS_DECODER_PLAN_H
#define LEAT_COMMON_INPUTS_DECODER_PLAN_H

#include <stdint.h>

/* The largest window that the decoder of an open file may have; fd -1: of a pipe. */
uint64_t decoder_plan_window(int fd, uint64_t set);
/* The most memory that the decoder of an input takes: 0 when it is plain text, or not there. */
uint64_t decoder_plan_bytes(const char *path, uint64_t set);

#endif
