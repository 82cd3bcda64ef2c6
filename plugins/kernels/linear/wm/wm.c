/* wm.c -- learning of wm.h, optimised for speed.
 *
 * A row is processed in stretches of entries, and each stretch in one row of the sketch after the
 * other. So hash functions, signs, sums and votes are vector operations over the entries. Cells are
 * read and written one by one, but all from the same row of the sketch, which stays in the L1
 * cache. Pass 2 (the step) reuses the cell indices and values of pass 1 (the margin), unless the
 * row has several stretches.
 *
 * One mix of an id, a permutation of its 32 bits, serves all rows. Row j uses the top bits of mixed
 * * a_j + b_j, where a_j is odd: one bit for the sign, the next ones for the cell (multiply-shift,
 * Dietzfelbinger et al. 1997).
 *
 * Entries that cannot enter the passive set need no median. |median| > bar requires that at least
 * half of the rows have values beyond the bar on the same side. These votes are counted in vectors,
 * with a slightly lower bar, so that rounding excludes no entry wrongly. A median is computed only
 * for entries with enough votes that are not members. With one row or two, the median is the mean,
 * which pass 1 has computed. s.bound is a lower bound of the lightest member's |weight|. An entry
 * that exceeds it starts a search for the exact minimum (lazy_min.h).
 *
 * Cells stay within SGD_LIMIT without a check at each step: `cell_bound` adds up how far the cells
 * can have moved. When it exceeds the limit, the row's steps are clamped, and the cells are
 * measured.
 *
 * Invariants (wm_kernel.check): each member is found by its id; s.bound and the bounds of blocks
 * are lower bounds; all cells are within cell_bound, and cell_bound is within SGD_LIMIT.
 */
#include "wm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Vectors of four numbers, an extension of gcc and clang for every processor. */
enum { LANES = 4 };
typedef uint32_t words __attribute__((vector_size(16), may_alias));
typedef int32_t masks __attribute__((vector_size(16), may_alias));
typedef float floats __attribute__((vector_size(16), may_alias));
#define AT(TYPE, array, i) (*(TYPE *)((array) + (i)))

static inline floats wm_flipped(floats v, words sign) { return (floats)((words)v ^ sign); }

static uint32_t wm_whole_lanes(uint32_t n) { return (n + LANES - 1) / LANES * LANES; }

/* ---- pass 1: read ---- */

/* Computes cell and sign in row j of the sketch for each of n mixed ids. */
static void wm_hash_row(const struct wm *m, uint32_t j, uint32_t n, uint32_t *at, uint32_t *sign)
{
    const uint32_t *mixed = m->scratch.mixed, a = m->multiplier[j], b = m->addend[j];
    const uint32_t shift = 31 - m->width_bits;
    if (m->width_bits == UINT32_MAX) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t hash = mixed[i] * a + b;
            at[i] = wm_column_of(hash, m->s.shape.width);
            sign[i] = hash & WM_SIGN_BIT;
        }
        return;
    }
    for (uint32_t i = 0; i < n; i += LANES) {
        words hash = AT(const words, mixed, i) * a + b;
        AT(words, at, i) = (hash & ~WM_SIGN_BIT) >> shift;
        AT(words, sign, i) = hash & WM_SIGN_BIT;
    }
}

static void wm_read_row(const float *cell, uint32_t n, const uint32_t *at, const uint32_t *sign,
                        float *before, float *sum)
{
    for (uint32_t i = 0; i < n; i += LANES) {
        before[i] = cell[at[i]];
        before[i + 1] = cell[at[i + 1]];
        before[i + 2] = cell[at[i + 2]];
        before[i + 3] = cell[at[i + 3]];
    }
    for (uint32_t i = 0; i < n; i += LANES) {
        floats v = wm_flipped(AT(const floats, before, i), AT(const words, sign, i));
        AT(floats, before, i) = v;
        AT(floats, sum, i) += v;
    }
}

/* Reads the cells of the n entries that start at entry `from`. Sums the rows' signed values of
 * each entry. */
