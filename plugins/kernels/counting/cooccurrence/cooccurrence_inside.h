/* cooccurrence_inside.h -- cells of the sketches, ids and worth of pairs; only for this folder.
 */
#ifndef LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_INSIDE_H
#define LEAT_KERNELS_COUNTING_COOCCURRENCE_COOCCURRENCE_INSIDE_H

#include "cooccurrence.h"
#include "kernels/base/feature_id.h"

enum { UNKNOWN = UINT8_MAX }; /* largest value of a cell: gives no upper bound */

static inline uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* An id to be looked up in an index, with its id_slots_mix(). */
struct cooccurrence_sought {
    uint64_t id, mix;
};

/* ---- the sketches ---- */

/* Returns the index of an id's cell in a row. Row 0 uses the upper half of the mix, row 1 the lower
 * half, row 2 the middle. */
static inline uint32_t cell_index(uint32_t width, uint32_t row, uint64_t mix)
{
    static const uint8_t shift[COOCCURRENCE_TOKEN_DEPTH] = {32, 0, 16};
    uint32_t half = (uint32_t)(mix >> shift[row]);
    return (uint32_t)((uint64_t)half * width >> 32);
}

static inline uint8_t *cell_of(uint8_t *cells, uint32_t width, uint32_t row, uint64_t mix)
{
    return &cells[(size_t)row * width + cell_index(width, row, mix)];
}

static inline uint8_t least_cell(uint8_t *cells, uint32_t width, uint32_t depth, uint64_t mix)
{
    uint8_t least = UNKNOWN;
    for (uint32_t row = 0; row < depth; row++) {
        uint8_t c = *cell_of(cells, width, row, mix);
        least = c < least ? c : least;
    }
    return least;
}

/* Raises those cells of an id that are below `to` (conservative update). */
static inline void raise_cells(uint8_t *cells, uint32_t width, uint32_t depth, uint64_t mix,
                               uint8_t to)
{
    for (uint32_t row = 0; row < depth; row++) {
        uint8_t *c = cell_of(cells, width, row, mix);
        *c = to > *c ? to : *c;
    }
}

/* Returns the mix that selects the cells of a token or pair with this id. */
static inline uint64_t cell_mix(const struct cooccurrence *m, uint64_t id)
{
    return mix64(id + m->opt.seed);
}

/* Returns an upper bound of the count of a token that is not kept. */
static inline uint32_t token_bound(const struct cooccurrence *m, uint64_t mix)
{
    uint8_t code = least_cell(m->token.cell, m->shape.token_width, COOCCURRENCE_TOKEN_DEPTH, mix);
    uint32_t all = m->n_tokens < UINT32_MAX ? (uint32_t)m->n_tokens : UINT32_MAX;
    return code == UNKNOWN ? all : min_u32(all, cooccurrence_decode(code));
}

static inline void token_raise(struct cooccurrence *m, uint64_t mix, uint32_t count)
{
    raise_cells(m->token.cell, m->shape.token_width, COOCCURRENCE_TOKEN_DEPTH, mix,
                cooccurrence_encode(count));
}

/* Returns the group of the pair's cell in row 0. While hardly a pair has left, most groups have no
 * raised cell, and a large model does not miss the cache for its cells. */
static inline uint32_t pair_cell_group(const struct cooccurrence *m, uint64_t mix)
{
    return (uint32_t)((mix >> 32) * m->shape.pair_width >> 32) >> m->pair.group_shift;
}

/* Returns an upper bound of the count of a pair that is not kept, or UINT32_MAX if the
 * cells give none. */
static inline uint32_t pair_bound(const struct cooccurrence *m, uint64_t mix)
{
    uint32_t group = pair_cell_group(m, mix);
    if (!(m->pair.raised[group / 64] >> group % 64 & 1)) return 0;
    uint8_t c = least_cell(m->pair.cell, m->shape.pair_width, COOCCURRENCE_PAIR_DEPTH, mix);
    return c == UNKNOWN ? UINT32_MAX : c;
}

static inline void pair_raise(struct cooccurrence *m, uint64_t mix, uint32_t count)
{
    uint32_t group = pair_cell_group(m, mix);
    m->pair.raised[group / 64] |= 1ull << group % 64;
    raise_cells(m->pair.cell, m->shape.pair_width, COOCCURRENCE_PAIR_DEPTH, mix,
                (uint8_t)min_u32(count, UNKNOWN));
}

