/* parquet_lines.h -- decodes Parquet files to JSON Lines, for decoder.c.
 *
 *   file      "PAR1" | row groups | metadata | bytes of the metadata 4 | "PAR1"
 *
 * The metadata are at the end, so the decoder reads the file itself, and a pipe is refused. The
 * reader (parquet_reader.h) makes an Arrow stream of the file, and arrow_lines.h makes lines of it.
 * So each value is written as that of an Arrow stream. */
#ifndef LEAT_COMMON_INPUTS_PARQUET_LINES_H
#define LEAT_COMMON_INPUTS_PARQUET_LINES_H

#include "decoder_step.h"

/* Most memory of a decoder in addition to four windows, with Arrow's library. */
enum { PARQUET_LINES_BYTES = 24 << 20 };

/* True if leat was built with the reader. */
bool parquet_lines_built(void);
/* Returns a new decoder; NULL if there is no memory. The reader may have two windows, and a row's
 * line a quarter of one. */
void *parquet_lines_begin(uint64_t window);
/* Sets the descriptor of the file, before the first step. */
void parquet_lines_of_file(void *state, int fd);
/* Decodes a part of the file. No input is taken. */
enum outcome parquet_lines_run(void *state, struct decoder_step *s);
/* Returns the bytes of the file that the lines so far take, estimated. */
uint64_t parquet_lines_at(const void *state);
void parquet_lines_end(void *state);

#endif
