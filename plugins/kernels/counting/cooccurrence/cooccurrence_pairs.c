/* cooccurrence_pairs.c -- the hash table that finds kept pairs by their tokens
 *
 * Open addressing with linear probes. A pair's home is given by the top bits of its mix. Its place
 * is the home or a later one, and no place between them is free. The table has at least two places
 * for each pair, so a search ends soon. It grows as pairs come, and few pairs touch little of it.
 *
 *   home 5:  [5] slot 7   [6] slot 2 (home 5)   [7] slot 9 (home 6)   [8] free
 *
 * If slot 2 leaves, slot 9 moves to place 6, so that its search does not end at a free place.
 */
#include "cooccurrence_inside.h"

#include <assert.h>
#include <string.h>

static uint32_t log2_places(uint32_t capacity)
{
    uint32_t bits = 2;
    while ((1ull << bits) < 2 * (uint64_t)capacity)
        bits++;
    return bits;
}

size_t pairs_places(uint32_t capacity) { return (size_t)1 << log2_places(capacity); }

static uint64_t mix_of(const struct cooccurrence *m, uint32_t slot)
{
    return id_slots_mix(m->opt.seed, m->pair.at[slot].folded);
}

static uint32_t last_place(const struct cooccurrence_pairs *p)
{
    return (uint32_t)(UINT64_MAX >> p->shift);
}

void pairs_link(struct cooccurrence *m, uint32_t slot)
{
    struct cooccurrence_pairs *p = &m->pair;
    uint64_t mix = mix_of(m, slot);
    uint32_t at = (uint32_t)(mix >> p->shift);
    while (p->place[at])
        at = (at + 1) & last_place(p);
    p->place[at] = place_of(mix, slot);
}

void pairs_unlink(struct cooccurrence *m, uint32_t slot)
{
    struct cooccurrence_pairs *p = &m->pair;
    uint32_t gap = (uint32_t)(mix_of(m, slot) >> p->shift), last = last_place(p);
    while (place_slot(p->place[gap]) != slot)
        gap = (gap + 1) & last;
    for (uint32_t at = (gap + 1) & last; p->place[at]; at = (at + 1) & last) {
        uint32_t home = (uint32_t)(mix_of(m, place_slot(p->place[at])) >> p->shift);
        if (((at - home) & last) < ((at - gap) & last)) continue; /* its home is after the gap */
        p->place[gap] = p->place[at];
        gap = at;
    }
    p->place[gap] = 0;
}

void pairs_rebuild(struct cooccurrence *m)
{
    struct cooccurrence_pairs *p = &m->pair;
    assert(p->n <= m->shape.kept);
    if (!p->made_for) p->made_for = ID_SLOTS_FEW;
    while (p->made_for < p->n)
        p->made_for *= 2;
    if (p->made_for > m->shape.kept) p->made_for = m->shape.kept;
    p->shift = 64 - log2_places(p->made_for);
    memset(p->place, 0, pairs_places(p->made_for) * sizeof *p->place);
    for (uint32_t slot = 0; slot < p->n; slot++)
        pairs_link(m, slot);
}

uint32_t pairs_take(struct cooccurrence *m)
{
    struct cooccurrence_pairs *p = &m->pair;
    assert(p->n < m->shape.kept);
    if (p->n == p->made_for) {
        p->made_for *= 2;
        pairs_rebuild(m);
    }
    return p->n++;
}

void pairs_mark_raised(struct cooccurrence *m)
{
    struct cooccurrence_pairs *p = &m->pair;
    for (uint32_t i = 0; i < m->shape.pair_width; i++) {
        uint32_t group = i >> p->group_shift;
        p->raised[group / 64] |= (uint64_t)(p->cell[i] > 0) << group % 64;
    }
}

const char *pairs_check(const struct cooccurrence *m)
{
    const struct cooccurrence_pairs *p = &m->pair;
    uint32_t linked = 0;
    for (size_t at = 0; at <= last_place(p); at++) {
        if (!p->place[at]) continue;
        if (place_slot(p->place[at]) >= p->n) return "a pair that is not kept has a place";
        linked++;
    }
    if (linked != p->n) return "a pair has no place, or several";
    for (uint32_t slot = 0; slot < p->n; slot++)
        if (pairs_seek(m, p->at[slot].first, p->at[slot].second, mix_of(m, slot)) != slot)
            return "a pair has two slots";
    return NULL;
}
