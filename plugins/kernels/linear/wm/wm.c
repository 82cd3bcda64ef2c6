/* wm.c -- the Weight-Median Sketch; what it does is in wm.h, how it is fast is here.
 *
 * Entries are taken in stretches, and of a stretch one row of the sketch after the other: hash
 * functions, signs, sums and votes then are vector operations over the entries, and the 4 bytes a
 * cell are read and written one by one but from one row, which stays in the nearest cache. What
 * pass 1 (the margin) found of a stretch is kept for pass 2 (the step) unless the row has more than
 * one.
 *
 * One mix of an id, a permutation of its 32 bits, serves all rows: row j takes the top bits of
 * mixed * a_j + b_j, a_j odd (multiply-shift, Dietzfelbinger et al. 1997): one for the sign, the
 * next ones for the cell.
 *
 * No median is taken of entries that cannot enter the passive set. |median| > bar needs half of the
 * rows beyond bar on one side; these votes are counted in vectors, a little generously so that
 * rounding excludes no entry wrongly. A median is taken only of entries that pass and are no
 * members. (Of one row or two it is the mean, which pass 1 has left.) `bar` is a lower bound of the
 * lightest member; the exact one is looked for when an entry exceeds it (lazy_min.h).
 *
 * Cells are held within SGD_LIMIT without looking at them: `cell_bound` adds up how far they can
 * have moved. Only when that passes the limit, steps are clamped one by one and the cells measured.
 *
 * Invariants (wm_check): each member is found by its id; bar and block bounds are lower bounds; all
 * cells are within cell_bound, and that is within SGD_LIMIT.
 */
#include "wm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "wm_inside.h"

#define NOWHERE UINT32_MAX /* no slot */

/* Vectors of four (an extension that gcc and clang have for every processor). */
enum { LANES = 4 };
typedef uint32_t words __attribute__((vector_size(16), may_alias));
typedef int32_t masks __attribute__((vector_size(16), may_alias));
typedef float floats __attribute__((vector_size(16), may_alias));
#define AT(TYPE, array, i) (*(TYPE *)((array) + (i)))

static inline floats flipped(floats v, words sign) { return (floats)((words)v ^ sign); }

static uint32_t whole_lanes(uint32_t n) { return (n + LANES - 1) / LANES * LANES; }

/* ---- pass 1: read ---- */

/* Cell and sign in row j of each mixed id. */
static void hash_row(const struct wm *m, uint32_t j, uint32_t n, uint32_t *at, uint32_t *sign)
{
    const uint32_t *mixed = m->scratch.mixed, a = m->multiplier[j], b = m->addend[j];
    const uint32_t shift = 31 - m->width_bits;
    if (m->width_bits == UINT32_MAX) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t hash = mixed[i] * a + b;
            at[i] = column_of(hash, m->shape.width);
            sign[i] = hash & SIGN_BIT;
        }
        return;
    }
    for (uint32_t i = 0; i < n; i += LANES) {
        words hash = AT(const words, mixed, i) * a + b;
        AT(words, at, i) = (hash & ~SIGN_BIT) >> shift;
        AT(words, sign, i) = hash & SIGN_BIT;
    }
}

static void read_row(const float *cell, uint32_t n, const uint32_t *at, const uint32_t *sign,
                     float *before, float *sum)
{
    for (uint32_t i = 0; i < n; i += LANES) {
        before[i] = cell[at[i]];
        before[i + 1] = cell[at[i + 1]];
        before[i + 2] = cell[at[i + 2]];
        before[i + 3] = cell[at[i + 3]];
    }
    for (uint32_t i = 0; i < n; i += LANES) {
        floats v = flipped(AT(const floats, before, i), AT(const words, sign, i));
        AT(floats, before, i) = v;
        AT(floats, sum, i) += v;
    }
}

