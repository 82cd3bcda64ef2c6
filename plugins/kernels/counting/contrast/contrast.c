/* contrast.c -- counts members exactly, and other features in a sketch; see contrast.h.
 *
 * Invariants (contrast_check()): the index finds every member (id_slots_check()); no key is below
 * the bound of its block (lazy_min.h); each sample consists of whole records below its limit.
 */
#include "contrast.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"

/* ---- the sketch of non-members ---- */

static inline uint64_t cell_mix(const struct contrast *m, uint32_t id)
{
    return id_slots_mix(m->opt.seed + 0xa0761d6478bd642fu, id);
}

/* Returns the smallest cell of a feature for a kind. `mix` is the feature's cell_mix(): each half
 * of it selects the cell in one of the two rows. */
static inline uint32_t contrast_least(const struct contrast *m, int kind, uint64_t mix)
{
    uint32_t row = CONTRAST_DEPTH * (uint32_t)kind;
    uint32_t a = packed_cells_get(&m->cells, row, (uint32_t)(mix >> 32));
    uint32_t b = packed_cells_get(&m->cells, row + 1, (uint32_t)mix);
    return a < b ? a : b;
}

/* Raises those cells of a feature that are below `count` (conservative update). */
static inline void raise(struct contrast *m, int kind, uint64_t mix, uint32_t count)
{
    uint32_t row = CONTRAST_DEPTH * (uint32_t)kind;
    packed_cells_raise(&m->cells, row, (uint32_t)(mix >> 32), count);
    packed_cells_raise(&m->cells, row + 1, (uint32_t)mix, count);
}

/* ---- keys ---- */

/* Returns the key of a feature with n1 and n0 counts, or sums, of the two kinds. */
static inline float contrast_key_of(const struct contrast *m, double n1, double n0)
{
    double ratio = (n1 + m->q1) / (n0 + m->q0) * m->inverse;
    double share = (n0 + n1) * m->share;
    if (m->opt.both && ratio < 1) ratio = 1 / ratio;
    return (float)(share > ratio ? share : ratio);
}

static inline float contrast_key_of_sum(const struct contrast *m, const struct contrast_sum *of)
{
    return contrast_key_of(m, (double)of->sum[1], (double)of->sum[0]);
}

static inline void set_key(struct contrast *m, uint32_t slot)
{
    const uint32_t *count = m->count + 2 * (size_t)slot;
    float key = m->sums.member ? contrast_key_of_sum(m, &m->sums.member[slot])
                               : contrast_key_of(m, count[1], count[0]);
    m->key[slot] = key;
    lazy_min_lower(&m->lowest, slot, lazy_min_bits(key));
}

/* True if all slots are taken, so that a newcomer must replace a member. */
static inline bool contrast_is_full(const struct contrast *m)
{
    return m->index.n == m->shape.members;
}

/* Sets the keys of all members, of which the last one has just come. */
static void contrast_set_keys(struct contrast *m)
{
    for (uint32_t s = 0; s < m->index.n; s++)
        set_key(m, s);
}

/* Recomputes the factors of the keys (q1, q0, inverse, share) from the records so far.
 * contrast.h has the formulas. */
static inline void follow_records(struct contrast *m)
{
    double n1 = contrast_records(m, 1) + 0.5, n0 = contrast_records(m, 0) + 0.5;
    double unit = m->opt.half_life > 0 ? m->clock.unit * m->clock.grown : 1;
    m->q1 = CONTRAST_PRIOR * unit * n1 / (n1 + n0); /* s q         */
    m->q0 = CONTRAST_PRIOR * unit * n0 / (n1 + n0); /* s (1 - q)   */
    m->inverse = n0 / n1;                           /* (1 - q) / q */
    m->share = CONTRAST_SHARE * m->shape.members / ((m->occurrences + 1) * unit);
}

/* Does the same with the sums of amounts in place of counts. */
static void contrast_follow_amounts(struct contrast *m)
{
    const struct contrast_sums *s = &m->sums;
    double mean = contrast_mass_unit(m);
    double n1 = (double)s->total[1] + mean / 2, n0 = (double)s->total[0] + mean / 2;
    m->q1 = CONTRAST_PRIOR * mean * n1 / (n1 + n0);
    m->q0 = CONTRAST_PRIOR * mean * n0 / (n1 + n0);
    m->inverse = n0 / n1;
    m->share = CONTRAST_SHARE * m->shape.members / (s->occurrences + mean);
}

