/* wm_state.c -- memory, queries, merge, theorem 1 and kernel of wm.h.
 *
 * The paper's cost model (section 7) charges four bytes for each id, each weight, each other value
 * of a member, and each cell.
 */
#include "wm.h"

#include <assert.h>
#include <math.h>

/* USUAL and AT_4K: members of the shapes in the paper's table 2. Rows have the same number of
 * cells, or more. */
enum { USUAL = 128, AT_4K = 256, MAX_ROWS = 32 };

static uint32_t wm_slot_bytes(const struct linear_options *opt) { return opt->counts ? 16 : 8; }

static uint32_t wm_cell_bytes(const struct linear_options *opt, const struct linear_shape *shape)
{
    return opt->average ? 8 : 4;
}

static uint32_t wm_members_in(const struct linear_options *opt, uint64_t bytes, uint32_t max)
{
    uint64_t fit = bytes / wm_slot_bytes(opt);
    return fit < max ? (uint32_t)fit : max;
}

static bool wm_is_whole(const struct linear_shape *s, const struct linear_options *opt,
                        uint64_t bytes)
{
    return s->active && s->width && s->depth && s->active <= LINEAR_MAX_ACTIVE &&
           s->depth <= WM_MAX_DEPTH && linear_cells(s) <= LINEAR_MAX_CELLS &&
           store_charged_bytes(&wm_kernel, s, opt) <= bytes;
}

/* Returns the number of cells that fit in the rest of the budget, after the members. */
static uint64_t wm_cells_left(const struct linear_shape *s, const struct linear_options *opt,
                              uint64_t bytes)
{
    uint64_t set = s->active * (uint64_t)wm_slot_bytes(opt),
             cells = bytes > set ? (bytes - set) / wm_cell_bytes(opt, s) : 0;
    return cells < LINEAR_MAX_CELLS ? cells : LINEAR_MAX_CELLS;
}

static uint32_t wm_width_for(uint64_t cells, uint32_t usual, uint32_t depth)
{
    uint32_t width = usual;
    if (depth) return (uint32_t)linear_widest(cells, depth);
    while (width > 1 && cells / width < 2)
        width /= 2;
    while (cells / width > MAX_ROWS)
        width *= 2;
    return width;
}

static bool wm_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s)
{
    uint32_t usual = bytes >= 4096 && bytes < 8192 ? AT_4K : USUAL;
    if (!s->active) s->active = wm_members_in(opt, bytes / 2, usual);
    uint64_t cells = wm_cells_left(s, opt, bytes);
    if (!s->width) s->width = wm_width_for(cells, usual, s->depth);
    if (!s->depth) {
        uint64_t rows = cells / s->width;
        s->depth = rows < MAX_ROWS ? (uint32_t)rows : MAX_ROWS;
    }
    return wm_is_whole(s, opt, bytes);
}

bool wm_hash_shape_for(uint64_t bytes, const struct linear_options *opt, struct linear_shape *s)
{
    if (!s->depth) s->depth = 1;
    if (!s->active) s->active = wm_members_in(opt, bytes / 8, USUAL);
    if (!s->active) s->active = 1;
    if (!s->width) s->width = (uint32_t)(wm_cells_left(s, opt, bytes) / s->depth);
    return wm_is_whole(s, opt, bytes);
}

/* ---- arrays ---- */

static void wm_lay_out(struct store *s, struct layout *c)
{
    struct wm *m = (struct wm *)s;
    s->cell.weight = layout_take(c, (size_t)linear_cells(&s->shape), 4);
    m->behind = s->opt.average ? layout_take(c, (size_t)linear_cells(&s->shape), 4) : NULL;
    s->member.weight = layout_take(c, s->first_cell, 4);
    m->filter = layout_take(c, wm_filter_size(s->shape.active), 1);
}

static void wm_lay_out_scratch(struct store *store, struct layout *c)
{
    struct wm_scratch *s = &((struct wm *)store)->scratch;
    uint32_t depth = store->shape.depth, max_row = store->opt.max_row;
    size_t n = max_row < WM_STRETCH ? (max_row + 3) / 4 * 4 /* whole vectors of 4 */ : WM_STRETCH;
    s->mixed = layout_take(c, n, 4);
    s->at = layout_take(c, n * depth, 4);
    s->sign = layout_take(c, n * depth, 4);
    s->before = layout_take(c, n * depth, 4);
    s->sum = layout_take(c, n, 4);
    s->d = layout_take(c, n, 4);
    s->above = layout_take(c, n, 4);
    s->below = layout_take(c, n, 4);
    s->signed_d = layout_take(c, n, 4);
    s->votes = layout_take(c, n, 4);
    s->slot = layout_take(c, n, 4);
    s->member = layout_take(c, n, 4);
}

