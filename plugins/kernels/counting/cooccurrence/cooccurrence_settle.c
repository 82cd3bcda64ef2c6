/* cooccurrence_settle.c -- models that are made from a sum: a view, and a leaf that goes on. */
#include "cooccurrence_inside.h"
#include "cooccurrence_sum.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/layout.h"

/* ---- a view ---- */

static size_t view_lay_out(const struct cooccurrence_sum *s, struct cooccurrence *view, void *block)
{
    struct layout c = {block, 0};
    view->token.index.wide = layout_take(&c, s->tokens, 8);
    view->token.count = layout_take(&c, s->tokens, 4);
    view->token.excess = layout_take(&c, s->tokens, 4);
    view->pair.at = layout_take(&c, s->pairs, sizeof *view->pair.at);
    view->pair.registers = s->registers;
    return c.used;
}

size_t cooccurrence_sum_view_bytes(const struct cooccurrence_sum *s)
{
    struct cooccurrence view;
    return view_lay_out(s, &view, NULL);
}

void cooccurrence_sum_view(const struct cooccurrence_sum *s, struct cooccurrence *view, void *block)
{
    *view = (struct cooccurrence){
        .shape = s->shape, .opt = s->opt, .n_tokens = s->n_tokens, .n_pairs = s->n_pairs};
    view_lay_out(s, view, block);
    cooccurrence_sum_order(s);
    view->token.index.n = s->tokens;
    for (uint32_t i = 0; i < s->tokens; i++) {
        uint32_t t = s->token_order[i], high = cooccurrence_sum_token_high(s, t);
        view->token.index.wide[i] = s->token[t].id;
        view->token.count[i] = high;
        view->token.excess[i] = high - s->token[t].low;
    }
    view->pair.n = s->pairs;
    for (uint32_t i = 0; i < s->pairs; i++) {
        const struct cooccurrence_sum_pair *p = &s->pair[s->pair_order[i]];
        uint32_t first = s->rank[p->first], second = s->rank[p->second];
        uint32_t high = cooccurrence_sum_pair_high(s, s->pair_order[i], view->token.count[first],
                                                   view->token.count[second]);
        view->pair.at[i] = (struct cooccurrence_pair){0, first, second, high, high - p->low, 0};
        view->pair.young += is_young(view, i);
    }
}

/* ---- a leaf that goes on ---- */

/* Sets each cell of a leaf to the code of the largest of its cells in the sum. */
static void settle_cells(uint8_t *to, uint32_t width, const uint32_t *from, uint32_t from_width,
                         uint32_t depth, uint8_t (*encode)(uint32_t))
{
    uint32_t each = from_width / width;
    assert(from_width == each * width);
    for (size_t i = 0; i < depth * (size_t)width; i++) {
        uint32_t most = 0;
        for (size_t k = i * each; k < (i + 1) * each; k++)
            most = from[k] > most ? from[k] : most;
        to[i] = encode(most);
    }
}

static uint8_t encode_pair(uint32_t count) { return (uint8_t)min_u32(count, UNKNOWN); }

/* Gives a token a slot, unless it has one. Returns false if no slot is free. */
static bool settle_token(const struct cooccurrence_sum *s, uint32_t t, struct cooccurrence *m)
{
    struct cooccurrence_tokens *k = &m->token;
    uint32_t slot = k->index.n;
    if (s->rank[t] != COOCCURRENCE_NONE) return true;
    if (slot == m->shape.kept || !s->token[t].low) return false;
    id_slots_take(&k->index);
    k->count[slot] = cooccurrence_sum_token_high(s, t);
    k->excess[slot] = k->count[slot] - s->token[t].low;
    id_slots_set(&k->index, slot, s->token[t].id);
    id_slots_link(&k->index, slot);
    s->rank[t] = slot;
    return true;
}

static uint32_t settle_high(const struct cooccurrence_sum *s, uint32_t pair)
{
    return cooccurrence_sum_pair_high(s, pair, cooccurrence_sum_token_high(s, s->pair[pair].first),
                                      cooccurrence_sum_token_high(s, s->pair[pair].second));
}

