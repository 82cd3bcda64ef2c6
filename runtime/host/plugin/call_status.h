/* call_status.h -- what each call of a stage may return: the one table of it, which the run, the
 * checks before it and the tests of plugins hold them to. docs/plugins.md has the same as a table
 * for people. */
#ifndef LEAT_HOST_PLUGIN_CALL_STATUS_H
#define LEAT_HOST_PLUGIN_CALL_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* Of the stage that returned. */
struct call_status_of {
    bool source;
    bool stopping; /* the run is being stopped */
};

/* May `call` return this status? Every call may return LEAT_OK and failures, which are below 0.
 * false: `why` is "CALL returned 7; it may return LEAT_OK or a failure below 0 (leat/status.h)".
 * The call is one of the table. */
bool call_status_may_be(int status, const char *call, struct call_status_of of, char *why,
                        size_t cap);

/* The calls of the table, in the order of a stage's life; NULL after the last. */
const char *call_status_call(size_t i);
/* What a call may return but failures: "LEAT_OK, LEAT_AGAIN, LEAT_EOS, LEAT_LATER"; "LEAT_OK,
 * LEAT_EOS (stopped)"; a call of sources alone: "LEAT_OK; a source also LEAT_EOS (stopped)". */
void call_status_list(const char *call, char *text, size_t cap);

#endif
