/* awm.c -- the Active-Set Weight-Median Sketch; what it does is in awm.h, how it is fast is here.
 *
 * One hash of an id gives its slot in the index of S and its cell and sign in the sketch. The
 * weights of S and the cells lie in one float array, so margin and step read and write one place an
 * entry, and whether it is a member is a select and no branch (an unpredictable one costs more than
 * all the rest).
 *
 * No heap. `bound` is a lower bound of min |S|: a step that makes a member lighter lowers it. A row
 * whose candidates all stay below needs nothing more. Only when one exceeds it the exact minimum is
 * looked for, and the bound rises to it. block_bound does the same for each 64 slots, so that a
 * search reads the bounds and then mostly one block.
 *
 * The fast path steps all entries in place, members and cells; when it turns out that some
 * candidate may enter, the cells are put back from `seen` (what pass 1 read), the candidates are
 * admitted, and the rest are stepped again: the order of Algorithm 2, because an eviction must find
 * the sketch as it was.
 *
 * Index: chains through `next` from `head`. An empty chain points at a guard, a slot past the end
 * whose id cannot be looked up from there, so a look-up compares one id and needs no test for
 * "empty".
 *
 * Invariants (awm_check): every slot < n_active is found by its id; slots are found nowhere else;
 * bound and block_bound are lower bounds; all weights finite; padding is never lighter than a
 * member.
 */
#include "plugins/kernels/awm.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "plugins/kernels/carve.h"
#include "plugins/kernels/rank.h"

enum { BLOCK = 64 };       /* slots of one block bound: 256 bytes, four cache lines */
#define NOWHERE UINT32_MAX /* no slot */

/* ---- memory ---- */

size_t awm_scratch_bytes(uint32_t max_row)
{
    return ((size_t)max_row * (3 * 4 + 8 + sizeof(struct awm_entrant)) + 5 * 64) & ~(size_t)63;
}

static uint32_t padded_slots(uint32_t active) { return (active + BLOCK - 1) / BLOCK * BLOCK; }

/* Chains should mostly be empty or single: 4 heads a slot, 2 where the heads would leave the cache.
 */
static uint32_t log2_heads(uint32_t active)
{
    uint32_t bits = 2, per_slot = active > 16384 ? 2 : 4;
    while ((1ull << bits) < (uint64_t)active * per_slot)
        bits++;
    return bits;
}

static size_t lay_out(struct awm *m, void *block)
{
    const struct awm_shape *s = &m->shape;
    struct carver c = {block, 0};
    size_t cells = padded_slots(s->active) + (size_t)s->width * s->depth;
    m->cell = carve(&c, cells, 4);
    m->id = carve(&c, s->active + 2, 4);
    m->own = m->opt.sgd.rates != SGD_SHARED ? carve(&c, s->active, 4) : NULL;
    m->count = m->opt.counts ? carve(&c, s->active, 8) : NULL;
    m->state_bytes = c.used;
    m->head = carve(&c, (size_t)1 << log2_heads(s->active), 4);
    m->next = carve(&c, s->active + 2, 4);
    m->block_bound = carve(&c, cells / BLOCK + 1, 4);
    m->at = carve(&c, m->opt.max_row, 4);
    m->sx = carve(&c, m->opt.max_row, 4);
    m->seen = carve(&c, m->opt.max_row, 4);
    m->candidate = carve(&c, m->opt.max_row, 8);
    m->entrant = carve(&c, m->opt.max_row, sizeof(struct awm_entrant));
    return c.used;
}

size_t awm_block_bytes(const struct awm_shape *shape, const struct awm_options *opt)
{
    struct awm m = {.shape = *shape, .opt = *opt};
    return lay_out(&m, NULL);
}

/* ---- bits of floats: |w| is compared as an integer, selects are masks ---- */

static inline int32_t bits_of(float w)
{
    int32_t bits;
    memcpy(&bits, &w, 4);
    return bits;
}

static inline float float_of(int32_t bits)
{
    float w;
    memcpy(&w, &bits, 4);
    return w;
}

static inline int32_t magnitude(float w) { return bits_of(w) & INT32_MAX; }