static void wm_read_stretch(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                            uint32_t from, uint32_t n)
{
    const struct wm_scratch *s = &m->scratch;
    uint32_t p = wm_whole_lanes(n);
    for (uint32_t i = 0; i < n; i++)
        s->mixed[i] = hash ? (uint32_t)hash[from + i] : wm_mix(m, row->id[from + i]);
    for (uint32_t i = n; i < p; i++)
        s->mixed[i] = 0;
    memset(s->sum, 0, p * sizeof *s->sum);
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        uint32_t *at = s->at + (size_t)j * p, *sign = s->sign + (size_t)j * p;
        wm_hash_row(m, j, p, at, sign);
        wm_read_row(m->s.cell.weight + (size_t)j * m->s.shape.width, p, at, sign,
                    s->before + (size_t)j * p, s->sum);
    }
}

static inline uint32_t wm_stretch_at(const struct linear_row *row, uint32_t from)
{
    return row->n - from < WM_STRETCH ? row->n - from : WM_STRETCH;
}

/* Returns the sum of |x|, added up in any order, because it only serves as a bound. */
static float length(const float *x, uint32_t n)
{
    floats sum = {0};
    float rest = 0;
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        words v;
        memcpy(&v, x + i, sizeof v);
        sum += (floats)(v & ~WM_SIGN_BIT);
    }
    for (; i < n; i++)
        rest += fabsf(x[i]);
    return sum[0] + sum[1] + sum[2] + sum[3] + rest;
}

/* Performs step 1 of wm.h, the margin without the bias. Sets *travel to a bound of how far the row
 * can move a cell per unit of u. */
static double wm_predict(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                         double *travel)
{
    double sum = 0, far = 0;
    for (uint32_t from = 0; from < row->n; from += WM_STRETCH) {
        uint32_t n = wm_stretch_at(row, from);
        const float *x = row->x + from;
        wm_read_stretch(m, row, hash, from, n);
        for (uint32_t i = 0; i < n; i++)
            sum += (double)m->scratch.sum[i] * (double)x[i]; /* depth m_i x_i */
        far += (double)length(x, n);
    }
    *travel = far;
    return sum / m->s.shape.depth * m->s.sgd.alpha; /* step 1 of wm.h */
}

/* ---- the passive set ---- */

/* Returns the estimate of entry i of the stretch, minus the entry's own step. */
static float wm_estimate_after(const struct wm *m, uint32_t i, uint32_t stride)
{
    float v[WM_MAX_DEPTH];
    for (uint32_t j = 0; j < m->s.shape.depth; j++)
        v[j] = m->scratch.before[(size_t)j * stride + i];
    return sgd_clamp(wm_recover(m, v) - m->scratch.d[i]);
}

/* Steps the member of entry i in a stretch of n entries. */
static void wm_step_member(struct wm *m, uint32_t slot, uint32_t i, uint32_t n, int y)
{
    if (m->s.opt.estimates)
        store_set(&m->s, slot, wm_estimate_after(m, i, wm_whole_lanes(n)));
    else
        store_set(&m->s, slot,
                  sgd_clamp(m->s.member.weight[slot] - m->scratch.d[i])); /* w -= u x */
    if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * slot + (uint32_t)y]);
}

static void wm_filter_in(struct wm *m, uint32_t id)
{
    uint8_t *f = wm_filter_of(m, wm_mix(m, id));
    if (*f != UINT8_MAX) ++*f;
}

static void wm_filter_out(struct wm *m, uint32_t id)
{
    uint8_t *f = wm_filter_of(m, wm_mix(m, id));
    if (*f != UINT8_MAX) --*f;
}

void wm_make_filter(struct wm *m)
{
    memset(m->filter, 0, wm_filter_size(m->s.shape.active));
    for (uint32_t s = 0; s < m->s.set.n; s++)
        wm_filter_in(m, m->s.set.id[s]);
}

/* Sets slot[i] to the slot of each of the n features at `id`, or to STORE_NONE. The filter
 * excludes most non-members without a branch. Lists the entries of members in member[] and returns
 * their number. */
