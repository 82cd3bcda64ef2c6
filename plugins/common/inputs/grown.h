/* grown.h -- buffer that grows up to a limit, and is used up from its beginning. */
#ifndef LEAT_COMMON_INPUTS_GROWN_H
#define LEAT_COMMON_INPUTS_GROWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decoder_step.h"

struct grown {
    uint8_t *v;
    size_t at, n, cap; /* v[at, n) is not used yet */
};

/* Makes room for n more bytes, up to limit. Returns false if there is none, or no memory. */
bool grown_room(struct grown *g, size_t n, size_t limit);

/* Appends bytes of the input to the buffer, at most `most`. */
enum outcome grown_take(struct grown *g, struct decoder_step *s, size_t most, size_t limit);

/* Refuses data of which a part has more than half of the window allowed. */
enum outcome grown_too_large(struct decoder_step *s, uint64_t bytes);

/* Returns the bytes of the buffer that are not used yet. */
static inline size_t grown_rest(const struct grown *g) { return g->n - g->at; }

#endif