/* Cells of the n entries from `from` on, and the sum over the rows for each. */
static void read_stretch(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                         uint32_t from, uint32_t n)
{
    const struct wm_scratch *s = &m->scratch;
    uint32_t p = whole_lanes(n);
    for (uint32_t i = 0; i < n; i++)
        s->mixed[i] = hash ? (uint32_t)hash[from + i] : mix(m, row->id[from + i]);
    for (uint32_t i = n; i < p; i++)
        s->mixed[i] = 0;
    memset(s->sum, 0, p * sizeof *s->sum);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t *at = s->at + (size_t)j * p, *sign = s->sign + (size_t)j * p;
        hash_row(m, j, p, at, sign);
        read_row(m->cell + (size_t)j * m->shape.width, p, at, sign, s->before + (size_t)j * p,
                 s->sum);
    }
}

static inline uint32_t stretch_at(const struct linear_row *row, uint32_t from)
{
    return row->n - from < WM_STRETCH ? row->n - from : WM_STRETCH;
}

/* The sum of |x|, in any order: it is only a bound. */
static float length(const float *x, uint32_t n)
{
    floats sum = {0};
    float rest = 0;
    uint32_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        words v;
        memcpy(&v, x + i, sizeof v);
        sum += (floats)(v & ~SIGN_BIT);
    }
    for (; i < n; i++)
        rest += fabsf(x[i]);
    return sum[0] + sum[1] + sum[2] + sum[3] + rest;
}

/* Step 1 without the bias; *travel: how far the steps of a gradient of 1 can move a cell. */
static double predict(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                      double *travel)
{
    double sum = 0, far = 0;
    for (uint32_t from = 0; from < row->n; from += WM_STRETCH) {
        uint32_t n = stretch_at(row, from);
        const float *x = row->x + from;
        read_stretch(m, row, hash, from, n);
        for (uint32_t i = 0; i < n; i++)
            sum += (double)m->scratch.sum[i] * (double)x[i]; /* depth m_i x_i */
        far += (double)length(x, n);
    }
    *travel = far;
    return sum / m->shape.depth * m->sgd.alpha; /* step 1 */
}

/* ---- the passive set ---- */

static void weigh(struct wm *m, uint32_t slot, float w)
{
    int32_t v = lazy_min_bits(w);
    m->weight[slot] = w;
    lazy_min_lower(&m->lightest, slot, v);
    if (v < m->bar) m->bar = v;
}

/* Estimate of entry i of the stretch minus its own step. */
static float estimate_after(const struct wm *m, uint32_t i, uint32_t stride)
{
    float v[WM_MAX_DEPTH];
    for (uint32_t j = 0; j < m->shape.depth; j++)
        v[j] = m->scratch.before[(size_t)j * stride + i];
    return sgd_clamp(wm_recover(m, v) - m->scratch.d[i]);
}

/* Entry i of a stretch of n is that of a member. */
static void step_member(struct wm *m, uint32_t slot, uint32_t i, uint32_t n, int y)
{
    if (m->opt.estimates)
        weigh(m, slot, estimate_after(m, i, whole_lanes(n)));
    else
        weigh(m, slot, sgd_clamp(m->weight[slot] - m->scratch.d[i])); /* w -= u x */
    if (m->count) sgd_count(&m->sgd, &m->count[2 * slot + (uint32_t)y]);
}

static void filter_in(struct wm *m, uint32_t id)
{
    uint8_t *f = filter_of(m, mix(m, id));
    if (*f != UINT8_MAX) ++*f;
}

static void filter_out(struct wm *m, uint32_t id)
{
    uint8_t *f = filter_of(m, mix(m, id));
    if (*f != UINT8_MAX) --*f;
}

void wm_reindex(struct wm *m)
{
    id_slots_rebuild(&m->set);
    memset(m->filter, 0, wm_filter_size(m->shape.active));
    for (uint32_t s = 0; s < m->set.n; s++)
        filter_in(m, m->set.id[s]);
}

/* Where the n features at `id` are members: slot[i], or NOWHERE. The filter leaves out most others,
 * without a branch. Returns how many are, listed in member[]. */
