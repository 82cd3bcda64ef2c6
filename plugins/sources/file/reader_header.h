/* reader_header.h -- the header of each input: the first is kept, and the others must equal it. */
#ifndef LEAT_SOURCES_FILE_READER_HEADER_H
#define LEAT_SOURCES_FILE_READER_HEADER_H

#include "reader_inside.h"

/* At the beginning of an input, after its mark. */
enum reader_step reader_take_header(struct leat_ctx *ctx, struct reader *r);

#endif
