/* awm.c -- learning of awm.h, optimised for speed.
 *
 * One hash of an id gives its slot in the index of S, and its cell and sign in the sketch. Weights
 * of S and cells are in one float array, so margin and step use a single float for each entry. A
 * select instruction decides whether an entry is a member, because an unpredictable branch would
 * cost more than all other work.
 *
 * S has no heap. s.bound is a lower bound of min |S|; a step that makes a member lighter lowers it.
 * If all candidates of a row stay below the bound, none can enter. If a candidate exceeds the
 * bound, a search finds the exact minimum (lazy_min.h), and the bound rises to it.
 *
 * The fast path steps all entries at once, members and cells. But in Algorithm 2 features enter S
 * before the sketch steps. So an eviction must use the sketch as it was before the row, and a
 * feature that enters must not step its cell. Therefore, when a candidate enters, two cells are
 * rewound to `before`: its own, and that of the member it evicts. At the end the row's other steps
 * in these cells are repeated. If many candidates may enter, as at the start of a stream, all cells
 * are rewound.
 *
 * Admission: each entry whose feature is not in S is a candidate. Candidates above the bound form a
 * heap and enter S, the heaviest first, while they outweigh min |S|.
 *
 * L1 penalty (l1.h): part of each stored weight's penalty is pending, so stored weights cannot be
 * keys of lazy_min.h. The search then reads all members without changing them. Each example lowers
 * the bound by its share of the penalty, so most rows still need no search.
 *
 * Invariants (awm_kernel.check): the index finds the members of S (id_slots_check); s.bound and the
 * bounds of blocks are lower bounds; all weights are finite; padding is never lighter than a
 * member.
 */
#include "awm.h"

#include <assert.h>
#include <math.h>

#include "awm_scan.h"
#include "awm_sketch.h"
#include "core/heap.h"

/* ---- the penalty ---- */

/* Returns the slot of the lightest member; if several are equally light, the lowest slot. Sets
 * s.bound to its |weight|. */
static uint32_t awm_lightest(struct awm *m)
{
    uint32_t slot = 0;
    if (!m->s.l1_seen) return lazy_min_find(&m->s.lightest, &m->s.bound);
    m->s.bound = INT32_MAX;
    for (uint32_t s = 0; s < m->s.set.n; s++) {
        int32_t v = magnitude(store_weight_now(&m->s, s));
        slot = v < m->s.bound ? s : slot;
        m->s.bound = v < m->s.bound ? v : m->s.bound;
    }
    return slot;
}

static void awm_apply_l1(struct awm *m, uint32_t slot)
{
    m->s.member.weight[slot] = store_weight_now(&m->s, slot);
    m->s.l1_seen[slot] = (float)m->s.sgd.penalty;
    if (magnitude(m->s.member.weight[slot]) < m->s.bound)
        m->s.bound = magnitude(m->s.member.weight[slot]);
}

/* Shrinks the row's members by their pending penalty. Returns false, without any change, if a value
 * of the row is not finite. */
static bool awm_apply_l1_row(struct awm *m, const struct linear_row *row)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (!isfinite(row->x[i])) return false;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = awm_fold(row->id[i]), slot = id_slots_seek(&m->s.set, id);
        if (m->s.set.id[slot] == id) awm_apply_l1(m, slot);
    }
    return true;
}

/* Adds the example's share to the penalty. Shrinks the cells if l1_due(). */
static void awm_add_l1(struct awm *m, double share)
{
    if (m->s.bound > 0) m->s.bound = magnitude(l1_lower(&m->s.sgd, float_of(m->s.bound), share));
    m->s.sgd.penalty += share;
    if (l1_due(&m->s.sgd, awm_sketch_cells(m)))
        l1_apply(&m->s.sgd, awm_sketch_cells(m), m->s.member.weight + m->s.first_cell);
}

static void awm_apply_l1_all(struct awm *m)
{
    for (uint32_t s = 0; s < m->s.set.n; s++) {
        awm_apply_l1(m, s);
        m->s.l1_seen[s] = 0;
    }
    l1_apply(&m->s.sgd, awm_sketch_cells(m), m->s.member.weight + m->s.first_cell);
    lazy_min_forget(&m->s.lightest);
}

enum { FEW = 8 }; /* if there are more candidates, all cells are rewound */

/* Cells that awm_rewind_cell() has reset to their state before the row. */
struct rewound {
    uint32_t cell[2 * FEW], n;
};

/* ---- entering and leaving S ---- */

