/* groups.h -- hash table of states, one for each key in each pane of time, in fixed memory.
 *
 * A pane is a span of time, identified by a number. A group is the state of one key in one pane: a
 * cell of bytes that only the caller interprets. Panes are in the order of their numbers, and the
 * groups of a pane in the order in which they were added.
 *
 *     pane      5 ----------------> 6 --------> 9
 *     groups    a -> b -> c -> d    a -> d      b
 *     index     finds a group by a hash of (pane, key)
 *
 * Everything is in one block that never grows. A key is a string of at most key_bytes bytes of any
 * value; all of its bytes are compared. The order of groups, and so of results, depends only on the
 * order in which they were added.
 *
 * Example. With max = 2, the keys a and b in pane 5 take both groups. Then key a in pane 6 gets no
 * group. After pane 5 is dropped, key a in pane 6 gets a group, with a zeroed cell.
 *
 * Cost: O(1) to find a group, O(log panes) to find a pane; a new pane moves the panes after it.
 */
#ifndef LEAT_KERNELS_WINDOW_GROUPS_H
#define LEAT_KERNELS_WINDOW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/mix64.h"

/* GROUPS_RECENT_BITS: groups_recent() knows at most 2^10 groups. */
enum { GROUPS_NONE = UINT32_MAX, GROUPS_MAX = 1 << 28, GROUPS_RECENT_BITS = 10 };

struct group {
    uint64_t hash;
    uint32_t next;  /* next group of the pane, or next free group; GROUPS_NONE: none */
    uint32_t n_key; /* GROUPS_NONE: the group is free */
    int64_t pane;
    /* memory after this struct: the cell, then the key */
};

struct pane {
    int64_t number;
    uint32_t first, last, n; /* first and last group of the pane; number of groups */
};

struct groups {
    uint32_t max, max_panes;
    uint32_t key_bytes, cell_bytes, stride;
    uint32_t n, n_panes;
    uint32_t fresh, free; /* first group never used; first group of the free list, or GROUPS_NONE */
    uint32_t slots;       /* length of `index`: a power of two, at least 4/3 of max               */
    uint32_t *index;      /* number of a group + 1; 0: empty slot                                 */
    struct pane *panes;   /* array of 2 max_panes                                                 */
    struct pane *pane;    /* panes in use, a part of `panes`; dropping the first is O(1)          */
    char *group;
    struct {
        uint64_t mark;
        struct group *group; /* NULL: none */
    } recent[1 << GROUPS_RECENT_BITS];
};

/* Returns the bytes of the block. cell_bytes: a multiple of 8. max: 1 .. GROUPS_MAX; max_panes: at
 * least 1. */
size_t groups_block_bytes(uint32_t max, uint32_t max_panes, uint32_t key_bytes,
                          uint32_t cell_bytes);
/* Initialises an empty table. block: groups_block_bytes() zeroed bytes, aligned to 8. */
void groups_init(struct groups *g, uint32_t max, uint32_t max_panes, uint32_t key_bytes,
                 uint32_t cell_bytes, void *block);
static inline struct group *groups_at(const struct groups *g, uint32_t i)
{
    return (struct group *)(void *)(g->group + (size_t)i * g->stride);
}

static inline void *group_cell(const struct group *a) { return (char *)(uintptr_t)a + sizeof *a; }

static inline const char *group_key(const struct groups *g, const struct group *a)
{
    return (const char *)group_cell(a) + g->cell_bytes;
}

uint64_t groups_hash(const void *key, size_t n);

/* Returns a group of this pane that groups_remember() got with this mark; NULL if it has forgotten
 * it. The mark is a weak hash of a key. The caller compares the key of the group. */
static inline struct group *groups_recent(const struct groups *g, int64_t pane, uint64_t mark)
{
    const uint32_t at = (uint32_t)(mark * MIX64_GOLDEN >> (64 - GROUPS_RECENT_BITS));
    struct group *a = g->recent[at].group;
    const bool live = a && g->recent[at].mark == mark && a->n_key != GROUPS_NONE;
    return live && a->pane == pane ? a : NULL;
}

/* Lets groups_recent() find the group, in place of an older one. */
static inline void groups_remember(struct groups *g, struct group *a, uint64_t mark)
{
    const uint32_t at = (uint32_t)(mark * MIX64_GOLDEN >> (64 - GROUPS_RECENT_BITS));
    g->recent[at].mark = mark;
    g->recent[at].group = a;
}

/* Fetch into the cache what groups_take() will read of a key: its slot of the index, then the group
 * in that slot. With many groups, call each for several keys before the next step. groups_fetch()
 * returns the slot. */
uint32_t groups_fetch(const struct groups *g, int64_t pane, uint64_t hash);
void groups_fetch_group(const struct groups *g, uint32_t slot);

/* Returns the group of a key in a pane, or NULL if there is none. */
struct group *groups_find(const struct groups *g, int64_t pane, const void *key, uint32_t n_key,
                          uint64_t hash);

/* Returns the group of a key in a pane; if there is none, adds one with a zeroed cell and sets
 * *is_new to true. Returns NULL if all groups, or all panes, are taken. n_key is at most
 * key_bytes. */
struct group *groups_take(struct groups *g, int64_t pane, const void *key, uint32_t n_key,
                          uint64_t hash, bool *is_new);

/* Drops the pane with the lowest number, and its groups. There must be a pane. */
void groups_drop_first(struct groups *g);

void groups_clear(struct groups *g);

/* True if the index finds all groups of all panes and nothing else. For tests and debug checks. */
bool groups_check(const struct groups *g);

#endif