static uint32_t find_members(struct wm *m, const uint64_t *id, uint32_t n)
{
    const uint32_t *const mixed = m->scratch.mixed, shift = m->filter_shift;
    const uint8_t *const filter = m->filter;
    uint32_t *const at = m->scratch.slot, *const member = m->scratch.member, passed = 0, k = 0;
    for (uint32_t i = 0; i < n; i++) {
        at[i] = NOWHERE;
        member[passed] = i;
        passed += filter[mixed[i] >> shift] != 0;
    }
    for (uint32_t p = 0; p < passed; p++) {
        uint32_t i = member[p], f = id_slots_fold(id[i]), slot = id_slots_seek(&m->set, f);
        uint32_t in = m->set.id[slot] == f;
        at[i] = slot | (in - 1); /* all ones when it is not a member */
        member[k] = i;
        k += in;
    }
    return k;
}

/* Step 3. Returns how many entries are members. */
static uint32_t step_members(struct wm *m, const uint64_t *id, uint32_t n, int y)
{
    const struct wm_scratch *s = &m->scratch;
    uint32_t members = find_members(m, id, n);
    for (uint32_t k = 0; k < members; k++)
        step_member(m, s->slot[s->member[k]], s->member[k], n, y);
    return members;
}

/* The slot that a candidate of weight w enters: a free one, that of the lightest member if w
 * outweighs it, or NOWHERE. */
static uint32_t take_slot(struct wm *m, float w)
{
    if (m->set.n < m->set.capacity) {
        if (m->set.n + 1 == m->set.capacity) m->bar = 0;
        return m->set.n++;
    }
    uint32_t slot = lazy_min_find(&m->lightest, &m->bar);
    if (lazy_min_bits(w) <= m->bar) return NOWHERE;
    id_slots_unlink(&m->set, slot);
    filter_out(m, m->set.id[slot]);
    return slot;
}

static void enter(struct wm *m, uint32_t slot, uint32_t id, float w, uint32_t entry, int y)
{
    m->set.id[slot] = id;
    id_slots_link(&m->set, slot);
    filter_in(m, id);
    weigh(m, slot, w);
    if (m->count) {
        m->count[2 * slot] = m->count[2 * slot + 1] = 0;
        m->count[2 * slot + (uint32_t)y] = m->sgd.one;
    }
    m->entrant[m->n_entrants++] = (struct linear_entrant){slot, entry};
}

/* Is the estimate the mean of the rows? */
static inline bool is_mean(const struct wm *m) { return m->opt.mean || m->shape.depth <= 2; }

/* Just half of the n values are larger than `bound`: the two in the middle are its neighbours. */
static float median_about(const float *v, uint32_t n, float bound)
{
    float under = -FLT_MAX, over = FLT_MAX;
    for (uint32_t j = 0; j < n; j++) {
        float low = v[j] > bound ? -FLT_MAX : v[j], high = v[j] > bound ? v[j] : FLT_MAX;
        under = low > under ? low : under;
        over = high < over ? high : over;
    }
    return 0.5f * (under + over);
}

/* The same of a candidate. With an even number of rows half of them are enough votes to be looked
 * at; many entries have just that, and do not pass. */
static float stepped_estimate(const struct wm *m, uint32_t i, uint32_t stride)
{
    const struct wm_scratch *s = &m->scratch;
    uint32_t depth = m->shape.depth, half = depth / 2;
    bool even = !is_mean(m) && depth % 2 == 0;
    bool up = even && (s->votes[i] & 0xffff) == (int32_t)half;
    bool down = even && s->votes[i] >> 16 == (int32_t)half;
    float v[WM_MAX_DEPTH], w;
    for (uint32_t j = 0; j < depth; j++)
        v[j] = with_sign(s->before[(size_t)j * stride + i], down ? SIGN_BIT : 0);
    if (down)
        w = -median_about(v, depth, -s->below[i]);
    else
        w = up ? median_about(v, depth, s->above[i]) : wm_recover(m, v);
    return sgd_clamp(w - s->d[i]);
}

static inline bool may_enter(const struct wm *m, uint32_t i)
{
    const int32_t half = (int32_t)(m->shape.depth + 1) / 2, votes = m->scratch.votes[i];
    return (votes & 0xffff) >= half || votes >> 16 >= half;
}