static void awm_enter(struct awm *m, uint32_t slot, uint32_t id, float w, uint32_t entry, int y)
{
    m->s.member.weight[slot] = w;
    if (m->s.l1_seen) m->s.l1_seen[slot] = (float)m->s.sgd.penalty;
    if (m->s.member.sum) m->s.member.sum[slot] = 0;
    store_enter(&m->s, slot, id, entry, y);
    lazy_min_lower(&m->s.lightest, slot, magnitude(w));
}

static bool awm_is_rewound(const struct rewound *r, uint32_t c)
{
    for (uint32_t k = 0; k < r->n; k++)
        if (r->cell[k] == c) return true;
    return false;
}

/* Resets cell c, the cell of entry i's feature, to its state before the row. */
static void awm_rewind_cell(struct awm *m, struct rewound *r, uint32_t c, uint32_t i)
{
    if (awm_is_rewound(r, c)) return;
    m->s.member.weight[c] = m->before[i];
    r->cell[r->n++] = c;
}

/* Changes the sketch so that its estimate of the feature `id` becomes w, a stored weight. */
static void awm_give_back(struct awm *m, uint32_t id, float w)
{
    double mean;
    awm_add_to_sketch(m, id, w - awm_estimate(m, id, &mean)); /* += S[i_min] - Query(i_min) */
}

/* Works like awm_give_back(), for depth 1. If r is not NULL, rewinds the feature's cell first. */
static void awm_give_back_one(struct awm *m, uint32_t id, float w, struct rewound *r, uint32_t n)
{
    uint64_t h = id_slots_mix(m->s.opt.seed, id);
    uint32_t c = awm_cell_of(m, h), flip = (uint32_t)h & 1;
    if (r && !awm_is_rewound(r, c)) {
        uint32_t i = scan_next(m->at, 0, n, c);
        if (i < n) awm_rewind_cell(m, r, c, i);
    }
    float now = m->s.member.weight[c], delta = w - signed_by(now, flip);
    m->s.member.weight[c] = sgd_clamp(now + signed_by(delta, flip));
}

/* Returns a slot for a candidate of weight w. Returns a free slot if there is one. Otherwise, if
 * |w| exceeds min |S|, moves the lightest member to the sketch and returns its slot. Otherwise
 * returns STORE_NONE. */
static uint32_t awm_take_slot(struct awm *m, float w, struct rewound *r, uint32_t n)
{
    if (m->s.set.n < m->s.shape.active) {
        if (m->s.set.n + 1 == m->s.shape.active) m->s.bound = 0;
        return m->s.set.n++;
    }
    uint32_t slot = awm_lightest(m);
    if (magnitude(w) <= m->s.bound) return STORE_NONE;
    id_slots_unlink(&m->s.set, slot);
    if (m->s.shape.depth == 1)
        awm_give_back_one(m, m->s.set.id[slot], store_weight_now(&m->s, slot), r, n);
    else
        awm_give_back(m, m->s.set.id[slot], store_weight_now(&m->s, slot));
    return slot;
}

/* Heap of candidates, the largest key at the root. */
#define LARGER(none, a, b) ((a) > (b))
HEAP(keys, uint64_t, const void *, LARGER)

static inline float awm_candidate_weight(const struct awm *m, uint32_t i, float u)
{
    return sgd_clamp(m->before[i] - u * m->sx[i]); /* w~ */
}

/* Computes key[] of all entries. Returns the largest key, or -1. */
static int32_t awm_weigh_candidates(struct awm *m, uint32_t n, float u)
{
    for (uint32_t i = n; i % SCAN_STRIDE; i++)
        m->at[i] = 0; /* entries past the last count as members, so their key is -1 */
    return scan_weigh(m->at, m->s.first_cell, m->before, m->sx, u, n, m->key);
}

/* Makes a heap of the candidates above s.bound: the heaviest first; equally heavy ones in the order
 * of the row. Returns their number. */
static uint32_t awm_collect(struct awm *m, uint32_t n)
{
    uint32_t k = 0;
    for (uint32_t from = 0; from < n; from += SCAN_STRIDE) {
        if (!scan_any_above(m->key + from, m->s.bound)) continue;
        for (uint32_t i = from, end = from + SCAN_STRIDE < n ? from + SCAN_STRIDE : n; i < end;
             i++) {
            m->candidate[k] = (uint64_t)(uint32_t)m->key[i] << 32 | (UINT32_MAX - i);
            k += m->key[i] > m->s.bound;
        }
    }
    for (uint32_t i = k / 2; i--;)
        keys_sift_down(NULL, m->candidate, k, i);
    return k;
}

