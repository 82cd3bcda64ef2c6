/* cooccurrence_state.c -- a model from its parts; see cooccurrence.h. */
#include "cooccurrence_inside.h"

#include <assert.h>
#include <string.h>

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
                                       .pairs = p->index.n,
                                       .token_cursor = t->cursor,
                                       .pair_cursor = p->cursor,
                                       .id = t->id,
                                       .token_count = t->count,
                                       .token_excess = t->excess,
                                       .first = p->first,
                                       .second = p->second,
                                       .count = p->count,
                                       .excess = p->excess,
                                       .age = p->age,
                                       .token_cells = token_cells(m),
                                       .pair_cells = pair_cells(m),
                                       .token_cell = t->cell,
                                       .pair_cell = p->cell,
                                       .registers = p->registers};
}

static void copy_tokens(struct cooccurrence *m, const struct cooccurrence_parts *p)
{
    struct cooccurrence_tokens *t = &m->token;
    memcpy(t->id, p->id, p->tokens * sizeof *t->id);
    memcpy(t->count, p->token_count, p->tokens * sizeof *t->count);
    memcpy(t->excess, p->token_excess, p->tokens * sizeof *t->excess);
    memcpy(t->cell, p->token_cell, p->token_cells);
    t->cursor = p->token_cursor;
    t->index.n = p->tokens;
    for (uint32_t i = 0; i < p->tokens; i++)
        t->index.id[i] = id_slots_fold(p->id[i]);
    id_slots_rebuild(&t->index);
}

static void copy_pairs(struct cooccurrence *m, const struct cooccurrence_parts *p)
{
    struct cooccurrence_pairs *q = &m->pair;
    memcpy(q->first, p->first, p->pairs * sizeof *q->first);
    memcpy(q->second, p->second, p->pairs * sizeof *q->second);
    memcpy(q->count, p->count, p->pairs * sizeof *q->count);
    memcpy(q->excess, p->excess, p->pairs * sizeof *q->excess);
    memcpy(q->age, p->age, p->pairs * sizeof *q->age);
    memcpy(q->cell, p->pair_cell, p->pair_cells);
    memcpy(q->registers, p->registers, DISTINCT_REGISTERS);
    q->cursor = p->pair_cursor;
    q->index.n = p->pairs;
}

/* What follows from the arrays: the index, pins, how many are young. */
static void index_pairs(struct cooccurrence *m)
{
    struct cooccurrence_pairs *q = &m->pair;
    for (uint32_t i = 0; i < q->index.n; i++) {
        q->index.id[i] = id_slots_fold(pair_id(m, q->first[i], q->second[i]));
        m->token.pins[q->first[i]]++;
        m->token.pins[q->second[i]]++;
        q->young += is_young(m, i);
    }
    id_slots_rebuild(&q->index);
}

/* What the rest relies on. */
static const char *numbers_wrong(const struct cooccurrence_parts *p)
{
    for (uint32_t i = 0; i < p->tokens; i++)
        if (p->token_excess[i] >= p->token_count[i])
            return "token_excess is not below token_counts";
    for (uint32_t i = 0; i < p->pairs; i++) {
        if (p->first[i] >= p->tokens || p->second[i] >= p->tokens)
            return "first or second names a token beyond ids";
        if (p->excess[i] >= p->count[i]) return "excess is not below counted";
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
    return id_slots_check(&m->pair.index) ? "first and second have a pair twice" : NULL;
}
