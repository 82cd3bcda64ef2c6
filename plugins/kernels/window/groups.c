/* groups.c -- implementation of groups.h. */
#include "groups.h"

#include <assert.h>
#include <string.h>

#include "kernels/base/feature_id.h"

static uint32_t groups_align8(uint32_t n) { return (n + 7) & ~7u; }

static uint32_t groups_slots_for(uint32_t max)
{
    uint32_t slots = 4;
    while (slots < max + max / 3)
        slots *= 2;
    return slots;
}

static uint32_t groups_stride_of(uint32_t key_bytes, uint32_t cell_bytes)
{
    return (uint32_t)sizeof(struct group) + cell_bytes + groups_align8(key_bytes);
}

size_t groups_block_bytes(uint32_t max, uint32_t max_panes, uint32_t key_bytes, uint32_t cell_bytes)
{
    return 2 * (size_t)max_panes * sizeof(struct pane) + groups_slots_for(max) * sizeof(uint32_t) +
           (size_t)max * groups_stride_of(key_bytes, cell_bytes);
}

void groups_init(struct groups *g, uint32_t max, uint32_t max_panes, uint32_t key_bytes,
                 uint32_t cell_bytes, void *block)
{
    assert(max && max <= GROUPS_MAX && max_panes && cell_bytes % 8 == 0);
    char *at = block;
    *g = (struct groups){.max = max,
                         .max_panes = max_panes,
                         .key_bytes = key_bytes,
                         .cell_bytes = cell_bytes,
                         .stride = groups_stride_of(key_bytes, cell_bytes),
                         .free = GROUPS_NONE,
                         .slots = groups_slots_for(max),
                         .panes = block,
                         .pane = block};
    g->group = at += 2 * (size_t)max_panes * sizeof *g->pane;
    g->index = (uint32_t *)(void *)(at + (size_t)max * g->stride);
}

/* ---- index ---- */

uint64_t groups_hash(const void *key, size_t n) { return feature_id_name(key, n); }

static uint32_t groups_home(const struct groups *g, int64_t pane, uint64_t hash)
{
    return (uint32_t)mix64(hash + (uint64_t)pane * MIX64_GOLDEN) & (g->slots - 1);
}

uint32_t groups_fetch(const struct groups *g, int64_t pane, uint64_t hash)
{
    const uint32_t slot = groups_home(g, pane, hash);
    __builtin_prefetch(&g->index[slot]);
    return slot;
}

void groups_fetch_group(const struct groups *g, uint32_t slot)
{
    enum { LINE = 64 };
    if (!g->index[slot]) return;
    const char *a = (const char *)groups_at(g, g->index[slot] - 1);
    __builtin_prefetch(a, 1);
    __builtin_prefetch(a + LINE, 1);
}

static bool groups_is_group(const struct groups *g, const struct group *a, int64_t pane,
                            const void *key, uint32_t n_key, uint64_t hash)
{
    return a->hash == hash && a->pane == pane && a->n_key == n_key &&
           (!n_key || !memcmp(group_key(g, a), key, n_key));
}

/* Returns the index slot of a group, or the empty slot where it is to be inserted. */
static uint32_t groups_slot_of(const struct groups *g, int64_t pane, const void *key,
                               uint32_t n_key, uint64_t hash)
{
    uint32_t s = groups_home(g, pane, hash);
    while (g->index[s] &&
           !groups_is_group(g, groups_at(g, g->index[s] - 1), pane, key, n_key, hash))
        s = (s + 1) & (g->slots - 1);
    return s;
}

/* Empties a slot. Moves groups in later slots up if a search could not find them otherwise. */
static void groups_empty_slot(struct groups *g, uint32_t s)
{
    uint32_t mask = g->slots - 1;
    for (uint32_t next = (s + 1) & mask; g->index[next]; next = (next + 1) & mask) {
        const struct group *a = groups_at(g, g->index[next] - 1);
        uint32_t far = (next - groups_home(g, a->pane, a->hash)) & mask;
        if (far < ((next - s) & mask)) continue;
        g->index[s] = g->index[next];
        s = next;
    }
    g->index[s] = 0;
}

struct group *groups_find(const struct groups *g, int64_t pane, const void *key, uint32_t n_key,
                          uint64_t hash)
{
    uint32_t i = g->index[groups_slot_of(g, pane, key, n_key, hash)];
    return i ? groups_at(g, i - 1) : NULL;
}