/* ---- hashing ---- */

/* A 64-bit mix of the folded id; top bits: head, bit 0: sign, the next ones: cell. */
static inline uint64_t mix(uint64_t seed, uint32_t id)
{
    uint64_t h = (seed ^ id) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

static uint64_t row_seed(const struct awm *m, uint32_t j)
{
    return m->opt.seed + j * 0xa0761d6478bd642fu;
}

static inline uint32_t cell_of(const struct awm *m, uint64_t h)
{
    return m->first_cell + ((uint32_t)(h >> 1) & (m->shape.width - 1));
}

/* x with its sign flipped when bit 0 of flip is set. */
static inline float signed_by(float x, uint32_t flip)
{
    return float_of(bits_of(x) ^ (int32_t)(flip << 31));
}

uint32_t awm_cell(const struct awm *m, uint32_t j, uint64_t id, float *sign)
{
    uint64_t h = mix(row_seed(m, j), awm_fold(id));
    *sign = signed_by(1.0f, (uint32_t)h);
    return cell_of(m, h) + j * m->shape.width;
}

/* ---- the index of S ---- */

static inline uint32_t home(const struct awm *m, uint32_t id)
{
    return (uint32_t)(mix(m->opt.seed, id) >> m->head_shift);
}

static inline uint32_t guard_of(const struct awm *m, uint32_t h)
{
    return m->shape.active + (h == home(m, m->id[m->shape.active]));
}

/* The slot of a folded id in the chain that starts at slot s, or the chain's last slot. */
static inline uint32_t walk(const struct awm *m, uint32_t s, uint32_t id)
{
    while (m->id[s] != id && m->next[s])
        s = m->next[s] - 1;
    return s;
}

/* Slot of a folded id, or NOWHERE. */
static uint32_t find(const struct awm *m, uint32_t id)
{
    uint32_t s = walk(m, m->head[home(m, id)], id);
    return m->id[s] == id ? s : NOWHERE;
}

static void link_slot(struct awm *m, uint32_t slot)
{
    uint32_t *head = &m->head[home(m, m->id[slot])];
    m->next[slot] = *head < m->shape.active ? *head + 1 : 0;
    *head = slot;
}

static void unlink_slot(struct awm *m, uint32_t slot)
{
    uint32_t h = home(m, m->id[slot]), s = m->head[h];
    if (s == slot) {
        m->head[h] = m->next[s] ? m->next[s] - 1 : guard_of(m, h);
        return;
    }
    while (m->next[s] != slot + 1)
        s = m->next[s] - 1;
    m->next[s] = m->next[slot];
}

static void clear_index(struct awm *m)
{
    uint32_t a = m->shape.active, bits = log2_heads(a);
    m->head_shift = 64 - bits;
    m->id[a] = 0;
    m->id[a + 1] = 1;
    while (home(m, m->id[a + 1]) == home(m, 0))
        m->id[a + 1]++;
    m->next[a] = m->next[a + 1] = 0;
    for (uint32_t h = 0; h < 1u << bits; h++)
        m->head[h] = guard_of(m, h);
}

void awm_init(struct awm *m, const struct awm_shape *shape, const struct awm_options *opt,
              void *block)
{
    assert(shape->active && shape->active <= AWM_MAX_ACTIVE && shape->depth <= AWM_MAX_DEPTH);
    assert((uint64_t)shape->width * shape->depth <= AWM_MAX_CELLS && shape->depth > 0);
    assert(shape->width && !(shape->width & (shape->width - 1)) && shape->extra == awm_extra(opt));
    *m = (struct awm){.shape = *shape, .opt = *opt, .bound = -1};
    lay_out(m, block);
    sgd_init(&m->sgd, &opt->sgd);
    m->first_cell = padded_slots(shape->active);
    clear_index(m);
    for (uint32_t b = 0; b < m->first_cell / BLOCK; b++)
        m->block_bound[b] = bits_of(FLT_MAX);
    for (uint32_t s = shape->active; s < m->first_cell; s++)
        m->cell[s] = FLT_MAX;
}

/* ---- the sketch ---- */

static float median(float *v, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        float x = v[i];
        uint32_t k = i;
        for (; k && v[k - 1] > x; k--)
            v[k] = v[k - 1];
        v[k] = x;
    }
    return n % 2 ? v[n / 2] : 0.5f * (v[n / 2 - 1] + v[n / 2]);
}

