/* cooccurrence.c -- implementation of cooccurrence.h, except reading, merges and copies.
 *
 * Invariants (cooccurrence_check()): the indexes find every kept token and pair; each excess is
 * below its count; pins[t] is the number of kept pairs and window places with token t; `young` is
 * the number of young pairs.
 */
#include "cooccurrence_inside.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/layout.h"

/* Bytes of the budget. TOKEN_BYTES: id, count, excess and pins of a token. PAIR_BYTES: two
 * slots, count, excess and age of a pair, without padding. NAME_BYTES: about 10 for a token's name,
 * and 10 to find it (names.h). */
enum { TOKEN_BYTES = 20, PAIR_BYTES = 17, NAME_BYTES = 20 };
enum { KEPT_BYTES = TOKEN_BYTES + PAIR_BYTES + NAME_BYTES };
/* LOOK: most slots that a search visits to find COOCCURRENCE_SWEEP pairs of one kind (young or
 * grown), or TOKEN_SWEEP tokens without pins. PINNED: slots passed at once. */
enum { LOOK = 128, TOKEN_SWEEP = 16, PINNED = 16 };
/* Inlined, because the compiler drops a call of a function that only fetches. */
#define COOCCURRENCE_INLINE static inline __attribute__((always_inline))
enum { BLOCK = 64 }; /* most pairs of a block; at least COOCCURRENCE_MAX_WINDOW - 1 */

/* ---- shape and memory ---- */

struct cooccurrence_shape cooccurrence_shape_from_budget(uint64_t bytes, uint32_t *names)
{
    assert(bytes >= COOCCURRENCE_MIN_BUDGET);
    uint64_t kept = bytes * 2 / 3 / KEPT_BYTES, token_width = bytes / 8 / COOCCURRENCE_TOKEN_DEPTH;
    if (kept > COOCCURRENCE_MAX_KEPT) kept = COOCCURRENCE_MAX_KEPT;
    uint64_t left = bytes - kept * KEPT_BYTES - token_width * COOCCURRENCE_TOKEN_DEPTH;
    uint64_t pair_width = left / COOCCURRENCE_PAIR_DEPTH;
    *names = (uint32_t)(kept * NAME_BYTES);
    return (struct cooccurrence_shape){
        (uint32_t)kept,
        (uint32_t)(token_width < COOCCURRENCE_MAX_WIDTH ? token_width : COOCCURRENCE_MAX_WIDTH),
        (uint32_t)(pair_width < COOCCURRENCE_MAX_WIDTH ? pair_width : COOCCURRENCE_MAX_WIDTH)};
}

uint32_t cooccurrence_widest(const struct cooccurrence_shape *s, uint32_t most)
{
    while (most > 1 && (s->kept > COOCCURRENCE_MAX_KEPT / most ||
                        s->token_width > COOCCURRENCE_MAX_WIDTH / most ||
                        s->pair_width > COOCCURRENCE_MAX_WIDTH / most))
        most /= 2;
    return most;
}

uint64_t cooccurrence_charged_bytes(const struct cooccurrence_shape *s)
{
    return (TOKEN_BYTES + PAIR_BYTES) * (uint64_t)s->kept +
           COOCCURRENCE_TOKEN_DEPTH * (uint64_t)s->token_width +
           COOCCURRENCE_PAIR_DEPTH * (uint64_t)s->pair_width;
}

uint64_t cooccurrence_used_bytes(const struct cooccurrence *m)
{
    struct cooccurrence_shape s = {0, m->shape.token_width, m->shape.pair_width};
    bool all = m->token.index.n == m->shape.kept || m->pair.n == m->shape.kept;
    if (!all) s.token_width = s.pair_width = 0; /* nothing has left, so the cells are unused */
    return TOKEN_BYTES * (uint64_t)m->token.index.n + PAIR_BYTES * (uint64_t)m->pair.n +
           cooccurrence_charged_bytes(&s);
}

uint64_t cooccurrence_budget_for(double pairs)
{
    return (uint64_t)ceil(pairs * KEPT_BYTES * 3 / 2);
}

static void lay_out_index(struct layout *c, struct id_slots *index, uint32_t kept)
{
    index->id = layout_take(c, kept + 2, 4);
    index->wide = layout_take(c, kept, 8);
    index->next = layout_take(c, kept + 2, 4);
    index->head = layout_take(c, id_slots_heads(kept), 4);
}

