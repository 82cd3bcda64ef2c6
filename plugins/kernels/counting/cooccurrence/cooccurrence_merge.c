/* cooccurrence_merge.c -- merges, saves and loads models of cooccurrence.h.
 *
 *   1  The numbers of tokens and pairs, and all cells, add up.
 *   2  The tokens and pairs that a or b keeps are listed, and their counts add up. If only one of
 *      a and b keeps a token or pair, the other contributes its upper bound.
 *   3  Pairs, with their tokens, get slots while slots are free: first grown pairs, then young
 *      pairs, both by worth. Then tokens without pairs get slots, most frequent first.
 *   4  If a token or pair gets no slot, its cells are raised to its count.
 */
#include "cooccurrence_inside.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/count.h"

struct cooccurrence_merge_sides {
    const struct cooccurrence *a, *b;
    double weight; /* how often each record of b counts */
};

/* ---- 1: sums ---- */

/* Return a + weight * b, sum_up() rounded up and sum_down() rounded down. */
static uint32_t sum_up(uint32_t a, uint32_t b, double weight)
{
    double x = (double)a + weight * (double)b;
    uint32_t down = x < 0x1p32 ? (uint32_t)x : UINT32_MAX;
    return down < x && down < UINT32_MAX ? down + 1 : down;
}

static uint32_t sum_down(uint32_t a, uint32_t b, double weight)
{
    double x = (double)a + weight * (double)b;
    return x < 0x1p32 ? (uint32_t)x : UINT32_MAX;
}

static uint8_t sum_codes(uint8_t a, uint8_t b, double weight)
{
    if (a == UNKNOWN || b == UNKNOWN) return UNKNOWN;
    return cooccurrence_encode(sum_up(cooccurrence_decode(a), cooccurrence_decode(b), weight));
}

static void cooccurrence_merge_add_cells(struct cooccurrence *m,
                                         const struct cooccurrence_merge_sides *s)
{
    const struct cooccurrence *a = s->a, *b = s->b;
    for (uint32_t i = 0; i < COOCCURRENCE_GROUPS / 64; i++)
        m->pair.raised[i] = a->pair.raised[i] | b->pair.raised[i];
    for (uint64_t i = 0; i < COOCCURRENCE_TOKEN_DEPTH * (uint64_t)m->shape.token_width; i++)
        m->token.cell[i] = sum_codes(a->token.cell[i], b->token.cell[i], s->weight);
    for (uint64_t i = 0; i < COOCCURRENCE_PAIR_DEPTH * (uint64_t)m->shape.pair_width; i++)
        m->pair.cell[i] =
            a->pair.cell[i] == UNKNOWN || b->pair.cell[i] == UNKNOWN
                ? UNKNOWN
                : (uint8_t)min_u32(UNKNOWN, sum_up(a->pair.cell[i], b->pair.cell[i], s->weight));
}

/* ---- 2: tokens and pairs of a and b ---- */

/* Upper and lower bound of a count in a or in b. */
struct range {
    uint32_t high, low;
};

static void set_sum(uint32_t *count, uint32_t *excess, struct range a, struct range b,
                    double weight)
{
    uint32_t low = sum_down(a.low, b.low, weight);
    *count = sum_up(a.high, b.high, weight);
    *excess = *count - low;
}

static struct range token_range(const struct cooccurrence *m, uint64_t id, uint32_t kept)
{
    if (!kept) return (struct range){token_bound(m, cell_mix(m, id)), 0};
    uint32_t count = m->token.count[kept - 1];
    return (struct range){count, count - m->token.excess[kept - 1]};
}

static int cooccurrence_merge_by_id(const void *x, const void *y)
{
    const struct cooccurrence_token_origin *a = x, *b = y;
    return (a->id > b->id) - (a->id < b->id);
}

static void put_tokens(struct cooccurrence_origins *o, const struct cooccurrence *m, bool is_b)
{
    for (uint32_t t = 0; t < m->token.index.n; t++)
        o->token[o->tokens++] = (struct cooccurrence_token_origin){.id = m->token.index.wide[t],
                                                                   .a = is_b ? 0 : t + 1,
                                                                   .b = is_b ? t + 1 : 0,
                                                                   .slot = COOCCURRENCE_NONE};
}

static void unite_tokens(struct cooccurrence_origins *o, const struct cooccurrence_merge_sides *s)
{
    o->tokens = 0;
    put_tokens(o, s->a, false);
    put_tokens(o, s->b, true);
    qsort(o->token, o->tokens, sizeof *o->token, cooccurrence_merge_by_id);
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->tokens; i++) {
        struct cooccurrence_token_origin t = o->token[i];
        if (i + 1 < o->tokens && o->token[i + 1].id == t.id) {
            t.a += o->token[i + 1].a; /* one of the two summands is 0 */
            t.b += o->token[++i].b;
        }
        set_sum(&t.count, &t.excess, token_range(s->a, t.id, t.a), token_range(s->b, t.id, t.b),
                s->weight);
        o->token[n++] = t;
    }
    o->tokens = n;
}

