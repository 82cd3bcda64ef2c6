/* cooccurrence_sum.c -- implementation of cooccurrence_sum.h, except reading models.
 */
#include "cooccurrence_inside.h"
#include "cooccurrence_sum.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/layout.h"

enum { TOKENS = COOCCURRENCE_TOKEN_DEPTH, PAIRS = COOCCURRENCE_PAIR_DEPTH };

/* ---- memory ---- */

static uint32_t room_above(uint64_t n)
{
    uint64_t room = 64;
    while (room < n)
        room *= 2;
    assert(room <= 1u << 30);
    return (uint32_t)room;
}

struct cooccurrence_sum_room cooccurrence_sum_room_for(uint64_t tokens, uint64_t pairs)
{
    return (struct cooccurrence_sum_room){room_above(tokens), room_above(pairs)};
}

static size_t sum_lay_out(struct cooccurrence_sum *s, void *block)
{
    const struct cooccurrence_sum_room *room = &s->room;
    struct layout c = {block, 0};
    s->token = layout_take(&c, room->tokens, sizeof *s->token);
    s->pair = layout_take(&c, room->pairs, sizeof *s->pair);
    s->token_cell = layout_take(&c, TOKENS * (size_t)s->shape.token_width, 4);
    s->pair_cell = layout_take(&c, PAIRS * (size_t)s->shape.pair_width, 4);
    s->registers = layout_take(&c, DISTINCT_REGISTERS, 1);
    s->token_place = layout_take(&c, 2 * (size_t)room->tokens, 4);
    s->pair_place = layout_take(&c, 2 * (size_t)room->pairs, 4);
    s->token_order = layout_take(&c, room->tokens, 4);
    s->pair_order = layout_take(&c, room->pairs, 4);
    s->rank = layout_take(&c, room->tokens, 4);
    s->key =
        layout_take(&c, room->tokens > room->pairs ? room->tokens : room->pairs, sizeof *s->key);
    return c.used;
}

size_t cooccurrence_sum_bytes(const struct cooccurrence_shape *shape,
                              const struct cooccurrence_sum_room *room)
{
    struct cooccurrence_sum s = {.shape = *shape, .room = *room};
    return sum_lay_out(&s, NULL);
}

void cooccurrence_sum_init(struct cooccurrence_sum *s, const struct cooccurrence_shape *shape,
                           const struct cooccurrence_options *opt,
                           const struct cooccurrence_sum_room *room, void *block)
{
    *s = (struct cooccurrence_sum){.shape = *shape, .opt = *opt, .room = *room};
    sum_lay_out(s, block);
    s->token_shift = (uint32_t)__builtin_clzll(room->tokens); /* 64 - log2 of the places */
    s->pair_shift = (uint32_t)__builtin_clzll(room->pairs);
}

size_t cooccurrence_sum_used(const struct cooccurrence_sum *s)
{
    return s->tokens * sizeof *s->token + s->pairs * sizeof *s->pair +
           sizeof(uint32_t) *
               (TOKENS * (size_t)s->shape.token_width + PAIRS * (size_t)s->shape.pair_width);
}

/* ---- tokens and pairs by their keys ---- */

static uint64_t sum_pair_key(uint32_t first, uint32_t second)
{
    return (uint64_t)first << 32 | second;
}

/* Returns the place of a token, or the free place where its search ends. */
static uint32_t *token_place_of(const struct cooccurrence_sum *s, uint64_t id)
{
    uint32_t at = (uint32_t)(mix64(id) >> s->token_shift), last = 2 * s->room.tokens - 1;
    while (s->token_place[at] && s->token[s->token_place[at] - 1].id != id)
        at = (at + 1) & last;
    return &s->token_place[at];
}

static uint32_t *pair_place_of(const struct cooccurrence_sum *s, uint32_t first, uint32_t second)
{
    uint32_t at = (uint32_t)(mix64(sum_pair_key(first, second)) >> s->pair_shift), i;
    for (; (i = s->pair_place[at]); at = (at + 1) & (2 * s->room.pairs - 1))
        if (s->pair[i - 1].first == first && s->pair[i - 1].second == second) break;
    return &s->pair_place[at];
}

static struct cooccurrence_sum_token *enroll_token(struct cooccurrence_sum *s, uint64_t id)
{
    uint32_t *place = token_place_of(s, id);
    if (!*place) {
        assert(s->tokens < s->room.tokens);
        s->token[s->tokens] = (struct cooccurrence_sum_token){.id = id};
        *place = ++s->tokens;
    }
    return &s->token[*place - 1];
}

