/* reader_records.h -- records from the window into a batch.
 *
 * They are found in the window (framing.h) and copied in one piece, with their line ends: within an
 * extent the batch has the input's bytes as they are, and offset and line of a record follow from
 * those of the extent. Records that are too long are skipped while they are read; 256 bytes of each
 * are kept for the dead letters. */
#ifndef LEAT_SOURCES_FILE_READER_RECORDS_H
#define LEAT_SOURCES_FILE_READER_RECORDS_H

#include "reader_inside.h"

/* As many as are there and fit. */
enum reader_step reader_take_records(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

/* The rest of a record that is too long, and then its rejection. */
enum reader_step reader_take_long(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

#endif