static bool settle_pair(const struct cooccurrence_sum *s, uint32_t pair, struct cooccurrence *m)
{
    struct cooccurrence_pairs *k = &m->pair;
    const struct cooccurrence_sum_pair *p = &s->pair[pair];
    uint32_t slot = k->n, high = settle_high(s, pair);
    if (!p->low || !settle_token(s, p->first, m) || !settle_token(s, p->second, m)) return false;
    pairs_take(m);
    uint32_t first = s->rank[p->first], second = s->rank[p->second];
    k->at[slot] = (struct cooccurrence_pair){
        id_slots_fold(pair_id(m, first, second)), first, second, high, high - p->low, 0};
    k->young += is_young(m, slot);
    m->token.pins[first]++;
    m->token.pins[second]++;
    pairs_link(m, slot);
    return true;
}

/* Returns a key by which grown pairs come before young ones, and worthier ones before others. */
static uint64_t worth_key(const struct cooccurrence_sum *s, const struct cooccurrence *m,
                          const struct cooccurrence_sum_pair *p)
{
    float worth = worth_of(m, p->low, cooccurrence_sum_token_high(s, p->first),
                           cooccurrence_sum_token_high(s, p->second));
    uint32_t bits;
    memcpy(&bits, &worth, sizeof bits); /* bits of positive numbers are in the same order */
    return (uint64_t)(p->low < m->opt.min_count) << 32 | (UINT32_MAX - bits);
}

/* Grown pairs leave as many slots as the young pairs can fill. */
static void settle_pairs(const struct cooccurrence_sum *s, struct cooccurrence *m)
{
    uint32_t young = 0;
    for (uint32_t i = 0; i < s->pairs; i++) {
        const struct cooccurrence_sum_pair *p = &s->pair[s->pair_order[i]];
        s->key[i] = (struct cooccurrence_sum_key){worth_key(s, m, p), i};
        young += p->low < m->opt.min_count;
    }
    qsort(s->key, s->pairs, sizeof *s->key, cooccurrence_sum_by_key);
    uint32_t of_grown = m->shape.kept - min_u32(young, slots_of_young(m));
    for (uint32_t i = 0; i < s->pairs; i++) {
        uint32_t pair = s->pair_order[s->key[i].at];
        uint32_t slots = s->pair[pair].low < m->opt.min_count ? m->shape.kept : of_grown;
        if (m->pair.n >= slots || !settle_pair(s, pair, m))
            pair_raise(m, cell_mix(m, cooccurrence_sum_pair_id(s, &s->pair[pair])),
                       settle_high(s, pair));
    }
}

static void settle_tokens(const struct cooccurrence_sum *s, struct cooccurrence *m)
{
    for (uint32_t i = 0; i < s->tokens; i++)
        s->key[i] = (struct cooccurrence_sum_key){
            UINT32_MAX - cooccurrence_sum_token_high(s, s->token_order[i]), i};
    qsort(s->key, s->tokens, sizeof *s->key, cooccurrence_sum_by_key);
    for (uint32_t i = 0; i < s->tokens; i++) {
        uint32_t t = s->token_order[s->key[i].at];
        if (!settle_token(s, t, m))
            token_raise(m, cell_mix(m, s->token[t].id), cooccurrence_sum_token_high(s, t));
    }
}

void cooccurrence_sum_settle(const struct cooccurrence_sum *s, struct cooccurrence *m)
{
    assert(!m->token.index.n && m->opt.seed == s->opt.seed);
    m->n_tokens = s->n_tokens;
    m->n_pairs = s->n_pairs;
    memcpy(m->pair.registers, s->registers, DISTINCT_REGISTERS);
    settle_cells(m->token.cell, m->shape.token_width, s->token_cell, s->shape.token_width,
                 COOCCURRENCE_TOKEN_DEPTH, cooccurrence_encode);
    settle_cells(m->pair.cell, m->shape.pair_width, s->pair_cell, s->shape.pair_width,
                 COOCCURRENCE_PAIR_DEPTH, encode_pair);
    pairs_mark_raised(m);
    cooccurrence_sum_order(s);
    memset(s->rank, UINT8_MAX, s->tokens * sizeof *s->rank); /* slots: COOCCURRENCE_NONE */
    settle_pairs(s, m);
    settle_tokens(s, m);
}
