/* header.h -- headers of the inputs, and a look-ahead that finds bad inputs early.
 *
 * The first header is stored; all other headers must equal it. The look-ahead checks inputs before
 * their turn, so that a run fails before it has read any record. */
#ifndef LEAT_SOURCES_FILE_HEADER_H
#define LEAT_SOURCES_FILE_HEADER_H

#include "reader.h"

/* Reads the header at the beginning of an input, after the byte order mark. */
enum reader_step header_take(struct leat_ctx *ctx, struct reader *r);

/* Compares the first header with the headers of the later inputs, up to the thousandth input, if
 * the inputs can be read again. Afterwards r->input is the input of the first header. Returns false
 * if a header differs, or its input is in another encoding; r->failure and r->why have the
 * reason. */
bool header_lookahead(struct leat_ctx *ctx, struct reader *r);

/* Reads the first bytes of the next thousand inputs and, if their coding decodes quickly, some
 * text. Called in the first fill. Does nothing if an input is a pipe, or if a run continues in the
 * middle of an input. An input that ends early is no error yet, because it may still be written.
 * Returns false if an input is damaged, or not compressed as its name says; r->failure and r->why
 * have the reason. */
bool header_lookahead_damage(struct leat_ctx *ctx, struct reader *r);

#endif
