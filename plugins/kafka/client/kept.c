/* kept.c -- implementation of kept.h. */
#include "kept.h"

#include <assert.h>
#include <stdlib.h>

/* Bytes of a chunk, unless a record is longer. */
enum { KEPT_CHUNK = 64 << 10 };

struct kept_chunk {
    struct kept_chunk *prev, *next; /* in kept.first; next also in kept.spare */
    size_t n, used, cap;            /* records; bytes that are used, and their limit */
    _Alignas(8) char bytes[];
};

size_t kept_growth(size_t bytes)
{
    size_t whole = bytes + sizeof(struct pending);
    return whole > KEPT_CHUNK ? whole : KEPT_CHUNK;
}

struct pending *kept_next(struct kept *k, size_t *room)
{
    struct kept_chunk *c = k->last;
    size_t left = c ? c->cap - c->used : 0;
    *room = left > sizeof(struct pending) ? left - sizeof(struct pending) : 0;
    return *room ? (struct pending *)(c->bytes + c->used) : NULL;
}

static struct kept_chunk *kept_chunk_new(struct kept *k, size_t cap)
{
    struct kept_chunk *c = cap == KEPT_CHUNK ? k->spare : NULL;
    if (c)
        k->spare = c->next;
    else
        c = malloc(sizeof *c + cap);
    if (c) *c = (struct kept_chunk){.next = k->first, .cap = cap};
    return c;
}

/* Removes a chunk without records. */
static void kept_chunk_end(struct kept *k, struct kept_chunk *c)
{
    if (c->prev) c->prev->next = c->next;
    if (c->next) c->next->prev = c->prev;
    if (k->first == c) k->first = c->next;
    if (k->last == c) k->last = NULL;
    k->bytes -= c->cap;
    if (c->cap > KEPT_CHUNK) {
        free(c);
        return;
    }
    c->next = k->spare;
    k->spare = c;
}

bool kept_grow(struct kept *k, size_t bytes)
{
    struct kept_chunk *c = kept_chunk_new(k, kept_growth(bytes));
    if (!c) return false;
    if (k->last && !k->last->n) kept_chunk_end(k, k->last);
    c->next = k->first;
    if (k->first) k->first->prev = c;
    k->first = k->last = c;
    k->bytes += c->cap;
    return true;
}

void kept_take(struct kept *k, struct pending *pending, size_t bytes)
{
    struct kept_chunk *c = k->last;
    pending->chunk = c;
    c->used += sizeof *pending + (bytes + 7) / 8 * 8;
    if (c->used > c->cap) c->used = c->cap;
    c->n++;
    k->n++;
}

void kept_drop(struct kept *k, struct pending *pending)
{
    struct kept_chunk *c = pending->chunk;
    assert(c->n && k->n);
    k->n--;
    if (--c->n) return;
    c->used = 0;
    if (c != k->last) kept_chunk_end(k, c);
}

static void kept_free_list(struct kept_chunk *c)
{
    for (struct kept_chunk *next; c; c = next) {
        next = c->next;
        free(c);
    }
}

void kept_free(struct kept *k)
{
    kept_free_list(k->first);
    kept_free_list(k->spare);
    *k = (struct kept){0};
}
