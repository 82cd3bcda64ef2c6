/* process_memory.h -- memory that the system has given to this process, in bytes. */
#ifndef LEAT_HOST_MEMORY_PROCESS_MEMORY_H
#define LEAT_HOST_MEMORY_PROCESS_MEMORY_H

#include <stdint.h>

/* Physical memory in use now; the largest use so far. */
uint64_t process_memory_resident(void);
uint64_t process_memory_peak(void);

/* Address space in use, much of it perhaps without physical memory; the limit of address space
 * (RLIMIT_AS, ulimit -v), UINT64_MAX if unlimited. */
uint64_t process_memory_mapped(void);
uint64_t process_memory_limit(void);

/* ---- advice to users when the system has no more memory ---- */

enum { MEMORY_CURE_TEXT = 160 };

/* Writes advice such as "free memory", or "raise the limit of 97.7 MB (ulimit -v), of which 80.1 MB
 * are in use". Returns `out`. */
const char *memory_cure(char out[MEMORY_CURE_TEXT]);

#endif