static void wm_draw_hash_functions(struct wm *m)
{
    uint32_t w = m->s.shape.width;
    m->width_bits = UINT32_MAX;
    for (uint32_t b = 0; b < 31; b++)
        if (w == 1u << b) m->width_bits = b;
    m->seed = (uint32_t)id_slots_mix(m->s.opt.seed, 0);
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        uint64_t r = id_slots_mix(~m->s.opt.seed, j);
        m->multiplier[j] = (uint32_t)r | 1;
        m->addend[j] = (uint32_t)(r >> 32);
    }
}

static void wm_begin(struct store *s)
{
    struct wm *m = (struct wm *)s;
    const struct linear_options *opt = &s->opt;
    assert(s->shape.active && s->shape.width && s->shape.depth && opt->sgd.rates == SGD_SHARED);
    assert(!opt->average || opt->estimates);
    assert((!opt->average && !(opt->radius > 0)) ||
           (!(opt->sgd.l1 > 0) && !(opt->sgd.half_life > 0)));
    wm_draw_hash_functions(m);
    m->filter_shift = 32;
    for (uint32_t size = wm_filter_size(s->shape.active); size > 1; size /= 2)
        m->filter_shift--;
}

static void wm_hash(const struct store *s, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    for (uint32_t i = 0; i < n; i++)
        hash[i] = wm_mix((const struct wm *)s, id[i]);
}

/* ---- queries ---- */

static inline void wm_in_order(float *a, float *b)
{
    float x = *a, y = *b;
    *a = x < y ? x : y;
    *b = x < y ? y : x;
}

/* Sorts by Batcher's merge exchange (Knuth 5.2.2 M), which has no branch that depends on
 * the values. */
static void wm_sort(float *v, uint32_t n)
{
    uint32_t top = 1;
    while (2 * top < n)
        top *= 2;
    for (uint32_t p = top; p; p /= 2)
        for (uint32_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
            for (uint32_t block = r; block + d < n; block += 2 * p)
                for (uint32_t i = block; i < block + p && i + d < n; i++)
                    wm_in_order(&v[i], &v[i + d]);
            if (q == p) break;
        }
}

static float wm_median(float *v, uint32_t n)
{
    if (n > 1) wm_sort(v, n);
    return n % 2 ? v[n / 2] : 0.5f * (v[n / 2 - 1] + v[n / 2]);
}

double wm_square(const struct wm *m)
{
    double sum = 0;
    for (size_t c = 0; c < linear_cells(&m->s.shape); c++)
        sum += (double)m->s.cell.weight[c] * (double)m->s.cell.weight[c];
    return sum;
}

float wm_recover(const struct wm *m, float *v)
{
    uint32_t depth = m->s.shape.depth;
    return m->s.opt.mean ? sgd_clamp(wm_sum_of(v, depth) / (float)depth) : wm_median(v, depth);
}

static double wm_margin(const struct store *s, uint32_t n, const uint64_t *id, const float *x)
{
    const struct wm *m = (const struct wm *)s;
    float v[WM_MAX_DEPTH];
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        wm_read_cells(m, id[i], v);
        sum += (double)wm_sum_of(v, m->s.shape.depth) * (double)x[i];
    }
    return sum / m->s.shape.depth * wm_scale_now(m) + m->s.sgd.bias;
}

/* Returns the stored estimate of a feature from its cells, shrunk by their pending penalty
 * (l1.h). */
static float wm_estimate_now(const struct wm *m, uint64_t id)
{
    float v[WM_MAX_DEPTH], pending = l1_pending(&m->s.sgd);
    wm_read_cells(m, id, v);
    for (uint32_t j = 0; pending > 0 && j < m->s.shape.depth; j++)
        v[j] = l1_shrink(v[j], pending);
    return wm_recover(m, v);
}

static double wm_weight(const struct store *s, uint64_t id)
{
    const struct wm *m = (const struct wm *)s;
    return (double)wm_estimate_now(m, id) * wm_scale_now(m);
}

static double wm_slot_weight(const struct store *s, uint32_t slot)
{
    const struct wm *m = (const struct wm *)s;
    if (m->s.opt.estimates) return wm_weight(s, m->s.set.id[slot]);
    return (double)l1_shrink(m->s.member.weight[slot], l1_pending(&m->s.sgd)) * m->s.sgd.alpha;
}

/* Writes the stored weights of slots, for ranking. Ignores the pending penalty, which does not
 * change the order. */
static void wm_stored(const struct store *s, uint32_t from, uint32_t n, float *w)
{
    const struct wm *m = (const struct wm *)s;
    for (uint32_t i = 0; i < n; i++)
        w[i] = m->s.opt.estimates ? wm_estimate_now(m, m->s.set.id[from + i])
                                  : m->s.member.weight[from + i];
}