/* Bytes charged for a member (id, counts, excess, key, signature). */
static uint64_t contrast_member_bytes(const struct contrast_shape *s)
{
    return 24 + (s->amounts ? sizeof(struct contrast_sum) : 0);
}

/* Bytes charged for one word in every row of the sketch. */
enum { ROWS = 2 * CONTRAST_DEPTH };
static uint64_t contrast_width_bytes(const struct contrast_shape *s)
{
    return ROWS * (s->amounts ? 12 : 4);
}

/* Most copies of a sampled record that a merge of a large weight makes. */
static const double MOST_TIMES = 64;

/* ---- shape and memory ---- */

bool contrast_shape_from_budget(uint64_t bytes, struct contrast_shape *s)
{
    uint64_t sample = bytes / 16 / 4 * 2, members = s->members, left = bytes - 4 * sample;
    uint64_t each = contrast_member_bytes(s);
    if (!members) members = left / 2 / each;
    if (members > CONTRAST_MAX_MEMBERS) members = CONTRAST_MAX_MEMBERS;
    uint64_t cells = left > members * each ? left - members * each : 0;
    uint64_t width = cells / contrast_width_bytes(s);
    if (width > CONTRAST_MAX_WIDTH) width = CONTRAST_MAX_WIDTH;
    *s = (struct contrast_shape){(uint32_t)members, (uint32_t)width, (uint32_t)sample, s->amounts};
    return members && width && sample < UINT32_MAX;
}

uint64_t contrast_charged_bytes(const struct contrast_shape *s)
{
    return 4 * (uint64_t)s->sample + contrast_member_bytes(s) * s->members +
           contrast_width_bytes(s) * s->width;
}

uint64_t contrast_used_bytes(const struct contrast *m)
{
    uint64_t cells = contrast_width_bytes(&m->shape) * m->shape.width;
    return 4 * ((uint64_t)m->sample[0].used + m->sample[1].used) +
           contrast_member_bytes(&m->shape) * m->index.n + (contrast_is_full(m) ? cells : 0);
}

uint64_t contrast_budget_for(double features, bool amounts)
{
    const struct contrast_shape s = {.amounts = amounts};
    return (uint64_t)ceil(features * (double)contrast_member_bytes(&s) * 2 * 8 / 7);
}

static size_t contrast_lay_out(struct contrast *m, void *block)
{
    const struct contrast_shape *s = &m->shape;
    struct layout c = {block, 0};
    uint32_t padded = lazy_min_padded(s->members);
    m->cells.word = layout_take(&c, ROWS * (size_t)s->width, 4);
    m->count = layout_take(&c, s->members, 8);
    m->key = layout_take(&c, padded, 4);
    m->excess = layout_take(&c, s->members, 4);
    m->signatures = layout_take(&c, s->members, 4);
    m->lowest.bound[0] = layout_take(&c, lazy_min_bounds(padded), 4);
    m->index.id = layout_take(&c, s->members + 2, 4);
    m->index.next = layout_take(&c, s->members + 2, 4);
    m->index.head = layout_take(&c, id_slots_heads(s->members), 4);
    m->registers = layout_take(&c, DISTINCT_REGISTERS, 1);
    for (int y = 0; y < 2; y++)
        m->sample[y].word = layout_take(&c, s->sample / 2, 4);
    if (!s->amounts) return c.used;
    m->sums.member = layout_take(&c, s->members, sizeof *m->sums.member);
    m->sums.cell = layout_take(&c, ROWS * (size_t)s->width, sizeof *m->sums.cell);
    m->sums.width = s->width;
    return c.used;
}

size_t contrast_block_bytes(const struct contrast_shape *shape)
{
    struct contrast m = {.shape = *shape};
    return contrast_lay_out(&m, NULL);
}

/* Pads the keys with infinity, which is never the smallest key. Keys are not compared
 * before all slots are taken. */
static void init_keys(struct contrast *m)
{
    uint32_t padded = lazy_min_padded(m->shape.members);
    for (uint32_t i = m->shape.members; i < padded; i++)
        m->key[i] = INFINITY;
    lazy_min_init(&m->lowest, padded, m->lowest.bound[0], 0);
    m->lowest.key = m->key;
}

