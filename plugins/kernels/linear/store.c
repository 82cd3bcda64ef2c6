/* store.c -- implementation of store.h.
 *
 * A load and a merge rebuild the index and the lower bounds of |weight|. Bounds start at 0 and rise
 * to the true minimum when a decision needs it, so a loose bound changes no decision.
 */
#include "store.h"

#include <assert.h>
#include <float.h>
#include <string.h>

#include "kernels/base/feature_id.h"
#include "kernels/base/rank.h"

/* ---- memory ---- */

uint64_t store_charged_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                             const struct linear_options *opt)
{
    return (uint64_t)shape->active * k->slot_bytes(opt) +
           linear_cells(shape) * k->cell_bytes(opt, shape);
}

static uint32_t store_padded_slots(const struct linear_shape *shape)
{
    return lazy_min_padded(shape->active ? shape->active : 1);
}

static void store_lay_out_scratch(struct store *s, struct layout *c)
{
    s->entrant = layout_take(c, s->opt.max_row, sizeof *s->entrant);
    s->kernel->lay_out_scratch(s, c);
}

static size_t store_lay_out(struct store *s, void *block)
{
    struct layout c = {block, 0};
    uint32_t active = s->shape.active;
    s->kernel->lay_out(s, &c);
    s->set.id = layout_take(&c, active + 2, 4);
    s->set.next = layout_take(&c, active + 2, 4);
    s->set.head = layout_take(&c, id_slots_heads(active), 4);
    s->count = s->opt.counts ? layout_take(&c, active, 8) : NULL;
    s->bounds = layout_take(&c, lazy_min_bounds(s->first_cell), 4);
    store_lay_out_scratch(s, &c);
    return c.used;
}

/* Initialises a model with its shape and options, but without arrays. */
static void store_make_pattern(struct store *s, const struct linear_kernel *k,
                               const struct linear_shape *shape, const struct linear_options *opt)
{
    memset(s, 0, k->model_bytes);
    s->kernel = k;
    s->shape = *shape;
    s->opt = *opt;
    s->first_cell = store_padded_slots(shape);
}

enum { MAX_MODEL = 4096 };

size_t store_block_bytes(const struct linear_kernel *k, const struct linear_shape *shape,
                         const struct linear_options *opt)
{
    _Alignas(64) char pattern[MAX_MODEL];
    struct store *s = (struct store *)(void *)pattern;
    assert(k->model_bytes <= sizeof pattern);
    store_make_pattern(s, k, shape, opt);
    return store_lay_out(s, NULL);
}

/* Fills the padding after the slots with weights so large that none is ever the lightest. */
static void store_pad_slots(struct store *s)
{
    bool half = s->member.half != NULL;
    for (uint32_t slot = s->shape.active; slot < s->first_cell; slot++)
        half ? (void)(s->member.half[slot] = 0x7f7f) : (void)(s->member.weight[slot] = FLT_MAX);
}

void store_init(struct store *s, const struct linear_kernel *k, const struct linear_shape *shape,
                const struct linear_options *opt, void *block)
{
    assert(shape->active <= LINEAR_MAX_ACTIVE && linear_cells(shape) <= LINEAR_MAX_CELLS);
    assert(shape->depth <= LINEAR_MAX_DEPTH && shape->active + linear_cells(shape) > 0);
    store_make_pattern(s, k, shape, opt);
    store_lay_out(s, block);
    sgd_init(&s->sgd, &opt->sgd);
    s->bound = shape->active ? -1 : INT32_MAX; /* no feature enters a model without slots */
    s->set.capacity = shape->active;
    s->set.seed = opt->seed;
    lazy_min_init(&s->lightest, s->first_cell, s->bounds, lazy_min_bits(FLT_MAX));
    s->lightest.key = s->member.half ? (const void *)s->member.half : s->member.weight;
    s->lightest.upper_halves = s->member.half != NULL;
    store_pad_slots(s);
    if (k->begin) k->begin(s);
    id_slots_rebuild(&s->set);
}

void store_borrow(struct store *s, const struct store *from)
{
    assert(!s->opt.max_row && s->opt.seed == from->opt.seed);
    s->opt.max_row = from->opt.max_row;
    store_lay_out_scratch(s, &(struct layout){(char *)from->entrant, 0});
}

/* ---- slots ---- */

uint32_t store_take_slot(struct store *s, float w)
{
    if (s->set.n < s->set.capacity) {
        if (s->set.n + 1 == s->set.capacity) s->bound = 0;
        return s->set.n++;
    }
    if (lazy_min_bits(w) <= s->bound) return STORE_NONE;
    uint32_t slot = lazy_min_find(&s->lightest, &s->bound);
    if (lazy_min_bits(w) <= s->bound) return STORE_NONE;
    id_slots_unlink(&s->set, slot);
    return slot;
}

void store_enter(struct store *s, uint32_t slot, uint32_t id, uint32_t entry, int y)
{
    s->set.id[slot] = id;
    id_slots_link(&s->set, slot);
    if (s->count) {
        s->count[2 * (size_t)slot] = s->count[2 * (size_t)slot + 1] = 0;
        s->count[2 * (size_t)slot + (uint32_t)y] = s->sgd.one;
    }
    s->entrant[s->n_entrants++] = (struct linear_entrant){slot, entry};
}

void store_forget_bounds(struct store *s)
{
    lazy_min_forget(&s->lightest);
    if (s->bound > 0 && s->shape.active) s->bound = 0;
}