static uint32_t find_origin(const struct cooccurrence_origins *o, uint64_t id)
{
    const struct cooccurrence_token_origin key = {.id = id};
    const struct cooccurrence_token_origin *t =
        bsearch(&key, o->token, o->tokens, sizeof *o->token, cooccurrence_merge_by_id);
    assert(t);
    return (uint32_t)(t - o->token);
}

static uint64_t origin_pair_id(const struct cooccurrence *m,
                               const struct cooccurrence_pair_origin *p)
{
    return feature_id_pair(feature_id_part(p->first), feature_id_part(p->second), m->opt.ordered);
}

static struct range pair_range(const struct cooccurrence *m, const struct cooccurrence_origins *o,
                               const struct cooccurrence_pair_origin *p, uint32_t kept, bool is_b)
{
    if (kept) {
        uint32_t count = m->pair.at[kept - 1].count;
        return (struct range){count, count - m->pair.at[kept - 1].excess};
    }
    const struct cooccurrence_token_origin *u = &o->token[p->u], *v = &o->token[p->v];
    uint64_t rarer = min_u32(token_range(m, u->id, is_b ? u->b : u->a).high,
                             token_range(m, v->id, is_b ? v->b : v->a).high);
    uint64_t most = reach_of(m) * rarer, cells = pair_bound(m, cell_mix(m, origin_pair_id(m, p)));
    uint64_t bound = cells < most ? cells : most;
    return (struct range){bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX, 0};
}

/* Return the smaller and the larger id of the two tokens. Sorting by them puts (u, v)
 * next to (v, u). */
static uint64_t lesser(const struct cooccurrence_pair_origin *p)
{
    return p->first < p->second ? p->first : p->second;
}
static uint64_t greater(const struct cooccurrence_pair_origin *p)
{
    return p->first < p->second ? p->second : p->first;
}

