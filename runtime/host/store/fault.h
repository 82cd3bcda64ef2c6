/* fault.h -- named places where a test may end the process like a power cut.
 *
 * LEAT_FAULT=name kills the process (SIGKILL) the first time it reaches the place with that name,
 * LEAT_FAULT=name:3 the third time. Without the variable a call costs one test of a flag. */
#ifndef LEAT_HOST_STORE_FAULT_H
#define LEAT_HOST_STORE_FAULT_H

/* Kills the process if LEAT_FAULT says so. Any thread. Names have fewer than 64 bytes. */
void fault(const char *place);

#endif