/* Returns the stored weight that a member has after its step for the row. */
static float awm_stepped(struct awm *m, uint32_t slot, float x, const struct sgd_step *step)
{
    float d = m->s.member.sum ? sgd_own_rate_step(&m->s.sgd.opt, step, x, &m->s.member.sum[slot])
                              : step->u * x;
    return sgd_clamp(m->s.member.weight[slot] - d); /* S[i] -= step */
}

static void awm_step_member(struct awm *m, uint32_t slot, float x, const struct sgd_step *step)
{
    if (m->s.count) sgd_count(&m->s.sgd, &m->s.count[2 * slot + (uint32_t)step->y]);
    store_set(&m->s, slot, awm_stepped(m, slot, x, step));
}

/* True if a feature of cell c may have entered S in this row. */
static inline bool awm_may_have_entered(const struct awm *m, uint32_t c)
{
    return m->entered >> c % 64 & 1;
}

/* If other entries of the row have the id of a feature that entered, steps the member for each
 * of them. */
static void awm_step_repeats(struct awm *m, const struct linear_row *row,
                             const struct sgd_step *step)
{
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t slot, at = m->at[i];
        if (at < m->s.first_cell || !awm_may_have_entered(m, at)) continue;
        if ((slot = store_find(&m->s, awm_fold(row->id[i]))) == STORE_NONE) continue;
        m->at[i] = slot;
        awm_step_member(m, slot, row->x[i], step);
    }
}

/* Performs step 3 of awm.h: the k candidates of awm_collect() enter S while they outweigh min |S|.
 * As min |S| only rises, the first candidate that fails ends the loop. Sets at[i] of an entry that
 * enters to its slot. r: records the cells to rewind; NULL if all cells are rewound already. */
static void awm_admit(struct awm *m, const struct linear_row *row, const struct sgd_step *step,
                      uint32_t k, struct rewound *r)
{
    while (k) {
        uint32_t i = UINT32_MAX - (uint32_t)m->candidate[0], id = awm_fold(row->id[i]);
        m->candidate[0] = m->candidate[--k];
        keys_sift_down(NULL, m->candidate, k, 0);
        if (awm_may_have_entered(m, m->at[i]) && store_find(&m->s, id) != STORE_NONE)
            continue; /* an entry with the same id has entered S */
        float w = awm_candidate_weight(m, i, step->u);
        uint32_t slot = awm_take_slot(m, w, r, row->n);
        if (slot == STORE_NONE) break;
        if (r) awm_rewind_cell(m, r, m->at[i], i);
        if (m->s.shape.depth == 1) w = signed_by(w, (uint32_t)id_slots_mix(m->s.opt.seed, id));
        awm_enter(m, slot, id, w, i, step->y);
        m->entered |= 1ull << m->at[i] % 64;
        m->at[i] = slot;
    }
}

/* ---- one example ---- */

/* Moves a member to the front of its index chain, so that frequent members are found quickly.
 * Called at most once per row. */
static void awm_to_front(struct awm *m, uint32_t slot)
{
    id_slots_unlink(&m->s.set, slot);
    id_slots_link(&m->s.set, slot);
}

/* Finds the slot or cell of every entry, its value times its sign there, and the entries of
 * members. Returns the slot of a member that was not the first of its index chain, or
 * STORE_NONE. */
static inline __attribute__((always_inline)) uint32_t
find_each(struct awm *m, const struct linear_row *row, const uint64_t *hash)
{
    const uint32_t *const head = m->s.set.head, *const ids = m->s.set.id,
                          *const next = m->s.set.next;
    const uint32_t first = m->s.first_cell, mask = m->s.shape.width - 1,
                   shift = m->s.set.head_shift;
    const uint64_t seed = m->s.opt.seed, *const id = row->id;
    const float *const x = row->x;
    uint32_t *const at = m->at;
    float *const sx = m->sx;
    uint32_t *const member = m->member;
    uint32_t late = STORE_NONE, members = 0;
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        uint32_t f = awm_fold(id[i]);
        uint64_t h = hash ? hash[i] : id_slots_mix(seed, f);
        uint32_t s = head[h >> shift];
        uint32_t outside = -(uint32_t)(ids[s] != f); /* all ones if not in S, else 0 */
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

static uint32_t awm_find_all(struct awm *m, const struct linear_row *row, const uint64_t *hash)
{
    return hash ? find_each(m, row, hash) : find_each(m, row, NULL);
}

/* Performs step 1 of awm.h. Returns the sum of weight times value. */
static double awm_locate(struct awm *m, const struct linear_row *row, const uint64_t *hash,
                         uint32_t *late)
{
    const float *const cell = m->s.member.weight, *const sx = m->sx;
    const uint32_t *const at = m->at;
    float *const before = m->before;
    double sum = 0;
    *late = awm_find_all(m, row, hash);
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        float w = before[i] = cell[at[i]];
        sum += (double)w * (double)sx[i]; /* S[i] x_i, or sign(i) cell[h(i)] x_i */
    }
    return sum;
}

