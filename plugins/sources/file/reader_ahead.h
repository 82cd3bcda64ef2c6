/* reader_ahead.h -- compressed inputs whose beginning is damaged, before the first record. */
#ifndef LEAT_SOURCES_FILE_READER_AHEAD_H
#define LEAT_SOURCES_FILE_READER_AHEAD_H

#include "reader_inside.h"

/* In the first fill: looks at the inputs after the one to be read, a thousand of them at most: the
 * first bytes of each, and the first text of those whose coding gives it quickly. Only of files,
 * and not where a run continues in the middle of one. What ends early is left for its turn: it may
 * still be written. false: one is damaged, or no compressed file, as its name says; `failure` and
 * `why` say so. */
bool reader_ahead_fits(struct leat_ctx *ctx, struct reader *r);

#endif
