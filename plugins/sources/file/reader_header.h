/* reader_header.h -- the header of each input: the first is kept, and the others must equal it. */
#ifndef LEAT_SOURCES_FILE_READER_HEADER_H
#define LEAT_SOURCES_FILE_READER_HEADER_H

#include "reader_inside.h"

/* At the beginning of an input, after its mark. */
enum reader_step reader_take_header(struct leat_ctx *ctx, struct reader *r);

/* Once the first header is there: looks at those of the inputs after it, a thousand of them at
 * most, so that one that differs is known before any record is read. Only of files that can be read
 * again; it goes on at the first header's input. false: one differs, or is in another encoding, and
 * `failure` and `why` say so. */
bool reader_headers_agree(struct leat_ctx *ctx, struct reader *r);

#endif
