/* record_cutter.h -- splits the text of a request into records, like the pipeline's source. */
#ifndef LEAT_PROGRAM_WATCH_RECORD_CUTTER_H
#define LEAT_PROGRAM_WATCH_RECORD_CUTTER_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

/* Fills the batch with the records of text[0 .. n). They are lines or CSV records; for a source of
 * messages, the text is one record. There is no header, because the columns are known. If a quote
 * in a CSV line is not closed, `source` rejects that line, and the next line begins another record,
 * as in a file. Returns NULL, or the reason why the source's records cannot be read (a static
 * text). */
const char *record_cutter_fill(struct hbatch *h, const struct node *node, struct leat_ctx *source,
                               const char *text, size_t n);

#endif
