/* memory.h -- memory without which the process cannot continue.
 *
 * For small allocations in many places, none of which could handle a failure better. */
#ifndef LEAT_HOST_MEMORY_MEMORY_H
#define LEAT_HOST_MEMORY_MEMORY_H

#include <stddef.h>

/* Returns memory of at least `bytes`, to be freed by free(); never NULL. If memory runs out, the
 * process prints that and ends at once with status 1. Other threads may be at work, so nothing is
 * flushed or cleaned up, as in a crash. Any thread. */
void *memory_take(size_t bytes);
/* Returns memory aligned to `align`, a power of two that divides `bytes`; otherwise like
 * memory_take. */
void *memory_take_aligned(size_t align, size_t bytes);
/* Ends the process like memory_take, for callers whose memory comes from elsewhere. */
_Noreturn void memory_lost(void);

/* Makes blocks of 64 KB and more go back to the system when freed. So the resident memory does not
 * stay at the peak of every snapshot. It does not grow with each served page either, whose texts of
 * some hundred KB would fragment the heap of the writing thread. Call it before any thread
 * starts. */
void memory_returns_blocks(void);

#endif
