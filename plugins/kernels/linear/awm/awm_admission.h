/* awm_admission.h -- for awm.c: which candidates enter the active set S, and what leaves it; step 3
 * of Algorithm 2.
 *
 * A candidate is an entry of the row whose feature is no member: its weight is the sketch's
 * estimate after the step. Candidates above `bound` are collected as a heap and enter, heaviest
 * first, while they outweigh min |S|; the member that leaves is given back to the sketch. Where the
 * fast path has stepped cells already, the two cells that an eviction reads are rewound first
 * (awm.c says why).
 */
#ifndef LEAT_KERNELS_LINEAR_AWM_AWM_ADMISSION_H
#define LEAT_KERNELS_LINEAR_AWM_AWM_ADMISSION_H

#include "awm.h"
#include "awm_inside.h"
#include "awm_l1.h"
#include "awm_scan.h"
#include "core/heap.h"

enum { FEW = 8 }; /* candidates for which single cells are rewound */

/* Cells that are as they were before the row. */
struct rewound {
    uint32_t cell[2 * FEW], n;
};

/* ---- the sketch ---- */

static void add_to_sketch(struct awm *m, uint32_t id, float delta)
{
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        float sign;
        uint32_t c = awm_cell(m, j, id, &sign);
        m->cell[c] = sgd_clamp(m->cell[c] + sign * delta); /* cell_j[h_j(i)] += sign_j(i) delta */
    }
}

/* ---- entering and leaving S ---- */

static void enter(struct awm *m, uint32_t slot, uint32_t id, float w, int y)
{
    m->id[slot] = id;
    m->cell[slot] = w;
    if (m->l1_seen) m->l1_seen[slot] = (float)m->sgd.penalty;
    if (m->accumulator) m->accumulator[slot] = 0;
    if (m->count) {
        m->count[2 * slot] = m->count[2 * slot + 1] = 0;
        m->count[2 * slot + (uint32_t)y] = m->sgd.one;
    }
    id_slots_link(&m->index, slot);
    lazy_min_lower(&m->lowest, slot, magnitude(w));
}

static bool is_rewound(const struct rewound *r, uint32_t c)
{
    for (uint32_t k = 0; k < r->n; k++)
        if (r->cell[k] == c) return true;
    return false;
}

/* Cell c, where entry i lives, as it was before the row. */
static void rewind_cell(struct awm *m, struct rewound *r, uint32_t c, uint32_t i)
{
    if (is_rewound(r, c)) return;
    m->cell[c] = m->before[i];
    r->cell[r->n++] = c;
}

/* The sketch's estimate of a feature becomes w. */
static void give_back(struct awm *m, uint32_t id, float w)
{
    double mean;
    add_to_sketch(m, id, w - estimate(m, id, &mean)); /* += S[i_min] - Query(i_min) */
}

/* The same in one row of cells, which may have to be rewound. */
static void give_back_one(struct awm *m, uint32_t id, float w, struct rewound *r, uint32_t n)
{
    uint64_t h = id_slots_mix(m->opt.seed, id);
    uint32_t c = cell_of(m, h), flip = (uint32_t)h & 1;
    if (r && !is_rewound(r, c)) {
        uint32_t i = scan_next(m->at, 0, n, c);
        if (i < n) rewind_cell(m, r, c, i);
    }
    float now = m->cell[c], delta = w - signed_by(now, flip);
    m->cell[c] = sgd_clamp(now + signed_by(delta, flip));
}

/* The slot that a candidate of weight w enters: a free one, that of the lightest member if w
 * outweighs it, or NOWHERE. The member that leaves goes to the sketch. */
static uint32_t take_slot(struct awm *m, float w, struct rewound *r, uint32_t n)
{
    if (m->index.n < m->shape.active) {
        if (m->index.n + 1 == m->shape.active) m->bound = 0;
        return m->index.n++;
    }
    uint32_t slot = lightest(m);
    if (magnitude(w) <= m->bound) return NOWHERE;
    id_slots_unlink(&m->index, slot);
    if (m->shape.depth == 1)
        give_back_one(m, m->id[slot], weight_now(m, slot), r, n);
    else
        give_back(m, m->id[slot], weight_now(m, slot));
    return slot;
}

