/* item_lines.h -- decodes sequences of CBOR and MessagePack to JSON Lines, for decoder.c.
 *
 * Each item becomes a line (item_json.h). An item that has no JSON, such as a text that is not
 * UTF-8, becomes a line that says so and is no JSON: the parser rejects it, and the next item
 * follows. Bytes that are no item end the input: nothing shows where the next item begins. */
#ifndef LEAT_COMMON_INPUTS_ITEM_LINES_H
#define LEAT_COMMON_INPUTS_ITEM_LINES_H

#include "decoder_step.h"

enum { ITEM_LINES_BYTES = 1 << 20 }; /* most memory of a decoder in addition to two windows */

/* Return a new decoder; NULL if there is no memory. An item and its line may have half a window. */
void *item_lines_begin_cbor(uint64_t window);
void *item_lines_begin_msgpack(uint64_t window);
/* Decodes a part of a sequence. */
enum outcome item_lines_run(void *state, struct decoder_step *s);
void item_lines_end(void *state);

#endif
