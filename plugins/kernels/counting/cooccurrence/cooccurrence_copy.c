/* cooccurrence_copy.c -- saves and loads models of cooccurrence.h. */
#include "cooccurrence_inside.h"

#include <assert.h>
#include <string.h>

const void *cooccurrence_pair_column(const struct cooccurrence *m, enum cooccurrence_column c)
{
    const struct cooccurrence_pairs *p = &m->pair;
    uint8_t *age = (uint8_t *)p->column;
    for (uint32_t i = 0; i < p->n && c == PAIR_AGE; i++)
        age[i] = (uint8_t)p->at[i].age;
    for (uint32_t i = 0; i < p->n && c != PAIR_AGE; i++) {
        const struct cooccurrence_pair *pair = &p->at[i];
        const uint32_t member[] = {pair->first, pair->second, pair->count, pair->excess};
        p->column[i] = member[c];
    }
    return p->column;
}

static uint64_t token_cells(const struct cooccurrence *m)
{
    return COOCCURRENCE_TOKEN_DEPTH * (uint64_t)m->shape.token_width;
}

static uint64_t pair_cells(const struct cooccurrence *m)
{
    return COOCCURRENCE_PAIR_DEPTH * (uint64_t)m->shape.pair_width;
}

struct cooccurrence_parts cooccurrence_parts(const struct cooccurrence *m)
{
    const struct cooccurrence_tokens *t = &m->token;
    const struct cooccurrence_pairs *p = &m->pair;
    assert(!m->ring_n);
    return (struct cooccurrence_parts){.n_tokens = m->n_tokens,
                                       .n_pairs = m->n_pairs,
                                       .kept = m->shape.kept,
                                       .tokens = t->index.n,
                                       .pairs = p->n,
                                       .token_cursor = t->cursor,
                                       .pair_cursor = p->cursor,
                                       .id = t->index.wide,
                                       .token_count = t->count,
                                       .token_excess = t->excess,
                                       .token_cells = token_cells(m),
                                       .pair_cells = pair_cells(m),
                                       .token_cell = t->cell,
                                       .pair_cell = p->cell,
                                       .registers = p->registers};
}

static void copy_tokens(struct cooccurrence *m, const struct cooccurrence_parts *p)
{
    struct cooccurrence_tokens *t = &m->token;
    memcpy(t->index.wide, p->id, p->tokens * sizeof *p->id);
    memcpy(t->count, p->token_count, p->tokens * sizeof *t->count);
    memcpy(t->excess, p->token_excess, p->tokens * sizeof *t->excess);
    memcpy(t->cell, p->token_cell, p->token_cells);
    t->cursor = p->token_cursor;
    t->index.n = p->tokens;
    id_slots_rebuild(&t->index);
}

static void copy_pairs(struct cooccurrence *m, const struct cooccurrence_parts *p)
{
    struct cooccurrence_pairs *q = &m->pair;
    for (uint32_t i = 0; i < p->pairs; i++)
        q->at[i] = (struct cooccurrence_pair){id_slots_fold(pair_id(m, p->first[i], p->second[i])),
                                              p->first[i],
                                              p->second[i],
                                              p->count[i],
                                              p->excess[i],
                                              p->age[i]};
    memcpy(q->cell, p->pair_cell, p->pair_cells);
    memcpy(q->registers, p->registers, DISTINCT_REGISTERS);
    pairs_mark_raised(m);
    q->cursor = p->pair_cursor;
    q->n = p->pairs;
}

/* Derives the index of pairs, the pins and the number of young pairs from the arrays of pairs. */
static void index_pairs(struct cooccurrence *m)
{
    struct cooccurrence_pairs *q = &m->pair;
    for (uint32_t i = 0; i < q->n; i++) {
        m->token.pins[q->at[i].first]++;
        m->token.pins[q->at[i].second]++;
        q->young += is_young(m, i);
    }
    pairs_rebuild(m);
}

/* Checks the numbers that the rest of the load relies on. Returns NULL, or an error message. */
static const char *numbers_wrong(const struct cooccurrence_parts *p)
{
    for (uint32_t i = 0; i < p->tokens; i++) {
        if (p->token_excess[i] >= p->token_count[i])
            return "token_excess is not below token_counts";
        if (p->token_count[i] - p->token_excess[i] > p->n_tokens)
            return "token_counts is above tokens";
    }
    for (uint32_t i = 0; i < p->pairs; i++) {
        if (p->first[i] >= p->tokens || p->second[i] >= p->tokens)
            return "first or second names a token beyond ids";
        if (p->excess[i] >= p->count[i]) return "excess is not below counted";
        if (p->count[i] - p->excess[i] > p->n_pairs) return "counted is above pairs";
    }
    if (p->tokens && !p->n_tokens) return "tokens is 0, and ids are kept";
    if (p->pairs && !p->n_pairs) return "pairs is 0, and pairs are counted";
    if (p->token_cursor && p->token_cursor >= p->tokens) return "token_cursor is beyond ids";
    if (p->pair_cursor && p->pair_cursor >= p->pairs) return "pair_cursor is beyond first";
    return NULL;
}

const char *cooccurrence_load(struct cooccurrence *m, const struct cooccurrence_parts *p)
{
    assert(!m->token.index.n && p->tokens <= m->shape.kept && p->pairs <= m->shape.kept);
    assert(p->token_cells == token_cells(m) && p->pair_cells == pair_cells(m));
    const char *wrong = numbers_wrong(p);
    if (wrong) return wrong;
    m->n_tokens = p->n_tokens;
    m->n_pairs = p->n_pairs;
    copy_tokens(m, p);
    copy_pairs(m, p);
    index_pairs(m);
    if (id_slots_check(&m->token.index)) return FEATURE_ID_TWICE;
    return pairs_check(m) ? "first and second have a pair twice" : NULL;
}
