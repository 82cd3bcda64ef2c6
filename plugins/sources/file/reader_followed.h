/* reader_followed.h -- text of files that grow into the window, and their places in snapshots.
 *
 * One file at a time has the window; its place goes back to follow.h when another takes its turn.
 * The calls for snapshots stand in reader.h. */
#ifndef LEAT_SOURCES_FILE_READER_FOLLOWED_H
#define LEAT_SOURCES_FILE_READER_FOLLOWED_H

#include "reader_inside.h"

/* As reader_more_text, of the followed file whose turn it is. */
enum reader_step reader_more_followed(struct leat_ctx *ctx, struct reader *r, bool wait);

#endif
