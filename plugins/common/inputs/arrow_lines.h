/* arrow_lines.h -- decodes Arrow streams and files to JSON Lines, for decoder.c.
 *
 *   file      "ARROW1" 0 0 | stream | footer | "ARROW1"
 *   stream    messages: schema, dictionaries, batches of rows; an end mark
 *   message   ff ff ff ff | bytes of the metadata 4 | metadata, a table of FlatBuffers | body
 *
 * Each row becomes a line (kernels/arrow/arrow.h), in the order of the file. A file is read from
 * its beginning to its end, so its footer is not needed. A row that has no JSON becomes a line that
 * says so and is no JSON, which the parser rejects. */
#ifndef LEAT_COMMON_INPUTS_ARROW_LINES_H
#define LEAT_COMMON_INPUTS_ARROW_LINES_H

#include "decoder_step.h"

enum { ARROW_LINES_BYTES = 6 << 20 }; /* most memory of a decoder in addition to four windows */

/* Returns a new decoder; NULL if there is no memory. A message, packed or not, the dictionaries and
 * a line may each have half a window. */
void *arrow_lines_begin(uint64_t window);
/* Returns a decoder of a stream that is made of another format. The lines of rows without JSON have
 * its static name. */
void *arrow_lines_begin_named(uint64_t window, const char *format);
/* Decodes a part of a stream or file. */
enum outcome arrow_lines_run(void *state, struct decoder_step *s);
void arrow_lines_end(void *state);

#endif
