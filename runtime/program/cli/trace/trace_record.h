/* trace_record.h -- a record of a batch as JSON, and in what two states of it differ (trace.h). */
#ifndef LEAT_PROGRAM_CLI_TRACE_TRACE_RECORD_H
#define LEAT_PROGRAM_CLI_TRACE_TRACE_RECORD_H

#include <jansson.h>

#include "host/exec/run.h"

/* {"source", "input", "line" or "number", "raw"} */
json_t *trace_record_head(struct hbatch *h, uint32_t r);

/* Of a record that is selected: all that stages can change, with the columns of this schema. */
json_t *trace_record_state(const struct leat_batch *b, const struct leat_schema *schema,
                           uint32_t r);

/* Adds to `step` what is another one after the stage. Takes both. */
void trace_record_changes(json_t *step, json_t *before, json_t *after);

/* A feature's name, as reports show it. */
json_t *trace_record_feature(const struct leat_batch *b, uint32_t entry);

#endif
