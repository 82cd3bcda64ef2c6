/* inputs_json.h -- what a run has read, as JSON. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_INPUTS_JSON_H
#define LEAT_PROGRAM_CLI_SUMMARY_INPUTS_JSON_H

#include <jansson.h>

#include "host/exec/run.h"

/* [{"source", "plugin", "records", "bytes", "names": files, topics, …, at most 100, "more": how
 * many there are besides}, …]; bytes are null where the source does not know. After run_join. */
json_t *inputs_json(const struct run *r);

/* One of them; on the source's thread, also of a run at work. */
json_t *inputs_json_source(const struct run *r, const struct node *n);

/* {"first", "last"}: the earliest and the latest event time that learners have seen; first is
 * null when the run continues another. NULL: the records have no event times. */
json_t *inputs_json_times(const struct run *r);

#endif
