/* call_status.h -- table of the statuses that each call of a stage may return.
 *
 * A run, the checks before it and the tests of plugins all use this one table. docs/plugins.md
 * shows it to readers. */
#ifndef LEAT_HOST_PLUGIN_CALL_STATUS_H
#define LEAT_HOST_PLUGIN_CALL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* Circumstances of the call. */
struct call_status_of {
    bool source;
    bool stopping; /* the run is being stopped */
};

/* Returns true if `call` may return `status`. Every call may return LEAT_OK and failures, which are
 * below 0. Otherwise returns false and writes a message that lists the permitted statuses to
 * why[cap]. The table must contain the call. */
bool call_status_may_be(int status, const char *call, struct call_status_of of, char *why,
                        size_t cap);

/* Returns the name of call i of the table, in the order of a stage's life; NULL after the last. */
const char *call_status_call(size_t i);
/* Lists the statuses of a call other than failures. Examples: "LEAT_OK, LEAT_AGAIN, LEAT_EOS";
 * "LEAT_OK, LEAT_EOS (stopped)"; "LEAT_OK; a source also LEAT_EOS (stopped)". */
void call_status_list(const char *call, char *text, size_t cap);

#endif