static uint32_t wm_find_members(struct wm *m, const uint64_t *id, uint32_t n)
{
    const uint32_t *const mixed = m->scratch.mixed, shift = m->filter_shift;
    const uint8_t *const filter = m->filter;
    uint32_t *const at = m->scratch.slot, *const member = m->scratch.member, passed = 0, k = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[i] = STORE_NONE;
        member[passed] = i;
        passed += filter[mixed[i] >> shift] != 0;
    }
    for (uint32_t p = 0; p < passed; p++) {
        uint32_t i = member[p], f = id_slots_fold(id[i]), slot = id_slots_seek(&m->s.set, f);
        uint32_t in = m->s.set.id[slot] == f;
        at[i] = slot | (in - 1); /* all ones if not a member */
        member[k] = i;
        k += in;
    }
    return k;
}

/* Performs step 3 of wm.h, the steps of members. Returns the number of entries whose
 * feature is a member. */
static uint32_t wm_step_members(struct wm *m, const uint64_t *id, uint32_t n, int y)
{
    const struct wm_scratch *s = &m->scratch;
    uint32_t members = wm_find_members(m, id, n);
    for (uint32_t k = 0; k < members; k++)
        wm_step_member(m, s->slot[s->member[k]], s->member[k], n, y);
    return members;
}

/* Makes a candidate of weight w a member if it gets a slot. */
static void wm_enter(struct wm *m, uint32_t id, float w, uint32_t entry, int y)
{
    bool full = m->s.set.n == m->s.set.capacity;
    uint32_t slot = store_take_slot(&m->s, w);
    if (slot == STORE_NONE) return;
    if (full) wm_filter_out(m, m->s.set.id[slot]);
    store_enter(&m->s, slot, id, entry, y);
    wm_filter_in(m, id);
    store_set(&m->s, slot, w);
}

/* True if the estimate is the mean over the rows. */
static inline bool wm_is_mean(const struct wm *m) { return m->s.opt.mean || m->s.shape.depth <= 2; }

/* Returns the median of n values, exactly half of which are larger than `bound`: the mean of the
 * nearest values below and above it. */
static float wm_median_about(const float *v, uint32_t n, float bound)
{
    float under = -FLT_MAX, over = FLT_MAX;
    for (uint32_t j = 0; j < n; j++) {
        float low = v[j] > bound ? -FLT_MAX : v[j], high = v[j] > bound ? v[j] : FLT_MAX;
        under = low > under ? low : under;
        over = high < over ? high : over;
    }
    return 0.5f * (under + over);
}

/* Returns the estimate of a candidate, minus its own step. If depth is even, half of the rows are
 * enough votes. Many entries have exactly half, and wm_median_about() is faster for them. */
static float wm_stepped_estimate(const struct wm *m, uint32_t i, uint32_t stride)
{
    const struct wm_scratch *s = &m->scratch;
    uint32_t depth = m->s.shape.depth, half = depth / 2;
    bool even = !wm_is_mean(m) && depth % 2 == 0;
    bool up = even && (s->votes[i] & 0xffff) == (int32_t)half;
    bool down = even && s->votes[i] >> 16 == (int32_t)half;
    float v[WM_MAX_DEPTH], w;
    for (uint32_t j = 0; j < depth; j++)
        v[j] = wm_signed(s->before[(size_t)j * stride + i], down ? WM_SIGN_BIT : 0);
    if (down)
        w = -wm_median_about(v, depth, -s->below[i]);
    else
        w = up ? wm_median_about(v, depth, s->above[i]) : wm_recover(m, v);
    return sgd_clamp(w - s->d[i]);
}

static inline bool wm_may_enter(const struct wm *m, uint32_t i)
{
    const int32_t half = (int32_t)(m->s.shape.depth + 1) / 2, votes = m->scratch.votes[i];
    return (votes & 0xffff) >= half || votes >> 16 >= half;
}

/* Returns the first entry from i on that has enough votes to enter, or an index >= n. */
static uint32_t wm_next_candidate(const struct wm *m, uint32_t i, uint32_t n)
{
    const int32_t *const votes = m->scratch.votes;
    const int32_t below = (int32_t)(m->s.shape.depth + 1) / 2 - 1;
    for (; i % LANES && i < n; i++)
        if (wm_may_enter(m, i)) return i;
    for (; i < n; i += LANES) {
        masks v = AT(const masks, votes, i), may = ((v & 0xffff) > below) | ((v >> 16) > below);
        uint64_t half[2];
        memcpy(half, &may, sizeof half);
        if (half[0] | half[1]) break;
    }
    while (i < n && !wm_may_enter(m, i))
        i++;
    return i;
}