static size_t cooccurrence_lay_out(struct cooccurrence *m, void *block)
{
    const struct cooccurrence_shape *s = &m->shape;
    struct cooccurrence_tokens *t = &m->token;
    struct cooccurrence_pairs *p = &m->pair;
    struct layout c = {block, 0};
    t->count = layout_take(&c, s->kept, 4);
    t->excess = layout_take(&c, s->kept, 4);
    t->pins = layout_take(&c, s->kept, 4);
    t->cell = layout_take(&c, COOCCURRENCE_TOKEN_DEPTH * (size_t)s->token_width, 1);
    lay_out_index(&c, &t->index, s->kept);
    p->at = layout_take(&c, s->kept, sizeof *p->at);
    p->cell = layout_take(&c, COOCCURRENCE_PAIR_DEPTH * (size_t)s->pair_width, 1);
    p->registers = layout_take(&c, DISTINCT_REGISTERS, 1);
    p->place = layout_take(&c, pairs_places(s->kept), 4);
    p->column = layout_take(&c, s->kept, 4);
    return c.used;
}

size_t cooccurrence_block_bytes(const struct cooccurrence_shape *shape)
{
    struct cooccurrence m = {.shape = *shape};
    return cooccurrence_lay_out(&m, NULL);
}

static void init_index(struct id_slots *index, uint32_t kept, uint64_t seed)
{
    index->capacity = kept;
    index->made_for = ID_SLOTS_FEW;
    index->seed = seed;
    id_slots_rebuild(index);
}

/* Computes the factor of a young pair's worth for each age. */
static void init_fade(struct cooccurrence *m)
{
    m->fade[0] = 1;
    for (int age = 1; age <= UINT8_MAX; age++)
        m->fade[age] = m->fade[age - 1] * 0.99f;
}

void cooccurrence_init(struct cooccurrence *m, const struct cooccurrence_shape *shape,
                       const struct cooccurrence_options *opt, void *block)
{
    assert(shape->kept >= 2 && shape->kept <= COOCCURRENCE_MAX_KEPT);
    assert(shape->token_width && shape->pair_width);
    assert(opt->window >= COOCCURRENCE_MIN_WINDOW && opt->window <= COOCCURRENCE_MAX_WINDOW);
    assert(opt->min_count >= 1);
    assert(!opt->sides || (opt->window == 2 && opt->ordered));
    *m = (struct cooccurrence){.shape = *shape, .opt = *opt};
    cooccurrence_lay_out(m, block);
    init_index(&m->token.index, shape->kept, opt->seed);
    while ((shape->pair_width - 1) >> m->pair.group_shift >= COOCCURRENCE_GROUPS)
        m->pair.group_shift++;
    pairs_rebuild(m);
    init_fade(m);
}

/* ---- counts as bytes: 0 .. 15 as they are; larger ones as four bits and a power of two ---- */

uint8_t cooccurrence_encode(uint32_t count)
{
    uint32_t power = 0;
    if (count < 16) return (uint8_t)count;
    while ((count + (1ull << power) - 1) >> power > 31) /* rounds up */
        power++;
    uint32_t digits = (uint32_t)((count + (1ull << power) - 1) >> power);
    return power < 15 ? (uint8_t)((power + 1) << 4 | (digits & 15)) : UNKNOWN;
}

static void cooccurrence_count_up(uint32_t *count) { *count += *count < UINT32_MAX; }

/* ---- choice of the pair that leaves ---- */

/* Returns the worth of a pair. If the pair is young, increases its age. */
static float look_at_pair(const struct cooccurrence *m, struct cooccurrence_pair *p, bool young)
{
    const uint32_t *count = m->token.count;
    float worth = worth_of(m, p->count - p->excess, count[p->first], count[p->second]);
    if (!young) return worth;
    worth *= m->fade[p->age];
    p->age += p->age < UINT8_MAX;
    return worth;
}

/* Visits the next pairs from p->cursor on: young pairs if there are at least slots_of_young() of
 * them, otherwise grown pairs. Returns the visited pair of least worth, and sets *least to its
 * worth. Returns COOCCURRENCE_NONE if it visited no pair of this kind. */