void contrast_init(struct contrast *m, const struct contrast_shape *shape,
                   const struct contrast_options *opt, void *block)
{
    assert(shape->members && shape->members <= CONTRAST_MAX_MEMBERS);
    assert(shape->width && shape->width <= CONTRAST_MAX_WIDTH);
    assert(shape->amounts <= 1 && !(shape->amounts && opt->half_life > 0));
    *m = (struct contrast){.shape = *shape, .opt = *opt};
    contrast_lay_out(m, block);
    sgd_init(&m->clock,
             &(struct sgd_options){.half_life = opt->half_life, .by_time = opt->by_time});
    m->index.capacity = shape->members;
    m->index.made_for = ID_SLOTS_FEW;
    m->index.seed = opt->seed;
    id_slots_rebuild(&m->index);
    init_keys(m);
    packed_cells_init(&m->cells, ROWS, shape->width, m->cells.word, PACKED_CELLS_FIRST_BITS);
    for (int y = 0; y < 2; y++)
        contrast_sample_init(&m->sample[y], m->sample[y].word, shape->sample / 2, shape->amounts);
}

/* ---- excess in sixteen bits ---- */

static uint32_t pack_half(uint32_t e)
{
    uint32_t power = 0;
    while ((e + (1ull << power) - 1) >> power > 0x7ff) /* rounds up */
        power++;
    return (uint32_t)((e + (1ull << power) - 1) >> power) | power << 11;
}

uint32_t contrast_pack(const uint32_t excess[2])
{
    return pack_half(excess[0]) | pack_half(excess[1]) << 16;
}

static uint32_t excess_of(const struct contrast *m, uint32_t slot, int kind)
{
    uint32_t e = contrast_unpack(m->excess[slot], kind),
             n = m->count[2 * (size_t)slot + (size_t)kind];
    return e < n ? e : n; /* the packed excess is rounded up and may exceed the count */
}

/* ---- fading ---- */

static void renew(struct contrast *m)
{
    for (uint32_t s = 0; s < m->index.n; s++) {
        uint32_t e[2] = {contrast_unpack(m->excess[s], 0), contrast_unpack(m->excess[s], 1)};
        sgd_renew_counts(&m->clock, e, 2);
        m->excess[s] = contrast_pack(e);
    }
    packed_cells_scale(&m->cells, sgd_renewal(&m->clock));
    sgd_renew(&m->clock, NULL, m->count, m->index.n);
}

void contrast_at(struct contrast *m, int64_t time) { m->occurrences *= sgd_at(&m->clock, time); }

void contrast_meet(struct contrast *a, struct contrast *b)
{
    a->occurrences *= sgd_follow(&a->clock, &b->clock);
    b->occurrences *= sgd_follow(&b->clock, &a->clock);
}

/* ---- learning ---- */

bool contrast_amount(struct contrast *m, int kind, uint64_t amount)
{
    struct contrast_sums *s = &m->sums;
    if (amount > CONTRAST_SUMS_TOTAL - s->total[0] - s->total[1]) return false;
    contrast_sums_record(s, kind, amount);
    return true;
}

void contrast_record(struct contrast *m, int kind)
{
    assert(kind == 0 || kind == 1);
    sgd_record(&m->clock, kind);
    if (m->opt.half_life > 0) m->occurrences *= m->clock.fade; /* fade is 1 if by_time */
    if (sgd_must_renew(&m->clock)) renew(m);
    if (m->sums.member)
        contrast_follow_amounts(m);
    else
        follow_records(m);
    m->signature = mix64(m->clock.records[0] + m->clock.records[1] + m->opt.seed);
    for (int y = 0; y < 2; y++)
        contrast_sample_begin(&m->sample[y], (uint32_t)(m->signature >> 32), kind == y,
                              m->sums.amount);
    if (!contrast_is_full(m)) return;
    if (m->cursor >= m->index.n) m->cursor = 0;
    set_key(m, m->cursor++);
}

static inline uint32_t contrast_find(const struct contrast *m, uint32_t id, uint64_t mix)
{
    uint32_t slot = id_slots_seek_mixed(&m->index, id, mix);
    return m->index.id[slot] == id ? slot : CONTRAST_NONE;
}

static void contrast_enter(struct contrast *m, uint32_t slot, uint32_t id, const uint32_t count[2],
                           const uint32_t excess[2])
{
    m->index.id[slot] = id;
    id_slots_link(&m->index, slot);
    m->count[2 * (size_t)slot] = count[0];
    m->count[2 * (size_t)slot + 1] = count[1];
    m->excess[slot] = contrast_pack(excess);
    m->signatures[slot] = (uint32_t)m->signature;
    if (contrast_is_full(m)) set_key(m, slot);
}