/* Stored estimate of a feature from its cells alone; *mean as the margin wants it. */
static float estimate(const struct awm *m, uint32_t id, double *mean)
{
    float v[AWM_MAX_DEPTH], sign;
    double sum = 0;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t c = awm_cell(m, j, id, &sign);
        v[j] = sign * m->cell[c];
        sum += (double)v[j];
    }
    *mean = sum / m->shape.depth;
    return median(v, m->shape.depth);
}

static void add_to_sketch(struct awm *m, uint32_t id, float delta)
{
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        float sign;
        uint32_t c = awm_cell(m, j, id, &sign);
        m->cell[c] = sgd_clamp(m->cell[c] + sign * delta);
    }
}

/* ---- the minimum of S ---- */

static inline void lower_block(struct awm *m, uint32_t at, int32_t v)
{
    int32_t *b = &m->block_bound[at / BLOCK];
    *b = v < *b ? v : *b;
}

/* Smallest of n bit patterns without their sign; n a multiple of 16. Written in vectors (an
 * extension that gcc and clang have for every processor) because this is what an admission waits
 * for. */
typedef int32_t lanes __attribute__((vector_size(16)));

static inline lanes lower_lanes(lanes a, const char *w)
{
    lanes v, less;
    memcpy(&v, w, sizeof v);
    v &= INT32_MAX;
    less = v < a;
    return (v & less) | (a & ~less);
}

static int32_t min_magnitude(const void *w, uint32_t n)
{
    lanes a = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX}, b = a, c = a, d = a;
    for (const char *p = w, *end = p + (size_t)n * 4; p < end; p += 64) {
        a = lower_lanes(a, p);
        b = lower_lanes(b, p + 16);
        c = lower_lanes(c, p + 32);
        d = lower_lanes(d, p + 48);
    }
    a = lower_lanes(lower_lanes(lower_lanes(a, (char *)&b), (char *)&c), (char *)&d);
    int32_t min = a[0];
    for (int k = 1; k < 4; k++)
        min = a[k] < min ? a[k] : min;
    return min;
}

static uint32_t lowest_block(const struct awm *m)
{
    uint32_t n = m->first_cell / BLOCK, b = 0;
    int32_t min = min_magnitude(m->block_bound, n & ~15u);
    for (uint32_t i = n & ~15u; i < n; i++)
        if (m->block_bound[i] < min) min = m->block_bound[i];
    while (m->block_bound[b] != min)
        b++;
    return b;
}

/* The lightest member of a full S, the lowest slot among equals. Makes the bounds exact as far as
 * it goes. */
static uint32_t lightest(struct awm *m)
{
    /* A block that is still the lowest after its bound became exact holds the minimum: every other
     * block's bound, and so its content, is above, or equal with higher slots. */
    uint32_t b = lowest_block(m), last = NOWHERE;
    while (b != last) {
        m->block_bound[b] = min_magnitude(m->cell + (size_t)b * BLOCK, BLOCK);
        last = b;
        b = lowest_block(m);
    }
    m->bound = m->block_bound[b];
    uint32_t slot = b * BLOCK;
    while (magnitude(m->cell[slot]) != m->bound)
        slot++;
    return slot;
}

/* ---- admission ---- */

static void place(struct awm *m, uint32_t slot, uint32_t id, float w, int y)
{
    m->id[slot] = id;
    m->cell[slot] = w;
    if (m->own) m->own[slot] = 0;
    if (m->count) {
        m->count[2 * slot] = m->count[2 * slot + 1] = 0;
        m->count[2 * slot + (uint32_t)y] = 1;
    }
    link_slot(m, slot);
    lower_block(m, slot, magnitude(w));
}