static uint32_t weakest_pair(struct cooccurrence *m, float *least)
{
    struct cooccurrence_pairs *p = &m->pair;
    bool young = p->young >= slots_of_young(m);
    uint32_t weakest = COOCCURRENCE_NONE, next = p->cursor;
    float lowest = INFINITY;
    for (uint32_t i = 0, seen = 0; i < LOOK && seen < COOCCURRENCE_SWEEP; i++) {
        uint32_t slot = next;
        next = slot + 1 < p->n ? slot + 1 : 0;
        if (is_young(m, slot) != young) continue;
        float worth = look_at_pair(m, &p->at[slot], young);
        bool weaker = worth < lowest; /* no branch, because it could not be foretold */
        weakest = weaker ? slot : weakest;
        lowest = weaker ? worth : lowest;
        seen++;
    }
    p->cursor = next;
    *least = lowest;
    return weakest;
}

static void cooccurrence_leave(struct cooccurrence *m, uint32_t slot)
{
    struct cooccurrence_pairs *p = &m->pair;
    const struct cooccurrence_pair *pair = &p->at[slot];
    pair_raise(m, cell_mix(m, pair_id(m, pair->first, pair->second)), pair->count);
    m->token.pins[pair->first]--;
    m->token.pins[pair->second]--;
    p->young -= is_young(m, slot);
    pairs_unlink(m, slot);
}

/* Moves the last pair to `slot`, whose pair has left. */
static void close_gap(struct cooccurrence *m, uint32_t slot)
{
    struct cooccurrence_pairs *p = &m->pair;
    uint32_t last = --p->n;
    if (p->cursor >= last) p->cursor = 0;
    if (slot == last) return;
    pairs_unlink(m, last);
    p->at[slot] = p->at[last];
    pairs_link(m, slot);
}

/* ---- tokens ---- */

_Static_assert(COOCCURRENCE_NONE == ID_SLOTS_NONE, "a look-up that fails gives no slot");

/* True if PINNED tokens in a row have pins, as mostly all have. */
static inline bool are_pinned(const uint32_t *pins)
{
    uint32_t free = 0;
    for (uint32_t i = 0; i < PINNED; i++)
        free |= pins[i] == 0;
    return !free;
}

/* Visits the next tokens from t->cursor on. Returns the one with the smallest count among those
 * without pins, or COOCCURRENCE_NONE. */
static uint32_t rarest_token(struct cooccurrence *m)
{
    struct cooccurrence_tokens *t = &m->token;
    const uint32_t *pins = t->pins, *count = t->count, n = t->index.n;
    uint32_t rarest = COOCCURRENCE_NONE, next = t->cursor;
    for (uint32_t i = 0, seen = 0, step; i < LOOK && seen < TOKEN_SWEEP; i += step) {
        const uint32_t slot = next;
        step = LOOK - i >= PINNED && n - slot >= PINNED && are_pinned(pins + slot) ? PINNED : 1;
        next = slot + step < n ? slot + step : 0;
        if (step == PINNED || pins[slot]) continue;
        seen++;
        if (rarest == COOCCURRENCE_NONE || count[slot] < count[rarest]) rarest = slot;
    }
    t->cursor = next;
    return rarest;
}

/* Removes a weak pair, so that a new token that came `count` times can take the slot of one of its
 * tokens. Returns this slot, or COOCCURRENCE_NONE if other pairs or the window still pin both
 * tokens. If a pair of two such new tokens would not have a higher worth than the weak pair,
 * removes nothing and returns COOCCURRENCE_NONE. */
static uint32_t part_pair(struct cooccurrence *m, uint32_t count)
{
    const struct cooccurrence_pairs *p = &m->pair;
    float least = 0;
    uint32_t pair = p->n ? weakest_pair(m, &least) : COOCCURRENCE_NONE;
    if (pair == COOCCURRENCE_NONE || worth_of(m, 1, count, count) <= least)
        return COOCCURRENCE_NONE;
    uint32_t first = p->at[pair].first, second = p->at[pair].second;
    cooccurrence_leave(m, pair);
    close_gap(m, pair);
    if (!m->token.pins[first]) return first;
    return m->token.pins[second] ? COOCCURRENCE_NONE : second;
}

