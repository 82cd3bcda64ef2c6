/* awm.c -- the Active-Set Weight-Median Sketch; what it does is in awm.h, how it is fast is here.
 *
 * One hash of an id gives its slot in the index of S and its cell and sign in the sketch. The
 * weights of S and the cells lie in one float array, so margin and step read and write one float
 * an entry. Whether the entry is a member is a select and no branch: an unpredictable branch costs
 * more than all the rest.
 *
 * There is no heap. `bound` is a lower bound of min |S|: a step that makes a member lighter lowers
 * it. A row whose candidates all stay below it needs nothing more. When one exceeds it, the exact
 * minimum is looked for (lazy_min.h), and the bound rises to it.
 *
 * The fast path steps all entries at once, members and cells. But an eviction must find the sketch
 * as it was before the row, and a feature that enters takes no step there. So when a candidate does
 * enter, two cells (its own, and that of the member it evicts) are rewound to `before`, and the
 * row's other steps in them are taken again at the end: the order of Algorithm 2. When many may
 * enter, as at the start of a stream, all cells are rewound.
 *
 * Invariants (awm_check): the index is that of S (id_slots_check); `bound` and the bounds of blocks
 * are lower bounds; all weights are finite; padding is never lighter than a member.
 */
#include "awm.h"

#include <assert.h>
#include <math.h>

#include "awm_admission.h"
#include "awm_inside.h"
#include "awm_l1.h"
#include "awm_scan.h"

/* ---- one example ---- */

/* A member that was looked up moves to the front of its chain, so that frequent ones are found at
 * once. One a row. */
static void to_front(struct awm *m, uint32_t slot)
{
    id_slots_unlink(&m->index, slot);
    id_slots_link(&m->index, slot);
}

/* Where every entry lives, its value times its sign there, and which are members. Returns a member
 * that was not the first of its chain, or NOWHERE. */
static inline __attribute__((always_inline)) uint32_t
find_each(struct awm *m, const struct linear_row *row, const uint64_t *hash)
{
    const uint32_t *const head = m->index.head, *const ids = m->id, *const next = m->index.next;
    const uint32_t first = m->first_cell, mask = m->shape.width - 1, shift = m->index.head_shift;
    const uint64_t seed = m->opt.seed, *const id = row->id;
    const float *const x = row->x;
    uint32_t *const at = m->at;
    float *const sx = m->sx;
    uint32_t *const member = m->member;
    uint32_t late = NOWHERE, members = 0;
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        uint32_t f = awm_fold(id[i]);
        uint64_t h = hash ? hash[i] : id_slots_mix(seed, f);
        uint32_t s = head[h >> shift];
        uint32_t outside = -(uint32_t)(ids[s] != f); /* all ones, or zero */
        if (outside & next[s]) {
            do
                s = next[s] - 1;
            while (ids[s] != f && next[s]);
            outside = -(uint32_t)(ids[s] != f);
            late = outside ? late : s;
        }
        uint32_t c = first + ((uint32_t)(h >> 1) & mask);
        at[i] = s ^ ((s ^ c) & outside);
        sx[i] = signed_by(x[i], (uint32_t)h & outside);
        member[members] = i;
        members += outside + 1;
    }
    m->n_members = members;
    return late;
}

static uint32_t find_all(struct awm *m, const struct linear_row *row, const uint64_t *hash)
{
    return hash ? find_each(m, row, hash) : find_each(m, row, NULL);
}

/* Step 1. Returns the sum of the margin. */
static double locate(struct awm *m, const struct linear_row *row, const uint64_t *hash,
                     uint32_t *late)
{
    const float *const cell = m->cell, *const sx = m->sx;
    const uint32_t *const at = m->at;
    float *const before = m->before;
    double sum = 0;
    *late = find_all(m, row, hash);
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        float w = before[i] = cell[at[i]];
        sum += (double)w * (double)sx[i]; /* S[i] x_i, or sign(i) cell[h(i)] x_i */
    }
    return sum;
}

/* The same for a sketch of several rows: `before` is the estimate, with its sign. */
static double locate_deep(struct awm *m, const struct linear_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = awm_fold(row->id[i]), s = find(m, id);
        double mean;
        m->at[i] = s == NOWHERE ? m->first_cell : s;
        m->sx[i] = row->x[i];
        m->before[i] = s == NOWHERE ? estimate(m, id, &mean) : m->cell[s];
        sum += (s == NOWHERE ? mean : (double)m->cell[s]) * (double)row->x[i];
    }
    return sum;
}

/* The steps of all entries, where they live. Returns a lower bound of min |S|. */
static int32_t step_all(struct awm *m, uint32_t n, float u)
{
    float *const cell = m->cell;
    const float *const sx = m->sx;
    const uint32_t *const at = m->at, *const member = m->member;
    int32_t low = m->bound;
    for (uint32_t i = 0; i < n; i++)
        cell[at[i]] = sgd_clamp(cell[at[i]] - u * sx[i]); /* steps 2 and 4 */
    for (uint32_t k = 0, members = m->n_members; k < members; k++) {
        uint32_t slot = at[member[k]];
        int32_t v = magnitude(cell[slot]);
        lazy_min_lower(&m->lowest, slot, v);
        low = v < low ? v : low;
    }
    return low;
}

/* Step 2 with own rates, counts or several rows. */
static void step_members(struct awm *m, const struct linear_row *row, const struct sgd_step *step)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (m->at[i] < m->first_cell) step_member(m, m->at[i], row->x[i], step);
}

