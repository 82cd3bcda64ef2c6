/* held.c -- implementation of held.h. */
#include "held.h"

#include <assert.h>
#include <string.h>

/* Header before the bytes of each item. */
struct held_head {
    uint32_t n;     /* bytes of the item                                                      */
    uint32_t entry; /* GONE if the item was removed; after held_mark() the index of its entry */
};
enum { PARTS = 16 };
static const uint32_t GONE = UINT32_MAX;

static struct held_head *held_head_at(const struct held *h, uint64_t at)
{
    return (struct held_head *)(void *)(h->bytes + at);
}

static uint64_t held_taken_by(uint32_t n)
{
    return sizeof(struct held_head) + (((uint64_t)n + 7) & ~7ull);
}

#define earlier(h, a, b) ((a).key < (b).key || ((a).key == (b).key && (a).at < (b).at))
HEAP(entries, struct held_entry, const struct held *, earlier)

void held_init(struct held *h, void *block, uint64_t size, uint32_t least)
{
    assert(size >= held_least(least));
    uint64_t max = size / (sizeof(struct held_entry) + held_taken_by(least));
    if (max > HELD_MAX) max = HELD_MAX;
    *h = (struct held){.entry = block, .max = (uint32_t)max};
    h->bytes = (char *)(h->entry + max);
    h->size = (size - max * sizeof *h->entry) & ~7ull;
}

uint32_t held_longest(const struct held *h)
{
    uint64_t n = h->size / PARTS - sizeof(struct held_head) - 7;
    return n > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uint32_t)n;
}

bool held_is_over(const struct held *h)
{
    return h->live > h->size - h->size / PARTS || h->n == h->max;
}

void held_mark(struct held *h)
{
    for (uint32_t i = 0; i < h->n; i++)
        held_head_at(h, h->entry[i].at)->entry = i;
}

/* Moves the live items to the beginning of the bytes, in order of arrival. This keeps the entries
 * a heap. */
static void held_move_together(struct held *h)
{
    uint64_t to = 0;
    held_mark(h);
    for (uint64_t from = 0, n; from < h->used; from += n) {
        const struct held_head *a = held_head_at(h, from);
        n = held_taken_by(a->n);
        if (a->entry == GONE) continue;
        h->entry[a->entry].at = to;
        memmove(h->bytes + to, a, n);
        to += n;
    }
    h->used = to;
}

void *held_add(struct held *h, uint64_t key, uint32_t n)
{
    assert(n && n <= held_longest(h) && !held_is_over(h));
    uint64_t taken = held_taken_by(n);
    if (taken > h->size - h->used) held_move_together(h);
    struct held_head *a = held_head_at(h, h->used);
    *a = (struct held_head){.n = n};
    h->entry[h->n] = (struct held_entry){key, h->used};
    entries_sift_up(h, h->entry, h->n++);
    h->used += taken;
    h->live += taken;
    return a + 1;
}

void *held_first(const struct held *h, uint32_t *n)
{
    assert(h->n);
    struct held_head *a = held_head_at(h, h->entry[0].at);
    *n = a->n;
    return a + 1;
}

void held_drop(struct held *h)
{
    assert(h->n);
    struct held_head *a = held_head_at(h, h->entry[0].at);
    a->entry = GONE;
    h->live -= held_taken_by(a->n);
    h->entry[0] = h->entry[--h->n];
    if (h->n)
        entries_sift_down(h, h->entry, h->n, 0);
    else
        h->used = 0;
}

void held_clear(struct held *h) { h->used = h->live = h->n = 0; }

void held_by_arrival(struct held *h)
{
    for (uint32_t i = 0; i < h->n; i++)
        h->entry[i].key = 0;
    for (uint32_t i = h->n / 2; i-- > 0;)
        entries_sift_down(h, h->entry, h->n, i);
}

void *held_next(const struct held *h, uint64_t *at, uint64_t *key, uint32_t *n)
{
    while (*at < h->used) {
        struct held_head *a = held_head_at(h, *at);
        *at += held_taken_by(a->n);
        if (a->entry == GONE) continue;
        *key = h->entry[a->entry].key;
        *n = a->n;
        return a + 1;
    }
    return NULL;
}

bool held_check(const struct held *h)
{
    uint64_t live = 0;
    for (uint32_t i = 0; i < h->n; i++) {
        const struct held_head *a = held_head_at(h, h->entry[i].at);
        if (h->entry[i].at >= h->used || a->entry == GONE) return false;
        if (i && earlier(h, h->entry[i], h->entry[(i - 1) / 2])) return false;
        live += held_taken_by(a->n);
    }
    return live == h->live && h->live <= h->used && h->used <= h->size;
}
