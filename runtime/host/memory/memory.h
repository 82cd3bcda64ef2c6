/* memory.h -- memory without which there is no going on: for small things in many places, none of
 * which could say more than that memory has run out. */
#ifndef LEAT_HOST_MEMORY_MEMORY_H
#define LEAT_HOST_MEMORY_MEMORY_H

#include <stddef.h>

/* Memory of at least `bytes`, to be freed by free(); never NULL. When memory runs out the process
 * says so and ends with status 1, at once: other threads may be at work, so nothing is flushed or
 * cleaned up, as in a crash. Any thread. */
void *memory_take(size_t bytes);
/* The same, aligned to `align`, a power of two that divides `bytes`. */
void *memory_take_aligned(size_t align, size_t bytes);
/* What both do when memory runs out, for who has it from elsewhere. */
_Noreturn void memory_lost(void);

/* Before any thread: blocks from 64 KB on go back to the system as they are freed, so that what is
 * resident does not keep the peak of every snapshot, nor grow by pages that are asked for, whose
 * texts of some hundred KB would else break up the heap of the thread that writes them. */
void memory_returns_blocks(void);

#endif