static void evict(struct awm *m, uint32_t slot)
{
    double mean;
    uint32_t id = m->id[slot];
    unlink_slot(m, slot);
    add_to_sketch(m, id, m->cell[slot] - estimate(m, id, &mean));
}

/* A slot for a newcomer of weight w: a free one, that of the lightest member if w outweighs it, or
 * NOWHERE. */
static uint32_t make_room(struct awm *m, float w)
{
    if (m->n_active < m->shape.active) {
        if (m->n_active + 1 == m->shape.active) m->bound = 0;
        return m->n_active++;
    }
    uint32_t slot = lightest(m);
    if (magnitude(w) <= m->bound) return NOWHERE;
    evict(m, slot);
    return slot;
}

static void sift_down(uint64_t *heap, uint32_t n, uint32_t i)
{
    uint64_t v = heap[i];
    for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
        if (k + 1 < n && heap[k + 1] > heap[k]) k++;
        if (heap[k] <= v) break;
        heap[i] = heap[k];
    }
    heap[i] = v;
}

static inline float candidate_weight(const struct awm *m, uint32_t i, float u)
{
    return sgd_clamp(m->seen[i] - u * m->sx[i]);
}

/* Key of entry i: heaviest first, equal ones in the order of the row. */
static uint32_t collect(struct awm *m, uint32_t n, float u)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) {
        float w = candidate_weight(m, i, u);
        m->candidate[k] = (uint64_t)magnitude(w) << 32 | (UINT32_MAX - i);
        k += (m->at[i] >= m->first_cell) & (magnitude(w) > m->bound);
    }
    for (uint32_t i = k / 2; i--;)
        sift_down(m->candidate, k, i);
    return k;
}

static void step_member(struct awm *m, uint32_t slot, float x, const struct sgd_step *step)
{
    float d = m->own ? sgd_own_step(&m->sgd.opt, step, x, &m->own[slot]) : step->u * x;
    float w = sgd_clamp(m->cell[slot] - d);
    m->cell[slot] = w;
    lower_block(m, slot, magnitude(w));
    if (magnitude(w) < m->bound) m->bound = magnitude(w);
    if (m->count && m->count[2 * slot + (uint32_t)step->y] != UINT32_MAX)
        m->count[2 * slot + (uint32_t)step->y]++;
}

/* The other entries of a row that repeat the id of an entrant: the member has to take their steps.
 */
static void step_repeats(struct awm *m, const struct awm_row *row, const struct sgd_step *step)
{
    for (uint32_t k = 0; k < m->n_entrants; k++) {
        uint32_t slot = m->entrant[k].slot, id = m->id[slot];
        for (uint32_t i = 0; i < row->n; i++)
            if (awm_fold(row->id[i]) == id && m->at[i] >= m->first_cell) {
                m->at[i] = slot;
                step_member(m, slot, row->x[i], step);
            }
    }
}

/* Step 3: candidates enter while they outweigh; min |S| only rises, so the first to fail is the
 * last. An entry that has entered, or whose id has, is a member from here on: `at` says so to
 * step_rest. */
static void admit(struct awm *m, const struct awm_row *row, const struct sgd_step *step)
{
    uint32_t k = collect(m, row->n, step->u);
    while (k) {
        uint32_t i = UINT32_MAX - (uint32_t)m->candidate[0], id = awm_fold(row->id[i]);
        m->candidate[0] = m->candidate[--k];
        sift_down(m->candidate, k, 0);
        if (find(m, id) != NOWHERE) continue; /* a repeated id that has just entered */
        float w = candidate_weight(m, i, step->u);
        uint32_t slot = make_room(m, w);
        if (slot == NOWHERE) break;
        if (m->shape.depth == 1) w = signed_by(w, (uint32_t)mix(m->opt.seed, id));
        place(m, slot, id, w, step->y);
        m->at[i] = slot;
        m->entrant[m->n_entrants++] = (struct awm_entrant){slot, i};
    }
    step_repeats(m, row, step);
}

/* ---- one example ---- */