/* The first entry from i on that may enter, or none before n. */
static uint32_t next_candidate(const struct wm *m, uint32_t i, uint32_t n)
{
    const int32_t *const votes = m->scratch.votes;
    const int32_t below = (int32_t)(m->shape.depth + 1) / 2 - 1;
    for (; i % LANES && i < n; i++)
        if (may_enter(m, i)) return i;
    for (; i < n; i += LANES) {
        masks v = AT(const masks, votes, i), may = ((v & 0xffff) > below) | ((v >> 16) > below);
        uint64_t half[2];
        memcpy(half, &may, sizeof half);
        if (half[0] | half[1]) break;
    }
    while (i < n && !may_enter(m, i))
        i++;
    return i;
}

/* Step 4 for the entries with enough votes. Once one has entered, the row may repeat its id: then
 * the entry steps the member, and if the lightest member becomes lighter than the bar that was
 * voted on, the votes no longer exclude any entry. */
static void admit(struct wm *m, const struct linear_row *row, uint32_t from, uint32_t n, int y)
{
    const struct wm_scratch *s = &m->scratch;
    const uint32_t before = m->n_entrants;
    const int32_t voted = m->bar;
    const float share = share_of_estimate(m);
    for (uint32_t i = 0; i < n; i++) {
        if (m->n_entrants == before && (i = next_candidate(m, i, n)) >= n) return;
        if (s->slot[i] != NOWHERE) continue;
        bool may = may_enter(m, i) || m->bar < voted;
        uint32_t id = id_slots_fold(row->id[from + i]), slot = id_slots_seek(&m->set, id);
        if (m->set.id[slot] == id) {
            step_member(m, slot, i, n, y);
            continue;
        }
        float w = may ? share * stepped_estimate(m, i, whole_lanes(n)) : 0; /* step 4 */
        if (!may || lazy_min_bits(w) <= m->bar) continue;
        slot = take_slot(m, w);
        if (slot != NOWHERE) enter(m, slot, id, w, from + i, y);
    }
}

/* ---- pass 2: step ---- */

enum { YES = 1, NO = 0x10000 }; /* votes for more than bar, and for less than -bar */

/* Between which values a cell gives no vote. All entries pass while a slot is free. */
static void set_bars(struct wm *m, uint32_t n)
{
    const float full = float_of_bits((uint32_t)m->bar) / share_of_estimate(m);
    const float bar = m->bar < 0 ? -INFINITY : full * (1 - 1e-6f);
    const float slack = 1e-6f, *d = m->scratch.d;
    float *above = m->scratch.above, *below = m->scratch.below;
    int32_t *votes = m->scratch.votes;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats v = AT(const floats, d, i), size = (floats)((words)v & ~SIGN_BIT);
        floats low = bar - slack * size;
        AT(floats, above, i) = v + low;
        AT(floats, below, i) = v - low;
        AT(masks, votes, i) = (masks){0};
    }
}

static void vote(const struct wm_scratch *s, uint32_t n, const float *before)
{
    const float *above = s->above, *below = s->below;
    int32_t *votes = s->votes;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats v = AT(const floats, before, i);
        masks yes = v > AT(const floats, above, i), no = v < AT(const floats, below, i);
        AT(masks, votes, i) += (yes & YES) + (no & NO);
    }
}

/* Where the estimate is the mean there is nothing to count: all rows vote as the mean does. */
static void vote_by_mean(const struct wm *m, uint32_t n)
{
    const struct wm_scratch *s = &m->scratch;
    const float *sum = s->sum, *d = s->d, depth = (float)m->shape.depth;
    const float share = share_of_estimate(m);
    int32_t *votes = s->votes;
    for (uint32_t i = 0; i < n; i += LANES) {
        floats w = share * (AT(const floats, sum, i) / depth - AT(const floats, d, i));
        AT(masks, votes, i) = (((masks)w & INT32_MAX) > m->bar) & (YES * 0xff);
    }
}

