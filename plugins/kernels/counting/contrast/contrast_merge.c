/* contrast_merge.c -- implementation of contrast.h: merges of two models. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "contrast_keys.h"

/* Most copies of a sampled record that a merge of a large weight makes. */
static const double MOST_TIMES = 64;

struct contrast_sides {
    const struct contrast *a, *b;
    double count; /* how often each record of b counts */
    double grown; /* `grown` of the merged clock (sgd.h) */
};

/* Sets *count and *excess to those of a feature for kind y in m, which is a or b. `slot` is 1 + the
 * slot of the feature in m, or 0 if the feature is not a member of m. */
static void contrast_look_up(const struct contrast *m, uint32_t slot, uint64_t id, int y,
                             uint32_t *count, uint32_t *excess)
{
    if (slot) {
        *count = m->count[2 * (size_t)(slot - 1) + (size_t)y];
        *excess = contrast_unpack(m->excess[slot - 1], y);
    } else {
        *count = *excess = contrast_least(m, y, contrast_cell_mix(m, id));
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
                               contrast_cell_mix(s->a, o->id));
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
    m->index.wide[slot] = o->id;
    m->excess[slot] = contrast_pack(excess);
    m->signatures[slot] = signature_of(s->a, o->a) + signature_of(s->b, o->b);
    if (m->sums.member) m->sums.member[slot] = contrast_sum_up(s, o);
}

static void push_out(struct contrast *m, const struct contrast_sides *s,
                     const struct linear_origin *o)
{
    uint32_t count[2], excess[2];
    contrast_add_up(s, o, count, excess);
    for (int y = 0; y < 2; y++)
        contrast_raise(m, y, contrast_cell_mix(m, o->id), count[y]);
    if (!m->sums.member) return;
    struct contrast_sum of = contrast_sum_up(s, o);
    for (int y = 0; y < 2; y++)
        contrast_sums_raise(&m->sums, y, contrast_cell_mix(m, o->id), of.sum[y]);
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
    if (m->sums.member) contrast_sums_merge(&m->sums, &a->sums, &b->sums, count);
    m->before = m->occurrences;
    contrast_follow(m);
    contrast_merge_cells(&m->cells, &s);
    distinct_unite(m->registers, a->registers);
    distinct_unite(m->registers, b->registers);
    uint32_t times = (uint32_t)fmin(fmax(1, round(count)), MOST_TIMES);
    for (int y = 0; y < 2; y++)
        contrast_sample_merge(&m->sample[y], &a->sample[y], &b->sample[y], times);
    uint32_t n = linear_unite(&a->index, &b->index, member);
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