static double locate(struct awm *m, const struct awm_row *row)
{
    const uint32_t *const head = m->head, *const ids = m->id, *const next = m->next;
    const uint32_t first = m->first_cell, mask = m->shape.width - 1, shift = m->head_shift;
    const uint64_t seed = m->opt.seed, *const id = row->id;
    double sum = 0;
    for (uint32_t i = 0, n = row->n; i < n; i++) {
        uint32_t f = awm_fold(id[i]);
        uint64_t h = mix(seed, f);
        uint32_t s = head[h >> shift];
        uint32_t outside = -(uint32_t)(ids[s] != f); /* all ones, or zero */
        if (outside & next[s]) {
            s = walk(m, s, f);
            outside = -(uint32_t)(ids[s] != f);
        }
        uint32_t c = first + ((uint32_t)(h >> 1) & mask);
        uint32_t at = s ^ ((s ^ c) & outside);
        float sx = signed_by(row->x[i], (uint32_t)h & outside), w = m->cell[at];
        m->at[i] = at;
        m->sx[i] = sx;
        m->seen[i] = w;
        sum += (double)w * (double)sx;
    }
    return sum;
}

/* The same for a sketch of several rows: `seen` is the estimate, the sign is in it. */
static double locate_deep(struct awm *m, const struct awm_row *row)
{
    double sum = 0;
    for (uint32_t i = 0; i < row->n; i++) {
        uint32_t id = awm_fold(row->id[i]), s = find(m, id);
        double mean;
        m->at[i] = s == NOWHERE ? m->first_cell : s;
        m->sx[i] = row->x[i];
        m->seen[i] = s == NOWHERE ? estimate(m, id, &mean) : m->cell[s];
        sum += (s == NOWHERE ? mean : (double)m->cell[s]) * (double)row->x[i];
    }
    return sum;
}

/* Step every entry in place. false: a candidate may enter, so the cells were put back. */
static bool step_all(struct awm *m, uint32_t n, float u)
{
    float *const cell = m->cell;
    const float *const seen = m->seen, *const sx = m->sx;
    const uint32_t *const at = m->at, first = m->first_cell;
    int32_t low = m->bound, high = 0;
    for (uint32_t i = 0; i < n; i++) {
        float d = u * sx[i], w = sgd_clamp(cell[at[i]] - d);
        int32_t v = magnitude(w), candidate = magnitude(sgd_clamp(seen[i] - d));
        int32_t outside = -(int32_t)(at[i] >= first);
        cell[at[i]] = w;
        lower_block(m, at[i], v); /* blocks of the sketch have bounds too, which nobody reads */
        v |= outside & INT32_MAX;
        candidate &= outside;
        low = v < low ? v : low;
        high = candidate > high ? candidate : high;
    }
    m->bound = low;
    if (high <= low) return true;
    for (uint32_t i = 0; i < n; i++) {
        int32_t outside = -(int32_t)(at[i] >= first), now = bits_of(cell[at[i]]);
        cell[at[i]] = float_of(now ^ ((now ^ bits_of(seen[i])) & outside));
    }
    return false;
}

/* Step 2 with own rates, counts or several rows. false: a candidate may enter. */
static bool step_members(struct awm *m, const struct awm_row *row, const struct sgd_step *step)
{
    int32_t high = -1;
    for (uint32_t i = 0; i < row->n; i++) {
        int32_t v = magnitude(candidate_weight(m, i, step->u));
        if (m->at[i] < m->first_cell)
            step_member(m, m->at[i], row->x[i], step);
        else if (v > high)
            high = v;
    }
    return high <= m->bound;
}

/* Step 4 in one row of cells: members have had their step, so theirs is made 0. */
static void step_cells(struct awm *m, uint32_t n, float u)
{
    for (uint32_t i = 0; i < n; i++) {
        int32_t outside = -(int32_t)(m->at[i] >= m->first_cell);
        float d = float_of(bits_of(u * m->sx[i]) & outside);
        m->cell[m->at[i]] = sgd_clamp(m->cell[m->at[i]] - d);
    }
}

/* Step 4 in several. */
static void step_deep(struct awm *m, const struct awm_row *row, float u)
{
    for (uint32_t i = 0; i < row->n; i++)
        if (m->at[i] >= m->first_cell) add_to_sketch(m, awm_fold(row->id[i]), -(u * row->x[i]));
}