/* Keys, the largest at the root. */
#define LARGER(none, a, b) ((a) > (b))
HEAP(keys, uint64_t, const void *, LARGER)

static inline float candidate_weight(const struct awm *m, uint32_t i, float u)
{
    return sgd_clamp(m->before[i] - u * m->sx[i]); /* w~ */
}

/* The keys of all entries. Returns the largest, or -1. */
static int32_t weigh_candidates(struct awm *m, uint32_t n, float u)
{
    for (uint32_t i = n; i % SCAN_STRIDE; i++)
        m->at[i] = 0; /* padding looks like members */
    return scan_weigh(m->at, m->first_cell, m->before, m->sx, u, n, m->key);
}

/* The candidates above the bound, as a heap: heaviest first, equal ones in the order of the row. */
static uint32_t collect(struct awm *m, uint32_t n)
{
    uint32_t k = 0;
    for (uint32_t from = 0; from < n; from += SCAN_STRIDE) {
        if (!scan_any_above(m->key + from, m->bound)) continue;
        for (uint32_t i = from, end = from + SCAN_STRIDE < n ? from + SCAN_STRIDE : n; i < end;
             i++) {
            m->candidate[k] = (uint64_t)(uint32_t)m->key[i] << 32 | (UINT32_MAX - i);
            k += m->key[i] > m->bound;
        }
    }
    for (uint32_t i = k / 2; i--;)
        keys_sift_down(NULL, m->candidate, k, i);
    return k;
}

static void set_member(struct awm *m, uint32_t slot, float w)
{
    m->cell[slot] = w;
    lazy_min_lower(&m->lowest, slot, magnitude(w));
    if (magnitude(w) < m->bound) m->bound = magnitude(w);
}

/* Stored weight of a member after a step. */
static float stepped(struct awm *m, uint32_t slot, float x, const struct sgd_step *step)
{
    float d = m->accumulator ? sgd_own_rate_step(&m->sgd.opt, step, x, &m->accumulator[slot])
                             : step->u * x;
    return sgd_clamp(m->cell[slot] - d); /* S[i] -= step */
}

static void step_member(struct awm *m, uint32_t slot, float x, const struct sgd_step *step)
{
    if (m->count) sgd_count(&m->sgd, &m->count[2 * slot + (uint32_t)step->y]);
    set_member(m, slot, stepped(m, slot, x, step));
}

/* May a feature of cell c have entered in this row? */
static inline bool may_have_entered(const struct awm *m, uint32_t c)
{
    return m->entered >> c % 64 & 1;
}

/* The other entries of a row that repeat the id of an entrant step that member. */
static void step_repeats(struct awm *m, const struct linear_row *row, const struct sgd_step *step)
{
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t slot, at = m->at[i];
        if (at < m->first_cell || !may_have_entered(m, at)) continue;
        if ((slot = find(m, awm_fold(row->id[i]))) == NOWHERE) continue;
        m->at[i] = slot;
        step_member(m, slot, row->x[i], step);
    }
}

/* Step 3 for the k candidates of collect(), which enter while they outweigh min |S|. That only
 * rises, so the first candidate that fails is the last. From here on `at` says of an entry that has
 * entered, or whose id has, that it is a member. r: cells to rewind first; NULL: all have been. */
static void admit(struct awm *m, const struct linear_row *row, const struct sgd_step *step,
                  uint32_t k, struct rewound *r)
{
    while (k) {
        uint32_t i = UINT32_MAX - (uint32_t)m->candidate[0], id = awm_fold(row->id[i]);
        m->candidate[0] = m->candidate[--k];
        keys_sift_down(NULL, m->candidate, k, 0);
        if (may_have_entered(m, m->at[i]) && find(m, id) != NOWHERE) continue; /* repeated */
        float w = candidate_weight(m, i, step->u);
        uint32_t slot = take_slot(m, w, r, row->n);
        if (slot == NOWHERE) break;
        if (r) rewind_cell(m, r, m->at[i], i);
        if (m->shape.depth == 1) w = signed_by(w, (uint32_t)id_slots_mix(m->opt.seed, id));
        enter(m, slot, id, w, step->y);
        m->entered |= 1ull << m->at[i] % 64;
        m->at[i] = slot;
        m->entrant[m->n_entrants++] = (struct linear_entrant){slot, i};
    }
}

#endif
