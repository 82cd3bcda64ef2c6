/* process_memory.h -- memory of this process by the system's account, in bytes. */
#ifndef LEAT_HOST_MEMORY_PROCESS_MEMORY_H
#define LEAT_HOST_MEMORY_PROCESS_MEMORY_H

#include <stdint.h>

/* Physical memory: now, and the most so far. */
uint64_t process_memory_resident(void);
uint64_t process_memory_peak(void);

/* Address space, much of it perhaps without physical memory: in use, and the limit of RLIMIT_AS
 * (ulimit -v); UINT64_MAX: unlimited. */
uint64_t process_memory_mapped(void);
uint64_t process_memory_limit(void);

/* Cure for a person when the system has no more memory. */

enum { MEMORY_CURE_TEXT = 160 };

/* Writes "free memory", or "raise the limit of 97.7 MB (ulimit -v), of which 80.1 MB are in use".
 * Returns `out`. */
const char *memory_cure(char out[MEMORY_CURE_TEXT]);

#endif
