/* groups.h -- what is summed up for each key in each pane of time, in a fixed number of bytes.
 *
 * A pane is a span of time, with a number. A group is what one key has in one pane: a cell of bytes
 * that is the caller's. The panes that are open lie in the order of their numbers, the groups of
 * each in the order in which they came.
 *
 *     pane      5 ----------------> 6 --------> 9
 *     groups    a -> b -> c -> d    a -> d      b
 *     index     by hash of (pane, key): the place of a group
 *
 * Everything lies in one block that never grows. A key is any bytes, at most key_bytes of them, and
 * is compared by all of them. The order of the groups, and so of all that is made of them, depends
 * on the order in which they came alone.
 *
 * Cost: a group is found in O(1), a pane in O(log panes); a new pane moves the panes after it.
 */
#ifndef LEAT_KERNELS_WINDOW_GROUPS_H
#define LEAT_KERNELS_WINDOW_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GROUPS_NONE = UINT32_MAX, GROUPS_MAX = 1 << 28 };

struct group {
    uint64_t hash;
    uint32_t next; /* of its pane, or of the free ones; GROUPS_NONE: the last */
    uint32_t n_key;
    int64_t pane;
    /* then the cell, then the key */
};

struct pane {
    int64_t number;
    uint32_t first, last, n; /* groups */
};

struct groups {
    uint32_t max, max_panes;
    uint32_t key_bytes, cell_bytes, stride;
    uint32_t n, n_panes;
    uint32_t fresh, free; /* groups from here on were never used; used ones, GROUPS_NONE: none */
    uint32_t slots;       /* of the index: a power of two, at least 4/3 of max */
    uint32_t *index;      /* group + 1; 0: none                                 */
    struct pane *panes;   /* 2 max_panes                                             */
    struct pane *pane;    /* those that are open, somewhere in them: the first is dropped in O(1) */
    char *group;
};

/* cell_bytes: a multiple of 8. max: 1 .. GROUPS_MAX; max_panes: at least 1. */
size_t groups_block_bytes(uint32_t max, uint32_t max_panes, uint32_t key_bytes,
                          uint32_t cell_bytes);
/* block: zeroed, aligned to 8. */
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

/* The group of a key in a pane; NULL: it has none. */
struct group *groups_find(const struct groups *g, int64_t pane, const void *key, uint32_t n_key,
                          uint64_t hash);

/* The same, or a new one with a zeroed cell (*is_new). NULL: all groups, or all panes, are taken.
 * n_key is at most key_bytes. */
struct group *groups_take(struct groups *g, int64_t pane, const void *key, uint32_t n_key,
                          uint64_t hash, bool *is_new);

/* Forgets the pane of the lowest number, with its groups. There is one. */
void groups_drop_first(struct groups *g);

void groups_clear(struct groups *g);

/* Are all groups of all panes found, and nothing else in the index? For tests and CHECKS. */
bool groups_check(const struct groups *g);

#endif
