/* contrast.c -- counts members exactly, and other features in a sketch; see contrast.h.
 *
 * Invariants (contrast_check()): the index finds every member (id_slots_check()); no key is below
 * the bound of its block (lazy_min.h); each sample consists of whole records below its limit.
 */
#include "contrast.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "contrast_cells.h"
#include "contrast_keys.h"
#include "contrast_union.h"
#include "kernels/base/layout.h"

/* ---- keys ---- */

/* Computes the key of a member from its counts so far. */
static inline void contrast_set_key(struct contrast *m, uint32_t slot)
{
    const uint32_t *count = m->count + 2 * (size_t)slot;
    contrast_settle(m, slot);
    float key = m->sums.member ? contrast_key_of_sum(m, &m->sums.member[slot])
                               : contrast_key_of(m, count[1], count[0]);
    m->key[slot] = key;
    if (lazy_min_bits(key) < m->floor) m->floor = lazy_min_bits(key);
    lazy_min_lower(&m->lowest, slot, lazy_min_bits(key));
}

void contrast_set_keys(struct contrast *m)
{
    for (uint32_t s = 0; s < m->index.n; s++)
        contrast_set_key(m, s);
}

/* Sets the base of the keys to the records so far, or to the sums of their amounts. */
static void contrast_set_base(struct contrast *m)
{
    struct contrast_base *b = &m->base;
    const bool sums = m->sums.member != NULL;
    for (int y = 0; y < 2; y++)
        b->all[y] = sums ? (double)m->sums.total[y] : contrast_records(m, y);
    b->occurrences = sums ? (double)m->sums.occurrences : m->before;
    b->mean = contrast_mass_unit(m);
}

void contrast_set_factors(struct contrast *m)
{
    const struct contrast_base *b = &m->base;
    double unit = m->opt.half_life > 0 ? m->clock.unit * m->clock.grown : 1;
    double n1 = b->all[1] + b->mean / 2, n0 = b->all[0] + b->mean / 2;
    double prior = CONTRAST_PRIOR * b->mean * unit;
    m->q1 = prior * n1 / (n1 + n0); /* s q         */
    m->q0 = prior * n0 / (n1 + n0); /* s (1 - q)   */
    m->inverse = n0 / n1;           /* (1 - q) / q */
    m->share = CONTRAST_SHARE * m->shape.members / ((b->occurrences + b->mean) * unit);
}

void contrast_follow(struct contrast *m)
{
    contrast_set_base(m);
    contrast_set_factors(m);
}

/* Bytes charged for a member (id, counts, excess, key, signature). */
static uint64_t contrast_member_bytes(const struct contrast_shape *s)
{
    return 28 + (s->amounts ? sizeof(struct contrast_sum) : 0);
}

/* Bytes charged for one word in every row of the sketch. */
enum { ROWS = 2 * CONTRAST_DEPTH };
static uint64_t contrast_width_bytes(const struct contrast_shape *s)
{
    return ROWS * (s->amounts ? 12 : 4);
}

/* ---- shape and memory ---- */

bool contrast_shape_from_budget(uint64_t bytes, struct contrast_shape *s)
{
    uint64_t sample = bytes / 16 / 4 * 2, members = s->members, left = bytes - 4 * sample;
    uint64_t each = contrast_member_bytes(s);
    if (!members) members = left * 7 / 12 / each;
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
    uint64_t cells = contrast_width_bytes(&m->shape) * m->shape.width,
             each = contrast_member_bytes(&m->shape);
    if (m->united.is) {
        each += sizeof *m->united.beside + (m->sums.member ? sizeof *m->united.sums : 0);
        cells += (uint64_t)(ROWS * 4) * m->shape.width * (m->united.grain - 1);
    }
    return 4 * ((uint64_t)m->sample[0].used + m->sample[1].used) + each * m->index.n +
           (contrast_has_lost(m) ? cells : 0);
}

uint64_t contrast_budget_for(double features, bool amounts)
{
    const struct contrast_shape s = {.amounts = amounts};
    return (uint64_t)ceil(features * (double)contrast_member_bytes(&s) * 12 / 7 * 8 / 7);
}

