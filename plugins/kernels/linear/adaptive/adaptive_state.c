/* adaptive_state.c -- a model from its parts, and from two others; see adaptive.h. */
#include "adaptive.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "adaptive_inside.h"
#include "kernels/base/feature_id.h"
#include "kernels/linear/sgd_state.h"

/* ---- parts ---- */

/* Snapshots are little-endian, as the memory of every machine this runs on. */
static uint8_t *bytes_of(uint16_t *half) { return (uint8_t *)half; }

struct linear_parts adaptive_parts(const struct adaptive *m)
{
    struct linear_parts p = {.sgd = m->sgd,
                             .n = m->index.n,
                             .id = m->id,
                             .count = m->count,
                             .cells = m->shape.cells,
                             .cell_owner = m->owner};
    if (is_compact(m)) {
        p.half_weight = bytes_of(m->half);
        p.code = m->code;
        p.half_cell = bytes_of(m->half + m->first_cell);
        p.cell_code = m->code + m->first_cell;
    } else {
        p.weight = m->weight;
        p.accumulator = m->sum;
        p.cell = m->weight + m->first_cell;
        p.cell_accumulator = m->sum + m->first_cell;
    }
    return p;
}

/* Clock, ids, weights and cells are in their arrays, n of them in S: the index and the bounds are
 * made. Bounds start at 0; no decision depends on how tight they are. */
static void rebuild(struct adaptive *m, const struct sgd *clock, uint32_t n)
{
    sgd_take(&m->sgd, clock, &m->sgd.opt);
    m->index.n = n;
    id_slots_rebuild(&m->index);
    lazy_min_forget(&m->lowest);
    if (m->shape.active) m->bound = n < m->shape.active ? -1 : 0;
    m->n_entrants = 0;
}

/* Every float is a weight, but not every two bytes are. */
static bool is_sane(const struct adaptive *m)
{
    for (uint32_t i = 0; i < m->first_cell + m->shape.cells; i++) {
        if (i >= m->index.n && i < m->first_cell) continue;
        if (!(fabsf(weight_at(m, i)) <= 1.01f * SGD_LIMIT)) return false;
    }
    return true;
}

const char *adaptive_load(struct adaptive *m, const struct linear_parts *p)
{
    struct linear_parts to = adaptive_parts(m);
    assert(!m->index.n && !m->sgd.t && p->n <= m->shape.active);
    linear_take_parts(&to, p);
    rebuild(m, &p->sgd, p->n);
    if (!is_sane(m)) return "half_weights or half_cells: one is no number within 1e30";
    if (id_slots_check(&m->index)) return FEATURE_ID_TWICE;
    return adaptive_check(m)
               ? "cell_owners: a cell without an owner has a weight, or a pair has one owner twice"
               : NULL;
}

/* ---- merging ---- */

/* Rounded to the nearest: a merge has no random bits. */
static void put(struct adaptive *m, uint32_t at, double w, double sum)
{
    const uint64_t nearest = UINT64_C(0x8000) << 48 | UINT64_C(0x800000) << 24;
    double limit = (double)SGD_LIMIT;
    struct numbers n = numbers_of(m);
    numbers_set_weight(n, at, (float)fmax(-limit, fmin(limit, w)), nearest, is_compact(m));
    numbers_set_sum(n, at, (float)fmin(m->sgd.grown * sum, limit), nearest, is_compact(m));
}

static double merged_sum(const struct adaptive *m, uint32_t at)
{
    return (double)sum_at(m, at) / m->sgd.grown;
}

static double merged_weight(const struct adaptive *m, uint32_t at)
{
    return (double)l1_shrink(weight_at(m, at), l1_pending(&m->sgd)) * m->sgd.alpha;
}

static void merge_cells(struct adaptive *m, const struct adaptive *a, const struct adaptive *b,
                        struct sgd_shares share, double count)
{
    for (uint32_t k = 0, c = m->first_cell; k < m->shape.cells; k++, c++)
        put(m, c, share.a * merged_weight(a, c) + share.b * merged_weight(b, c),
            merged_sum(a, c) + count * merged_sum(b, c));
}

/* The owner of a cell, as it is in the model that is made. */
struct owner {
    double weight, sum, worth;
    uint8_t tag; /* 0: it is free */
};

/* One of a side that counts `count` times and has `share` of the examples. */
static struct owner owner_of(const struct adaptive *m, uint32_t c, double share, double count)
{
    struct owner o = {share * merged_weight(m, c), count * merged_sum(m, c), 0,
                      m->owner[c - m->first_cell]};
    double scale = (double)worth(&m->sgd, 1, sum_at(m, c));
    o.worth = fabs(o.weight) * scale;
    return o;
}

/* Joins o with who has its tag among n owners, or adds it. Returns how many there are. */
static uint32_t unite_owner(struct owner *all, uint32_t n, struct owner o)
{
    if (!o.tag) return n;
    uint32_t k = 0;
    while (k < n && all[k].tag != o.tag)
        k++;
    if (k == n) {
        all[n] = o;
        return n + 1;
    }
    all[k].weight += o.weight, all[k].sum += o.sum;
    all[k].worth = fmax(all[k].worth, o.worth);
    return n;
}

