/* fault.h -- named places (fault points) where a test may end the process like a power cut.
 *
 * LEAT_FAULT=name kills the process (SIGKILL) when it first reaches the fault point with this name;
 * LEAT_FAULT=name:3 when it reaches it for the third time. Without the variable, a call costs one
 * test of a flag. */
#ifndef LEAT_HOST_STORE_FAULT_H
#define LEAT_HOST_STORE_FAULT_H

/* Kills the process if LEAT_FAULT is name:N (or name, for N = 1) with the name of this place, and
 * this is the N-th call. For any thread. A name has fewer than 64 bytes. */
void fault(const char *place);

#endif