/* Removes the member in a slot, and raises its cells to its counts. */
static void contrast_leave(struct contrast *m, uint32_t slot)
{
    uint64_t mix = cell_mix(m, m->index.id[slot]);
    raise(m, 0, mix, m->count[2 * (size_t)slot]);
    raise(m, 1, mix, m->count[2 * (size_t)slot + 1]);
    for (int y = 0; y < 2 && m->sums.member; y++)
        contrast_sums_raise(&m->sums, y, mix, m->sums.member[slot].sum[y]);
    id_slots_unlink(&m->index, slot);
}

/* Returns a slot for a newcomer with this key. If a slot is free, returns it. Otherwise, if `key`
 * exceeds the smallest key, removes the member with the smallest key and returns its slot.
 * Otherwise returns CONTRAST_NONE. */
static uint32_t take_slot(struct contrast *m, float key)
{
    int32_t smallest;
    if (!contrast_is_full(m)) {
        uint32_t slot = id_slots_take(&m->index);
        if (contrast_is_full(m)) contrast_set_keys(m);
        return slot;
    }
    uint32_t slot = lazy_min_find(&m->lowest, &smallest);
    if (lazy_min_bits(key) <= smallest) return CONTRAST_NONE;
    contrast_leave(m, slot);
    return slot;
}

/* Counts a feature of the current record that is no member, with the record's amount. Its counts
 * already have the record. Returns its slot if it becomes a member. */
static uint32_t contrast_add_amount(struct contrast *m, uint32_t id, int kind,
                                    const uint32_t count[2], const uint32_t excess[2])
{
    uint64_t mix = cell_mix(m, id);
    struct contrast_sum of = contrast_sums_newcomer(&m->sums, kind, mix);
    uint32_t slot = take_slot(m, contrast_key_of_sum(m, &of));
    if (slot == CONTRAST_NONE) {
        raise(m, kind, mix, count[kind]);
        contrast_sums_raise(&m->sums, kind, mix, of.sum[kind]);
        return slot;
    }
    m->sums.member[slot] = of;
    contrast_enter(m, slot, id, count, excess);
    return slot;
}

static uint32_t contrast_add_other(struct contrast *m, uint32_t id, int kind)
{
    uint64_t mix = cell_mix(m, id);
    uint32_t excess[2] = {contrast_least(m, 0, mix), contrast_least(m, 1, mix)};
    uint32_t count[2] = {excess[0], excess[1]};
    distinct_add(m->registers, mix64(mix));
    sgd_count(&m->clock, &count[kind]);
    if (m->sums.member) return contrast_add_amount(m, id, kind, count, excess);
    uint32_t slot = take_slot(m, contrast_key_of(m, count[1], count[0]));
    if (slot == CONTRAST_NONE)
        raise(m, kind, mix, count[kind]);
    else
        contrast_enter(m, slot, id, count, excess);
    return slot;
}

void contrast_foresee(const struct contrast *m, uint32_t n, const uint64_t *id)
{
    uint64_t mix[ID_SLOTS_FORESEEN];
    uint32_t slot[ID_SLOTS_FORESEEN];
    assert(n <= ID_SLOTS_FORESEEN);
    id_slots_mix_all(m->opt.seed, n, id, mix);
    id_slots_foresee(&m->index, n, mix, slot);
    for (uint32_t i = 0; i < n; i++) {
        if (slot[i] >= m->index.n) continue; /* a guard */
        __builtin_prefetch(&m->count[2 * (size_t)slot[i]], 1);
        __builtin_prefetch(&m->signatures[slot[i]], 1);
    }
}

uint32_t contrast_add(struct contrast *m, uint64_t wide, int kind)
{
    uint32_t id = id_slots_fold(wide), entered = CONTRAST_NONE;
    uint32_t slot = contrast_find(m, id, id_slots_mix(m->opt.seed, id));
    m->occurrences += 1;
    if (slot == CONTRAST_NONE) {
        entered = contrast_add_other(m, id, kind);
    } else {
        sgd_count(&m->clock, &m->count[2 * (size_t)slot + (size_t)kind]);
        m->signatures[slot] ^= (uint32_t)m->signature;
        if (m->sums.member) contrast_sums_count(&m->sums, slot, kind);
        if (contrast_is_full(m)) set_key(m, slot);
    }
#ifdef LEAT_CHECKS
    assert(!contrast_check(m));
#endif
    return entered;
}