static int by_tokens(const void *x, const void *y)
{
    const struct cooccurrence_pair_origin *a = x, *b = y;
    if (lesser(a) != lesser(b)) return lesser(a) < lesser(b) ? -1 : 1;
    if (greater(a) != greater(b)) return greater(a) < greater(b) ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static bool cooccurrence_merge_is_same(const struct cooccurrence *m,
                                       const struct cooccurrence_pair_origin *a,
                                       const struct cooccurrence_pair_origin *b)
{
    if (a->first == b->first && a->second == b->second) return true;
    return !m->opt.ordered && a->first == b->second && a->second == b->first;
}

static void put_pairs(struct cooccurrence_origins *o, const struct cooccurrence *m, bool is_b)
{
    for (uint32_t p = 0; p < m->pair.n; p++)
        o->pair[o->pairs++] =
            (struct cooccurrence_pair_origin){.first = m->token.index.wide[m->pair.at[p].first],
                                              .second = m->token.index.wide[m->pair.at[p].second],
                                              .a = is_b ? 0 : p + 1,
                                              .b = is_b ? p + 1 : 0};
}

static void weigh_pair(const struct cooccurrence *m, const struct cooccurrence_origins *o,
                       const struct cooccurrence_merge_sides *s, struct cooccurrence_pair_origin *p)
{
    p->u = find_origin(o, p->first);
    p->v = find_origin(o, p->second);
    set_sum(&p->count, &p->excess, pair_range(s->a, o, p, p->a, false),
            pair_range(s->b, o, p, p->b, true), s->weight);
    uint32_t low = p->count - p->excess;
    p->worth = worth_of(m, low, o->token[p->u].count, o->token[p->v].count);
    p->young = low < m->opt.min_count;
}

static void unite_pairs(const struct cooccurrence *m, struct cooccurrence_origins *o,
                        const struct cooccurrence_merge_sides *s)
{
    o->pairs = 0;
    put_pairs(o, s->a, false);
    put_pairs(o, s->b, true);
    qsort(o->pair, o->pairs, sizeof *o->pair, by_tokens);
    uint32_t n = 0;
    for (uint32_t i = 0; i < o->pairs; i++) {
        struct cooccurrence_pair_origin p = o->pair[i];
        if (i + 1 < o->pairs && cooccurrence_merge_is_same(m, &p, &o->pair[i + 1])) {
            p.a += o->pair[i + 1].a;
            p.b += o->pair[++i].b;
        }
        weigh_pair(m, o, s, &p);
        o->pair[n++] = p;
    }
    o->pairs = n;
}

/* ---- 3 and 4: slots ---- */

static int cooccurrence_merge_by_worth(const void *x, const void *y)
{
    const struct cooccurrence_pair_origin *a = x, *b = y;
    if (a->young != b->young) return a->young ? 1 : -1;
    if (a->worth != b->worth) return a->worth > b->worth ? -1 : 1;
    return by_tokens(x, y);
}

/* Gives a token a slot, unless it has one. Returns false if no slot is free, or if the lower bound
 * of its count is 0. */
static bool place_token(struct cooccurrence *m, struct cooccurrence_token_origin *t)
{
    struct cooccurrence_tokens *k = &m->token;
    uint32_t slot = k->index.n;
    if (t->slot != COOCCURRENCE_NONE) return true;
    if (slot == m->shape.kept || t->excess >= t->count) return false;
    id_slots_take(&k->index);
    k->count[slot] = t->count;
    k->excess[slot] = t->excess;
    id_slots_set(&k->index, slot, t->id);
    id_slots_link(&k->index, slot);
    t->slot = slot;
    return true;
}

/* Returns the age of a merged pair: the smaller of its ages in a and in b. */
static uint32_t age_of(const struct cooccurrence_merge_sides *s,
                       const struct cooccurrence_pair_origin *p)
{
    uint32_t a = p->a ? s->a->pair.at[p->a - 1].age : UINT8_MAX;
    uint32_t b = p->b ? s->b->pair.at[p->b - 1].age : UINT8_MAX;
    return a < b ? a : b;
}

static bool place_pair(struct cooccurrence *m, struct cooccurrence_origins *o,
                       const struct cooccurrence_merge_sides *s,
                       const struct cooccurrence_pair_origin *p)
{
    struct cooccurrence_pairs *k = &m->pair;
    uint32_t folded = id_slots_fold(origin_pair_id(m, p)), slot = k->n;
    if (p->excess >= p->count || !place_token(m, &o->token[p->u]) ||
        !place_token(m, &o->token[p->v]))
        return false;
    pairs_take(m);
    k->at[slot] = (struct cooccurrence_pair){folded,   o->token[p->u].slot, o->token[p->v].slot,
                                             p->count, p->excess,           age_of(s, p)};
    k->young += p->young;
    m->token.pins[k->at[slot].first]++;
    m->token.pins[k->at[slot].second]++;
    pairs_link(m, slot);
    return true;
}

/* Gives slots to the pairs, which are sorted. Grown pairs leave as many slots as the young
 * pairs can fill. */
static void place_pairs(struct cooccurrence *m, struct cooccurrence_origins *o,
                        const struct cooccurrence_merge_sides *s)
{
    uint32_t young = 0;
    for (uint32_t i = 0; i < o->pairs; i++)
        young += o->pair[i].young;
    uint32_t of_grown = m->shape.kept - min_u32(young, slots_of_young(m));
    for (uint32_t i = 0; i < o->pairs; i++) {
        const struct cooccurrence_pair_origin *p = &o->pair[i];
        uint32_t slots = p->young ? m->shape.kept : of_grown;
        if (m->pair.n >= slots || !place_pair(m, o, s, p))
            pair_raise(m, cell_mix(m, origin_pair_id(m, p)), p->count);
    }
}

static int by_count(const void *x, const void *y)
{
    const struct cooccurrence_token_origin *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return cooccurrence_merge_by_id(x, y);
}

static void place_tokens(struct cooccurrence *m, struct cooccurrence_origins *o)
{
    qsort(o->token, o->tokens, sizeof *o->token, by_count);
    for (uint32_t i = 0; i < o->tokens; i++)
        if (!place_token(m, &o->token[i]))
            token_raise(m, cell_mix(m, o->token[i].id), o->token[i].count);
}

void cooccurrence_merge(struct cooccurrence *m, const struct cooccurrence *a,
                        const struct cooccurrence *b, double weight, struct cooccurrence_origins *o)
{
    assert(!memcmp(&a->shape, &b->shape, sizeof a->shape) && a->opt.seed == b->opt.seed);
    assert(!m->token.index.n && !memcmp(&m->shape, &a->shape, sizeof m->shape));
    const struct cooccurrence_merge_sides s = {a, b, weight};
    m->n_tokens = count_add(a->n_tokens, b->n_tokens, weight);
    m->n_pairs = count_add(a->n_pairs, b->n_pairs, weight);
    cooccurrence_merge_add_cells(m, &s);
    distinct_unite(m->pair.registers, a->pair.registers);
    distinct_unite(m->pair.registers, b->pair.registers);
    unite_tokens(o, &s);
    unite_pairs(m, o, &s);
    qsort(o->pair, o->pairs, sizeof *o->pair, cooccurrence_merge_by_worth);
    place_pairs(m, o, &s);
    place_tokens(m, o);
}

/* ---- copies ---- */

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
    for (uint32_t i = 0; i < m->shape.pair_width; i++) {
        uint32_t group = i >> q->group_shift;
        q->raised[group / 64] |= (uint64_t)(q->cell[i] > 0) << group % 64;
    }
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
    return pairs_check(m) ? "first and second have a pair twice" : NULL;
}
