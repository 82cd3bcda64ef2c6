/* adaptive_state.c -- memory, queries, merge and kernel of adaptive.h. */
#include <assert.h>
#include <stdlib.h>

#include "adaptive.h"

/* ---- the budget ---- */

static bool adaptive_compact(const struct linear_options *opt)
{
    return opt->precision == ADAPTIVE_COMPACT;
}

static uint32_t adaptive_slot_bytes(const struct linear_options *opt)
{
    return (adaptive_compact(opt) ? 4u + 2u + 1u : 4u + 4u + 4u) + (opt->counts ? 8u : 0u);
}

static uint32_t adaptive_cell_bytes_of(const struct linear_options *opt, bool owned)
{
    return (adaptive_compact(opt) ? 2u + 1u : 4u + 4u) + (owned ? 1u : 0u);
}

static uint32_t adaptive_at_most(uint64_t n, uint32_t most)
{
    return n < most ? (uint32_t)n : most;
}

static uint32_t adaptive_cell_bytes(const struct linear_options *opt,
                                    const struct linear_shape *shape)
{
    return adaptive_cell_bytes_of(opt, shape->owned);
}

/* Returns the number of cells that fit in `bytes`. If they are few, the number is even and each
 * cell has a tag. */
static uint32_t adaptive_cells_for(uint64_t bytes, const struct linear_options *opt)
{
    uint64_t owned = bytes / adaptive_cell_bytes_of(opt, true) / 2 * 2;
    if (owned <= ADAPTIVE_FEW_CELLS) return (uint32_t)owned;
    return adaptive_at_most(bytes / adaptive_cell_bytes_of(opt, false), LINEAR_MAX_CELLS);
}

static bool adaptive_shape_for(uint64_t bytes, const struct linear_options *opt,
                               struct linear_shape *s)
{
    uint32_t member = adaptive_slot_bytes(opt);
    if (s->width == ADAPTIVE_CHOOSE) {
        uint64_t given = (uint64_t)s->active * member, left = given < bytes ? bytes - given : 0;
        s->width = adaptive_cells_for(s->active == ADAPTIVE_CHOOSE ? bytes / 2 : left, opt);
    }
    s->depth = s->width > 0;
    s->owned = s->width > 1 && s->width <= ADAPTIVE_FEW_CELLS;
    if (s->active == ADAPTIVE_CHOOSE) {
        uint64_t given = (uint64_t)s->width * adaptive_cell_bytes_of(opt, s->owned);
        uint64_t left = given < bytes ? bytes - given : 0;
        s->active = adaptive_at_most(left / member, LINEAR_MAX_ACTIVE);
        if (!s->active) return false;
    }
    return s->active + (uint64_t)s->width > 0 && s->active <= LINEAR_MAX_ACTIVE &&
           s->width <= LINEAR_MAX_CELLS;
}

/* ---- arrays ---- */

static bool adaptive_some_have_no_place(const struct linear_shape *s)
{
    return s->owned || !s->width;
}

static void adaptive_lay_out(struct store *s, struct layout *c)
{
    size_t places = s->first_cell + (size_t)s->shape.width + adaptive_some_have_no_place(&s->shape);
    bool half = adaptive_compact(&s->opt);
    s->member.half = half ? layout_take(c, places, 2) : NULL;
    s->member.code = half ? layout_take(c, places, 1) : NULL;
    s->member.weight = half ? NULL : layout_take(c, places, 4);
    s->member.sum = half ? NULL : layout_take(c, places, 4);
    ((struct adaptive *)s)->owner = s->shape.owned ? layout_take(c, s->shape.width, 1) : NULL;
}

static void adaptive_lay_out_scratch(struct store *s, struct layout *c)
{
    struct adaptive *m = (struct adaptive *)s;
    uint32_t n = s->opt.max_row;
    m->at = layout_take(c, n, 4);
    m->fold = layout_take(c, n, 4);
    m->flip = layout_take(c, n, 4);
    m->pair = s->shape.owned ? layout_take(c, n, 4) : NULL;
    m->tag = s->shape.owned ? layout_take(c, n, 1) : NULL;
    m->along = layout_take(c, n, 4);
}