static uint32_t take_token_slot(struct cooccurrence *m, uint32_t count)
{
    struct cooccurrence_tokens *t = &m->token;
    if (t->index.n < m->shape.kept) return id_slots_take(&t->index);
    uint32_t slot = rarest_token(m);
    if (slot == COOCCURRENCE_NONE) slot = part_pair(m, count);
    if (slot == COOCCURRENCE_NONE) return slot;
    token_raise(m, cell_mix(m, t->index.wide[slot]), t->count[slot]);
    id_slots_unlink(&t->index, slot);
    return slot;
}

/* Counts a token that is not kept. Returns its slot if it is kept from now on, otherwise
 * COOCCURRENCE_NONE. */
static uint32_t add_token(struct cooccurrence *m, uint64_t id)
{
    struct cooccurrence_tokens *t = &m->token;
    uint64_t mix = cell_mix(m, id);
    uint32_t behind = token_bound(m, mix), count = behind;
    cooccurrence_count_up(&count);
    uint32_t slot = take_token_slot(m, count);
    if (slot == COOCCURRENCE_NONE) {
        token_raise(m, mix, count);
        return slot;
    }
    t->count[slot] = count;
    t->excess[slot] = min_u32(behind, count - 1);
    id_slots_set(&t->index, slot, id);
    id_slots_link(&t->index, slot);
    return slot;
}

/* ---- pairs ---- */

/* Returns a slot for a new pair of this worth: a free slot, or the slot of a pair of lower worth,
 * which leaves. Returns COOCCURRENCE_NONE if there is no such slot. */
static uint32_t take_pair_slot(struct cooccurrence *m, float worth)
{
    float least = 0;
    if (m->pair.n < m->shape.kept) return pairs_take(m);
    uint32_t slot = weakest_pair(m, &least);
    if (slot == COOCCURRENCE_NONE || worth <= least) return COOCCURRENCE_NONE;
    cooccurrence_leave(m, slot);
    return slot;
}

/* Returns an upper bound, from the counts of u and v, of how often the pair (u, v) came before the
 * current v. Each earlier occurrence of u or v has made at most reach_by() pairs. The current
 * occurrences of u and v can have made the pair only if a token comes twice in the window
 * (`again`). Without `ordered`, the current u can also have made it with a v that came before u and
 * has left the window. */
static uint64_t tokens_allow(const struct cooccurrence *m, uint32_t u, uint32_t v, bool again)
{
    uint64_t each = m->opt.window - 1, reach = reach_by(&m->opt), own = again ? each : 0;
    uint64_t n_u = m->token.count[u], n_v = m->token.count[v];
    uint64_t of_u = reach * (n_u - 1) + own + (!m->opt.ordered && n_v > 1 ? each : 0);
    uint64_t of_v = reach * (n_v - 1) + own;
    return of_u < of_v ? of_u : of_v;
}

static void cooccurrence_enter(struct cooccurrence *m, uint32_t slot, uint64_t id, uint32_t u,
                               uint32_t v, uint32_t behind)
{
    m->pair.at[slot] = (struct cooccurrence_pair){id_slots_fold(id), u, v, behind + 1, behind, 0};
    m->pair.young += is_young(m, slot);
    m->token.pins[u]++;
    m->token.pins[v]++;
    pairs_link(m, slot);
}

/* Counts a pair that is not kept. both: whether both tokens are kept. */
static void cooccurrence_add_other(struct cooccurrence *m, uint64_t id,
                                   const struct cooccurrence_place *u,
                                   const struct cooccurrence_place *v, bool both)
{
    uint64_t mix = cell_mix(m, id);
    uint32_t behind = pair_bound(m, mix), slot = COOCCURRENCE_NONE;
    distinct_add(m->pair.registers, mix64(mix));
    if (both) {
        uint64_t most = tokens_allow(m, u->slot, v->slot, m->ring_again || v->again);
        behind = most < behind ? (uint32_t)most : behind;
    }
    if (both && behind < UINT32_MAX)
        slot = take_pair_slot(m, worth_of(m, 1, m->token.count[u->slot], m->token.count[v->slot]));
    if (slot == COOCCURRENCE_NONE)
        pair_raise(m, mix, behind < UNKNOWN ? behind + 1 : UNKNOWN);
    else
        cooccurrence_enter(m, slot, id, u->slot, v->slot, behind);
}

static void count_pair(struct cooccurrence *m, uint32_t slot)
{
    bool was_young = is_young(m, slot);
    cooccurrence_count_up(&m->pair.at[slot].count);
    m->pair.at[slot].age = 0;
    m->pair.young -= was_young && !is_young(m, slot);
}

