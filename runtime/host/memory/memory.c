/* memory.c -- implementation of memory.h. */
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <malloc.h>

#include <leat/plugin.h>

#include "host/log/log.h"
#include "core/process_end.h"

enum { EXIT_STATUS = 1, RETURNED_BYTES = 1 << 16 };

_Noreturn static void lost(const char *what)
{
    log_set_level(LEAT_ERROR);
    log_hush(false); /* the thread may have suppressed its messages */
    log_message(LEAT_ERROR,
                "the system gives no %s more: free memory, or lower budgets, batch_bytes or "
                "batch_rows (leat check lists the memory of each part)",
                what);
    process_end(EXIT_STATUS);
}

void memory_lost(void) { lost("memory"); }

void memory_returns_blocks(void)
{
    /* Fixes the threshold. Otherwise glibc raises it whenever a larger block is freed. */
    mallopt(M_MMAP_THRESHOLD, RETURNED_BYTES);
}

static void *or_end(void *p, size_t bytes)
{
    char what[40];
    if (p) return p;
    snprintf(what, sizeof what, "%zu bytes", bytes);
    lost(what);
}

void *memory_take(size_t bytes) { return or_end(malloc(bytes ? bytes : 1), bytes); }

void *memory_take_aligned(size_t align, size_t bytes)
{
    return or_end(aligned_alloc(align, bytes), bytes);
}