/* The heaviest first; equal ones by tag: the same whichever way round a and b were given. */
static int by_worth(const void *x, const void *y)
{
    const struct owner *p = x, *q = y;
    return p->worth != q->worth ? (p->worth < q->worth) - (p->worth > q->worth) : p->tag - q->tag;
}

static void merge_owners(struct adaptive *m, const struct adaptive *a, const struct adaptive *b,
                         struct sgd_shares share, double count)
{
    for (uint32_t k = 0; k + 1 < m->shape.cells; k += 2) {
        struct owner all[5] = {0};
        uint32_t c = m->first_cell + k, n = 0;
        for (uint32_t i = c; i < c + 2; i++) {
            n = unite_owner(all, n, owner_of(a, i, share.a, 1));
            n = unite_owner(all, n, owner_of(b, i, share.b, count));
        }
        qsort(all, n, sizeof *all, by_worth);
        for (uint32_t i = 0; i < 2; i++) {
            put(m, c + i, all[i].weight, all[i].sum);
            set_owner(m, c + i, all[i].tag);
        }
    }
}

/* A member that owned a cell on one side gives it up. */
static void members_give_up(struct adaptive *m)
{
    for (uint32_t s = 0; s < m->index.n; s++) {
        uint32_t flip, c = place_outside(m, id_slots_mix(m->opt.seed, m->id[s]), &flip);
        if (c == m->nobody) continue;
        put(m, c, 0, 0);
        set_owner(m, c, 0);
    }
}

static double origin_sum(const struct linear_origin *o, const struct adaptive *a,
                         const struct adaptive *b, double count)
{
    return (o->a ? merged_sum(a, o->a - 1) : 0) + count * (o->b ? merged_sum(b, o->b - 1) : 0);
}

/* Of a feature that stays: in slot `slot` of m. A side where it is no member adds no counts. */
static void merge_slot(struct adaptive *m, uint32_t slot, const struct linear_origin *o,
                       const struct adaptive *a, const struct adaptive *b, double count)
{
    put(m, slot, o->weight, origin_sum(o, a, b, count));
    for (uint32_t y = 0; m->count && y < 2; y++) {
        uint32_t in_a = o->a ? a->count[2 * (size_t)(o->a - 1) + y] : 0;
        uint32_t in_b = o->b ? b->count[2 * (size_t)(o->b - 1) + y] : 0;
        m->count[2 * (size_t)slot + y] =
            sgd_mix_count(m->sgd.grown, &a->sgd, in_a, &b->sgd, in_b, count);
    }
}

/* Where one side had it as an owner its weight knows of that. */
static void put_into_pair(struct adaptive *m, uint64_t h, double weight, double sum)
{
    uint32_t c = cell_for(m, h, worth(&m->sgd, (float)weight, (float)sum));
    if (c == NOWHERE) return;
    put(m, c, weight, sum);
    set_owner(m, c, tag_of(h));
}

/* As a member that leaves, whose accumulator is `sum`. */
static void put_back(struct adaptive *m, const struct linear_origin *o, double sum)
{
    if (!m->shape.cells) return;
    uint64_t h = id_slots_mix(m->opt.seed, o->id);
    if (m->shape.owned) {
        put_into_pair(m, h, o->weight, sum);
        return;
    }
    uint32_t c = cell_of(m, h);
    float in_cell = (float)merged_weight(m, c), cell_sum = (float)merged_sum(m, c);
    float w = numbers_signed((float)o->weight, (uint32_t)h & 1);
    put(m, c, (double)shared_weight(&m->sgd, in_cell, cell_sum, w, (float)sum),
        fmax((double)cell_sum, 0.5 * sum));
}

void adaptive_merge(struct adaptive *m, const struct adaptive *a, const struct adaptive *b,
                    double count, struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->index.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd_shares share = sgd_share(&a->sgd, &b->sgd, count);
    struct sgd clock = sgd_merge(&a->sgd, &b->sgd, count);
    uint32_t n = linear_unite(a->index.n, a->id, b->index.n, b->id, member);
    uint32_t stay = n < m->shape.active ? n : m->shape.active;
    for (uint32_t i = 0; i < n; i++) {
        struct linear_origin *o = &member[i];
        o->weight = share.a * adaptive_weight(a, o->id) + share.b * adaptive_weight(b, o->id);
        o->key = fabs(o->weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < stay; s++)
        m->id[s] = member[s].id;
    rebuild(m, &clock, stay);
    if (m->shape.owned) {
        merge_owners(m, a, b, share, count);
        members_give_up(m);
    } else {
        merge_cells(m, a, b, share, count);
    }
    for (uint32_t i = n; i-- > stay;) /* the heaviest last: it weighs most in its cell */
        put_back(m, &member[i], origin_sum(&member[i], a, b, count));
    for (uint32_t s = 0; s < stay; s++)
        merge_slot(m, s, &member[s], a, b, count);
}
