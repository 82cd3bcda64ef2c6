/* header.h -- before the first record: the header of each input, of which the first is kept and the
 * others must equal it; and a lookahead at the inputs to come, so that a bad one is known before
 * any record is read. */
#ifndef LEAT_SOURCES_FILE_HEADER_H
#define LEAT_SOURCES_FILE_HEADER_H

#include "reader.h"

/* Takes the header at the beginning of an input, after its mark. */
enum reader_step header_take(struct leat_ctx *ctx, struct reader *r);

/* Once the first header is there: compares the headers of the next thousand inputs, if they can be
 * read again. Goes on at the first header's input. Returns false if one differs, or is in another
 * encoding; `failure` and `why` say so. */
bool header_lookahead(struct leat_ctx *ctx, struct reader *r);

/* In the first fill: reads the first bytes of the next thousand inputs, and the first text of those
 * whose coding gives it quickly. Only of files, and not where a run continues in the middle of one.
 * An input that ends early is left for its turn: it may still be written. Returns false if one is
 * damaged, or not compressed as its name says; `failure` and `why` say so. */
bool header_lookahead_damage(struct leat_ctx *ctx, struct reader *r);

#endif