/* ---- reading ---- */

struct contrast_bounds contrast_slot_bounds(const struct contrast *m, uint32_t slot)
{
    struct contrast_bounds b;
    for (int y = 0; y < 2; y++) {
        uint32_t n = m->count[2 * (size_t)slot + (size_t)y];
        b.high[y] = sgd_counted(&m->clock, n);
        b.low[y] = sgd_counted(&m->clock, n - excess_of(m, slot, y));
    }
    return b;
}

double contrast_mass_unit(const struct contrast *m)
{
    uint64_t records = m->clock.records[0] + m->clock.records[1];
    return m->sums.member ? contrast_sums_mean(&m->sums, records) : 1;
}

double contrast_mass(const struct contrast *m, int kind)
{
    if (!m->sums.member) return contrast_records(m, kind);
    return (double)m->sums.total[kind] / contrast_mass_unit(m);
}

struct contrast_bounds contrast_slot_mass(const struct contrast *m, uint32_t slot)
{
    struct contrast_bounds b;
    if (!m->sums.member) return contrast_slot_bounds(m, slot);
    const struct contrast_sum *of = &m->sums.member[slot];
    double unit = contrast_mass_unit(m);
    for (int y = 0; y < 2; y++) {
        b.high[y] = (double)of->sum[y] / unit;
        b.low[y] = (double)(of->sum[y] - of->excess[y]) / unit;
    }
    return b;
}

struct contrast_bounds contrast_bounds_of(const struct contrast *m, uint32_t id)
{
    uint32_t slot = contrast_find(m, id, id_slots_mix(m->opt.seed, id));
    if (slot != CONTRAST_NONE) return contrast_slot_bounds(m, slot);
    uint64_t mix = cell_mix(m, id);
    struct contrast_bounds b = {{0}, {0}};
    for (int y = 0; y < 2; y++)
        b.high[y] = sgd_counted(&m->clock, contrast_least(m, y, mix));
    return b;
}

struct contrast_bounds contrast_mass_of(const struct contrast *m, uint32_t id)
{
    if (!m->sums.member) return contrast_bounds_of(m, id);
    uint32_t slot = contrast_find(m, id, id_slots_mix(m->opt.seed, id));
    if (slot != CONTRAST_NONE) return contrast_slot_mass(m, slot);
    uint64_t mix = cell_mix(m, id);
    double unit = contrast_mass_unit(m);
    struct contrast_bounds b = {{0}, {0}};
    for (int y = 0; y < 2; y++)
        b.high[y] = (double)contrast_sums_least(&m->sums, y, mix) / unit;
    return b;
}

/* ---- merging ---- */

struct contrast_sides {
    const struct contrast *a, *b;
    double count; /* how often each record of b counts */
    double grown; /* `grown` of the merged clock (sgd.h) */
};

/* Sets *count and *excess to those of a feature for kind y in m, which is a or b. `slot` is 1 + the
 * slot of the feature in m, or 0 if the feature is not a member of m. */
static void contrast_look_up(const struct contrast *m, uint32_t slot, uint32_t id, int y,
                             uint32_t *count, uint32_t *excess)
{
    if (slot) {
        *count = m->count[2 * (size_t)(slot - 1) + (size_t)y];
        *excess = contrast_unpack(m->excess[slot - 1], y);
    } else {
        *count = *excess = contrast_least(m, y, cell_mix(m, id));
    }
}

/* Adds the counts and the excesses of a feature in a and in b, in units of the merged clock. */
static void contrast_add_up(const struct contrast_sides *s, const struct linear_origin *o,
                            uint32_t count[2], uint32_t excess[2])
{
    for (int y = 0; y < 2; y++) {
        uint32_t na, nb, ea, eb;
        contrast_look_up(s->a, o->a, o->id, y, &na, &ea);
        contrast_look_up(s->b, o->b, o->id, y, &nb, &eb);
        count[y] = sgd_mix_count(s->grown, &s->a->clock, na, &s->b->clock, nb, s->count);
        excess[y] = sgd_mix_count(s->grown, &s->a->clock, ea, &s->b->clock, eb, s->count);
    }
}

static struct contrast_sum contrast_sum_up(const struct contrast_sides *s,
                                           const struct linear_origin *o)
{
    return contrast_sums_unite(&s->a->sums, o->a, &s->b->sums, o->b, s->count,
                               cell_mix(s->a, o->id));
}