static void add_pair(struct cooccurrence *m, const struct cooccurrence_sought *pair,
                     const struct cooccurrence_place *u, const struct cooccurrence_place *v)
{
    bool both = u->slot != COOCCURRENCE_NONE && v->slot != COOCCURRENCE_NONE;
    uint32_t slot = both ? pairs_seek(m, u->slot, v->slot, pair->mix) : COOCCURRENCE_NONE;
    m->n_pairs += !m->opt.sides;
    if (slot != COOCCURRENCE_NONE)
        count_pair(m, slot);
    else
        cooccurrence_add_other(m, pair->id, u, v, both);
}

/* ---- records ---- */

static void pin(struct cooccurrence *m, const struct cooccurrence_place *p, uint32_t by)
{
    if (p->slot != COOCCURRENCE_NONE) m->token.pins[p->slot] += by;
}

static void push(struct cooccurrence *m, const struct cooccurrence_place *p)
{
    uint32_t at = m->ring_next;
    if (m->ring_n < m->opt.window - 1) {
        at = m->ring_n++;
    } else {
        pin(m, &m->ring[at], UINT32_MAX); /* adding UINT32_MAX subtracts 1 */
        m->ring_again -= m->ring[at].again;
        m->ring_next = at + 2 < m->opt.window ? at + 1 : 0;
    }
    m->ring[at] = *p;
    m->ring_again += p->again;
}

void cooccurrence_record(struct cooccurrence *m)
{
    for (uint32_t i = 0; i < m->ring_n; i++)
        pin(m, &m->ring[i], UINT32_MAX);
    m->ring_n = m->ring_next = m->ring_again = 0;
    for (uint32_t i = 0; i < m->n_side; i++)
        pin(m, &m->side[i], UINT32_MAX);
    m->n_left = m->n_side = 0;
}

static bool is_in_window(const struct cooccurrence *m, uint64_t part)
{
    bool found = false;
    for (uint32_t i = 0; i < m->ring_n; i++)
        found |= m->ring[i].part == part;
    return found;
}

static struct cooccurrence_sought sought(const struct cooccurrence *m, uint64_t id)
{
    return (struct cooccurrence_sought){id, id_slots_mix(m->opt.seed, id_slots_fold(id))};
}

/* Counts a token, and pins its slot. Sets v->slot. Returns the slot if the token is kept from now
 * on and was not before, otherwise COOCCURRENCE_NONE. */
static uint32_t count_token(struct cooccurrence *m, const struct cooccurrence_sought *token,
                            struct cooccurrence_place *v)
{
    uint32_t entered = COOCCURRENCE_NONE;
    v->slot = id_slots_find(&m->token.index, token->id, token->mix);
    if (v->slot == COOCCURRENCE_NONE)
        v->slot = entered = add_token(m, token->id);
    else
        cooccurrence_count_up(&m->token.count[v->slot]);
    pin(m, v, 1);
    return entered;
}

/* Tokens that are counted one after the other, and their pairs in the same order. */
struct cooccurrence_block {
    uint64_t part[COOCCURRENCE_MAX_WINDOW + BLOCK]; /* of the window, then of the tokens */
    struct cooccurrence_sought token[BLOCK], pair[BLOCK];
    uint32_t tokens, pairs;
};

/* Writes the parts of the tokens in the window, the oldest first. Returns their number. */
static uint32_t parts_in_window(const struct cooccurrence *m, uint64_t *part)
{
    uint32_t n = 0;
    for (uint32_t i = m->ring_next; i < m->ring_n; i++)
        part[n++] = m->ring[i].part;
    for (uint32_t i = 0; i < m->ring_next; i++)
        part[n++] = m->ring[i].part;
    return n;
}

COOCCURRENCE_INLINE void foresee_token(const struct cooccurrence *m, uint32_t slot)
{
    const struct cooccurrence_tokens *t = &m->token;
    __builtin_prefetch(&t->index.id[slot]);
    __builtin_prefetch(&t->index.next[slot]);
    __builtin_prefetch(&t->index.wide[slot]);
    __builtin_prefetch(&t->count[slot]);
    __builtin_prefetch(&t->pins[slot]);
}

