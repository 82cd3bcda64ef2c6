/* record_cutter.h -- the text of a request as records, cut as the source of the pipeline cuts its
 * inputs. */
#ifndef LEAT_PROGRAM_WATCH_RECORD_CUTTER_H
#define LEAT_PROGRAM_WATCH_RECORD_CUTTER_H

#include "host/flow/batch.h"
#include "host/graph/graph.h"

/* Fills the batch with the records of text[0 .. n): lines, or records of CSV; of a source of
 * messages all of it is one. A header is none: the columns are known. A line of CSV whose quote is
 * never closed is a record that `source` rejects, and the next line begins another, as in a file.
 * NULL; or why they cannot be taken, which is static. */
const char *record_cutter_fill(struct hbatch *h, const struct node *node, struct leat_ctx *source,
                               const char *text, size_t n);

#endif