/* ---- queries ---- */

/* Writes the stored weights of the slots from .. from + n - 1. */
static void store_stored(const struct store *s, uint32_t from, uint32_t n, float *w)
{
    if (s->kernel->stored)
        s->kernel->stored(s, from, n, w);
    else
        l1_all(&s->sgd, n, s->member.weight + from, s->l1_seen ? s->l1_seen + from : NULL, w);
}

double store_slot_weight(const struct store *s, uint32_t slot)
{
    assert(slot < s->set.n);
    if (s->kernel->slot_weight) return s->kernel->slot_weight(s, slot);
    float w;
    store_stored(s, slot, 1, &w);
    return (double)w * s->sgd.alpha;
}

void store_weights(const struct store *s, uint32_t from, uint32_t n, double *weight, float *stored)
{
    assert(from + n <= s->set.n);
    store_stored(s, from, n, stored);
    for (uint32_t i = 0; i < n; i++)
        weight[i] = s->kernel->slot_weight ? s->kernel->slot_weight(s, from + i)
                                           : (double)stored[i] * s->sgd.alpha;
}

uint32_t store_top(const struct store *s, uint32_t k, uint32_t min_count, float *weight,
                   uint32_t *slot)
{
    store_stored(s, 0, s->set.n, weight);
    return rank_heaviest(s->set.n, weight, s->count, sgd_count_of(&s->sgd, min_count), k, slot);
}

const char *store_check_slots(const struct store *s)
{
    const char *wrong = id_slots_check(&s->set);
    for (uint32_t i = 0; i < s->set.n && !wrong; i++) {
        float w = numbers_weight(s->member, i, s->member.half != NULL);
        float now = s->l1_seen ? store_weight_now(s, i) : w;
        if (!isfinite(w)) wrong = "a slot's weight is not finite";
        if (lazy_min_bits(now) < s->bound) wrong = "the bound is above a member";
        if (lazy_min_breaks(&s->lightest, i, lazy_min_bits(w)))
            wrong = "a block bound is above a member";
    }
    if (!wrong && s->shape.active && (s->set.n < s->set.capacity) != (s->bound < 0))
        wrong = "the bound says that a slot is free";
    if (!(s->sgd.alpha > 0 && s->sgd.alpha <= 1) || !isfinite(s->sgd.bias)) wrong = "scale or bias";
    return wrong;
}

/* ---- copies ---- */

/* Views half weights as bytes, the form of snapshots. */
static uint8_t *store_bytes_of(uint16_t *half) { return (uint8_t *)half; }

struct linear_parts store_parts(const struct store *s)
{
    struct linear_parts p = {.sgd = s->sgd,
                             .n = s->set.n,
                             .id = s->set.id,
                             .weight = s->member.weight,
                             .accumulator = s->member.sum,
                             .half_weight = store_bytes_of(s->member.half),
                             .code = s->member.code,
                             .count = s->count,
                             .l1_seen = s->l1_seen,
                             .cells = linear_cells(&s->shape),
                             .cell = s->cell.weight,
                             .cell_accumulator = s->cell.sum,
                             .half_cell = store_bytes_of(s->cell.half),
                             .cell_code = s->cell.code};
    if (s->kernel->parts) s->kernel->parts(s, &p);
    return p;
}

void store_rebuild(struct store *s, uint32_t n)
{
    s->set.n = n;
    id_slots_rebuild(&s->set);
    lazy_min_forget(&s->lightest);
    if (s->shape.active) s->bound = n < s->set.capacity ? -1 : 0;
    s->n_entrants = 0;
    if (s->kernel->rebuilt) s->kernel->rebuilt(s);
}

/* True if all half weights are within SGD_LIMIT. The two bytes of a half weight can also encode
 * larger numbers, infinity and NaN. */
static bool store_are_sane(struct numbers n, uint64_t count)
{
    for (uint64_t i = 0; n.half && i < count; i++)
        if (!(fabsf(compact_weight(n.half[i])) <= 1.01f * SGD_LIMIT)) return false;
    return true;
}

const char *store_load(struct store *s, const struct linear_parts *p)
{
    struct linear_parts to = store_parts(s);
    assert(!s->set.n && !s->sgd.t && p->n <= s->shape.active);
    linear_take_parts(&to, p);
    if (p->saved) {
        linear_turn_halves(to.half_weight, 2 * (uint64_t)p->n);
        linear_turn_halves(to.half_cell, 2 * to.cells);
    }
    sgd_take(&s->sgd, &p->sgd, &s->sgd.opt);
    store_rebuild(s, p->n);
    if (!store_are_sane(s->member, p->n) || !store_are_sane(s->cell, to.cells))
        return "half_weights or half_cells has a number beyond 1e30";
    if (id_slots_check(&s->set)) return FEATURE_ID_TWICE;
    return s->kernel->load ? s->kernel->load(s, p) : NULL;
}

/* ---- merging ---- */

static const uint64_t NEAREST = UINT64_C(0x8000) << 48 | UINT64_C(0x800000) << 24;

void store_put_weight(struct numbers n, uint32_t at, double w, bool compact)
{
    double limit = (double)SGD_LIMIT;
    numbers_set_weight(n, at, (float)fmax(-limit, fmin(limit, w)), NEAREST, compact);
}

void store_put_sum(struct numbers n, uint32_t at, double sum, bool compact)
{
    numbers_set_sum(n, at, (float)fmin(sum, (double)SGD_LIMIT), NEAREST, compact);
}
