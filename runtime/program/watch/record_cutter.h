/* record_cutter.h -- cuts the text of a request into records, like the source of the pipeline. */
#ifndef LEAT_PROGRAM_WATCH_RECORD_CUTTER_H
#define LEAT_PROGRAM_WATCH_RECORD_CUTTER_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

/* Fills the batch with the records of text[0 .. n): lines, or records of CSV; one record for a
 * source of messages. There is no header, because the columns are known. A line of CSV whose quote
 * is never closed is a record that `source` rejects; the next line begins another record, as in a
 * file. Returns NULL, or why the records cannot be taken, a static text. */
const char *record_cutter_fill(struct hbatch *h, const struct node *node, struct leat_ctx *source,
                               const char *text, size_t n);

#endif