/* Performs step 1 of awm.h, the margin, if depth > 1. For features outside S, sets before[i] to
 * the signed estimate. */
static double awm_locate_deep(struct awm *m, const struct linear_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = awm_fold(row->id[i]), s = store_find(&m->s, id);
        double mean;
        m->at[i] = s == STORE_NONE ? m->s.first_cell : s;
        m->sx[i] = row->x[i];
        m->before[i] = s == STORE_NONE ? awm_estimate(m, id, &mean) : m->s.member.weight[s];
        sum += (s == STORE_NONE ? mean : (double)m->s.member.weight[s]) * (double)row->x[i];
    }
    return sum;
}

/* Steps the slots or cells of all entries. Returns a lower bound of min |S|. */
static int32_t awm_step_all(struct awm *m, uint32_t n, float u)
{
    float *const cell = m->s.member.weight;
    const float *const sx = m->sx;
    const uint32_t *const at = m->at, *const member = m->member;
    int32_t low = m->s.bound;
    for (uint32_t i = 0; i < n; i++)
        cell[at[i]] = sgd_clamp(cell[at[i]] - u * sx[i]); /* steps 2 and 4 of awm.h */
    for (uint32_t k = 0, members = m->n_members; k < members; k++) {
        uint32_t slot = at[member[k]];
        int32_t v = magnitude(cell[slot]);
        lazy_min_lower(&m->s.lightest, slot, v);
        low = v < low ? v : low;
    }
    return low;
}

/* Performs step 2 of awm.h, the steps of members, for models with own rates, counts or
 * depth > 1. */
static void awm_step_members(struct awm *m, const struct linear_row *row,
                             const struct sgd_step *step)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (m->at[i] < m->s.first_cell) awm_step_member(m, m->at[i], row->x[i], step);
}

static void awm_rewind_all(struct awm *m, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t outside = -(int32_t)(m->at[i] >= m->s.first_cell),
                now = bits_of(m->s.member.weight[m->at[i]]);
        m->s.member.weight[m->at[i]] = float_of(now ^ ((now ^ bits_of(m->before[i])) & outside));
    }
}

/* Repeats the row's steps in rewound cells. If the entry's feature has entered S, steps the
 * member instead. */
static void awm_replay(struct awm *m, const struct linear_row *row, const struct sgd_step *step,
                       const struct rewound *r)
{
    for (uint32_t k = 0; k < r->n; k++) {
        uint32_t c = r->cell[k], n = row->n;
        for (uint32_t i = 0; (i = scan_next(m->at, i, n, c)) < n; i++) {
            uint32_t slot = store_find(&m->s, awm_fold(row->id[i]));
            if (slot != STORE_NONE)
                awm_step_member(m, slot, row->x[i], step);
            else
                m->s.member.weight[c] =
                    sgd_clamp(m->s.member.weight[c] - step->u * m->sx[i]); /* step 4 of awm.h */
        }
    }
}

/* Performs step 4 of awm.h, the steps in the sketch, if depth is 1. Members have stepped already,
 * so a mask makes their step 0. */
static void awm_step_cells(struct awm *m, uint32_t n, float u)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t outside = -(int32_t)(m->at[i] >= m->s.first_cell);
        float d = float_of(bits_of(u * m->sx[i]) & outside);
        m->s.member.weight[m->at[i]] = sgd_clamp(m->s.member.weight[m->at[i]] - d);
    }
}

/* Performs step 4 of awm.h, the steps in the sketch, if depth > 1. */
static void awm_step_deep(struct awm *m, const struct linear_row *row, float u)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (m->at[i] >= m->s.first_cell)
            awm_add_to_sketch(m, awm_fold(row->id[i]), -(u * row->x[i]));
}

/* Folds alpha (sgd.h) into all weights. */
static void awm_fold_alpha(struct awm *m)
{
    size_t n = m->s.first_cell + awm_sketch_cells(m);
    float a = (float)m->s.sgd.alpha;
    if (m->s.l1_seen) awm_apply_l1_all(m);
    for (size_t i = 0; i < n; i++) {
        if (i < m->s.shape.active || i >= m->s.first_cell) m->s.member.weight[i] *= a;
    }
    lazy_min_scale(&m->s.lightest, a);
    if (m->s.bound > 0) m->s.bound = bits_of(float_of(m->s.bound) * a);
    sgd_folded(&m->s.sgd);
}

