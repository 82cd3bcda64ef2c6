/* contrast_union.c -- implementation of contrast_union.h. */
#include "contrast_union.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contrast_keys.h"

/* Most copies of a sampled record that a merge of a large weight makes. */
static const double MOST_TIMES = 64;

enum { UNION_ROWS = 2 * CONTRAST_DEPTH };

/* ---- sums ---- */

/* Factors by which stored counts become those of the sum's clock: of the union, and of what is
 * added. Both are 1 for a count of 1, unless counts fade. */
struct contrast_union_scales {
    double own, added;
};

static inline uint32_t contrast_union_scaled(uint32_t count, double scale)
{
    if (scale == 1) return count;
    double x = scale * count + 0.5;
    return x < (double)UINT32_MAX ? (uint32_t)x : UINT32_MAX;
}

static inline void contrast_union_plus(uint32_t *to, uint32_t count, double scale)
{
    uint32_t more = contrast_union_scaled(count, scale);
    *to = more < UINT32_MAX - *to ? *to + more : UINT32_MAX;
}

/* ---- cells ---- */

/* Returns the number of cells in a word: those of a leaf, or of a union. 0: all cells are 0. */
static uint32_t contrast_union_grain(const struct contrast *m)
{
    const struct packed_cells *c = &m->cells;
    if (m->united.is) return m->united.grain;
    if (!contrast_keeps_cells(m)) return 0;
    for (uint64_t i = 0; i < packed_cells_words(c); i++)
        if (c->word[i]) return 32 / c->bits;
    return 0;
}

/* Returns cell i of a model with cells, counted over all rows. */
static inline uint32_t contrast_union_cell(const struct contrast *m, uint64_t i)
{
    return m->united.is ? m->united.cell[i] : packed_cells_cell(&m->cells, m->cells.bits, i);
}

/* Returns the cell of a union in row 0 or 1 of a kind. Each half of `mix` selects one. */
static inline uint32_t *contrast_union_at(const struct contrast *m, int kind, uint32_t row,
                                          uint64_t mix)
{
    uint64_t width = (uint64_t)m->shape.width * m->united.grain;
    uint32_t hash = (uint32_t)(row ? mix : mix >> 32);
    return &m->united.cell[((uint32_t)kind * CONTRAST_DEPTH + row) * width + (hash * width >> 32)];
}

/* Returns the sum at a place that cells other than `own` may have. */
static inline uint32_t contrast_union_others(uint32_t total, uint32_t own)
{
    return total == UINT32_MAX ? total : total > own ? total - own : 0;
}

uint32_t contrast_union_rest(const struct contrast *m, uint32_t slot, int kind, uint64_t mix)
{
    uint32_t least = UINT32_MAX;
    if (!m->united.grain) return 0;
    for (uint32_t row = 0; row < CONTRAST_DEPTH; row++) {
        uint32_t own = m->united.beside[slot].own[kind][row];
        uint32_t rest = contrast_union_others(*contrast_union_at(m, kind, row, mix), own);
        if (rest < least) least = rest;
    }
    return least;
}

uint32_t contrast_union_least(const struct contrast *m, int kind, uint64_t mix)
{
    if (!m->united.grain) return 0;
    uint32_t a = *contrast_union_at(m, kind, 0, mix), b = *contrast_union_at(m, kind, 1, mix);
    return a < b ? a : b;
}

uint64_t contrast_union_rest_sum(const struct contrast *m, uint32_t slot, int kind, uint64_t mix)
{
    uint64_t least = CONTRAST_SUMS_MOST;
    for (uint32_t row = 0; row < CONTRAST_DEPTH; row++) {
        uint64_t own = m->united.sums[slot].own[kind][row],
                 all = *contrast_sums_cell(&m->sums, kind, row, mix);
        if (all < CONTRAST_SUMS_MOST && all - own < least) least = all - own;
    }
    return least;
}