/* ---- pairs ---- */

static inline uint64_t pair_id(const struct cooccurrence *m, uint32_t first, uint32_t second)
{
    return feature_id_pair(feature_id_part(m->token.index.wide[first]),
                           feature_id_part(m->token.index.wide[second]), m->opt.ordered);
}

/* Returns how many pairs one occurrence of a token can make at most. */
static inline uint64_t reach_by(const struct cooccurrence_options *o)
{
    return (uint64_t)(o->window - 1) * (o->ordered ? 1 : 2);
}

/* Returns the worth of a pair, as defined in cooccurrence.h. The pair came at least `low` times,
 * its tokens n_u and n_v times. */
static inline float worth_of(const struct cooccurrence *m, uint32_t low, uint32_t n_u, uint32_t n_v)
{
    uint32_t lack = low < m->opt.min_count ? m->opt.min_count - low : 0;
    double share = lack ? (double)low / m->opt.min_count : 1;
    return (float)(share * (low + lack) / (((double)n_u + lack) * ((double)n_v + lack)));
}

static inline bool is_young(const struct cooccurrence *m, uint32_t pair)
{
    return m->pair.at[pair].count - m->pair.at[pair].excess < m->opt.min_count;
}

/* Number of slots for young pairs. While young pairs have fewer, a new pair replaces a grown pair;
 * otherwise it replaces a young pair. */
static inline uint32_t slots_of_young(const struct cooccurrence *m)
{
    return m->shape.kept - (m->shape.kept + 4) / 5;
}

/* ---- the index of kept pairs (cooccurrence_pairs.c) ---- */

/* A place of the hash table is 0 if it is free. Otherwise its low bits are 1 + a slot, and its high
 * bits are equal to the lowest bits of the pair's mix, so that few other pairs are looked at. */
enum { PLACE_SLOT = 27 };
_Static_assert(COOCCURRENCE_MAX_KEPT < 1u << PLACE_SLOT, "1 + slot fits into a place");

static inline uint32_t place_of(uint64_t mix, uint32_t slot)
{
    return (uint32_t)(mix << PLACE_SLOT) | (slot + 1);
}

static inline uint32_t place_slot(uint32_t place) { return (place & ((1u << PLACE_SLOT) - 1)) - 1; }

static inline bool pairs_is(const struct cooccurrence *m, uint32_t slot, uint32_t u, uint32_t v)
{
    uint32_t first = m->pair.at[slot].first, second = m->pair.at[slot].second;
    return (first == u && second == v) || (!m->opt.ordered && first == v && second == u);
}

/* Returns the slot of the pair of the tokens in slots u and v, or COOCCURRENCE_NONE. mix:
 * id_slots_mix() of its folded id. */
static inline uint32_t pairs_seek(const struct cooccurrence *m, uint32_t u, uint32_t v,
                                  uint64_t mix)
{
    const struct cooccurrence_pairs *p = &m->pair;
    uint32_t last = (uint32_t)(UINT64_MAX >> p->shift), place;
    for (uint32_t at = (uint32_t)(mix >> p->shift); (place = p->place[at]); at = (at + 1) & last) {
        if ((place ^ place_of(mix, 0)) >> PLACE_SLOT) continue;
        if (pairs_is(m, place_slot(place), u, v)) return place_slot(place);
    }
    return COOCCURRENCE_NONE;
}

/* Returns the length of the hash table for so many pairs. */
size_t pairs_places(uint32_t capacity);
/* Builds the hash table from the folded ids of the kept pairs. */
void pairs_rebuild(struct cooccurrence *m);
/* Returns a free slot, which is slot n; requires n < shape.kept. The caller must link it. */
uint32_t pairs_take(struct cooccurrence *m);
/* pairs_link() enters a slot into the hash table by its folded id; pairs_unlink() removes it. */
void pairs_link(struct cooccurrence *m, uint32_t slot);
void pairs_unlink(struct cooccurrence *m, uint32_t slot);
/* Sets the groups of raised cells from the cells. */
void pairs_mark_raised(struct cooccurrence *m);
/* Returns a message about a broken invariant, or NULL if all hold. */
const char *pairs_check(const struct cooccurrence *m);

#endif