static struct cooccurrence_sum_pair *enroll_pair(struct cooccurrence_sum *s, uint32_t first,
                                                 uint32_t second)
{
    uint32_t *place = pair_place_of(s, first, second);
    if (!*place) {
        assert(s->pairs < s->room.pairs);
        s->pair[s->pairs] = (struct cooccurrence_sum_pair){.first = first, .second = second};
        *place = ++s->pairs;
    }
    return &s->pair[*place - 1];
}

uint64_t cooccurrence_sum_pair_id(const struct cooccurrence_sum *s,
                                  const struct cooccurrence_sum_pair *p)
{
    return feature_id_pair(feature_id_part(s->token[p->first].id),
                           feature_id_part(s->token[p->second].id), s->opt.ordered);
}

uint32_t cooccurrence_sum_find(const struct cooccurrence_sum *s, uint64_t id)
{
    uint32_t place = *token_place_of(s, id);
    return place ? place - 1 : COOCCURRENCE_NONE;
}

void cooccurrence_sum_move(struct cooccurrence_sum *to, const struct cooccurrence_sum *from)
{
    assert(!to->tokens && from->tokens <= to->room.tokens && from->pairs <= to->room.pairs);
    to->n_tokens = from->n_tokens;
    to->n_pairs = from->n_pairs;
    memcpy(to->token_cell, from->token_cell, TOKENS * sizeof(uint32_t) * to->shape.token_width);
    memcpy(to->pair_cell, from->pair_cell, PAIRS * sizeof(uint32_t) * to->shape.pair_width);
    memcpy(to->registers, from->registers, DISTINCT_REGISTERS);
    for (uint32_t t = 0; t < from->tokens; t++)
        *enroll_token(to, from->token[t].id) = from->token[t];
    for (uint32_t p = 0; p < from->pairs; p++)
        *enroll_pair(to, from->pair[p].first, from->pair[p].second) = from->pair[p];
}

/* ---- adding ---- */