/* Adds the cells of a model to those of the union, which has at least as many places. */
static void contrast_union_add_cells(struct contrast *m, const struct contrast *from, double scale)
{
    uint32_t grain = contrast_union_grain(from), *to = m->united.cell;
    if (!grain) return;
    const uint32_t times = m->united.grain / grain;
    const uint64_t n = (uint64_t)UNION_ROWS * m->shape.width * grain;
    for (uint64_t i = 0; i < n; i++, to += times) {
        uint32_t cell = contrast_union_cell(from, i);
        for (uint32_t k = 0; cell && k < times; k++)
            contrast_union_plus(&to[k], cell, scale);
    }
}

/* ---- memory ---- */

struct contrast_union_size contrast_union_of(const struct contrast *m, const struct contrast *from)
{
    uint32_t a = contrast_union_grain(m), b = contrast_union_grain(from), n = m->index.n;
    for (uint32_t s = 0; s < from->index.n; s++)
        n += !contrast_has(m, from->index.wide[s]);
    return (struct contrast_union_size){n, a > b ? a : b};
}

bool contrast_union_fits(const struct contrast *m, struct contrast_union_size size)
{
    return m->united.is && size.members <= m->shape.members && size.grain <= m->united.grain;
}

static struct contrast_shape contrast_union_shape(const struct contrast_shape *leaf,
                                                  struct contrast_union_size size)
{
    struct contrast_shape s = *leaf;
    s.members = size.members ? size.members : 1;
    return s;
}

size_t contrast_union_bytes(const struct contrast_shape *leaf, struct contrast_union_size size)
{
    const struct contrast_shape s = contrast_union_shape(leaf, size);
    const struct contrast_options none = {.both = false};
    struct contrast m = {.united = {.is = true, .grain = size.grain}};
    return contrast_set_up(&m, &s, &none, NULL);
}

void contrast_union_init(struct contrast *m, const struct contrast_shape *leaf,
                         struct contrast_union_size size, const struct contrast_options *opt,
                         void *block)
{
    const struct contrast_shape s = contrast_union_shape(leaf, size);
    m->united =
        (struct contrast_united){.is = true, .leaf_members = leaf->members, .grain = size.grain};
    contrast_set_up(m, &s, opt, block);
}

/* ---- adding ---- */

static struct contrast_beside contrast_union_beside(const struct contrast *from, uint32_t slot)
{
    struct contrast_beside b;
    if (from->united.is) return from->united.beside[slot];
    uint64_t mix = contrast_cell_mix(from, from->index.wide[slot]);
    for (int y = 0; y < 2; y++) {
        b.excess[y] = contrast_excess_of(from, slot, y);
        for (uint32_t row = 0; row < CONTRAST_DEPTH; row++)
            b.own[y][row] = packed_cells_get(&from->cells, (uint32_t)y * CONTRAST_DEPTH + row,
                                             (uint32_t)(row ? mix : mix >> 32));
    }
    return b;
}

static struct contrast_beside_sums contrast_union_beside_sums(const struct contrast *from,
                                                              uint32_t slot)
{
    struct contrast_beside_sums b;
    if (from->united.is) return from->united.sums[slot];
    uint64_t mix = contrast_cell_mix(from, from->index.wide[slot]);
    for (int y = 0; y < 2; y++)
        for (uint32_t row = 0; row < CONTRAST_DEPTH; row++)
            b.own[y][row] = *contrast_sums_cell(&from->sums, y, row, mix);
    return b;
}

/* Adds the sums of amounts of a member. */
static void contrast_union_add_sums(struct contrast *m, uint32_t to, const struct contrast *from,
                                    uint32_t slot, double count)
{
    const struct contrast_beside_sums b = contrast_union_beside_sums(from, slot);
    uint64_t *own = m->united.sums[to].own[0];
    contrast_sums_unite(&m->sums.member[to], &from->sums.member[slot], count);
    for (uint32_t i = 0; i < UNION_ROWS; i++)
        own[i] = contrast_sums_plus(own[i], b.own[i / CONTRAST_DEPTH][i % CONTRAST_DEPTH], count);
}