static void block_list(const struct cooccurrence *m, uint32_t n, const uint64_t *id,
                       struct cooccurrence_block *b)
{
    uint32_t before = parts_in_window(m, b->part), each = m->opt.window - 1;
    b->tokens = b->pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = before + i;
        uint64_t v = b->part[at] = feature_id_part(id[i]);
        b->token[b->tokens++] = sought(m, id[i]);
        for (uint32_t u = at > each ? at - each : 0; u < at; u++)
            b->pair[b->pairs++] = sought(m, feature_id_pair(b->part[u], v, m->opt.ordered));
    }
}

/* Fetches into the cache what counting the block reads. Only saves time. */
COOCCURRENCE_INLINE void block_foresee(const struct cooccurrence *m,
                                       const struct cooccurrence_block *b)
{
    const struct id_slots *tokens = &m->token.index;
    const struct cooccurrence_pairs *p = &m->pair;
    for (uint32_t i = 0; i < b->tokens; i++)
        __builtin_prefetch(&tokens->head[b->token[i].mix >> tokens->head_shift]);
    for (uint32_t i = 0; i < b->pairs; i++)
        __builtin_prefetch(&p->place[b->pair[i].mix >> p->shift]);
    for (uint32_t i = 0; i < b->tokens; i++)
        foresee_token(m, tokens->head[b->token[i].mix >> tokens->head_shift]);
    for (uint32_t i = 0; i < b->pairs; i++) {
        uint32_t place = p->place[b->pair[i].mix >> p->shift];
        __builtin_prefetch(&p->at[place ? place_slot(place) : p->n]);
    }
}

/* Counts the token v and its pairs with the window. Returns like count_token(). */
static uint32_t add_in_window(struct cooccurrence *m, const struct cooccurrence_sought *token,
                              const struct cooccurrence_sought *pair, uint64_t part)
{
    struct cooccurrence_place v = {.part = part, .again = is_in_window(m, part)};
    m->n_tokens++;
    uint32_t entered = count_token(m, token, &v);
    for (uint32_t i = m->ring_next; i < m->ring_n; i++)
        add_pair(m, pair++, &m->ring[i], &v);
    for (uint32_t i = 0; i < m->ring_next; i++)
        add_pair(m, pair++, &m->ring[i], &v);
    push(m, &v);
#ifdef LEAT_CHECKS
    assert(!cooccurrence_check(m));
#endif
    return entered;
}

static void add_tokens(struct cooccurrence *m, uint32_t n, const uint64_t *id, uint32_t *entered)
{
    struct cooccurrence_block b;
    const struct cooccurrence_sought *pair = b.pair;
    uint32_t before = m->ring_n;
    block_list(m, n, id, &b);
    block_foresee(m, &b);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pairs = m->ring_n;
        entered[i] = add_in_window(m, &b.token[i], pair, b.part[before + i]);
        pair += pairs;
    }
}

void cooccurrence_add(struct cooccurrence *m, uint32_t n, const uint64_t *id, uint32_t *entered)
{
    uint32_t most = BLOCK / (m->opt.window - 1);
    for (uint32_t at = 0, some; at < n; at += some) {
        some = min_u32(n - at, most);
        add_tokens(m, some, id + at, entered + at);
    }
}

/* ---- two sides ---- */

void cooccurrence_begin_sides(struct cooccurrence *m, struct cooccurrence_place *side)
{
    cooccurrence_record(m);
    m->side = side;
    m->n_tokens++;
    m->n_pairs++;
}

uint32_t cooccurrence_add_side(struct cooccurrence *m, uint64_t id, bool right)
{
    uint64_t own = right ? id + COOCCURRENCE_RIGHT : id, part = feature_id_part(own);
    struct cooccurrence_place v = {.part = part, .again = false};
    for (uint32_t i = right ? m->n_left : 0; i < m->n_side; i++)
        if (m->side[i].part == part) return COOCCURRENCE_NONE;
    const struct cooccurrence_sought token = sought(m, own);
    uint32_t entered = count_token(m, &token, &v);
    for (uint32_t i = 0; right && i < m->n_left; i++) {
        const struct cooccurrence_sought pair =
            sought(m, feature_id_pair(m->side[i].part, part, m->opt.ordered));
        add_pair(m, &pair, &m->side[i], &v);
    }
    m->side[m->n_side++] = v;
    m->n_left += !right;
#ifdef LEAT_CHECKS
    assert(!cooccurrence_check(m));
#endif
    return entered;
}
