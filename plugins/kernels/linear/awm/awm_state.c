/* awm_state.c -- memory, check, merge and kernel of awm.h.
 *
 * The paper's cost model (section 7) charges four bytes for each id, each weight, each other value
 * of a slot, and each cell.
 */
#include <assert.h>

#include "awm.h"

static bool awm_has_own_rates(const struct linear_options *opt)
{
    return opt->sgd.rates != SGD_SHARED;
}

static uint32_t awm_slot_bytes(const struct linear_options *opt)
{
    return 8u + (awm_has_own_rates(opt) ? 4u : 0u) + (opt->counts ? 8u : 0u) +
           (opt->sgd.l1 > 0 ? 4u : 0u);
}

static uint32_t awm_cell_bytes(const struct linear_options *opt, const struct linear_shape *shape)
{
    return 4;
}

static bool awm_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s)
{
    if (!s->depth) s->depth = 1;
    uint64_t max = bytes / 8 < LINEAR_MAX_CELLS ? bytes / 8 : LINEAR_MAX_CELLS;
    uint64_t width = s->width ? s->width : linear_widest(max, s->depth), active = s->active;
    uint64_t sketch = 4 * width * s->depth;
    if (!active) active = bytes > sketch ? (bytes - sketch) / awm_slot_bytes(opt) : 0;
    if (active > LINEAR_MAX_ACTIVE) active = LINEAR_MAX_ACTIVE;
    s->active = (uint32_t)active;
    s->width = (uint32_t)width;
    return active > 0 && s->depth <= AWM_MAX_DEPTH && width * s->depth <= LINEAR_MAX_CELLS;
}

static void awm_lay_out(struct store *s, struct layout *c)
{
    uint32_t active = s->shape.active;
    s->member.weight = layout_take(c, s->first_cell + (size_t)linear_cells(&s->shape), 4);
    s->member.sum = awm_has_own_rates(&s->opt) ? layout_take(c, active, 4) : NULL;
    s->l1_seen = s->opt.sgd.l1 > 0 ? layout_take(c, active, 4) : NULL;
}

static void awm_lay_out_scratch(struct store *s, struct layout *c)
{
    struct awm *m = (struct awm *)s;
    uint32_t n = s->opt.max_row;
    m->at = layout_take(c, n, 4);
    m->sx = layout_take(c, n, 4);
    m->before = layout_take(c, n, 4);
    m->key = layout_take(c, n, 4);
    m->member = layout_take(c, n, 4);
    m->candidate = layout_take(c, n, 8);
}

static void awm_begin(struct store *s)
{
    uint32_t width = s->shape.width;
    assert(s->shape.active && width && !(width & (width - 1)) && s->shape.depth);
    s->cell.weight = s->member.weight + s->first_cell;
}

static void awm_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    id_slots_mix_all(s->opt.seed, n, id, hash);
}

static const char *awm_state_awm_check(const struct store *s)
{
    for (uint64_t c = 0; c < linear_cells(&s->shape); c++)
        if (!isfinite(s->cell.weight[c])) return "a cell is not finite";
    return store_check_slots(s);
}

/* Adds the features that got no slot to the sketch, the heaviest last, so that lighter ones do not
 * change its estimate. */
static void awm_put_all_back(struct store *m, const struct sums_place *place, uint32_t stay,
                             uint32_t n)
{
    for (uint32_t i = n; i-- > stay;)
        awm_put_back((struct awm *)m, id_slots_fold(place[i].id), place[i].weight);
}

const struct linear_kernel awm_kernel = {
    .model_bytes = sizeof(struct awm),
    .slot_bytes = awm_slot_bytes,
    .cell_bytes = awm_cell_bytes,
    .shape_for = awm_shape_for,
    .lay_out = awm_lay_out,
    .lay_out_scratch = awm_lay_out_scratch,
    .begin = awm_begin,
    .hash = awm_hash,
    .learn = awm_learn,
    .margin = awm_margin,
    .weight = awm_weight,
    .check = awm_state_awm_check,
    .outside = awm_outside,
    .put_back = awm_put_all_back,
};
