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

static void adaptive_state_merge_cells(struct adaptive *m, const struct adaptive *a,
                                       const struct adaptive *b, struct sgd_shares share,
                                       double count)
{
    for (uint32_t k = 0, c = m->s.first_cell; k < m->s.shape.width; k++, c++)
        adaptive_put(
            m, c, share.a * adaptive_merged_weight(a, c) + share.b * adaptive_merged_weight(b, c),
            adaptive_merged_sum(a, c) + count * adaptive_merged_sum(b, c));
}

/* Candidate for the owner of a cell in a merged model. */
struct merged_owner {
    double weight, sum, worth;
    uint8_t tag; /* 0: the cell is free */
};

/* Returns the owner of cell c of model m, which counts `count` times and has `share` of
 * the examples. */
static struct merged_owner adaptive_owner_of(const struct adaptive *m, uint32_t c, double share,
                                             double count)
{
    struct merged_owner o = {share * adaptive_merged_weight(m, c),
                             count * adaptive_merged_sum(m, c), 0, m->owner[c - m->s.first_cell]};
    double scale = (double)adaptive_worth(&m->s.sgd, 1, adaptive_sum_at(m, c));
    o.worth = fabs(o.weight) * scale;
    return o;
}

/* Adds o to the n owners: joins it with the owner that has its tag, or appends it if there is none.
 * Returns the number of owners. */
static uint32_t adaptive_unite_owner(struct merged_owner *all, uint32_t n, struct merged_owner o)
{
    if (!o.tag) return n;
    uint32_t k = 0;
    while (k < n && all[k].tag != o.tag)
        k++;
    if (k == n) {
        all[n] = o;
        return n + 1;
    }
    all[k].weight += o.weight, all[k].sum += o.sum;
    all[k].worth = fmax(all[k].worth, o.worth);
    return n;
}

/* Orders by descending worth, owners of equal worth by tag. So the order of a and b does not change
 * the result. */
static int adaptive_state_by_worth(const void *x, const void *y)
{
    const struct merged_owner *p = x, *q = y;
    return p->worth != q->worth ? (p->worth < q->worth) - (p->worth > q->worth) : p->tag - q->tag;
}

static void merge_owners(struct adaptive *m, const struct adaptive *a, const struct adaptive *b,
                         struct sgd_shares share, double count)
{
    for (uint32_t k = 0; k + 1 < m->s.shape.width; k += 2) {
        struct merged_owner all[5] = {0};
        uint32_t c = m->s.first_cell + k, n = 0;
        for (uint32_t i = c; i < c + 2; i++) {
            n = adaptive_unite_owner(all, n, adaptive_owner_of(a, i, share.a, 1));
            n = adaptive_unite_owner(all, n, adaptive_owner_of(b, i, share.b, count));
        }
        qsort(all, n, sizeof *all, adaptive_state_by_worth);
        for (uint32_t i = 0; i < 2; i++) {
            adaptive_put(m, c + i, all[i].weight, all[i].sum);
            adaptive_set_owner(m, c + i, all[i].tag);
        }
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

static double adaptive_origin_sum(const struct linear_origin *o, const struct adaptive *a,
                                  const struct adaptive *b, double count)
{
    return (o->a ? adaptive_merged_sum(a, o->a - 1) : 0) +
           count * (o->b ? adaptive_merged_sum(b, o->b - 1) : 0);
}

/* Gives a feature without a slot a cell of its pair, if its worth suffices. Its weight already
 * includes the cell that it may own in a or b. */
static void adaptive_put_into_pair(struct adaptive *m, uint64_t h, double weight, double sum)
{
    uint32_t c = adaptive_cell_for(m, h, adaptive_worth(&m->s.sgd, (float)weight, (float)sum));
    if (c == STORE_NONE) return;
    adaptive_put(m, c, weight, sum);
    adaptive_set_owner(m, c, adaptive_tag_of(h));
}

/* Adds a feature without a slot to its cell, as if a member with the accumulator `sum` left S. */
static void adaptive_put_one_back(struct adaptive *m, const struct linear_origin *o, double sum)
{
    if (!m->s.shape.width) return;
    uint64_t h = id_slots_mix(m->s.opt.seed, id_slots_fold(o->id));
    if (m->s.shape.owned) {
        adaptive_put_into_pair(m, h, o->weight, sum);
        return;
    }
    uint32_t c = adaptive_cell_of(m, h);
    float in_cell = (float)adaptive_merged_weight(m, c),
          cell_sum = (float)adaptive_merged_sum(m, c);
    float w = numbers_signed((float)o->weight, (uint32_t)h & 1);
    adaptive_put(m, c, (double)adaptive_shared_weight(&m->s.sgd, in_cell, cell_sum, w, (float)sum),
                 fmax((double)cell_sum, 0.5 * sum));
}

static void adaptive_merge_cells(struct store *m, const struct store *a, const struct store *b,
                                 struct sgd_shares share, double count)
{
    (m->shape.owned ? merge_owners : adaptive_state_merge_cells)(
        (struct adaptive *)m, (const struct adaptive *)a, (const struct adaptive *)b, share, count);
}

static void adaptive_merge_slot(struct store *m, uint32_t slot, const struct linear_origin *o,
                                const struct store *a, const struct store *b, double count)
{
    adaptive_put(
        (struct adaptive *)m, slot, o->weight,
        adaptive_origin_sum(o, (const struct adaptive *)a, (const struct adaptive *)b, count));
}

/* Adds the features that got no slot to their cells, the heaviest last, because the last feature
 * has the largest share in its cell. */
static void adaptive_put_back(struct store *m, const struct linear_origin *origin, uint32_t stay,
                              uint32_t n, const struct store *a, const struct store *b,
                              double count)
{
    if (m->shape.owned) adaptive_members_give_up((struct adaptive *)m);
    for (uint32_t i = n; i-- > stay;)
        adaptive_put_one_back((struct adaptive *)m, &origin[i],
                              adaptive_origin_sum(&origin[i], (const struct adaptive *)a,
                                                  (const struct adaptive *)b, count));
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
    .merge_cells = adaptive_merge_cells,
    .merge_slot = adaptive_merge_slot,
    .put_back = adaptive_put_back,
};