static void step_row(float *cell, const struct wm_scratch *s, uint32_t n, const uint32_t *at,
                     const uint32_t *sign)
{
    const float *d = s->d;
    float *signed_d = s->signed_d;
    for (uint32_t i = 0; i < n; i += LANES)
        AT(floats, signed_d, i) = flipped(AT(const floats, d, i), AT(const words, sign, i));
    for (uint32_t i = 0; i < n; i++)
        cell[at[i]] -= signed_d[i]; /* step 2: cell -= sign u x */
}

static void step_row_clamped(float *cell, const struct wm_scratch *s, uint32_t n,
                             const uint32_t *at, const uint32_t *sign)
{
    for (uint32_t i = 0; i < n; i++)
        cell[at[i]] = sgd_clamp(cell[at[i]] - with_sign(s->d[i], sign[i]));
}

/* Finite, whatever the steps are. */
static float held(float behind)
{
    static const float MOST = FLT_MAX / 2;
    return behind > MOST ? MOST : behind < -MOST ? -MOST : behind;
}

/* And what theorem 2 keeps of it. */
static void step_row_kept(struct wm *m, uint32_t j, uint32_t n, const uint32_t *at,
                          const uint32_t *sign)
{
    size_t first = (size_t)j * m->shape.width;
    for (uint32_t i = 0; i < n; i++) {
        size_t c = first + at[i];
        double before = (double)m->cell[c];
        m->cell[c] = sgd_clamp(m->cell[c] - with_sign(m->scratch.d[i], sign[i]));
        double after = (double)m->cell[c];
        m->square += after * after - before * before;
        if (m->behind) m->behind[c] = held(m->behind[c] + (float)(m->mass * (after - before)));
    }
}

static bool is_kept(const struct wm *m) { return m->opt.average || m->opt.radius > 0; }

static void step_stretch(struct wm *m, const struct linear_row *row, uint32_t from, uint32_t n,
                         const struct sgd_step *g, bool far)
{
    const float *x = row->x + from, u = g->u;
    const struct wm_scratch *s = &m->scratch;
    uint32_t p = whole_lanes(n);
    for (uint32_t i = 0; i < p; i++)
        s->d[i] = i < n ? u * x[i] : 0; /* u x_i */
    uint32_t members = step_members(m, row->id + from, n, g->y);
    if (is_mean(m))
        vote_by_mean(m, p);
    else
        set_bars(m, p);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        float *cell = m->cell + (size_t)j * m->shape.width;
        const uint32_t *at = s->at + (size_t)j * p, *sign = s->sign + (size_t)j * p;
        if (!is_mean(m)) vote(s, p, s->before + (size_t)j * p);
        if (is_kept(m))
            step_row_kept(m, j, n, at, sign);
        else
            (far ? step_row_clamped : step_row)(cell, s, n, at, sign);
    }
    for (uint32_t i = 0; far && i < n; i++)
        s->votes[i] = YES * 0xff; /* bars of overflowing steps mean nothing: all pass */
    for (uint32_t k = 0; k < members; k++)
        s->votes[s->member[k]] = 0; /* they are not candidates */
}

/* ---- one example ---- */

static double measure_cells(const struct wm *m)
{
    float max = 0;
    for (size_t c = 0; c < cells(m); c++)
        max = fabsf(m->cell[c]) > max ? fabsf(m->cell[c]) : max;
    return (double)max;
}

/* The penalty that is pending is taken from members and cells. */
static void apply_l1(struct wm *m)
{
    float pending = l1_pending(&m->sgd);
    l1_apply(&m->sgd, cells(m), m->cell);
    if (!(pending > 0)) return;
    for (uint32_t s = 0; s < m->set.n; s++)
        m->weight[s] = l1_shrink(m->weight[s], pending);
    lazy_min_forget(&m->lightest);
    if (m->bar > 0) m->bar = 0;
}