static const char *wm_state_wm_check(const struct store *s)
{
    const struct wm *m = (const struct wm *)s;
    for (uint32_t slot = 0; slot < m->s.set.n; slot++) {
        if (!*wm_filter_of(m, wm_mix(m, m->s.set.id[slot])))
            return "the filter leaves out a member";
        if (!(fabsf(m->s.member.weight[slot]) <= SGD_LIMIT)) return "a weight is out of range";
    }
    for (uint64_t c = 0; c < linear_cells(&m->s.shape); c++)
        if (!((double)fabsf(m->s.cell.weight[c]) <= m->cell_bound * (1 + 1e-3)))
            return "a cell is beyond the bound of cells";
    if (!(m->cell_bound <= (double)SGD_LIMIT)) return "the bound of cells is above the limit";
    return store_check_slots(s);
}

/* ---- copies and merges ---- */

static void wm_parts(const struct store *s, struct linear_parts *p)
{
    const struct wm *m = (const struct wm *)s;
    p->behind = m->behind;
    p->mass = m->mass, p->iterates = m->iterates, p->square = m->square;
}

static void wm_rebuilt(struct store *s)
{
    struct wm *m = (struct wm *)s;
    wm_make_filter(m);
    m->cell_bound = 0;
    for (uint64_t c = 0; c < linear_cells(&m->s.shape); c++)
        m->cell_bound = fmax(m->cell_bound, fabs((double)m->s.cell.weight[c]));
}

static const char *wm_load(struct store *s, const struct linear_parts *p)
{
    struct wm *m = (struct wm *)s;
    m->mass = p->mass, m->iterates = p->iterates, m->square = p->square;
    return m->behind && p->sgd.t && !(p->iterates > 1e-3) ? "iterates is too small for examples"
                                                          : NULL;
}

/* Adds z and the sum of z over all examples (theorem 2 in wm.h). */
static void wm_sum(const struct store *s, struct sums *to, const struct sums_slot *slot)
{
    const struct wm *m = (const struct wm *)s;
    to->clock[SUMS_EXTRA] = fixed_of(m->iterates);
    for (uint64_t c = 0; m->behind && c < to->cells; c++)
        to->cell[c * to->fields.cell + SUMS_CELL_SUM] = fixed_of((double)wm_cell_now(m, (size_t)c));
}

static void wm_settle(struct store *s, const struct sums *from)
{
    struct wm *m = (struct wm *)s;
    m->iterates = fixed_value(&from->clock[SUMS_EXTRA]);
    if (s->opt.radius > 0) m->square = wm_square(m);
    for (uint64_t c = 0; m->behind && c < from->cells; c++)
        m->behind[c] = -(float)fixed_value(&from->cell[c * from->fields.cell + SUMS_CELL_SUM]);
}

static double wm_outside(const struct store *s, uint32_t id)
{
    return (double)wm_share_of_estimate((const struct wm *)s) * wm_weight(s, id);
}

/* Ranks features by their weights rounded to floats. */
static void wm_weigh(const struct store *m, const struct sums *s, struct sums_place *o, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++, o++) {
        o->weight = (double)sgd_clamp((float)o->weight);
        o->key = fabs(o->weight);
    }
}

/* ---- theorem 1 ---- */

struct wm_theorem_shape wm_theorem_shape(const struct wm_theorem *t)
{
    assert(t->epsilon > 0 && t->delta > 0 && t->lambda > 0 && t->features >= 1 && t->norm > 0);
    double square = t->epsilon * t->epsilon, log = loss_log(t->features / t->delta);
    double steep = fmax(1, t->norm * t->norm / t->lambda); /* beta gamma^2 / lambda */
    double k = log * log * log * steep * steep / (square * square);
    double s = fmax(1, log * log * steep / square);
    return (struct wm_theorem_shape){.rows = ceil(s), .width = ceil(k / s)};
}

const struct linear_kernel wm_kernel = {
    .model_bytes = sizeof(struct wm),
    .slot_bytes = wm_slot_bytes,
    .cell_bytes = wm_cell_bytes,
    .shape_for = wm_shape_for,
    .lay_out = wm_lay_out,
    .lay_out_scratch = wm_lay_out_scratch,
    .begin = wm_begin,
    .hash = wm_hash,
    .learn = wm_learn,
    .margin = wm_margin,
    .weight = wm_weight,
    .stored = wm_stored,
    .slot_weight = wm_slot_weight,
    .check = wm_state_wm_check,
    .parts = wm_parts,
    .rebuilt = wm_rebuilt,
    .load = wm_load,
    .sum = wm_sum,
    .settle = wm_settle,
    .outside = wm_outside,
    .weigh = wm_weigh,
};
