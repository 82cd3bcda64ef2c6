/* process_memory.h -- memory that the system has given to this process, in bytes. */
#ifndef LEAT_HOST_MEMORY_PROCESS_MEMORY_H
#define LEAT_HOST_MEMORY_PROCESS_MEMORY_H

#include <stdint.h>

/* Return the physical memory that is in use now, and the most that was in use so far. */
uint64_t process_memory_resident(void);
uint64_t process_memory_peak(void);

/* process_memory_mapped() returns the address space in use, much of it perhaps without physical
 * memory. process_memory_limit() returns its limit (RLIMIT_AS, ulimit -v); UINT64_MAX if there is
 * none. */
uint64_t process_memory_mapped(void);
uint64_t process_memory_limit(void);

/* ---- advice to users when the system has no more memory ---- */

enum { MEMORY_CURE_TEXT = 160 };

/* Writes advice such as "free memory", or "raise the limit of 97.7 MB (ulimit -v), of which 80.1 MB
 * are in use". Returns `out`. */
const char *memory_cure(char out[MEMORY_CURE_TEXT]);

#endif
