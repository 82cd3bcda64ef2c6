/* arena.c -- implementation of arena.h: a list of blocks. A large request gets a separate block. */
#include "arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

enum { BLOCK_BYTES = 16384, ALIGN = 64 };

struct arena_block {
    struct arena_block *previous;
    size_t used, cap;
    char *bytes;
};

static struct arena_block *block_new(size_t cap)
{
    struct arena_block *b = memory_take(sizeof *b);
    *b = (struct arena_block){.cap = cap, .bytes = memory_take_aligned(ALIGN, cap)};
    return b;
}

void *arena_alloc(struct arena *a, size_t bytes)
{
    size_t need = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    if (!a->last || a->last->cap - a->last->used < need) {
        struct arena_block *b = block_new(need > BLOCK_BYTES ? need : BLOCK_BYTES);
        b->previous = a->last;
        a->last = b;
    }
    char *p = a->last->bytes + a->last->used;
    a->last->used += need;
    return memset(p, 0, need);
}

void *arena_grow(struct arena *a, const void *array, size_t n, size_t *cap, size_t element_bytes)
{
    *cap = *cap ? 2 * *cap : 64;
    void *more = arena_alloc(a, *cap * element_bytes);
    if (n) memcpy(more, array, n * element_bytes);
    return more;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *arena_strdup(struct arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_vprintf(struct arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *p = arena_alloc(a, (size_t)(n > 0 ? n : 0) + 1);
    vsnprintf(p, (size_t)(n > 0 ? n : 0) + 1, format, args);
    return p;
}

char *arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *p = arena_vprintf(a, format, args);
    va_end(args);
    return p;
}

void arena_free(struct arena *a)
{
    while (a->last) {
        struct arena_block *b = a->last;
        a->last = b->previous;
        free(b->bytes);
        free(b);
    }
}
