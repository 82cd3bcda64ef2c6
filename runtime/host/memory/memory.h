/* memory.h -- memory without which the process cannot continue.
 *
 * For small allocations in many places that could not handle a failure better. */
#ifndef LEAT_HOST_MEMORY_MEMORY_H
#define LEAT_HOST_MEMORY_MEMORY_H

#include <stddef.h>

/* Returns at least `bytes` bytes of memory, to be freed by free(). Never returns NULL. If memory
 * runs out, prints an error and ends the process at once with status 1. Like a crash, this flushes
 * and cleans up nothing, because other threads may be running. For any thread. */
void *memory_take(size_t bytes);
/* Like memory_take(), with an alignment: a power of two that divides `bytes`. */
void *memory_take_aligned(size_t align, size_t bytes);
/* Ends the process like memory_take(). For callers that allocate by other means. */
_Noreturn void memory_lost(void);

/* Makes blocks of 64 KB and more go back to the system when freed. So resident memory does not stay
 * at the peak of every snapshot. Web pages, whose texts have some hundred KB, do not fragment the
 * heap of the thread that writes them. Call it before any thread starts. */
void memory_returns_blocks(void);

#endif
