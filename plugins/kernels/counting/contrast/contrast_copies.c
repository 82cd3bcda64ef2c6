/* contrast_copies.c -- implementation of contrast.h: models that are checked, saved and loaded. */
#include <assert.h>
#include <string.h>

#include "contrast_keys.h"
#include "contrast_union.h"
#include "kernels/base/feature_id.h"

bool contrast_twins(const struct contrast *m, uint32_t a, uint32_t b)
{
    const uint32_t *p = m->count + 2 * (size_t)a, *q = m->count + 2 * (size_t)b;
    return p[0] == q[0] && p[1] == q[1] && m->signatures[a] == m->signatures[b] &&
           contrast_is_exact(m, a) && contrast_is_exact(m, b);
}

uint32_t contrast_late(const struct contrast *m)
{
    uint32_t n = 0;
    for (uint32_t s = 0; s < m->index.n; s++)
        n += !contrast_is_exact(m, s);
    return n;
}

const char *contrast_check(const struct contrast *m)
{
    for (uint32_t s = 0; s < m->index.n && !m->united.is; s++) {
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
    if (!wrong && m->united.is) wrong = contrast_union_check(m);
    return wrong ? wrong : id_slots_check(&m->index);
}

static struct contrast_sampled contrast_sampled(const struct contrast *m, int kind)
{
    const struct contrast_sample *s = &m->sample[kind];
    return (struct contrast_sampled){s->limit, m->shape.sample / 2, s->used, s->word};
}

static uint64_t contrast_cell_words(const struct contrast *m)
{
    uint64_t words = 2 * CONTRAST_DEPTH * (uint64_t)m->shape.width;
    return m->united.is ? words * m->united.grain : words;
}

/* Sets the cells of counts and of amounts. As long as no feature left, they are none. */
static void contrast_parts_cells(const struct contrast *m, struct contrast_parts *p)
{
    const bool any = m->united.is ? m->united.grain > 0 : contrast_keeps_cells(m);
    p->word = m->united.is ? m->united.cell : m->cells.word;
    p->max_words = contrast_cell_words(m);
    p->words = any ? p->max_words : 0;
    p->sum_cells = m->sums.cell;
    p->max_sum_words = m->sums.member ? 2 * CONTRAST_DEPTH * (uint64_t)m->sums.width : 0;
    p->sum_words = any ? p->max_sum_words : 0;
}

struct contrast_parts contrast_parts(const struct contrast *m)
{
    struct contrast_parts p = {.clock = m->clock,
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
                               .cell_bits = m->cells.bits,
                               .grain = m->united.grain,
                               .beside = (const uint32_t *)(const void *)m->united.beside,
                               .sums = m->sums,
                               .own_sums = (const uint64_t *)(const void *)m->united.sums,
                               .member_sums = (const uint64_t *)(const void *)m->sums.member,
                               .registers = m->registers,
                               .sample = {contrast_sampled(m, 0), contrast_sampled(m, 1)}};
    contrast_parts_cells(m, &p);
    return p;
}

/* Loads the sums of amounts. Returns NULL, or an error message. */
static const char *contrast_load_sums(struct contrast *m, const struct contrast_parts *p)
{
    struct contrast_sums *s = &m->sums;
    if (!s->member) return NULL;
    memcpy(s->member, p->member_sums, p->n * sizeof *s->member);
    if (p->sum_words && p->sum_words != p->max_sum_words) return "amount_cells are cut";
    if (p->sum_words) memcpy(s->cell, p->sum_cells, p->sum_words * sizeof *s->cell);
    if (m->united.is) memcpy(m->united.sums, p->own_sums, p->n * sizeof *m->united.sums);
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

/* Loads what only a leaf has. Returns NULL, or an error message. */
static const char *contrast_load_leaf(struct contrast *m, const struct contrast_parts *p)
{
    if (p->cell_bits != 8 && p->cell_bits != 16 && p->cell_bits != 32)
        return "cells have 8, 16 or 32 bits";
    if (p->n && !(p->base.mean > 0)) return "key_base has no mean";
    m->cells.bits = p->cell_bits;
    m->has_cells = p->words > 0;
    memcpy(m->excess, p->excess, p->n * sizeof *p->excess);
    if (p->key) memcpy(m->key, p->key, p->n * sizeof *p->key);
    if (p->words) memcpy(m->cells.word, p->word, p->words * sizeof *p->word);
    m->cursor = p->cursor;
    m->base = p->base;
    if (p->n) contrast_set_factors(m);
    lazy_min_forget(&m->lowest);
    m->floor = 0;
    return NULL;
}

const char *contrast_load(struct contrast *m, const struct contrast_parts *p)
{
    const char *wrong = p->words && p->words != p->max_words ? "cells are cut" : NULL;
    assert(!m->index.n && p->n <= m->shape.members && p->words <= contrast_cell_words(m));
    memcpy(m->index.wide, p->id, p->n * sizeof *p->id);
    memcpy(m->count, p->count, p->n * 2 * sizeof *p->count);
    memcpy(m->signatures, p->signatures, p->n * sizeof *p->signatures);
    memcpy(m->registers, p->registers, DISTINCT_REGISTERS);
    sgd_take(&m->clock, &p->clock, &m->clock.opt);
    m->before = m->occurrences = p->occurrences;
    m->index.n = p->n;
    id_slots_rebuild(&m->index);
    for (int y = 0; y < 2 && !wrong; y++)
        wrong = contrast_load_sample(&m->sample[y], &p->sample[y]);
    if (!wrong) wrong = contrast_load_sums(m, p);
    if (!wrong && id_slots_check(&m->index)) wrong = FEATURE_ID_TWICE;
    if (wrong || !m->united.is) return wrong ? wrong : contrast_load_leaf(m, p);
    memcpy(m->united.beside, p->beside, p->n * sizeof *m->united.beside);
    if (p->words) memcpy(m->united.cell, p->word, p->words * sizeof *p->word);
    contrast_follow(m);
    return contrast_union_check(m);
}
