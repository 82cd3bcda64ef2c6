/* memory.c -- see memory.h. */
#include "memory.h"

#include <stdlib.h>
#include <unistd.h>

#include <leat/plugin.h>

#include "log.h"

enum { EXIT_STATUS = 1 };

static void *or_end(void *p, size_t bytes)
{
    if (p) return p;
    log_set_level(LEAT_ERROR); /* a look at a header is silent */
    log_message(LEAT_ERROR,
                "the system gives no %zu bytes more: free memory, or lower budgets, batch_bytes or "
                "batch_rows (leat check lists what takes how much)",
                bytes);
    _exit(EXIT_STATUS);
}

void *memory_take(size_t bytes) { return or_end(malloc(bytes ? bytes : 1), bytes); }

void *memory_take_aligned(size_t align, size_t bytes)
{
    return or_end(aligned_alloc(align, bytes), bytes);
}
