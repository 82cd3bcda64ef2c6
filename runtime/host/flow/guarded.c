/* guarded.c -- implementation of guarded.h. */
#include "guarded.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "host/plugin/call_trap.h"

enum { PAGE = 4096, ALIGN = 64 };

struct guarded {
    struct guarded *next;
    char *block;
    size_t bytes; /* bytes of the block without its guard page */
};

void *guarded_take(struct guarded **all, size_t bytes, const char *name)
{
    size_t piece = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    size_t room = (piece + PAGE - 1) & ~(size_t)(PAGE - 1);
    struct guarded *g = malloc(sizeof *g);
    char *block = mmap(NULL, room + PAGE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!g || block == MAP_FAILED || mprotect(block + room, PAGE, PROT_NONE)) {
        if (block != MAP_FAILED) munmap(block, room + PAGE);
        free(g);
        return NULL;
    }
    *g = (struct guarded){*all, block, room};
    *all = g;
    call_trap_guard(block + room, PAGE, name);
    return block + room - piece;
}

void guarded_free(struct guarded *all)
{
    while (all) {
        struct guarded *next = all->next;
        call_trap_unguard(all->block + all->bytes);
        munmap(all->block, all->bytes + PAGE);
        free(all);
        all = next;
    }
}
