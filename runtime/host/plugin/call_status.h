/* call_status.h -- permitted return values of each call of a stage.
 *
 * The run, the checks before it and the tests of plugins all use this one table. docs/plugins.md
 * has it for people. */
#ifndef LEAT_HOST_PLUGIN_CALL_STATUS_H
#define LEAT_HOST_PLUGIN_CALL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* Circumstances of the call. */
struct call_status_of {
    bool source;
    bool stopping; /* the run is being stopped */
};

/* Returns true if `call` may return this status. Every call may return LEAT_OK and failures, which
 * are below 0. If false, `why` is "CALL returned 7; it may return LEAT_OK or a failure below 0
 * (leat/status.h)". The table must contain the call. */
bool call_status_may_be(int status, const char *call, struct call_status_of of, char *why,
                        size_t cap);

/* Returns call number i of the table, in the order of a stage's life; NULL after the last. */
const char *call_status_call(size_t i);
/* Lists the statuses of a call other than failures: "LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER";
 * "LEAT_OK, LEAT_EOS (stopped)"; if only sources have the news: "LEAT_OK; a source also LEAT_EOS
 * (stopped)". */
void call_status_list(const char *call, char *text, size_t cap);

#endif