/* Performs step 4 of wm.h: tries the entries with enough votes as candidates. A later entry may
 * have the id of a feature that has just entered; then it steps the member. If this makes a member
 * lighter than the bar that the votes used, the votes no longer exclude any entry. */
static void wm_admit(struct wm *m, const struct linear_row *row, uint32_t from, uint32_t n, int y)
{
    const struct wm_scratch *s = &m->scratch;
    const uint32_t before = m->s.n_entrants;
    const int32_t voted = m->s.bound;
    const float share = wm_share_of_estimate(m);
    for (uint32_t i = 0; i < n; i++) {
        if (m->s.n_entrants == before && (i = wm_next_candidate(m, i, n)) >= n) return;
        if (s->slot[i] != STORE_NONE) continue;
        bool may = wm_may_enter(m, i) || m->s.bound < voted;
        uint32_t id = id_slots_fold(row->id[from + i]), slot = id_slots_seek(&m->s.set, id);
        if (m->s.set.id[slot] == id) {
            wm_step_member(m, slot, i, n, y);
            continue;
        }
        float w = may ? share * wm_stepped_estimate(m, i, wm_whole_lanes(n)) : 0; /* step 4 */
        if (may && lazy_min_bits(w) > m->s.bound) wm_enter(m, id, w, from + i, y);
    }
}

/* ---- pass 2: step ---- */

enum { YES = 1, NO = 0x10000 }; /* value added to votes[i] for a cell above bar, and below -bar */

/* Sets the bounds between which a cell gives no vote. If a slot is free, all entries get
 * enough votes. */
static void wm_set_bars(struct wm *m, uint32_t n)
{
    const float full = float_of_bits((uint32_t)m->s.bound) / wm_share_of_estimate(m);
    const float bar = m->s.bound < 0 ? -INFINITY : full * (1 - 1e-6f);
    const float slack = 1e-6f, *d = m->scratch.d;
    float *above = m->scratch.above, *below = m->scratch.below;
    int32_t *votes = m->scratch.votes;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats v = AT(const floats, d, i), size = (floats)((words)v & ~WM_SIGN_BIT);
        floats low = bar - slack * size;
        AT(floats, above, i) = v + low;
        AT(floats, below, i) = v - low;
        AT(masks, votes, i) = (masks){0};
    }
}

static void wm_vote(const struct wm_scratch *s, uint32_t n, const float *before)
{
    const float *above = s->above, *below = s->below;
    int32_t *votes = s->votes;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats v = AT(const floats, before, i);
        masks yes = v > AT(const floats, above, i), no = v < AT(const floats, below, i);
        AT(masks, votes, i) += (yes & YES) + (no & NO);
    }
}

/* Sets the votes if the estimate is the mean: all rows vote as the mean does. */
static void wm_vote_by_mean(const struct wm *m, uint32_t n)
{
    const struct wm_scratch *s = &m->scratch;
    const float *sum = s->sum, *d = s->d, depth = (float)m->s.shape.depth;
    const float share = wm_share_of_estimate(m);
    int32_t *votes = s->votes;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats w = share * (AT(const floats, sum, i) / depth - AT(const floats, d, i));
        AT(masks, votes, i) = (((masks)w & INT32_MAX) > m->s.bound) & (YES * 0xff);
    }
}

static void step_row(float *cell, const struct wm_scratch *s, uint32_t n, const uint32_t *at,
                     const uint32_t *sign)
{
    const float *d = s->d;
    float *signed_d = s->signed_d;
    for (uint32_t i = 0; i < n; i += LANES)
        AT(floats, signed_d, i) = wm_flipped(AT(const floats, d, i), AT(const words, sign, i));
    for (uint32_t i = 0; i < n; i++)
        cell[at[i]] -= signed_d[i]; /* step 2: cell -= sign u x */
}

