/* returned.h -- what a stage's call has returned, held against what it may return. */
#ifndef LEAT_HOST_EXEC_INSTANCE_RETURNED_H
#define LEAT_HOST_EXEC_INSTANCE_RETURNED_H

struct instance;

/* The status, if the call may return it (base/calls/call_status.h). A positive value that the call
 * does not have is a mistake, and what it was meant to say would be lost: it fails the run, which
 * is told the call, the value and what it may be. Then LEAT_EDATA. */
int returned(struct instance *i, const char *call, int status);

#endif
