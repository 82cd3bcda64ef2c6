/* header.h -- headers of the inputs, and a look-ahead that finds bad inputs early.
 *
 * The first header is stored; every other must equal it. The look-ahead checks the inputs to come
 * before any record is read. */
#ifndef LEAT_SOURCES_FILE_HEADER_H
#define LEAT_SOURCES_FILE_HEADER_H

#include "reader.h"

/* Takes the header at the beginning of an input, after its mark. */
enum reader_step header_take(struct leat_ctx *ctx, struct reader *r);

/* Compares the headers of the next thousand inputs with the first header, if the inputs can be read
 * again. Then it returns to the first header's input. Returns false if one differs, or is in
 * another encoding; `failure` and `why` give the reason. */
bool header_lookahead(struct leat_ctx *ctx, struct reader *r);

/* Reads the first bytes of the next thousand inputs, in the first fill. If an input's coding
 * decodes quickly, it reads some text, too. It does nothing if an input is a pipe, or if a run
 * continues in the middle of an input. An input that ends early may still be written, so it waits
 * for its turn. Returns false if one is damaged, or not compressed as its name says; `failure` and
 * `why` give the reason. */
bool header_lookahead_damage(struct leat_ctx *ctx, struct reader *r);

#endif
