/* contrast_copies.c -- implementation of contrast.h: models that are checked, saved and loaded. */
#include <assert.h>
#include <string.h>

#include "contrast_keys.h"
#include "kernels/base/feature_id.h"

bool contrast_twins(const struct contrast *m, uint32_t a, uint32_t b)
{
    const uint32_t *p = m->count + 2 * (size_t)a, *q = m->count + 2 * (size_t)b;
    return p[0] == q[0] && p[1] == q[1] && m->excess[a] == m->excess[b] && !m->excess[a] &&
           m->signatures[a] == m->signatures[b];
}

uint32_t contrast_late(const struct contrast *m)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < m->index.n; s++)
        n += m->excess[s] != 0;
    return n;
}

const char *contrast_check(const struct contrast *m)
{
    for (uint32_t s = 0; s < m->index.n; s++) {
        if (!(m->key[s] >= 0)) return "a key is not a number";
        if (lazy_min_bits(m->key[s]) < m->floor) return "a key is below the floor";
        if (lazy_min_breaks(&m->lowest, s, lazy_min_bits(m->key[s])))
            return "a key is below its bound";
    }
    for (int y = 0; y < 2; y++) {
        const char *wrong = contrast_sample_check(&m->sample[y]);
        if (wrong) return wrong;
    }
    const char *wrong = m->sums.member ? contrast_sums_check(&m->sums, m->index.n) : NULL;
    return wrong ? wrong : id_slots_check(&m->index);
}

static struct contrast_sampled contrast_sampled(const struct contrast *m, int kind)
{
    const struct contrast_sample *s = &m->sample[kind];
    return (struct contrast_sampled){s->limit, m->shape.sample / 2, s->used, s->word};
}

struct contrast_parts contrast_parts(const struct contrast *m)
{
    return (struct contrast_parts){.clock = m->clock,
                                   .max_members = m->shape.members,
                                   .n = m->index.n,
                                   .cursor = m->cursor,
                                   .id = m->index.wide,
                                   .count = m->count,
                                   .excess = m->excess,
                                   .signatures = m->signatures,
                                   .key = m->key,
                                   .occurrences = m->occurrences,
                                   .base = m->base,
                                   .words = packed_cells_words(&m->cells),
                                   .cell_bits = m->cells.bits,
                                   .word = m->cells.word,
                                   .sums = m->sums,
                                   .member_sums = (const uint64_t *)(const void *)m->sums.member,
                                   .sum_cells = m->sums.cell,
                                   .registers = m->registers,
                                   .sample = {contrast_sampled(m, 0), contrast_sampled(m, 1)}};
}

/* Loads the sums of amounts. Returns NULL, or an error message. */
static const char *contrast_load_sums(struct contrast *m, const struct contrast_parts *p)
{
    struct contrast_sums *s = &m->sums;
    if (!s->member) return NULL;
    memcpy(s->member, p->member_sums, p->n * sizeof *s->member);
    memcpy(s->cell, p->sum_cells, p->words * sizeof *s->cell);
    memcpy(s->total, p->sums.total, sizeof s->total);
    memcpy(s->largest, p->sums.largest, sizeof s->largest);
    s->occurrences = p->sums.occurrences;
    return contrast_sums_check(s, p->n);
}

/* Loads the sample of a kind. Returns NULL, or an error message. */
static const char *contrast_load_sample(struct contrast_sample *s, const struct contrast_sampled *p)
{
    assert(p->n <= s->capacity);
    memcpy(s->word, p->word, p->n * sizeof *p->word);
    s->used = p->n;
    s->limit = p->limit;
    return contrast_sample_check(s);
}

const char *contrast_load(struct contrast *m, const struct contrast_parts *p)
{
    assert(!m->index.n && p->n <= m->shape.members && p->words == packed_cells_words(&m->cells));
    if (p->cell_bits != 8 && p->cell_bits != 16 && p->cell_bits != 32)
        return "cells have 8, 16 or 32 bits";
    if (p->n && !(p->base.mean > 0)) return "key_base has no mean";
    m->cells.bits = p->cell_bits;
    memcpy(m->index.wide, p->id, p->n * sizeof *p->id);
    memcpy(m->count, p->count, p->n * 2 * sizeof *p->count);
    memcpy(m->excess, p->excess, p->n * sizeof *p->excess);
    memcpy(m->signatures, p->signatures, p->n * sizeof *p->signatures);
    memcpy(m->key, p->key, p->n * sizeof *p->key);
    memcpy(m->cells.word, p->word, p->words * sizeof *p->word);
    memcpy(m->registers, p->registers, DISTINCT_REGISTERS);
    sgd_take(&m->clock, &p->clock, &m->clock.opt);
    m->cursor = p->cursor;
    m->occurrences = p->occurrences;
    m->base = p->base;
    if (p->n) contrast_set_factors(m);
    m->index.n = p->n;
    id_slots_rebuild(&m->index);
    lazy_min_forget(&m->lowest);
    m->floor = 0;
    for (int y = 0; y < 2; y++) {
        const char *wrong = contrast_load_sample(&m->sample[y], &p->sample[y]);
        if (wrong) return wrong;
    }
    const char *wrong = contrast_load_sums(m, p);
    return wrong ? wrong : id_slots_check(&m->index) ? FEATURE_ID_TWICE : NULL;
}