static void fold_alpha(struct wm *m)
{
    float a = (float)m->sgd.alpha;
    apply_l1(m);
    for (size_t c = 0; c < cells(m); c++) {
        if (m->behind) m->behind[c] = -cell_now(m, c); /* A is 0 from now on */
        m->cell[c] *= a;
    }
    m->mass = 0;
    for (uint32_t s = 0; s < m->set.n; s++)
        m->weight[s] *= a;
    lazy_min_forget(&m->lightest);
    if (m->bar > 0) m->bar = 0;
    m->cell_bound = measure_cells(m);
    if (m->opt.radius > 0) m->square = wm_square(m);
    sgd_folded(&m->sgd);
}

static void step(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                 const struct sgd_step *g, double travel)
{
    if (g->u != 0) m->cell_bound += travel * (double)fabsf(g->u); /* travel may be infinite */
    bool far = m->cell_bound > (double)SGD_LIMIT;
    for (uint32_t from = 0; from < row->n; from += WM_STRETCH) {
        uint32_t n = stretch_at(row, from);
        if (row->n > WM_STRETCH) read_stretch(m, row, hash, from, n);
        step_stretch(m, row, from, n, g, far);
        admit(m, row, from, n, g->y);
    }
    if (far) m->cell_bound = measure_cells(m);
}

/* z is as theorem 2 has it after an example. */
static void keep(struct wm *m)
{
    m->square = fmax(0, m->square);
    double length = m->sgd.alpha * sqrt(m->square / m->shape.depth);
    if (m->opt.radius > 0 && length > m->opt.radius) m->sgd.alpha *= m->opt.radius / length;
    m->mass += m->sgd.alpha;
    m->iterates++;
}

/* A v and behind are two large numbers whose difference is asked for, if alpha has fallen far. */
static bool must_fold(const struct wm *m)
{
    static const double MEAN_FOLDS_BELOW = 1.0 / 16;
    return sgd_must_fold(&m->sgd) || (m->behind && m->sgd.alpha < MEAN_FOLDS_BELOW);
}

/* May the example step further than the projection leaves of all steps? Then `behind` would
 * grow by far more than what remains, and the mean be lost in its rounding. With a mass of
 * 0 it does not grow. */
static bool steps_far(const struct wm *m, const struct linear_row *row)
{
    double square = 0, most = 4 * m->opt.radius;
    for (uint32_t i = 0; i < row->n; i++)
        square += (double)row->x[i] * (double)row->x[i];
    double length = sqrt(square);
    double slope = m->opt.sgd.loss == LOSS_SQUARED ? 1 + m->opt.radius * length : 1;
    return m->opt.sgd.eta0 * (double)row->weight * slope * length > most;
}

/* What is due at the end of an example. */
static void tidy(struct wm *m, double share)
{
    m->sgd.penalty += share;
    if (l1_due(&m->sgd, cells(m))) apply_l1(m);
    if (must_fold(m)) fold_alpha(m);
    if (sgd_must_renew(&m->sgd)) sgd_renew(&m->sgd, NULL, m->count, m->set.n);
}

enum linear_result wm_learn_hashed(struct wm *m, const struct linear_row *row, const uint64_t *hash,
                                   double *margin)
{
    if (row->n > m->opt.max_row) return LINEAR_TOO_LONG;
    double travel, z = predict(m, row, hash, &travel) + m->sgd.bias;
    /* Cells are finite, so the margin is finite exactly when all values are. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->n_entrants = 0;
    if (m->behind && m->opt.radius > 0 && steps_far(m, row)) {
        fold_alpha(m);
        predict(m, row, hash, &travel); /* cells are others now */
    }
    struct sgd_step g = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    step(m, row, hash, &g, travel);
    if (is_kept(m)) keep(m);
    if (m->behind || sgd_is_due(&m->sgd)) tidy(m, g.share);
#ifdef LEAT_CHECKS
    assert(!wm_check(m));
#endif
    return LINEAR_OK;
}

void wm_hash(const struct wm *m, uint32_t n, const uint64_t *id, uint64_t *hash)
{
    for (uint32_t i = 0; i < n; i++)
        hash[i] = mix(m, id[i]);
}