static void contrast_union_add_member(struct contrast *m, uint32_t to, const struct contrast *from,
                                      uint32_t slot, double scale)
{
    const struct contrast_beside b = contrast_union_beside(from, slot);
    struct contrast_beside *sum = &m->united.beside[to];
    for (size_t y = 0; y < 2; y++) {
        contrast_union_plus(&m->count[2 * (size_t)to + y], from->count[2 * (size_t)slot + y],
                            scale);
        contrast_union_plus(&sum->excess[y], b.excess[y], scale);
        for (uint32_t row = 0; row < CONTRAST_DEPTH; row++)
            contrast_union_plus(&sum->own[y][row], b.own[y][row], scale);
    }
    m->signatures[to] += from->signatures[slot];
}

/* Returns the slot of a feature, which becomes a member if it is none. */
static uint32_t contrast_union_slot(struct contrast *m, uint64_t id)
{
    uint64_t mix = id_slots_mix(m->opt.seed, id_slots_fold(id));
    uint32_t slot = id_slots_find(&m->index, id, mix);
    if (slot != CONTRAST_NONE) return slot;
    slot = id_slots_take(&m->index);
    id_slots_set(&m->index, slot, id);
    id_slots_link(&m->index, slot);
    return slot;
}

/* Converts all counts of a union to another clock. */
static void contrast_union_rescale(struct contrast *m, double scale)
{
    const uint64_t cells = (uint64_t)UNION_ROWS * m->shape.width * m->united.grain;
    if (scale == 1) return;
    for (size_t i = 0; i < 2 * (size_t)m->index.n; i++)
        m->count[i] = contrast_union_scaled(m->count[i], scale);
    for (uint32_t s = 0; s < m->index.n; s++) {
        struct contrast_beside *b = &m->united.beside[s];
        for (int y = 0; y < 2; y++) {
            b->excess[y] = contrast_union_scaled(b->excess[y], scale);
            for (uint32_t row = 0; row < CONTRAST_DEPTH; row++)
                b->own[y][row] = contrast_union_scaled(b->own[y][row], scale);
        }
    }
    for (uint64_t i = 0; i < cells; i++)
        m->united.cell[i] = contrast_union_scaled(m->united.cell[i], scale);
}

/* Adds the records to the clock. An empty union takes the other clock as it is. */
static struct contrast_union_scales
contrast_union_add_clock(struct contrast *m, const struct contrast *from, double count)
{
    struct contrast_union_scales scale = {1, count};
    struct sgd clock = from->clock;
    if (m->clock.t || count != 1) {
        clock = sgd_merge(&m->clock, &from->clock, count);
        if (m->opt.half_life > 0) {
            scale.own = clock.grown / m->clock.grown;
            scale.added = count * clock.grown / from->clock.grown;
        }
    }
    sgd_take(&m->clock, &clock, &m->clock.opt);
    m->occurrences += count * from->occurrences;
    m->before = m->occurrences;
    return scale;
}

void contrast_union_add(struct contrast *m, const struct contrast *from, double count,
                        uint32_t *slot)
{
    assert(m->shape.width == from->shape.width && m->opt.seed == from->opt.seed);
    assert(m->united.is && m->united.grain >= contrast_union_grain(from));
    const struct contrast_union_scales scale = contrast_union_add_clock(m, from, count);
    contrast_union_rescale(m, scale.own);
    if (m->sums.member) contrast_sums_add_all(&m->sums, &from->sums, count);
    contrast_union_add_cells(m, from, scale.added);
    distinct_unite(m->registers, from->registers);
    uint32_t times = (uint32_t)fmin(fmax(1, round(count)), MOST_TIMES);
    for (int y = 0; y < 2; y++)
        contrast_sample_unite(&m->sample[y], &from->sample[y], times);
    for (uint32_t i = 0; i < from->index.n; i++) {
        slot[i] = contrast_union_slot(m, from->index.wide[i]);
        contrast_union_add_member(m, slot[i], from, i, scale.added);
        if (m->sums.member) contrast_union_add_sums(m, slot[i], from, i, count);
    }
    contrast_follow(m);
}

/* ---- order ---- */