static void sum_to(uint32_t *to, uint64_t more)
{
    uint64_t sum = *to + more;
    *to = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

/* Return weight * n, rounded up or down. */
static uint64_t times_up(uint64_t n, double weight)
{
    double x = weight * (double)n;
    if (weight == 1) return n;
    return x < 0x1p32 ? (uint64_t)x + ((double)(uint64_t)x < x) : UINT32_MAX;
}

static uint64_t times_down(uint64_t n, double weight)
{
    double x = weight * (double)n;
    return weight == 1 ? n : x < 0x1p32 ? (uint64_t)x : UINT32_MAX;
}

static void add_token_sums(struct cooccurrence_sum_token *to,
                           const struct cooccurrence_sum_token *more, double weight)
{
    sum_to(&to->count, times_up(more->count, weight));
    sum_to(&to->low, times_down(more->low, weight));
    for (uint32_t row = 0; row < TOKENS; row++)
        sum_to(&to->own[row], times_down(more->own[row], weight));
}

/* turned: whether `more` has the tokens the other way round. */
static void add_pair_sums(struct cooccurrence_sum_pair *to,
                          const struct cooccurrence_sum_pair *more, bool turned, double weight)
{
    sum_to(&to->count, times_up(more->count, weight));
    sum_to(&to->low, times_down(more->low, weight));
    for (uint32_t row = 0; row < PAIRS; row++)
        sum_to(&to->own[row], times_down(more->own[row], weight));
    sum_to(&to->of[turned], times_down(more->of[0], weight));
    sum_to(&to->of[!turned], times_down(more->of[1], weight));
}

/* Adds a pair of the tokens with these indexes. */
static void add_pair_of(struct cooccurrence_sum *s, uint32_t first, uint32_t second,
                        const struct cooccurrence_sum_pair *more, double weight)
{
    bool turned = !s->opt.ordered && s->token[first].id > s->token[second].id;
    add_pair_sums(enroll_pair(s, turned ? second : first, turned ? first : second), more, turned,
                  weight);
}

static void add_totals(struct cooccurrence_sum *s, uint64_t tokens, uint64_t pairs,
                       const uint8_t *registers, double weight)
{
    s->n_tokens = count_add(s->n_tokens, tokens, weight);
    s->n_pairs = count_add(s->n_pairs, pairs, weight);
    distinct_unite(s->registers, registers);
}

void cooccurrence_sum_add(struct cooccurrence_sum *s, const struct cooccurrence_sum *more,
                          double weight)
{
    assert(s->shape.token_width == more->shape.token_width &&
           s->shape.pair_width == more->shape.pair_width && s->opt.seed == more->opt.seed);
    add_totals(s, more->n_tokens, more->n_pairs, more->registers, weight);
    for (size_t i = 0; i < TOKENS * (size_t)s->shape.token_width; i++)
        sum_to(&s->token_cell[i], times_up(more->token_cell[i], weight));
    for (size_t i = 0; i < PAIRS * (size_t)s->shape.pair_width; i++)
        sum_to(&s->pair_cell[i], times_up(more->pair_cell[i], weight));
    for (uint32_t t = 0; t < more->tokens; t++) {
        struct cooccurrence_sum_token *to = enroll_token(s, more->token[t].id);
        add_token_sums(to, &more->token[t], weight);
        s->rank[t] = (uint32_t)(to - s->token);
    }
    for (uint32_t p = 0; p < more->pairs; p++)
        add_pair_of(s, s->rank[more->pair[p].first], s->rank[more->pair[p].second], &more->pair[p],
                    weight);
}

/* ---- adding a leaf ---- */

static uint32_t least_count(uint64_t n) { return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX; }

/* Upper bounds of what a leaf's cells stand for, by the value of the cell. */
struct leaf_codes {
    uint32_t token[UINT8_MAX + 1], pair[UINT8_MAX + 1];
};

static void make_codes(const struct cooccurrence *leaf, struct leaf_codes *codes)
{
    for (uint32_t c = 0; c < UNKNOWN; c++) {
        codes->token[c] = cooccurrence_decode((uint8_t)c);
        codes->pair[c] = c;
    }
    codes->token[UNKNOWN] = least_count(leaf->n_tokens);
    codes->pair[UNKNOWN] = least_count(leaf->n_pairs);
}

static void add_cells(uint32_t *to, const uint8_t *cell, size_t n, const uint32_t *code,
                      double weight)
{
    uint64_t times[UINT8_MAX + 1];
    for (uint32_t c = 0; c <= UINT8_MAX; c++)
        times[c] = times_up(code[c], weight);
    for (size_t i = 0; i < n; i++)
        if (cell[i]) sum_to(&to[i], times[cell[i]]);
}

static void add_leaf_token(struct cooccurrence_sum *s, const struct cooccurrence *leaf, uint32_t t,
                           const uint32_t *code, double weight)
{
    const struct cooccurrence_tokens *k = &leaf->token;
    uint64_t id = k->index.wide[t], mix = cell_mix(leaf, id);
    struct cooccurrence_sum_token more = {.count = k->count[t], .low = k->count[t] - k->excess[t]};
    for (uint32_t row = 0; row < TOKENS; row++)
        more.own[row] = code[*cell_of(k->cell, leaf->shape.token_width, row, mix)];
    struct cooccurrence_sum_token *to = enroll_token(s, id);
    add_token_sums(to, &more, weight);
    s->rank[t] = (uint32_t)(to - s->token);
}

static void add_leaf_pair(struct cooccurrence_sum *s, const struct cooccurrence *leaf, uint32_t p,
                          const uint32_t *code, double weight)
{
    const struct cooccurrence_pair *pair = &leaf->pair.at[p];
    uint64_t mix = cell_mix(leaf, pair_id(leaf, pair->first, pair->second));
    struct cooccurrence_sum_pair more = {
        .count = pair->count,
        .low = pair->count - pair->excess,
        .of = {leaf->token.count[pair->first], leaf->token.count[pair->second]}};
    for (uint32_t row = 0; row < PAIRS; row++)
        more.own[row] = code[*cell_of(leaf->pair.cell, leaf->shape.pair_width, row, mix)];
    add_pair_of(s, s->rank[pair->first], s->rank[pair->second], &more, weight);
}

void cooccurrence_sum_add_leaf(struct cooccurrence_sum *s, const struct cooccurrence *leaf,
                               double weight)
{
    struct leaf_codes codes;
    assert(s->shape.token_width == leaf->shape.token_width &&
           s->shape.pair_width == leaf->shape.pair_width && s->opt.seed == leaf->opt.seed);
    make_codes(leaf, &codes);
    add_totals(s, leaf->n_tokens, leaf->n_pairs, leaf->pair.registers, weight);
    add_cells(s->token_cell, leaf->token.cell, TOKENS * (size_t)s->shape.token_width, codes.token,
              weight);
    add_cells(s->pair_cell, leaf->pair.cell, PAIRS * (size_t)s->shape.pair_width, codes.pair,
              weight);
    for (uint32_t t = 0; t < leaf->token.index.n; t++)
        add_leaf_token(s, leaf, t, codes.token, weight);
    for (uint32_t p = 0; p < leaf->pair.n; p++)
        add_leaf_pair(s, leaf, p, codes.pair, weight);
}

/* ---- order ---- */

int cooccurrence_sum_by_key(const void *x, const void *y)
{
    const struct cooccurrence_sum_key *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static void sort_keys(const struct cooccurrence_sum *s, uint32_t n, uint32_t *order)
{
    qsort(s->key, n, sizeof *s->key, cooccurrence_sum_by_key);
    for (uint32_t i = 0; i < n; i++)
        order[i] = s->key[i].at;
}

void cooccurrence_sum_order(const struct cooccurrence_sum *s)
{
    for (uint32_t t = 0; t < s->tokens; t++)
        s->key[t] = (struct cooccurrence_sum_key){s->token[t].id, t};
    sort_keys(s, s->tokens, s->token_order);
    for (uint32_t i = 0; i < s->tokens; i++)
        s->rank[s->token_order[i]] = i;
    for (uint32_t p = 0; p < s->pairs; p++) {
        const struct cooccurrence_sum_pair *pair = &s->pair[p];
        s->key[p] = (struct cooccurrence_sum_key){
            sum_pair_key(s->rank[pair->first], s->rank[pair->second]), p};
    }
    sort_keys(s, s->pairs, s->pair_order);
}

bool cooccurrence_sum_is_whole(const struct cooccurrence_sum *s)
{
    uint32_t any = 0;
    for (size_t i = 0; i < TOKENS * (size_t)s->shape.token_width; i++)
        any |= s->token_cell[i];
    for (size_t i = 0; i < PAIRS * (size_t)s->shape.pair_width; i++)
        any |= s->pair_cell[i];
    return !any;
}

/* ---- bounds ---- */

static uint64_t token_mix(const struct cooccurrence_sum *s, const struct cooccurrence_sum_token *t)
{
    return mix64(t->id + s->opt.seed);
}

static uint64_t pair_mix(const struct cooccurrence_sum *s, const struct cooccurrence_sum_pair *p)
{
    return mix64(cooccurrence_sum_pair_id(s, p) + s->opt.seed);
}

static uint32_t sum_cell(const uint32_t *cells, uint32_t width, uint32_t row, uint64_t mix)
{
    return cells[(size_t)row * width + cell_index(width, row, mix)];
}

/* Returns an upper bound of the count of an id in the leaves that do not keep it. */
static uint64_t sum_others(const uint32_t *cells, uint32_t width, uint32_t depth,
                           const uint32_t *own, uint64_t mix)
{
    uint64_t least = UINT32_MAX;
    for (uint32_t row = 0; row < depth; row++) {
        uint32_t all = sum_cell(cells, width, row, mix);
        if (all < UINT32_MAX && all - own[row] < least) least = all - own[row];
    }
    return least;
}

uint32_t cooccurrence_sum_token_high(const struct cooccurrence_sum *s, uint32_t token)
{
    const struct cooccurrence_sum_token *t = &s->token[token];
    uint64_t high =
        t->count + sum_others(s->token_cell, s->shape.token_width, TOKENS, t->own, token_mix(s, t));
    return least_count(high < s->n_tokens ? high : s->n_tokens);
}

/* Returns an upper bound of how often a token came in the leaves that do not keep a pair of it. */
static uint64_t token_left(uint32_t high, uint32_t of)
{
    return high < UINT32_MAX ? high - min_u32(high, of) : UINT32_MAX;
}

uint32_t cooccurrence_sum_pair_high(const struct cooccurrence_sum *s, uint32_t pair,
                                    uint32_t first_high, uint32_t second_high)
{
    const struct cooccurrence_sum_pair *p = &s->pair[pair];
    uint64_t others = sum_others(s->pair_cell, s->shape.pair_width, PAIRS, p->own, pair_mix(s, p));
    uint64_t first = token_left(first_high, p->of[0]), second = token_left(second_high, p->of[1]);
    uint64_t most = (first < second ? first : second) * reach_by(&s->opt);
    return least_count(p->count + (others < most ? others : most));
}

void cooccurrence_sum_tally(const struct cooccurrence_sum *s, uint32_t *grown, uint32_t *late)
{
    *grown = *late = 0;
    for (uint32_t i = 0; i < s->pairs; i++) {
        const struct cooccurrence_sum_pair *p = &s->pair[i];
        uint32_t first = cooccurrence_sum_token_high(s, p->first),
                 second = cooccurrence_sum_token_high(s, p->second);
        *grown += p->low >= s->opt.min_count;
        *late += first > s->token[p->first].low || second > s->token[p->second].low ||
                 cooccurrence_sum_pair_high(s, i, first, second) > p->low;
    }
}

/* ---- copies ---- */

static const char *sum_wrong(const struct cooccurrence_sum *s,
                             const struct cooccurrence_sum_parts *p)
{
    for (uint32_t t = 0; t < p->tokens; t++) {
        if (t && p->id[t] <= p->id[t - 1]) return "ids do not ascend";
        if (p->token_low[t] > p->token_count[t]) return "token_lows is above token_counts";
        if (p->token_low[t] > p->n_tokens) return "token_lows is above tokens";
    }
    for (uint32_t i = 0; i < p->pairs; i++) {
        if (p->first[i] >= p->tokens || p->second[i] >= p->tokens)
            return "first or second names a token beyond ids";
        if (i && sum_pair_key(p->first[i], p->second[i]) <=
                     sum_pair_key(p->first[i - 1], p->second[i - 1]))
            return "first and second do not ascend";
        if (!s->opt.ordered && p->first[i] > p->second[i]) return "first is above second";
        if (p->low[i] > p->count[i]) return "lows is above counted";
        if (p->low[i] > p->n_pairs) return "lows is above pairs";
    }
    if (p->tokens && !p->n_tokens) return "tokens is 0, and ids are kept";
    if (p->pairs && !p->n_pairs) return "pairs is 0, and pairs are counted";
    return NULL;
}

static void load_tokens(struct cooccurrence_sum *s, const struct cooccurrence_sum_parts *p)
{
    for (uint32_t i = 0; i < p->tokens; i++) {
        struct cooccurrence_sum_token *t = enroll_token(s, p->id[i]);
        t->count = p->token_count[i];
        t->low = p->token_low[i];
        if (p->cells) memcpy(t->own, p->token_own + (size_t)i * TOKENS, sizeof t->own);
    }
}

static void load_pairs(struct cooccurrence_sum *s, const struct cooccurrence_sum_parts *p)
{
    for (uint32_t i = 0; i < p->pairs; i++) {
        struct cooccurrence_sum_pair *pair = enroll_pair(s, p->first[i], p->second[i]);
        pair->count = p->count[i];
        pair->low = p->low[i];
        memcpy(pair->of, p->of + (size_t)i * 2, sizeof pair->of);
        if (p->cells) memcpy(pair->own, p->own + (size_t)i * PAIRS, sizeof pair->own);
    }
}

/* True if a cell is below what its tokens or pairs have added to it. */
static bool has_small_cell(const struct cooccurrence_sum *s)
{
    bool small = false;
    for (uint32_t t = 0; t < s->tokens; t++)
        for (uint32_t row = 0; row < TOKENS; row++)
            small |= s->token[t].own[row] >
                     sum_cell(s->token_cell, s->shape.token_width, row, token_mix(s, &s->token[t]));
    for (uint32_t p = 0; p < s->pairs; p++)
        for (uint32_t row = 0; row < PAIRS; row++)
            small |= s->pair[p].own[row] >
                     sum_cell(s->pair_cell, s->shape.pair_width, row, pair_mix(s, &s->pair[p]));
    return small;
}

const char *cooccurrence_sum_load(struct cooccurrence_sum *s,
                                  const struct cooccurrence_sum_parts *p)
{
    const char *wrong = sum_wrong(s, p);
    assert(!s->tokens && p->tokens <= s->room.tokens && p->pairs <= s->room.pairs);
    if (wrong) return wrong;
    add_totals(s, p->n_tokens, p->n_pairs, p->registers, 1);
    load_tokens(s, p);
    load_pairs(s, p);
    if (!p->cells) return NULL;
    memcpy(s->token_cell, p->token_cell, TOKENS * sizeof(uint32_t) * s->shape.token_width);
    memcpy(s->pair_cell, p->pair_cell, PAIRS * sizeof(uint32_t) * s->shape.pair_width);
    return has_small_cell(s) ? "own is above the cells" : NULL;
}