/* Multiply alpha into the weights. Scaling keeps the order, so scaled bounds stay lower bounds. */
static void fold_alpha(struct awm *m)
{
    size_t n = m->first_cell + (size_t)m->shape.width * m->shape.depth;
    float a = (float)m->sgd.alpha;
    for (size_t i = 0; i < n; i++) {
        if (i < m->shape.active || i >= m->first_cell) m->cell[i] *= a;
    }
    for (uint32_t b = 0; b < m->first_cell / BLOCK; b++)
        m->block_bound[b] = bits_of(float_of(m->block_bound[b]) * a);
    if (m->bound > 0) m->bound = bits_of(float_of(m->bound) * a);
    m->sgd.alpha = 1.0;
}

enum awm_result awm_learn(struct awm *m, const struct awm_row *row, double *margin)
{
    if (row->n > m->opt.max_row) return AWM_TOO_LONG;
    bool deep = m->shape.depth > 1, plain = !deep && !m->own && !m->count;
    double z = (deep ? locate_deep(m, row) : locate(m, row)) * m->sgd.alpha + m->sgd.bias;
    /* Weights are finite, so the margin is finite exactly when all values are. */
    if (!isfinite(z)) return AWM_NONFINITE;
    *margin = z;
    m->n_entrants = 0;
    struct sgd_step step = sgd_advance(&m->sgd, z, row->y, (double)row->weight, row->new_record);
    bool stay = plain ? step_all(m, row->n, step.u) : step_members(m, row, &step);
    if (!stay) admit(m, row, &step);
    if (deep)
        step_deep(m, row, step.u);
    else if (!stay || !plain)
        step_cells(m, row->n, step.u);
    if (sgd_must_fold(&m->sgd)) fold_alpha(m);
    return AWM_OK;
}

double awm_margin(const struct awm *m, uint32_t n, const uint64_t *id, const float *x)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t f = awm_fold(id[i]), s = find(m, f);
        double w = s == NOWHERE ? 0 : (double)m->cell[s];
        if (s == NOWHERE) estimate(m, f, &w);
        sum += w * (double)x[i];
    }
    return sum * m->sgd.alpha + m->sgd.bias;
}

/* ---- reading ---- */

double awm_weight(const struct awm *m, uint64_t id)
{
    double mean;
    uint32_t s = find(m, awm_fold(id));
    return (double)(s == NOWHERE ? estimate(m, awm_fold(id), &mean) : m->cell[s]) * m->sgd.alpha;
}

uint32_t awm_top(const struct awm *m, uint32_t k, uint32_t min_count, uint32_t *slot)
{
    return rank_heaviest(m->n_active, m->cell, m->count, min_count, k, slot);
}

const char *awm_check(const struct awm *m)
{
    uint32_t linked = 0;
    for (uint32_t h = 0; h < 1u << (64 - m->head_shift); h++)
        for (uint32_t s = m->head[h]; s < m->shape.active; s = m->next[s] - 1) {
            if (s >= m->n_active || home(m, m->id[s]) != h)
                return "a slot is in a chain not its own";
            if (++linked > m->n_active) return "a chain has a cycle";
            if (!m->next[s]) break;
        }
    if (linked != m->n_active) return "a slot is in no chain";
    for (uint32_t s = 0; s < m->n_active; s++) {
        if (find(m, m->id[s]) != s) return "an id has two slots";
        if (magnitude(m->cell[s]) < m->bound) return "the bound is above a member";
        if (magnitude(m->cell[s]) < m->block_bound[s / BLOCK])
            return "a block bound is above a member";
    }
    for (size_t i = 0; i < m->first_cell + (size_t)m->shape.width * m->shape.depth; i++)
        if (!isfinite(m->cell[i])) return "a weight is not finite";
    if ((m->n_active < m->shape.active) != (m->bound < 0)) return "the bound says S has room";
    if (!(m->sgd.alpha > 0 && m->sgd.alpha <= 1) || !isfinite(m->sgd.bias)) return "scale or bias";
    return NULL;
}