static void contrast_union_exchange(void *a, void *b, size_t bytes)
{
    char x[sizeof(struct contrast_sum)];
    assert(bytes <= sizeof x);
    memcpy(x, a, bytes);
    memcpy(a, b, bytes);
    memcpy(b, x, bytes);
}

static void contrast_union_swap(struct contrast *m, uint32_t a, uint32_t b)
{
#define EXCHANGE(array, each)                                                                      \
    contrast_union_exchange((array) + (size_t)(each)*a, (array) + (size_t)(each)*b,                \
                            (size_t)(each) * sizeof *(array))
    EXCHANGE(m->index.wide, 1);
    EXCHANGE(m->count, 2);
    EXCHANGE(m->signatures, 1);
    EXCHANGE(m->united.beside, 1);
    if (!m->sums.member) return;
    EXCHANGE(m->sums.member, 1);
    EXCHANGE(m->united.sums, 1);
#undef EXCHANGE
}

static int contrast_union_by_key(const void *x, const void *y)
{
    const struct contrast_rank *a = x, *b = y;
    if (a->key != b->key) return a->key > b->key ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

void contrast_union_sort(struct contrast *m, struct contrast_rank *rank,
                         void (*swap)(void *held, uint32_t a, uint32_t b), void *held)
{
    uint32_t n = m->index.n;
    for (uint32_t s = 0; s < n; s++)
        rank[s] = (struct contrast_rank){.id = m->index.wide[s], .slot = s};
    if (n) qsort(rank, n, sizeof *rank, contrast_union_by_key);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t to = s, from; (from = rank[to].slot) != to; to = from) {
            rank[to].slot = to;
            if (from == s) break; /* the last one of a cycle, which the swaps have moved there */
            contrast_union_swap(m, to, from);
            swap(held, to, from);
        }
    id_slots_rebuild(&m->index);
    for (int y = 0; y < 2; y++)
        contrast_sample_sort(&m->sample[y], &m->united.order);
}

const char *contrast_union_check(const struct contrast *m)
{
    for (uint32_t s = 0; s < m->index.n; s++) {
        uint64_t mix = contrast_cell_mix(m, m->index.wide[s]);
        const struct contrast_beside *b = &m->united.beside[s];
        for (int y = 0; y < 2; y++) {
            if (b->excess[y] > m->count[2 * (size_t)s + (size_t)y])
                return "excess_own has an excess above its count";
            for (uint32_t row = 0; row < CONTRAST_DEPTH; row++) {
                if (b->own[y][row] &&
                    (!m->united.grain || b->own[y][row] > *contrast_union_at(m, y, row, mix)))
                    return "excess_own has more of a member than the cells";
                if (m->sums.member &&
                    m->united.sums[s].own[y][row] > *contrast_sums_cell(&m->sums, y, row, mix))
                    return "amount_own has more of a member than amount_cells";
            }
        }
    }
    return NULL;
}

/* ---- a model that goes on ---- */

/* Writes the cells of `from` to those of m, of `bits` bits, each as the largest of those at its
 * place. Returns false if one does not fit. */
static bool contrast_settle_cells_to(struct contrast *m, const struct contrast *from, uint32_t bits)
{
    struct packed_cells *c = &m->cells;
    const uint64_t width = (uint64_t)c->width * 32 / bits,
                   there = (uint64_t)from->shape.width * contrast_union_grain(from);
    c->bits = bits;
    for (uint64_t i = 0; there && i < UNION_ROWS * width; i++) {
        uint64_t at = i / width * there + i % width * there / width,
                 end = at + (there > width ? there / width : 1);
        uint32_t most = 0;
        for (; at < end; at++) {
            uint32_t cell = contrast_union_cell(from, at);
            if (cell > most) most = cell;
        }
        if (most > packed_cells_most(c)) return false;
        packed_cells_put(c, i, most);
    }
    return true;
}

