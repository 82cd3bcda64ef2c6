/* avro_lines.h -- decodes Avro object containers to JSON Lines, for decoder.c.
 *
 *   head     "Obj" 1 | map with avro.schema and avro.codec | sync, 16 bytes
 *   block    number of records | bytes | packed records | sync
 *
 * Each record becomes a line with a JSON object. A union is the value that it has. Dates, times,
 * uuids and enums are texts, decimals are numbers; NaN and infinities are the texts "NaN",
 * "Infinity" and "-Infinity". Bytes are a text: as they are if they are UTF-8, else each byte is
 * the character with its number. Codecs: null, deflate, bzip2, snappy, zstandard and xz. */
#ifndef LEAT_COMMON_INPUTS_AVRO_LINES_H
#define LEAT_COMMON_INPUTS_AVRO_LINES_H

#include "decoder_step.h"

enum { AVRO_LINES_BYTES = 5 << 20 }; /* most memory of a decoder in addition to three windows */

/* Returns a new decoder; NULL if there is no memory. A block, packed or not, and a line may have
 * half a window. */
void *avro_lines_begin(uint64_t window);
/* Decodes a part of a container. */
enum outcome avro_lines_run(void *state, struct decoder_step *s);
void avro_lines_end(void *state);

#endif