/* Places what only a leaf has. */
static void contrast_lay_out_leaf(struct contrast *m, struct layout *c)
{
    const struct contrast_shape *s = &m->shape;
    uint32_t padded = lazy_min_padded(s->members);
    m->cells.word = layout_take(c, ROWS * (size_t)s->width, 4);
    m->key = layout_take(c, padded, 4);
    m->excess = layout_take(c, s->members, 4);
    m->lowest.bound[0] = layout_take(c, lazy_min_bounds(padded), 4);
}

/* Places what only a union has. */
static void contrast_lay_out_union(struct contrast *m, struct layout *c)
{
    const struct contrast_shape *s = &m->shape;
    struct contrast_united *u = &m->united;
    u->cell = layout_take(c, ROWS * (size_t)s->width * u->grain, 4);
    u->beside = layout_take(c, s->members, sizeof *u->beside);
    if (s->amounts) u->sums = layout_take(c, s->members, sizeof *u->sums);
    u->order.spare = layout_take(c, s->sample / 2, 4);
    u->order.place = layout_take(c, s->sample / 4 + 1, sizeof *u->order.place);
}

static size_t contrast_lay_out(struct contrast *m, void *block)
{
    const struct contrast_shape *s = &m->shape;
    struct layout c = {block, 0};
    if (m->united.is)
        contrast_lay_out_union(m, &c);
    else
        contrast_lay_out_leaf(m, &c);
    m->count = layout_take(&c, s->members, 8);
    m->signatures = layout_take(&c, s->members, 4);
    m->index.id = layout_take(&c, s->members + 2, 4);
    m->index.next = layout_take(&c, s->members + 2, 4);
    m->index.wide = layout_take(&c, s->members, 8);
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

size_t contrast_bytes(const struct contrast *m)
{
    struct contrast like = {.shape = m->shape, .united = m->united};
    return contrast_lay_out(&like, NULL);
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

size_t contrast_set_up(struct contrast *m, const struct contrast_shape *shape,
                       const struct contrast_options *opt, void *block)
{
    const struct contrast_united united = m->united;
    *m = (struct contrast){.shape = *shape, .opt = *opt, .united = united};
    size_t bytes = contrast_lay_out(m, block);
    if (!block) return bytes;
    sgd_init(&m->clock,
             &(struct sgd_options){.half_life = opt->half_life, .by_time = opt->by_time});
    m->index.capacity = shape->members;
    m->index.made_for = ID_SLOTS_FEW;
    m->index.seed = opt->seed;
    id_slots_rebuild(&m->index);
    for (int y = 0; y < 2; y++)
        contrast_sample_init(&m->sample[y], m->sample[y].word, shape->sample / 2, shape->amounts);
    return bytes;
}

void contrast_init(struct contrast *m, const struct contrast_shape *shape,
                   const struct contrast_options *opt, void *block)
{
    assert(shape->members && shape->members <= CONTRAST_MAX_MEMBERS);
    assert(shape->width && shape->width <= CONTRAST_MAX_WIDTH);
    assert(shape->amounts <= 1 && !(shape->amounts && opt->half_life > 0));
    m->united = (struct contrast_united){.is = false};
    contrast_set_up(m, shape, opt, block);
    init_keys(m);
    packed_cells_init(&m->cells, ROWS, shape->width, m->cells.word, PACKED_CELLS_FIRST_BITS);
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

/* True if the base of the keys follows the current record. If it followed each of them, keys would
 * drift, and a search would compute very many anew. So it follows whenever the number of records
 * has grown by a 128th to a 256th. What fades needs it at each record. */
static bool contrast_is_due(const struct contrast *m)
{
    uint64_t n = m->clock.records[0] + m->clock.records[1];
    int low = 64 - __builtin_clzll(n) - 8; /* bits of n below the eight highest */
    return m->opt.half_life > 0 || low <= 0 || !(n & ((UINT64_C(1) << low) - 1));
}

void contrast_record(struct contrast *m, int kind, uint64_t content)
{
    assert(kind == 0 || kind == 1);
#ifdef LEAT_CHECKS
    assert(!contrast_check(m));
#endif
    sgd_record(&m->clock, kind);
    if (m->opt.half_life > 0) m->occurrences *= m->clock.fade; /* fade is 1 if by_time */
    if (sgd_must_renew(&m->clock)) renew(m);
    m->before = m->occurrences;
    if (contrast_is_due(m)) contrast_follow(m);
    const uint64_t *records = m->clock.records;
    uint64_t place = m->opt.apart ? mix64(records[1]) + records[0] : records[0] + records[1];
    uint64_t number = mix64(place + m->opt.seed);
    m->signature = mix64(number + content);
    for (int y = 0; y < 2; y++)
        contrast_sample_begin(&m->sample[y], (uint32_t)(number >> 32), kind == y, m->sums.amount);
    if (!contrast_is_full(m)) return;
    if (m->cursor >= m->index.n) m->cursor = 0;
    contrast_set_key(m, m->cursor++);
}

_Static_assert(CONTRAST_NONE == ID_SLOTS_NONE, "a look-up that fails gives no slot");

static inline uint32_t contrast_find(const struct contrast *m, uint64_t id)
{
    return id_slots_find(&m->index, id, id_slots_mix(m->opt.seed, id_slots_fold(id)));
}

static void contrast_enter(struct contrast *m, uint32_t slot, uint64_t id, const uint32_t count[2],
                           const uint32_t excess[2])
{
    id_slots_set(&m->index, slot, id);
    id_slots_link(&m->index, slot);
    m->count[2 * (size_t)slot] = count[0];
    m->count[2 * (size_t)slot + 1] = count[1];
    m->excess[slot] = contrast_pack(excess);
    m->signatures[slot] = (uint32_t)m->signature;
    if (contrast_is_full(m)) contrast_set_key(m, slot);
}

/* Removes the member in a slot, and raises its cells to its counts. */
static void contrast_leave(struct contrast *m, uint32_t slot)
{
    uint64_t mix = contrast_cell_mix(m, m->index.wide[slot]);
    contrast_give_up(m, slot);
    contrast_raise(m, 0, mix, m->count[2 * (size_t)slot]);
    contrast_raise(m, 1, mix, m->count[2 * (size_t)slot + 1]);
    for (int y = 0; y < 2 && m->sums.member; y++)
        contrast_sums_raise(&m->sums, y, mix, m->sums.member[slot].sum[y]);
    id_slots_unlink(&m->index, slot);
}

/* Returns the member whose key is the smallest, if `key` exceeds it; otherwise CONTRAST_NONE. The
 * keys of members rise unnoticed, so the smallest one is computed anew before it counts. Most
 * newcomers are below the smallest key of an earlier search, and need none. */
static uint32_t contrast_lowest_below(struct contrast *m, float key)
{
    while (lazy_min_bits(key) > m->floor) {
        uint32_t slot = lazy_min_find(&m->lowest, &m->floor);
        int32_t smallest = m->floor;
        if (lazy_min_bits(key) <= smallest) break;
        contrast_set_key(m, slot);
        if (lazy_min_bits(m->key[slot]) <= smallest) return slot;
    }
    return CONTRAST_NONE;
}

/* Returns a slot for a newcomer with this key. If a slot is free, returns it. Otherwise, if `key`
 * exceeds the smallest key, removes the member with the smallest key and returns its slot.
 * Otherwise returns CONTRAST_NONE. */
static uint32_t take_slot(struct contrast *m, float key)
{
    if (!contrast_is_full(m)) {
        uint32_t slot = id_slots_take(&m->index);
        if (contrast_is_full(m)) contrast_follow(m);
        if (contrast_is_full(m)) contrast_set_keys(m);
        return slot;
    }
    uint32_t slot = contrast_lowest_below(m, key);
    if (slot != CONTRAST_NONE) contrast_leave(m, slot);
    return slot;
}

/* Counts a feature of the current record that is no member, with the record's amount. Its counts
 * already have the record. Returns its slot if it becomes a member. */
static uint32_t contrast_add_amount(struct contrast *m, uint64_t id, int kind,
                                    const uint32_t count[2], const uint32_t excess[2])
{
    uint64_t mix = contrast_cell_mix(m, id);
    struct contrast_sum of = contrast_sums_newcomer(&m->sums, kind, mix);
    uint32_t slot = take_slot(m, contrast_key_of_sum(m, &of));
    if (slot == CONTRAST_NONE) {
        contrast_raise(m, kind, mix, count[kind]);
        contrast_sums_raise(&m->sums, kind, mix, of.sum[kind]);
        return slot;
    }
    m->sums.member[slot] = of;
    contrast_enter(m, slot, id, count, excess);
    return slot;
}

static uint32_t contrast_add_newcomer(struct contrast *m, uint64_t id, int kind)
{
    uint64_t mix = contrast_cell_mix(m, id);
    uint32_t excess[2] = {contrast_least(m, 0, mix), contrast_least(m, 1, mix)};
    uint32_t count[2] = {excess[0], excess[1]};
    distinct_add(m->registers, mix64(mix));
    sgd_count(&m->clock, &count[kind]);
    if (m->sums.member) return contrast_add_amount(m, id, kind, count, excess);
    uint32_t slot = take_slot(m, contrast_key_of(m, count[1], count[0]));
    if (slot == CONTRAST_NONE)
        contrast_raise(m, kind, mix, count[kind]);
    else
        contrast_enter(m, slot, id, count, excess);
    return slot;
}

/* Counts an occurrence of a member in the current record. */
static inline void contrast_hit(struct contrast *m, uint32_t slot, int kind)
{
    sgd_count(&m->clock, &m->count[2 * (size_t)slot + (size_t)kind]);
    m->signatures[slot] += (uint32_t)m->signature;
    if (m->sums.member) contrast_sums_count(&m->sums, slot, kind);
}

/* Computes the hashes of n features. Fetches into the cache what counting them reads. */
static void contrast_foresee(const struct contrast *m, uint32_t n, const uint64_t *id,
                             uint64_t *mix)
{
    uint32_t slot[ID_SLOTS_FORESEEN];
    id_slots_mix_all(m->opt.seed, n, id, mix);
    if (n < 2) return;
    id_slots_foresee(&m->index, n, mix, slot);
    for (uint32_t i = 0; i < n; i++) {
        if (slot[i] >= m->index.n) continue; /* a guard */
        __builtin_prefetch(&m->count[2 * (size_t)slot[i]], 1);
        __builtin_prefetch(&m->signatures[slot[i]], 1);
    }
}

uint32_t contrast_add_members(struct contrast *m, uint32_t n, const uint64_t *id, int kind,
                              uint32_t *slot)
{
    uint64_t mix[ID_SLOTS_FORESEEN];
    uint32_t others = 0;
    assert(n <= ID_SLOTS_FORESEEN);
    contrast_foresee(m, n, id, mix);
    m->occurrences += n;
    for (uint32_t i = 0; i < n; i++) {
        slot[i] = id_slots_find(&m->index, id[i], mix[i]);
        if (slot[i] == CONTRAST_NONE)
            others |= UINT32_C(1) << i;
        else
            contrast_hit(m, slot[i], kind);
    }
    return others;
}

bool contrast_add_other(struct contrast *m, uint64_t id, int kind, bool *entered, uint32_t *slot)
{
    *slot = *entered ? contrast_find(m, id) : CONTRAST_NONE;
    if (*slot != CONTRAST_NONE) {
        contrast_hit(m, *slot, kind);
        return false;
    }
    *slot = contrast_add_newcomer(m, id, kind);
    *entered |= *slot != CONTRAST_NONE;
    return *slot != CONTRAST_NONE;
}

uint32_t contrast_add(struct contrast *m, uint64_t id, int kind)
{
    uint32_t slot;
    bool entered = false;
    if (!contrast_add_members(m, 1, &id, kind, &slot)) return CONTRAST_NONE;
    contrast_add_other(m, id, kind, &entered, &slot);
    return slot;
}

/* ---- reading ---- */

/* Returns the largest number of records for a count and the bound of what it lacks. A count at its
 * end bounds nothing; then the sum of all counts does. */
static double contrast_most(const struct contrast *m, uint32_t count, uint32_t rest)
{
    double n = sgd_counted(&m->clock, count) + sgd_counted(&m->clock, rest);
    bool bounds = m->opt.half_life > 0 || (count < UINT32_MAX && rest < UINT32_MAX);
    return bounds ? n : fmax(n, m->occurrences);
}

struct contrast_bounds contrast_slot_bounds(const struct contrast *m, uint32_t slot)
{
    struct contrast_bounds b;
    uint64_t mix = m->united.is ? contrast_cell_mix(m, m->index.wide[slot]) : 0;
    for (int y = 0; y < 2; y++) {
        uint32_t n = m->count[2 * (size_t)slot + (size_t)y], rest = 0, excess;
        if (m->united.is) {
            rest = contrast_union_rest(m, slot, y, mix);
            excess = m->united.beside[slot].excess[y];
        } else {
            excess = contrast_excess_of(m, slot, y);
        }
        b.high[y] = contrast_most(m, n, rest);
        b.low[y] = sgd_counted(&m->clock, n - excess);
    }
    return b;
}

struct contrast_sum contrast_slot_sum(const struct contrast *m, uint32_t slot)
{
    struct contrast_sum of = m->sums.member[slot];
    if (!m->united.is) return of;
    uint64_t mix = contrast_cell_mix(m, m->index.wide[slot]);
    for (int y = 0; y < 2; y++) {
        uint64_t rest = contrast_union_rest_sum(m, slot, y, mix), most = m->sums.largest[y];
        uint64_t elsewhere = rest < most ? rest : most;
        of.sum[y] = contrast_sums_add(of.sum[y], rest);
        of.excess[y] = contrast_sums_add(of.excess[y], rest);
        if (of.largest[y] < elsewhere) of.largest[y] = elsewhere;
    }
    return of;
}

bool contrast_is_exact(const struct contrast *m, uint32_t slot)
{
    if (!m->united.is) return !m->excess[slot];
    uint64_t mix = contrast_cell_mix(m, m->index.wide[slot]);
    for (int y = 0; y < 2; y++)
        if (m->united.beside[slot].excess[y] || contrast_union_rest(m, slot, y, mix)) return false;
    return true;
}

bool contrast_has_lost(const struct contrast *m)
{
    return m->united.is ? m->united.grain > 0 : contrast_is_full(m);
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
    const struct contrast_sum of = contrast_slot_sum(m, slot);
    double unit = contrast_mass_unit(m);
    for (int y = 0; y < 2; y++) {
        b.high[y] = (double)of.sum[y] / unit;
        b.low[y] = (double)(of.sum[y] - of.excess[y]) / unit;
    }
    return b;
}

bool contrast_has(const struct contrast *m, uint64_t id)
{
    return contrast_find(m, id) != CONTRAST_NONE;
}

struct contrast_bounds contrast_bounds_of(const struct contrast *m, uint64_t id)
{
    uint32_t slot = contrast_find(m, id);
    if (slot != CONTRAST_NONE) return contrast_slot_bounds(m, slot);
    uint64_t mix = contrast_cell_mix(m, id);
    struct contrast_bounds b = {{0}, {0}};
    for (int y = 0; y < 2; y++)
        b.high[y] = contrast_most(
            m, 0, m->united.is ? contrast_union_least(m, y, mix) : contrast_least(m, y, mix));
    return b;
}

struct contrast_bounds contrast_mass_of(const struct contrast *m, uint64_t id)
{
    if (!m->sums.member) return contrast_bounds_of(m, id);
    uint32_t slot = contrast_find(m, id);
    if (slot != CONTRAST_NONE) return contrast_slot_mass(m, slot);
    uint64_t mix = contrast_cell_mix(m, id);
    double unit = contrast_mass_unit(m);
    struct contrast_bounds b = {{0}, {0}};
    for (int y = 0; y < 2; y++)
        b.high[y] = (double)contrast_sums_least(&m->sums, y, mix) / unit;
    return b;
}
