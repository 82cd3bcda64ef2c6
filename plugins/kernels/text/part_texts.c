/* part_texts.c -- implementation of part_texts.h. */
#include "part_texts.h"

#include <assert.h>
#include <string.h>

void part_texts_init(struct part_texts *p, void *memory, uint32_t blocks)
{
    *p = (struct part_texts){.next = memory, .blocks = blocks, .n_free = blocks};
    p->bytes = (char *)(p->next + blocks);
    for (uint32_t i = 0; i < blocks; i++)
        p->next[i] = i + 1;
}

static uint64_t part_texts_blocks(uint64_t n) { return (n + PART_BLOCK - 1) / PART_BLOCK; }

uint64_t part_texts_more(const struct part_text *t, uint64_t n)
{
    return part_texts_blocks(t->n + n) - part_texts_blocks(t->n);
}

/* Takes a free block for the end of the text. */
static void part_texts_take(struct part_texts *p, struct part_text *t)
{
    uint32_t block = p->free;
    assert(p->n_free);
    p->free = p->next[block];
    p->n_free--;
    if (t->n)
        p->next[t->last] = block;
    else
        t->first = block;
    t->last = block;
}

void part_texts_add(struct part_texts *p, struct part_text *t, const char *bytes, size_t n)
{
    while (n) {
        size_t used = t->n % PART_BLOCK, room = PART_BLOCK - used, some = n < room ? n : room;
        if (!used) part_texts_take(p, t);
        memcpy(p->bytes + (size_t)t->last * PART_BLOCK + used, bytes, some);
        t->n += some;
        bytes += some;
        n -= some;
    }
}

void part_texts_copy(const struct part_texts *p, const struct part_text *t, char *to)
{
    uint32_t block = t->first;
    for (uint64_t left = t->n; left; block = p->next[block]) {
        size_t some = left < PART_BLOCK ? (size_t)left : PART_BLOCK;
        memcpy(to, p->bytes + (size_t)block * PART_BLOCK, some);
        to += some;
        left -= some;
    }
}

void part_texts_drop(struct part_texts *p, struct part_text *t)
{
    if (t->n) {
        p->next[t->last] = p->free;
        p->free = t->first;
        p->n_free += (uint32_t)part_texts_blocks(t->n);
    }
    *t = (struct part_text){.n = 0};
}
