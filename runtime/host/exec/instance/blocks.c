/* blocks.c -- see blocks.h. */
#include "blocks.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Before what a stage gets, which is aligned to HEAD bytes. */
enum { HEAD = 64 };
struct block {
    struct block *next, *before;
    size_t bytes;
    void *allocated;
};

/* From here on the pages that are used count, not all. Such a block has a mapping of its own. */
enum { LARGE = 1 << 20, PAGES = 4096 };

static struct block *block_of(void *p) { return (struct block *)(void *)((char *)p - HEAD); }

/* ---- what is used ---- */

/* Pages of `page` bytes from `from` on that the system has given. */
static size_t count_given(char *from, size_t pages, size_t page)
{
    unsigned char given[PAGES];
    size_t n = 0;
    for (size_t at = 0, some; at < pages; at += some) {
        some = pages - at < PAGES ? pages - at : PAGES;
        if (mincore(from + at * page, some * page, given)) return pages;
        for (size_t k = 0; k < some; k++)
            n += given[k] & 1;
    }
    return n;
}

static uint64_t used_of(const struct block *b)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *from = (char *)b->allocated - (uintptr_t)b->allocated % page,
         *end = (char *)b + HEAD + b->bytes;
    size_t used = page * count_given(from, ((size_t)(end - from) + page - 1) / page, page);
    return used < b->bytes ? used : b->bytes;
}

uint64_t blocks_used(struct instance *i)
{
    uint64_t used = i->memory.small_bytes;
    for (const struct block *b = i->memory.blocks; b; b = b->next)
        if (b->bytes >= LARGE) used += used_of(b);
    if (used > atomic_load(&i->memory.most_used)) atomic_store(&i->memory.most_used, used);
    return i->memory.used = used;
}

void blocks_settle(struct instance *i)
{
    atomic_store(&i->memory.most_used, 0);
    blocks_used(i);
}

/* ---- take, give back ---- */

static void count_small(struct instance *i, size_t bytes)
{
    i->memory.small_bytes += bytes;
    if (i->memory.small_bytes > atomic_load(&i->memory.most_used))
        atomic_store(&i->memory.most_used, i->memory.small_bytes);
}

void *blocks_take(struct instance *i, size_t bytes)
{
    if (bytes > SIZE_MAX - 3 * HEAD) return NULL;
    size_t whole = ((bytes + HEAD - 1) & ~(size_t)(HEAD - 1)) + 2 * HEAD;
    char *allocated = calloc(whole, 1);
    if (!allocated) return NULL;
    char *p = allocated + 2 * HEAD - (uintptr_t)allocated % HEAD;
    struct block *b = block_of(p);
    *b = (struct block){i->memory.blocks, NULL, bytes, allocated};
    if (i->memory.blocks) i->memory.blocks->before = b;
    i->memory.blocks = b;
    i->memory.bytes += bytes;
    if (bytes < LARGE) count_small(i, bytes);
    return p;
}

size_t blocks_give_back(struct instance *i, void *p)
{
    struct block *b = block_of(p);
    size_t bytes = b->bytes;
    if (bytes >= LARGE)
        blocks_used(i); /* with what is given back now */
    else
        i->memory.small_bytes -= bytes;
    if (b->next) b->next->before = b->before;
    *(b->before ? &b->before->next : &i->memory.blocks) = b->next;
    i->memory.bytes -= bytes;
    free(b->allocated);
    return bytes;
}

void blocks_give_back_all(struct instance *i)
{
    while (i->memory.blocks)
        blocks_give_back(i, (char *)i->memory.blocks + HEAD);
}