static void adaptive_begin(struct store *s)
{
    const struct linear_shape *shape = &s->shape;
    uint32_t first = s->first_cell;
    assert(!shape->owned || (shape->owned == 1 && shape->width > 1));
    assert(shape->depth <= 1 && s->opt.sgd.rates == SGD_ADAPTIVE);
    ((struct adaptive *)s)->nobody =
        adaptive_some_have_no_place(shape) ? first + shape->width : STORE_NONE;
    s->set.made_for = shape->active ? ID_SLOTS_FEW : 0;
    if (adaptive_compact(&s->opt))
        s->cell = (struct numbers){.half = s->member.half + first, .code = s->member.code + first};
    else
        s->cell =
            (struct numbers){.weight = s->member.weight + first, .sum = s->member.sum + first};
}

static void adaptive_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    id_slots_mix_all(s->opt.seed, n, id, hash);
}

/* ---- queries ---- */

/* Returns the index of a feature's slot or cell, or `nobody`. Sets *flip to 1 if its sign there is
 * -1, else to 0. */
static uint32_t adaptive_place(const struct adaptive *m, uint32_t id, uint32_t *flip)
{
    uint64_t h = id_slots_mix(m->s.opt.seed, id);
    uint32_t slot = id_slots_seek_mixed(&m->s.set, id, h);
    *flip = 0;
    return m->s.set.id[slot] == id ? slot : adaptive_place_outside(m, h, flip);
}

static double adaptive_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x)
{
    const struct adaptive *m = (const struct adaptive *)s;
    const struct sgd_limits limits = sgd_adaptive_limits(&m->s.sgd);
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t flip, at = adaptive_place(m, id_slots_fold(id[i]), &flip);
        float w =
            sgd_adaptive_temper(&limits, adaptive_weight_at(m, at), adaptive_sum_at(m, at), x[i]);
        sum += (double)numbers_signed(w, flip) * (double)x[i];
    }
    return sum * m->s.sgd.alpha + m->s.sgd.bias;
}

static void adaptive_stored(const struct store *s, uint32_t from, uint32_t n, float *w)
{
    const struct numbers of = s->member;
    const bool compact = store_is_compact(s);
    const float by = l1_pending(&s->sgd);
    for (uint32_t i = 0; i < n; i++)
        w[i] = l1_shrink(numbers_weight(of, from + i, compact), by);
}

static double adaptive_weight(const struct store *s, uint64_t id)
{
    const struct adaptive *m = (const struct adaptive *)s;
    uint32_t flip, at = adaptive_place(m, id_slots_fold(id), &flip);
    float w;
    adaptive_stored(s, at, 1, &w);
    return (double)numbers_signed(w, flip) * m->s.sgd.alpha;
}

static const char *adaptive_check_owners(const struct adaptive *m)
{
    for (uint32_t c = 0; c < m->s.shape.width; c++) {
        if (!m->owner[c] && adaptive_weight_at(m, m->s.first_cell + c) != 0)
            return "a free cell has a weight";
        if (c % 2 && m->owner[c] && m->owner[c] == m->owner[c - 1])
            return "both cells of a pair have the same owner";
    }
    return NULL;
}

static const char *adaptive_check_nobody(const struct adaptive *m)
{
    if (m->nobody == STORE_NONE ||
        (adaptive_weight_at(m, m->nobody) == 0 && adaptive_sum_at(m, m->nobody) == 0))
        return NULL;
    return "features without a place have learned something";
}

static const char *adaptive_check(const struct store *s)
{
    const struct adaptive *m = (const struct adaptive *)s;
    const char *wrong = store_check_slots(s);
    if (!wrong) wrong = adaptive_check_nobody(m);
    if (!wrong && m->s.shape.owned) wrong = adaptive_check_owners(m);
    if (wrong) return wrong;
    for (uint32_t i = 0; i < m->s.first_cell + m->s.shape.width; i++) {
        if (i >= m->s.set.n && i < m->s.first_cell) continue;
        if (!isfinite(adaptive_weight_at(m, i))) return "a weight is not finite";
        if (!(adaptive_sum_at(m, i) >= 0)) return "an accumulator is negative";
    }
    return NULL;
}

/* ---- merging ---- */

static void adaptive_put(struct adaptive *m, uint32_t at, double w, double sum)
{
    store_put_weight(m->s.member, at, w, store_is_compact(&m->s));
    store_put_sum(m->s.member, at, m->s.sgd.grown * sum, store_is_compact(&m->s));
}

static double adaptive_merged_sum(const struct adaptive *m, uint32_t at)
{
    return (double)adaptive_sum_at(m, at) / m->s.sgd.grown;
}

