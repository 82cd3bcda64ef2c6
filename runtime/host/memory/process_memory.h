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

#endif
