/* process_memory.h -- what the system says of the memory of this process, in bytes. */
#ifndef LEAT_HOST_MEMORY_PROCESS_MEMORY_H
#define LEAT_HOST_MEMORY_PROCESS_MEMORY_H

#include <stdint.h>

/* Of memory that is really there; the peak is the most that there ever was. */
uint64_t process_memory_resident(void);
uint64_t process_memory_peak(void);

/* Of addresses, most of which may have no memory behind them: those in use, and the limit of
 * RLIMIT_AS (ulimit -v). UINT64_MAX: there is none. */
uint64_t process_memory_mapped(void);
uint64_t process_memory_limit(void);

/* What a person can do where the system gives no more memory. */

enum { MEMORY_CURE_TEXT = 160 };

/* "free memory", or "raise the limit of 97.7 MB (ulimit -v), of which 80.1 MB are in use". Returns
 * `out`. */
const char *memory_cure(char out[MEMORY_CURE_TEXT]);

#endif