/* Performs steps 2 to 4 of awm.h for a model with the shared rate, depth 1 and no counts. */
static void awm_learn_plain(struct awm *m, const struct linear_row *row,
                            const struct sgd_step *step)
{
    uint32_t n = row->n;
    int32_t high = awm_weigh_candidates(m, n, step->u);
    m->s.bound = awm_step_all(m, n, step->u); /* steps 2 and 4 of awm.h */
    if (high <= m->s.bound) return;
    uint32_t k = awm_collect(m, n);
    if (k <= FEW && m->s.bound >= 0) {
        struct rewound r = {.n = 0};
        awm_admit(m, row, step, k, &r); /* step 3 of awm.h */
        awm_replay(m, row, step, &r);
    } else {
        awm_rewind_all(m, n);
        awm_admit(m, row, step, k, NULL); /* step 3 of awm.h */
        awm_step_repeats(m, row, step);
        awm_step_cells(m, n, step->u); /* step 4 of awm.h */
    }
}

static void awm_learn_general(struct awm *m, const struct linear_row *row,
                              const struct sgd_step *step)
{
    int32_t high = awm_weigh_candidates(m, row->n, step->u);
    awm_step_members(m, row, step); /* step 2 of awm.h */
    if (high > m->s.bound) {
        awm_admit(m, row, step, awm_collect(m, row->n), NULL); /* step 3 of awm.h */
        awm_step_repeats(m, row, step);
    }
    if (m->s.shape.depth > 1)
        awm_step_deep(m, row, step->u); /* step 4 of awm.h */
    else
        awm_step_cells(m, row->n, step->u); /* step 4 of awm.h */
}

/* Performs steps 2 to 4 of awm.h for a row of one entry, if depth is 1. Uses no vector loops,
 * because they would wait for the scalars just written. */
static void awm_learn_one(struct awm *m, const struct linear_row *row, const struct sgd_step *step)
{
    if (m->at[0] < m->s.first_cell) {
        awm_step_member(m, m->at[0], row->x[0], step); /* step 2 of awm.h */
        return;
    }
    int32_t key = magnitude(awm_candidate_weight(m, 0, step->u));
    if (key > m->s.bound) {
        m->candidate[0] = (uint64_t)(uint32_t)key << 32 | UINT32_MAX;
        awm_admit(m, row, step, 1, NULL); /* step 3 of awm.h */
        if (m->s.n_entrants) return;
    }
    float *cell = &m->s.member.weight[m->at[0]];
    *cell = sgd_clamp(*cell - step->u * m->sx[0]); /* step 4 of awm.h */
}

/* Ends an example: adds its share to the penalty, and folds and renews if needed (sgd.h). */
static void awm_tidy(struct awm *m, double share)
{
    if (m->s.l1_seen) awm_add_l1(m, share);
    if (sgd_must_fold(&m->s.sgd)) awm_fold_alpha(m);
    if (sgd_must_renew(&m->s.sgd)) sgd_renew(&m->s.sgd, m->s.member.sum, m->s.count, m->s.set.n);
}

enum linear_result awm_learn(struct store *s, const struct linear_row *row, const uint64_t *hash,
                             double *margin)
{
    struct awm *m = (struct awm *)s;
    if (row->n > m->s.opt.max_row) return LINEAR_TOO_LONG;
    bool deep = m->s.shape.depth > 1;
    uint32_t late = STORE_NONE;
    if (m->s.l1_seen && !awm_apply_l1_row(m, row)) return LINEAR_NONFINITE;
    double z = (deep ? awm_locate_deep(m, row) : awm_locate(m, row, hash, &late)) * m->s.sgd.alpha +
               m->s.sgd.bias;
    /* Checks all values at once. Weights are finite, so the margin is finite if and only if all
     * values are. */
    if (!isfinite(z)) return LINEAR_NONFINITE;
    *margin = z;
    m->s.n_entrants = 0;
    m->entered = 0;
    if (late != STORE_NONE) awm_to_front(m, late);
    struct sgd_step step = sgd_advance(&m->s.sgd, z, row->y, (double)row->weight, row->new_record);
    if (row->n == 1 && !deep)
        awm_learn_one(m, row, &step);
    else if (deep || m->s.member.sum || m->s.count || m->s.l1_seen)
        awm_learn_general(m, row, &step);
    else
        awm_learn_plain(m, row, &step);
    if (sgd_is_due(&m->s.sgd)) awm_tidy(m, step.share);
#ifdef LEAT_CHECKS
    assert(!store_check(s));
#endif
    return LINEAR_OK;
}