static double adaptive_merged_weight(const struct adaptive *m, uint32_t at)
{
    return (double)l1_shrink(adaptive_weight_at(m, at), l1_pending(&m->s.sgd)) * m->s.sgd.alpha;
}

/* Writes a row for each cell that has an owner, in the order of pairs and tags. */
static void adaptive_sum_owners(const struct store *s, struct sums *to,
                                const struct sums_slot *slot)
{
    const struct adaptive *m = (const struct adaptive *)s;
    const struct sums_knowledge k = store_knowledge(s);
    for (uint32_t i = 0; s->shape.owned && i < s->shape.width / 2 * 2; i++) {
        const uint8_t *tag = m->owner + (i & ~1u);
        uint32_t at = i ^ (tag[0] > tag[1]); /* the cell of the smaller tag comes first */
        if (!m->owner[at]) continue;
        double a = fixed_rounded(adaptive_merged_sum(m, s->first_cell + at)),
               w = adaptive_merged_weight(m, s->first_cell + at);
        to->owner.id[to->owner.n] = sums_owner_id(at / 2, m->owner[at]);
        struct fixed *row = sums_row(&to->owner, to->owner.n++);
        row[SUMS_CELL_WEIGHT] = fixed_of(sums_known(&k, a) * w);
        row[SUMS_CELL_SUM] = fixed_of(a);
    }
}

/* Candidate for the owner of a cell in a merged model. */
struct adaptive_candidate {
    double weight, sum, worth;
    uint32_t pair;
    uint8_t tag;
};

/* Orders by pair, then by descending worth, owners of equal worth by tag. */
static int adaptive_by_worth(const void *x, const void *y)
{
    const struct adaptive_candidate *p = x, *q = y;
    if (p->pair != q->pair) return p->pair < q->pair ? -1 : 1;
    return p->worth != q->worth ? (p->worth < q->worth) - (p->worth > q->worth) : p->tag - q->tag;
}

static struct adaptive_candidate adaptive_candidate_of(const struct adaptive *m,
                                                       const struct sums *s, uint32_t k,
                                                       const struct sums_knowledge *g)
{
    const struct fixed *row = sums_row(&s->owner, k);
    double a = fixed_value(&row[SUMS_CELL_SUM]), known = sums_known(g, a);
    struct adaptive_candidate c = {.weight =
                                       known > 0 ? fixed_value(&row[SUMS_CELL_WEIGHT]) / known : 0,
                                   .sum = a,
                                   .pair = (uint32_t)sums_owner_pair(s->owner.id[k]),
                                   .tag = sums_owner_tag(s->owner.id[k])};
    double scale = (double)adaptive_worth(&m->s.sgd, 1, (float)(m->s.sgd.grown * a));
    c.worth = fabs(c.weight) * scale;
    return c;
}

enum { ADAPTIVE_RIVALS = 255 }; /* tags of a pair, which sums_check() holds */

/* Gives both cells of a pair to the candidates of largest worth. */
static void adaptive_choose_owners(struct adaptive *m, struct adaptive_candidate *all, uint32_t n)
{
    qsort(all, n, sizeof *all, adaptive_by_worth);
    for (uint32_t i = 0; i < n && i < 2; i++) {
        uint32_t c = m->s.first_cell + 2 * all[i].pair + i;
        adaptive_put(m, c, all[i].weight, all[i].sum);
        adaptive_set_owner(m, c, all[i].tag);
    }
}

static void adaptive_settle_owners(struct store *store, const struct sums *s)
{
    struct adaptive *m = (struct adaptive *)store;
    const struct sums_knowledge g = store_merged_knowledge(store, s);
    struct adaptive_candidate all[ADAPTIVE_RIVALS];
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->owner.n; k++) {
        struct adaptive_candidate c = adaptive_candidate_of(m, s, k, &g);
        if (n && all[0].pair != c.pair) {
            adaptive_choose_owners(m, all, n);
            n = 0;
        }
        all[n++] = c;
    }
    if (n) adaptive_choose_owners(m, all, n);
}