static void contrast_settle_sum_cells(struct contrast *m, const struct contrast *from)
{
    const uint64_t times = from->sums.width / m->sums.width;
    for (uint64_t i = 0; i < times * UNION_ROWS * m->sums.width; i++)
        if (from->sums.cell[i] > m->sums.cell[i / times])
            m->sums.cell[i / times] = from->sums.cell[i];
}

/* Copies all but members and cells. */
static void contrast_settle_rest(struct contrast *m, const struct contrast *from)
{
    sgd_take(&m->clock, &from->clock, &m->clock.opt);
    m->occurrences = m->before = from->occurrences;
    if (m->sums.member) {
        memcpy(m->sums.total, from->sums.total, sizeof m->sums.total);
        memcpy(m->sums.largest, from->sums.largest, sizeof m->sums.largest);
        m->sums.occurrences = from->sums.occurrences;
        contrast_settle_sum_cells(m, from);
    }
    distinct_unite(m->registers, from->registers);
    for (int y = 0; y < 2; y++)
        contrast_sample_unite(&m->sample[y], &from->sample[y], 1);
    contrast_follow(m);
}

/* Sets the counts of a member to the upper bounds, with what lies between them as excess. */
static void contrast_settle_counts(const struct contrast *from, uint32_t slot, uint32_t count[2],
                                   uint32_t excess[2])
{
    uint64_t mix = contrast_cell_mix(from, from->index.wide[slot]);
    for (int y = 0; y < 2; y++) {
        count[y] = from->count[2 * (size_t)slot + (size_t)y];
        excess[y] = from->united.is ? from->united.beside[slot].excess[y]
                                    : contrast_excess_of(from, slot, y);
        if (!from->united.is) continue;
        uint32_t rest = contrast_union_rest(from, slot, y, mix);
        contrast_union_plus(&count[y], rest, 1);
        contrast_union_plus(&excess[y], rest, 1);
    }
}

static void contrast_settle_member(struct contrast *m, const struct contrast *from, uint32_t slot)
{
    uint32_t count[2], excess[2], to;
    uint64_t id = from->index.wide[slot], mix = contrast_cell_mix(m, id);
    contrast_settle_counts(from, slot, count, excess);
    struct contrast_sum of = {{0}, {0}, {0}};
    if (m->sums.member) of = contrast_slot_sum(from, slot);
    if (contrast_is_full(m)) {
        for (int y = 0; y < 2; y++)
            contrast_raise(m, y, mix, count[y]);
        for (int y = 0; y < 2 && m->sums.member; y++)
            contrast_sums_raise(&m->sums, y, mix, of.sum[y]);
        return;
    }
    to = contrast_union_slot(m, id);
    memcpy(m->count + 2 * (size_t)to, count, sizeof count);
    m->excess[to] = contrast_pack(excess);
    m->signatures[to] = from->signatures[slot];
    if (m->sums.member) m->sums.member[to] = of;
}

static float contrast_settle_key(const struct contrast *m, const struct contrast *from,
                                 uint32_t slot)
{
    uint32_t count[2], excess[2];
    if (m->sums.member) {
        const struct contrast_sum of = contrast_slot_sum(from, slot);
        return contrast_key_of_sum(m, &of);
    }
    contrast_settle_counts(from, slot, count, excess);
    return contrast_key_of(m, count[1], count[0]);
}

void contrast_settle_union(struct contrast *m, const struct contrast *from,
                           struct contrast_rank *rank)
{
    uint32_t bits = PACKED_CELLS_FIRST_BITS, n = from->index.n;
    assert(!m->index.n && !m->united.is && from->shape.width % m->shape.width == 0);
    contrast_settle_rest(m, from);
    while (!contrast_settle_cells_to(m, from, bits))
        bits *= 2;
    m->has_cells = true;
    for (uint32_t s = 0; s < n; s++)
        rank[s] = (struct contrast_rank){from->index.wide[s], contrast_settle_key(m, from, s), s};
    if (n) qsort(rank, n, sizeof *rank, contrast_union_by_key);
    for (uint32_t s = 0; s < n; s++)
        contrast_settle_member(m, from, rank[s].slot);
    if (contrast_is_full(m)) contrast_set_keys(m);
}