static void step_row_clamped(float *cell, const struct wm_scratch *s, uint32_t n,
                             const uint32_t *at, const uint32_t *sign)
{
    for (uint32_t i = 0; i < n; i++)
        cell[at[i]] = sgd_clamp(cell[at[i]] - wm_signed(s->d[i], sign[i]));
}

/* Limits a value of `behind`, so that it stays finite. */
static float wm_held(float behind)
{
    static const float MOST = FLT_MAX / 2;
    return behind > MOST ? MOST : behind < -MOST ? -MOST : behind;
}

/* Performs step 2 of wm.h, the steps of cells, in row j, and updates `behind` and the sum of
 * squares (theorem 2). */
static void wm_step_row_kept(struct wm *m, uint32_t j, uint32_t n, const uint32_t *at,
                             const uint32_t *sign)
{
    size_t first = (size_t)j * m->s.shape.width;
    for (uint32_t i = 0; i < n; i++) {
        size_t c = first + at[i];
        double before = (double)m->s.cell.weight[c];
        m->s.cell.weight[c] = sgd_clamp(m->s.cell.weight[c] - wm_signed(m->scratch.d[i], sign[i]));
        double after = (double)m->s.cell.weight[c];
        m->square += after * after - before * before;
        if (m->behind) m->behind[c] = wm_held(m->behind[c] + (float)(m->mass * (after - before)));
    }
}

static bool wm_is_kept(const struct wm *m) { return m->s.opt.average || m->s.opt.radius > 0; }

static void wm_step_stretch(struct wm *m, const struct linear_row *row, uint32_t from, uint32_t n,
                            const struct sgd_step *g, bool far)
{
    const float *x = row->x + from, u = g->u;
    const struct wm_scratch *s = &m->scratch;
    uint32_t p = wm_whole_lanes(n);
    for (uint32_t i = 0; i < p; i++)
        s->d[i] = i < n ? u * x[i] : 0; /* u x_i */
    uint32_t members = wm_step_members(m, row->id + from, n, g->y);
    if (wm_is_mean(m))
        wm_vote_by_mean(m, p);
    else
        wm_set_bars(m, p);
    for (uint32_t j = 0; j < m->s.shape.depth; j++) {
        float *cell = m->s.cell.weight + (size_t)j * m->s.shape.width;
        const uint32_t *at = s->at + (size_t)j * p, *sign = s->sign + (size_t)j * p;
        if (!wm_is_mean(m)) wm_vote(s, p, s->before + (size_t)j * p);
        if (wm_is_kept(m))
            wm_step_row_kept(m, j, n, at, sign);
        else
            (far ? step_row_clamped : step_row)(cell, s, n, at, sign);
    }
    for (uint32_t i = 0; far && i < n; i++)
        s->votes[i] = YES * 0xff; /* if steps overflow, bars are meaningless, so all entries pass */
    for (uint32_t k = 0; k < members; k++)
        s->votes[s->member[k]] = 0; /* members are not candidates */
}

/* ---- one example ---- */

static double wm_measure_cells(const struct wm *m)
{
    float max = 0;
    for (size_t c = 0; c < linear_cells(&m->s.shape); c++)
        max = fabsf(m->s.cell.weight[c]) > max ? fabsf(m->s.cell.weight[c]) : max;
    return (double)max;
}

/* Shrinks members and cells by the pending penalty (l1.h). */
static void wm_apply_l1(struct wm *m)
{
    float pending = l1_pending(&m->s.sgd);
    l1_apply(&m->s.sgd, linear_cells(&m->s.shape), m->s.cell.weight);
    if (!(pending > 0)) return;
    for (uint32_t s = 0; s < m->s.set.n; s++)
        m->s.member.weight[s] = l1_shrink(m->s.member.weight[s], pending);
    store_forget_bounds(&m->s);
}