/* Adds what models know of a feature that owns a cell there. */
static void adaptive_weigh(const struct store *store, const struct sums *s, struct sums_place *p,
                           uint32_t n)
{
    const struct adaptive *m = (const struct adaptive *)store;
    const struct sums_knowledge g = store_merged_knowledge(store, s);
    for (uint32_t i = 0; s->owner.n && i < n; i++) {
        uint64_t h = id_slots_mix(m->s.opt.seed, id_slots_fold(p[i].id));
        uint32_t pair = adaptive_pair_of(adaptive_owners_of(m), h) - m->s.first_cell;
        uint32_t k = sums_find(&s->owner, sums_owner_id(pair / 2, adaptive_tag_of(h)));
        if (k == UINT32_MAX) continue;
        const struct fixed *own = sums_row(&s->owner, k), *row = sums_row(&s->feature, p[i].row);
        p[i].sum += fixed_value(&own[SUMS_CELL_SUM]);
        p[i].by = sums_known(&g, p[i].sum);
        double known = fixed_value(&row[SUMS_WEIGHT]) + fixed_value(&own[SUMS_CELL_WEIGHT]);
        p[i].weight = p[i].by > 0 ? known / p[i].by : 0;
        p[i].key = fabs(p[i].weight);
    }
}

/* Frees the cells of m whose owners are members of m. A feature may be a member in one of the
 * merged models and own a cell in the other. */
static void adaptive_members_give_up(struct adaptive *m)
{
    for (uint32_t s = 0; s < m->s.set.n; s++) {
        uint32_t flip,
            c = adaptive_place_outside(m, id_slots_mix(m->s.opt.seed, m->s.set.id[s]), &flip);
        if (c == m->nobody) continue;
        adaptive_put(m, c, 0, 0);
        adaptive_set_owner(m, c, 0);
    }
}

/* Gives a feature without a slot a cell of its pair, if its worth suffices. Its weight already
 * includes the cell that it may own in one of the models. */
static void adaptive_put_into_pair(struct adaptive *m, uint64_t h, double weight, double sum)
{
    uint32_t c = adaptive_cell_for(m, h, adaptive_worth(&m->s.sgd, (float)weight, (float)sum));
    if (c == STORE_NONE) return;
    adaptive_put(m, c, weight, sum);
    adaptive_set_owner(m, c, adaptive_tag_of(h));
}

/* Adds a feature without a slot to its cell, as if a member left S. */
static void adaptive_put_one_back(struct adaptive *m, const struct sums_place *p)
{
    if (!m->s.shape.width) return;
    uint64_t h = id_slots_mix(m->s.opt.seed, id_slots_fold(p->id));
    if (m->s.shape.owned) {
        adaptive_put_into_pair(m, h, p->weight, p->sum);
        return;
    }
    uint32_t c = adaptive_cell_of(m, h);
    float in_cell = (float)adaptive_merged_weight(m, c),
          cell_sum = (float)adaptive_merged_sum(m, c);
    float w = numbers_signed((float)p->weight, (uint32_t)h & 1);
    adaptive_put(m, c,
                 (double)adaptive_shared_weight(&m->s.sgd, in_cell, cell_sum, w, (float)p->sum),
                 fmax((double)cell_sum, 0.5 * p->sum));
}

/* Adds the features that got no slot to their cells, the heaviest last, because the last feature
 * has the largest share in its cell. */
static void adaptive_put_back(struct store *m, const struct sums_place *place, uint32_t stay,
                              uint32_t n)
{
    if (m->shape.owned) adaptive_members_give_up((struct adaptive *)m);
    for (uint32_t i = n; i-- > stay;)
        adaptive_put_one_back((struct adaptive *)m, &place[i]);
}

static void adaptive_parts(const struct store *s, struct linear_parts *p)
{
    p->cell_owner = ((const struct adaptive *)s)->owner;
}

static const char *adaptive_load(struct store *s, const struct linear_parts *p)
{
    return adaptive_check(s)
               ? "cell_owners: a cell without an owner has a weight, or a pair has one owner twice"
               : NULL;
}

const struct linear_kernel adaptive_kernel = {
    .model_bytes = sizeof(struct adaptive),
    .slot_bytes = adaptive_slot_bytes,
    .cell_bytes = adaptive_cell_bytes,
    .shape_for = adaptive_shape_for,
    .lay_out = adaptive_lay_out,
    .lay_out_scratch = adaptive_lay_out_scratch,
    .begin = adaptive_begin,
    .hash = adaptive_hash,
    .learn = adaptive_learn,
    .margin = adaptive_margin,
    .weight = adaptive_weight,
    .stored = adaptive_stored,
    .forget = adaptive_forget,
    .check = adaptive_check,
    .parts = adaptive_parts,
    .load = adaptive_load,
    .sum = adaptive_sum_owners,
    .settle = adaptive_settle_owners,
    .weigh = adaptive_weigh,
    .put_back = adaptive_put_back,
};