/* ---- panes ---- */

/* Returns the index of a pane in `pane`, or the index where it is to be inserted. */
static uint32_t groups_place_of(const struct groups *g, int64_t number)
{
    uint32_t least = 0, most = g->n_panes;
    if (most && g->pane[most - 1].number < number) return most;
    while (least < most) {
        uint32_t middle = least + (most - least) / 2;
        if (g->pane[middle].number < number)
            least = middle + 1;
        else
            most = middle;
    }
    return least;
}

static struct pane *groups_take_pane(struct groups *g, int64_t number)
{
    uint32_t at = groups_place_of(g, number);
    if (at < g->n_panes && g->pane[at].number == number) return &g->pane[at];
    if (g->n_panes == g->max_panes) return NULL;
    if (g->pane + g->n_panes == g->panes + 2 * (size_t)g->max_panes) {
        memmove(g->panes, g->pane, g->n_panes * sizeof *g->pane);
        g->pane = g->panes;
    }
    struct pane *p = &g->pane[at];
    memmove(p + 1, p, (g->n_panes++ - at) * sizeof *p);
    *p = (struct pane){.number = number, .first = GROUPS_NONE, .last = GROUPS_NONE};
    return p;
}

/* ---- groups ---- */

static uint32_t groups_take_place(struct groups *g)
{
    uint32_t i = g->free;
    if (i == GROUPS_NONE) return g->fresh++;
    g->free = groups_at(g, i)->next;
    return i;
}

static void groups_append(struct groups *g, struct pane *p, uint32_t i)
{
    if (p->n++)
        groups_at(g, p->last)->next = i;
    else
        p->first = i;
    p->last = i;
}

struct group *groups_take(struct groups *g, int64_t pane, const void *key, uint32_t n_key,
                          uint64_t hash, bool *is_new)
{
    assert(n_key <= g->key_bytes);
    uint32_t s = groups_slot_of(g, pane, key, n_key, hash);
    *is_new = !g->index[s];
    if (g->index[s]) return groups_at(g, g->index[s] - 1);
    struct pane *p = g->n < g->max ? groups_take_pane(g, pane) : NULL;
    if (!p) return NULL;
    uint32_t i = groups_take_place(g);
    struct group *a = groups_at(g, i);
    *a = (struct group){.hash = hash, .next = GROUPS_NONE, .n_key = n_key, .pane = pane};
    memset(group_cell(a), 0, g->cell_bytes);
    if (n_key) memcpy((char *)group_cell(a) + g->cell_bytes, key, n_key);
    groups_append(g, p, i);
    g->index[s] = i + 1;
    g->n++;
    return a;
}

static void groups_forget(struct groups *g, uint32_t i)
{
    struct group *a = groups_at(g, i);
    groups_empty_slot(g, groups_slot_of(g, a->pane, group_key(g, a), a->n_key, a->hash));
    a->n_key = GROUPS_NONE;
    a->next = g->free;
    g->free = i;
    g->n--;
}

void groups_drop_first(struct groups *g)
{
    assert(g->n_panes);
    for (uint32_t i = g->pane[0].first, next; i != GROUPS_NONE; i = next) {
        next = groups_at(g, i)->next;
        groups_forget(g, i);
    }
    g->pane++;
    g->n_panes--;
}

void groups_clear(struct groups *g)
{
    while (g->n_panes)
        groups_drop_first(g);
}

bool groups_check(const struct groups *g)
{
    uint32_t found = 0, indexed = 0;
    for (uint32_t k = 0; k < g->n_panes; k++) {
        const struct pane *p = &g->pane[k];
        uint32_t of_pane = 0;
        if (k && p[-1].number >= p->number) return false;
        for (uint32_t i = p->first; i != GROUPS_NONE; i = groups_at(g, i)->next, of_pane++) {
            const struct group *a = groups_at(g, i);
            if (a->pane != p->number || of_pane == p->n) return false;
            if (groups_find(g, a->pane, group_key(g, a), a->n_key, a->hash) != a) return false;
        }
        if (of_pane != p->n || !of_pane) return false;
        found += of_pane;
    }
    for (uint32_t s = 0; s < g->slots; s++)
        indexed += g->index[s] != 0;
    return found == g->n && indexed == g->n && g->n <= g->max;
}