static void rewind_all(struct awm *m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t outside = -(int32_t)(m->at[i] >= m->first_cell), now = bits_of(m->cell[m->at[i]]);
        m->cell[m->at[i]] = float_of(now ^ ((now ^ bits_of(m->before[i])) & outside));
    }
}

/* Take the row's steps in rewound cells again; a step of an id that has entered is its member's. */
static void replay(struct awm *m, const struct linear_row *row, const struct sgd_step *step,
                   const struct rewound *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t c = r->cell[k], n = row->n;
        for (uint32_t i = 0; (i = scan_next(m->at, i, n, c)) < n; i++) {
            uint32_t slot = find(m, awm_fold(row->id[i]));
            if (slot != NOWHERE)
                step_member(m, slot, row->x[i], step);
            else
                m->cell[c] = sgd_clamp(m->cell[c] - step->u * m->sx[i]); /* step 4 */
        }
    }
}

/* Step 4 with one row of cells. Members have taken theirs: their difference is made 0. */
static void step_cells(struct awm *m, uint32_t n, float u)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t outside = -(int32_t)(m->at[i] >= m->first_cell);
        float d = float_of(bits_of(u * m->sx[i]) & outside);
        m->cell[m->at[i]] = sgd_clamp(m->cell[m->at[i]] - d);
    }
}

/* Step 4 with several rows. */
static void step_deep(struct awm *m, const struct linear_row *row, float u)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (m->at[i] >= m->first_cell) add_to_sketch(m, awm_fold(row->id[i]), -(u * row->x[i]));
}

/* Multiply alpha into the weights. */
static void fold_alpha(struct awm *m)
{
    size_t n = m->first_cell + sketch_cells(m);
    float a = (float)m->sgd.alpha;
    if (m->l1_seen) apply_l1_all(m);
    for (size_t i = 0; i < n; i++) {
        if (i < m->shape.active || i >= m->first_cell) m->cell[i] *= a;
    }
    lazy_min_scale(&m->lowest, a);
    if (m->bound > 0) m->bound = bits_of(float_of(m->bound) * a);
    sgd_folded(&m->sgd);
}

/* Steps 2 to 4 with one shared rate, one row of cells and no counts. */
static void learn_plain(struct awm *m, const struct linear_row *row, const struct sgd_step *step)
{
    uint32_t n = row->n;
    int32_t high = weigh_candidates(m, n, step->u);
    m->bound = step_all(m, n, step->u); /* steps 2 and 4 */
    if (high <= m->bound) return;
    uint32_t k = collect(m, n);
    if (k <= FEW && m->bound >= 0) {
        struct rewound r = {.n = 0};
        admit(m, row, step, k, &r); /* step 3 */
        replay(m, row, step, &r);
    } else {
        rewind_all(m, n);
        admit(m, row, step, k, NULL); /* step 3 */
        step_repeats(m, row, step);
        step_cells(m, n, step->u); /* step 4 */
    }
}

static void learn_general(struct awm *m, const struct linear_row *row, const struct sgd_step *step)
{
    int32_t high = weigh_candidates(m, row->n, step->u);
    step_members(m, row, step); /* step 2 */
    if (high > m->bound) {
        admit(m, row, step, collect(m, row->n), NULL); /* step 3 */
        step_repeats(m, row, step);
    }
    if (m->shape.depth > 1)
        step_deep(m, row, step->u); /* step 4 */
    else
        step_cells(m, row->n, step->u); /* step 4 */
}

/* Steps 2 to 4 of a row of one entry, with one row of cells: no vectors, because they would wait
 * for the scalars just written. */
static void learn_one(struct awm *m, const struct linear_row *row, const struct sgd_step *step)
{
    if (m->at[0] < m->first_cell) {
        step_member(m, m->at[0], row->x[0], step); /* step 2 */
        return;
    }
    int32_t key = magnitude(candidate_weight(m, 0, step->u));
    if (key > m->bound) {
        m->candidate[0] = (uint64_t)(uint32_t)key << 32 | UINT32_MAX;
        admit(m, row, step, 1, NULL); /* step 3 */
        if (m->n_entrants) return;
    }
    float *cell = &m->cell[m->at[0]];
    *cell = sgd_clamp(*cell - step->u * m->sx[0]); /* step 4 */
}

/* What is due at the end of an example. */
static void tidy(struct awm *m, double share)
{
    if (m->l1_seen) add_l1(m, share);
    if (sgd_must_fold(&m->sgd)) fold_alpha(m);
    if (sgd_must_renew(&m->sgd)) sgd_renew(&m->sgd, m->accumulator, m->count, m->index.n);
}

enum linear_result awm_learn_hashed(struct awm *m, const struct linear_row *row,
                                    const uint64_t *hash, double *margin)
{
    if (row->n > m->opt.max_row) return LINEAR_TOO_LONG;
    bool deep = m->shape.depth > 1;
    uint32_t late = NOWHERE;
    if (m->l1_seen && !apply_l1_row(m, row)) return LINEAR_NONFINITE;
    double z =
        (deep ? locate_deep(m, row) : locate(m, row, hash, &late)) * m->sgd.alpha + m->sgd.bias;
    /* Weights are finite, so the margin is finite exactly when all values are. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->n_entrants = 0;
    m->entered = 0;
    if (late != NOWHERE) to_front(m, late);
    struct sgd_step step = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    if (row->n == 1 && !deep)
        learn_one(m, row, &step);
    else if (deep || m->accumulator || m->count || m->l1_seen)
        learn_general(m, row, &step);
    else
        learn_plain(m, row, &step);
    if (sgd_is_due(&m->sgd)) tidy(m, step.share);
#ifdef LEAT_CHECKS
    assert(!awm_check(m));
#endif
    return LINEAR_OK;
}