static uint32_t signature_of(const struct contrast *m, uint32_t slot)
{
    return slot ? m->signatures[slot - 1] : 0;
}

static void contrast_place(struct contrast *m, uint32_t slot, const struct contrast_sides *s,
                           const struct linear_origin *o)
{
    uint32_t excess[2];
    contrast_add_up(s, o, m->count + 2 * (size_t)slot, excess);
    m->index.id[slot] = o->id;
    m->excess[slot] = contrast_pack(excess);
    m->signatures[slot] = signature_of(s->a, o->a) ^ signature_of(s->b, o->b);
    if (m->sums.member) m->sums.member[slot] = contrast_sum_up(s, o);
}

static void push_out(struct contrast *m, const struct contrast_sides *s,
                     const struct linear_origin *o)
{
    uint32_t count[2], excess[2];
    contrast_add_up(s, o, count, excess);
    for (int y = 0; y < 2; y++)
        raise(m, y, cell_mix(m, o->id), count[y]);
    if (!m->sums.member) return;
    struct contrast_sum of = contrast_sum_up(s, o);
    for (int y = 0; y < 2; y++)
        contrast_sums_raise(&m->sums, y, cell_mix(m, o->id), of.sum[y]);
}

/* Returns the key that a feature of a or b gets in m. */
static float contrast_merged_key(const struct contrast *m, const struct contrast_sides *s,
                                 const struct linear_origin *o)
{
    uint32_t count[2], excess[2];
    if (m->sums.member) {
        struct contrast_sum of = contrast_sum_up(s, o);
        return contrast_key_of_sum(m, &of);
    }
    contrast_add_up(s, o, count, excess);
    return contrast_key_of(m, count[1], count[0]);
}

/* Writes the sums of the cells of a and b to `cells`, with `bits` bits per cell. Returns false
 * if a sum does not fit. */
static bool contrast_add_cells(struct packed_cells *cells, const struct contrast_sides *s,
                               uint32_t bits)
{
    const struct packed_cells *a = &s->a->cells, *b = &s->b->cells;
    cells->bits = bits;
    for (uint64_t i = 0; i < packed_cells_words(cells) * (32 / bits); i++) {
        uint32_t sum = sgd_mix_count(s->grown, &s->a->clock, packed_cells_cell(a, bits, i),
                                     &s->b->clock, packed_cells_cell(b, bits, i), s->count);
        if (sum > packed_cells_most(cells)) return false;
        packed_cells_put(cells, i, sum);
    }
    return true;
}

static void contrast_merge_cells(struct packed_cells *cells, const struct contrast_sides *s)
{
    uint32_t a = s->a->cells.bits, b = s->b->cells.bits, bits = a > b ? a : b;
    while (!contrast_add_cells(cells, s, bits))
        bits *= 2;
}

void contrast_merge(struct contrast *m, const struct contrast *a, const struct contrast *b,
                    double count, struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->index.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd clock = sgd_merge(&a->clock, &b->clock, count);
    const struct contrast_sides s = {a, b, count, clock.grown};
    sgd_take(&m->clock, &clock, &m->clock.opt);
    m->occurrences = a->occurrences + count * b->occurrences;
    if (m->sums.member) {
        contrast_sums_merge(&m->sums, &a->sums, &b->sums, count);
        contrast_follow_amounts(m);
    } else {
        follow_records(m);
    }
    contrast_merge_cells(&m->cells, &s);
    distinct_unite(m->registers, a->registers);
    distinct_unite(m->registers, b->registers);
    uint32_t times = (uint32_t)fmin(fmax(1, round(count)), MOST_TIMES);
    for (int y = 0; y < 2; y++)
        contrast_sample_merge(&m->sample[y], &a->sample[y], &b->sample[y], times);
    uint32_t n = linear_unite(a->index.n, a->index.id, b->index.n, b->index.id, member);
    for (uint32_t i = 0; i < n; i++)
        member[i].weight = member[i].key = (double)contrast_merged_key(m, &s, &member[i]);
    linear_rank(member, n);
    uint32_t stay = n < m->shape.members ? n : m->shape.members;
    for (uint32_t i = 0; i < n; i++)
        if (i < stay)
            contrast_place(m, i, &s, &member[i]);
        else
            push_out(m, &s, &member[i]);
    m->index.n = stay;
    if (contrast_is_full(m)) contrast_set_keys(m);
    id_slots_rebuild(&m->index);
}
