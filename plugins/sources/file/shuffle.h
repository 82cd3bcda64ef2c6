/* shuffle.h -- delivers the records of plain files in a pseudo-random order.
 *
 * The reader passes over all files once and notes where each record begins: 12 bytes a record. Then
 * each record is read from its place, in the order of kernels/base/permuted.h. Each pass over the
 * files has an order of its own. Records that are too long, or have a quote that is never closed,
 * are rejected at their turn.
 *
 * The index has an entry for each record and one for the end of each file. So the entry after a
 * record tells where the record ends. */
#ifndef LEAT_SOURCES_FILE_SHUFFLE_H
#define LEAT_SOURCES_FILE_SHUFFLE_H

#include "reader.h"

enum { SHUFFLE_FILES = 256 };

/* Returns the bytes of the index for the records of these files. Called in plan. Reads the files to
 * count their lines; leaves out pipes and missing files. */
uint64_t shuffle_bytes(const struct leat_strings *paths, uint64_t *records);
/* Opens the files of `r`, which is not read yet. Fails if one is compressed or not a file. */
int shuffle_init(struct leat_ctx *ctx, struct reader *r, uint32_t passes);
void shuffle_fini(struct leat_ctx *ctx, struct reader *r);

/* Adds to the batch as many records as it can hold. Makes the index first, if there is none. */
enum reader_step shuffle_take(struct leat_ctx *ctx, struct reader *r, struct leat_batch *b);

/* Write the number of delivered records and the size of the index to a snapshot, and continue
 * there. A later run refuses to continue if the files are others. */
int shuffle_write(const struct reader *r, struct leat_writer *w);
int shuffle_read(struct reader *r, struct leat_reader *from);

#endif
