/* last_rows_json.h -- the last records of a sink, for the summary. */
#ifndef LEAT_PROGRAM_CLI_SUMMARY_LAST_ROWS_JSON_H
#define LEAT_PROGRAM_CLI_SUMMARY_LAST_ROWS_JSON_H

#include <jansson.h>

#include "host/exec/instance/instance.h"

/* "last_rows": {"columns": ["count", "host"], "rows": [["12", null], …], "more_columns": 0}, the
 * oldest first; nothing for another stage, or before any came. On the thread of the stage, or after
 * it has ended. */
void last_rows_json_add(const struct instance *sink, json_t *to);

#endif