static void wm_fold_alpha(struct wm *m)
{
    float a = (float)m->s.sgd.alpha;
    wm_apply_l1(m);
    for (size_t c = 0; c < linear_cells(&m->s.shape); c++) {
        if (m->behind) m->behind[c] = -wm_cell_now(m, c); /* because the mass becomes 0 */
        m->s.cell.weight[c] *= a;
    }
    m->mass = 0;
    for (uint32_t s = 0; s < m->s.set.n; s++)
        m->s.member.weight[s] *= a;
    store_forget_bounds(&m->s);
    m->cell_bound = wm_measure_cells(m);
    if (m->s.opt.radius > 0) m->square = wm_square(m);
    sgd_folded(&m->s.sgd);
}

static void wm_step_all(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                        const struct sgd_step *g, double travel)
{
    if (g->u != 0) m->cell_bound += travel * (double)fabsf(g->u); /* travel may be infinite */
    bool far = m->cell_bound > (double)SGD_LIMIT;
    for (uint32_t from = 0; from < row->n; from += WM_STRETCH) {
        uint32_t n = wm_stretch_at(row, from);
        if (row->n > WM_STRETCH) wm_read_stretch(m, row, hash, from, n);
        wm_step_stretch(m, row, from, n, g, far);
        wm_admit(m, row, from, n, g->y);
    }
    if (far) m->cell_bound = wm_measure_cells(m);
}

/* Ends an example with a radius or `average` (theorem 2 in wm.h): scales z down to the radius, and
 * adds it to the mean. */
static void wm_keep(struct wm *m)
{
    m->square = fmax(0, m->square);
    double length = m->s.sgd.alpha * sqrt(m->square / m->s.shape.depth);
    if (m->s.opt.radius > 0 && length > m->s.opt.radius) m->s.sgd.alpha *= m->s.opt.radius / length;
    m->mass += m->s.sgd.alpha;
    m->iterates++;
}

/* True if alpha must be folded. With `average`, A v and `behind` are two large numbers when alpha
 * is small, and their difference would lose digits. */
static bool wm_must_fold(const struct wm *m)
{
    static const double MEAN_FOLDS_BELOW = 1.0 / 16;
    return sgd_must_fold(&m->s.sgd) || (m->behind && m->s.sgd.alpha < MEAN_FOLDS_BELOW);
}

/* True if the example may step much further than the radius to which z is then scaled. Such a step
 * would make `behind` far larger than the mean, and rounding would lose the mean. Folding before
 * the step prevents this, because `behind` does not grow while the mass is 0. */
static bool wm_steps_far(const struct wm *m, const struct linear_row *row)
{
    double square = 0, most = 4 * m->s.opt.radius;
    for (uint32_t i = 0; i < row->n; i++)
        square += (double)row->x[i] * (double)row->x[i];
    double length = sqrt(square);
    double slope = m->s.opt.sgd.loss == LOSS_SQUARED ? 1 + m->s.opt.radius * length : 1;
    return m->s.opt.sgd.eta0 * (double)row->weight * slope * length > most;
}

/* Ends an example: adds its share to the penalty, and folds and renews if needed (sgd.h). */
static void wm_tidy(struct wm *m, double share)
{
    m->s.sgd.penalty += share;
    if (l1_due(&m->s.sgd, linear_cells(&m->s.shape))) wm_apply_l1(m);
    if (wm_must_fold(m)) wm_fold_alpha(m);
    if (sgd_must_renew(&m->s.sgd)) sgd_renew(&m->s.sgd, NULL, m->s.count, m->s.set.n);
}

enum linear_result wm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                            double *margin)
{
    struct wm *m = (struct wm *)s;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    double travel, z = wm_predict(m, row, hash, &travel) + m->s.sgd.bias;
    /* Checks all values at once. Cells are finite, so the margin is finite if and only if all
     * values are. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    if (m->behind && m->s.opt.radius > 0 && wm_steps_far(m, row)) {
        wm_fold_alpha(m);
        wm_predict(m, row, hash, &travel); /* again, because folding has changed the cells */
    }
    struct sgd_step g = sgd_advance(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    wm_step_all(m, row, hash, &g, travel);
    if (wm_is_kept(m)) wm_keep(m);
    if (m->behind || sgd_is_due(&m->s.sgd)) wm_tidy(m, g.share);
#ifdef LEAT_CHECKS
    assert(!store_check(s));
#endif
    return LINEAR_OK;
}
