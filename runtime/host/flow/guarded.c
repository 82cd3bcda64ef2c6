/* guarded.c -- implementation of guarded.h. */
#include "guarded.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/plugin/call_trap.h"

enum { ALIGN = 64 };

struct guarded {
    struct guarded *next;
    char *block;
    size_t bytes; /* bytes of the block without its guard page */
};

static size_t guarded_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

void *guarded_take(struct guarded **all, size_t bytes, const char *name)
{
    const size_t page = guarded_page();
    size_t piece = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    size_t room = (piece + page - 1) & ~(page - 1);
    struct guarded *g = malloc(sizeof *g);
    char *block = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!g || block == MAP_FAILED || mprotect(block + room, page, PROT_NONE)) {
        if (block != MAP_FAILED) munmap(block, room + page);
        free(g);
        return NULL;
    }
    *g = (struct guarded){*all, block, room};
    *all = g;
    call_trap_guard(block + room, page, name);
    return block + room - piece;
}

void guarded_free(struct guarded *all)
{
    while (all) {
        struct guarded *next = all->next;
        call_trap_unguard(all->block + all->bytes);
        munmap(all->block, all->bytes + guarded_page());
        free(all);
        all = next;
    }
}
