/* contrast_state.c -- a contrast model from its parts, and from two others; see contrast.h. */
#include "contrast_inside.h"

#include <assert.h>
#include <string.h>

#include "kernels/base/feature_id.h"

struct contrast_parts contrast_parts(const struct contrast *m)
{
    return (struct contrast_parts){.clock = m->clock,
                                   .max_members = m->shape.members,
                                   .n = m->index.n,
                                   .cursor = m->cursor,
                                   .id = m->index.id,
                                   .count = m->count,
                                   .excess = m->excess,
                                   .signatures = m->signatures,
                                   .key = m->key,
                                   .occurrences = m->occurrences,
                                   .words = packed_cells_words(&m->cells),
                                   .cell_bits = m->cells.bits,
                                   .word = m->cells.word,
                                   .registers = m->registers,
                                   .sample_limit = m->sample.limit,
                                   .max_sample = m->shape.sample,
                                   .sampled = m->sample.used,
                                   .sample = m->sample.word};
}

const char *contrast_load(struct contrast *m, const struct contrast_parts *p)
{
    assert(!m->index.n && p->n <= m->shape.members && p->words == packed_cells_words(&m->cells));
    assert(p->sampled <= m->shape.sample);
    if (p->cell_bits != 8 && p->cell_bits != 16 && p->cell_bits != 32)
        return "cells have 8, 16 or 32 bits";
    m->cells.bits = p->cell_bits;
    memcpy(m->index.id, p->id, p->n * sizeof *p->id);
    memcpy(m->count, p->count, p->n * 2 * sizeof *p->count);
    memcpy(m->excess, p->excess, p->n * sizeof *p->excess);
    memcpy(m->signatures, p->signatures, p->n * sizeof *p->signatures);
    memcpy(m->key, p->key, p->n * sizeof *p->key);
    memcpy(m->cells.word, p->word, p->words * sizeof *p->word);
    memcpy(m->registers, p->registers, DISTINCT_REGISTERS);
    memcpy(m->sample.word, p->sample, p->sampled * sizeof *p->sample);
    m->sample.used = p->sampled;
    m->sample.limit = p->sample_limit;
    sgd_take(&m->clock, &p->clock, &m->clock.opt);
    m->cursor = p->cursor;
    m->occurrences = p->occurrences;
    m->index.n = p->n;
    id_slots_rebuild(&m->index);
    lazy_min_forget(&m->lowest);
    const char *wrong = contrast_sample_check(&m->sample);
    if (wrong) return wrong;
    return id_slots_check(&m->index) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

struct sides {
    const struct contrast *a, *b;
    double count; /* how often b counts */
    double grown; /* of the merged clock */
};

/* The bound of a feature's count on one side, and how much of it may be too much. */
static void look_up(const struct contrast *m, uint32_t slot, uint32_t id, int y, uint32_t *count,
                    uint32_t *excess)
{
    if (slot) {
        *count = m->count[2 * (size_t)(slot - 1) + (size_t)y];
        *excess = contrast_unpack(m->excess[slot - 1], y);
    } else {
        *count = *excess = least(m, y, cell_mix(m, id));
    }
}

/* The sum of both sides, as counts of the merged clock. */
static void add_up(const struct sides *s, const struct linear_origin *o, uint32_t count[2],
                   uint32_t excess[2])
{
    for (int y = 0; y < 2; y++) {
        uint32_t na, nb, ea, eb;
        look_up(s->a, o->a, o->id, y, &na, &ea);
        look_up(s->b, o->b, o->id, y, &nb, &eb);
        count[y] = sgd_mix_count(s->grown, &s->a->clock, na, &s->b->clock, nb, s->count);
        excess[y] = sgd_mix_count(s->grown, &s->a->clock, ea, &s->b->clock, eb, s->count);
    }
}

static uint32_t signature_of(const struct contrast *m, uint32_t slot)
{
    return slot ? m->signatures[slot - 1] : 0;
}

static void place(struct contrast *m, uint32_t slot, const struct sides *s,
                  const struct linear_origin *o)
{
    uint32_t excess[2];
    add_up(s, o, m->count + 2 * (size_t)slot, excess);
    m->index.id[slot] = o->id;
    m->excess[slot] = contrast_pack(excess);
    m->signatures[slot] = signature_of(s->a, o->a) ^ signature_of(s->b, o->b);
    set_key(m, slot);
}

static void push_out(struct contrast *m, const struct sides *s, const struct linear_origin *o)
{
    uint32_t count[2], excess[2];
    add_up(s, o, count, excess);
    for (int y = 0; y < 2; y++)
        raise(m, y, cell_mix(m, o->id), count[y]);
}

/* Cells of so many bits that hold the sums; false: one does not fit. */
static bool add_cells(struct packed_cells *cells, const struct sides *s, uint32_t bits)
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

static void merge_cells(struct packed_cells *cells, const struct sides *s)
{
    uint32_t a = s->a->cells.bits, b = s->b->cells.bits, bits = a > b ? a : b;
    while (!add_cells(cells, s, bits))
        bits *= 2;
}

void contrast_merge(struct contrast *m, const struct contrast *a, const struct contrast *b,
                    double count, struct linear_origin *member)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->index.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    struct sgd clock = sgd_merge(&a->clock, &b->clock, count);
    const struct sides s = {a, b, count, clock.grown};
    sgd_take(&m->clock, &clock, &m->clock.opt);
    m->occurrences = a->occurrences + count * b->occurrences;
    follow_records(m);
    merge_cells(&m->cells, &s);
    distinct_unite(m->registers, a->registers);
    distinct_unite(m->registers, b->registers);
    contrast_sample_merge(&m->sample, &a->sample, &b->sample);
    uint32_t n = linear_unite(a->index.n, a->index.id, b->index.n, b->index.id, member);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t sum[2], excess[2];
        add_up(&s, &member[i], sum, excess);
        member[i].weight = member[i].key = (double)key_of(m, sum);
    }
    linear_rank(member, n);
    uint32_t stay = n < m->shape.members ? n : m->shape.members;
    for (uint32_t i = 0; i < n; i++)
        if (i < stay)
            place(m, i, &s, &member[i]);
        else
            push_out(m, &s, &member[i]);
    m->index.n = stay;
    id_slots_rebuild(&m->index);
}
