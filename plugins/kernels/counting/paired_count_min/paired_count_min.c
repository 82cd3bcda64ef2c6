/* paired_count_min.c -- implementation of paired_count_min.h.
 *
 * Invariants (paired_count_min_check()): heap and heap_index are inverse; no child in the heap has
 * a smaller |ratio| than its parent; the index finds every member (id_slots_check()).
 */
#include "paired_count_min.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/count.h"
#include "kernels/base/feature_id.h"
#include "kernels/base/layout.h"
#include "kernels/base/loss.h"
#include "kernels/base/rank.h"
#include "kernels/linear/sgd.h"

/* ---- shape and memory ---- */

bool paired_count_min_shape_from_budget(uint64_t bytes, struct paired_count_min_shape *s)
{
    uint64_t active = s->active, width = s->width;
    if (!s->depth) s->depth = PAIRED_COUNT_MIN_DEPTH;
    uint64_t column = 8 * (uint64_t)s->depth; /* bytes of one cell in each row of both sketches */
    if (!active && !width) active = bytes / 2 / 8;
    if (!width) {
        width = bytes > 8 * active ? (bytes - 8 * active) / column : 0;
        if (width * s->depth > PAIRED_COUNT_MIN_MAX_CELLS)
            width = PAIRED_COUNT_MIN_MAX_CELLS / s->depth;
    } else if (!active) {
        active = bytes > width * column ? (bytes - width * column) / 8 : 0;
    }
    if (active > PAIRED_COUNT_MIN_MAX_ACTIVE) active = PAIRED_COUNT_MIN_MAX_ACTIVE;
    s->active = (uint32_t)active;
    s->width = (uint32_t)width;
    return active && width && s->depth <= PAIRED_COUNT_MIN_MAX_DEPTH &&
           width * s->depth <= PAIRED_COUNT_MIN_MAX_CELLS;
}

uint64_t paired_count_min_charged_bytes(const struct paired_count_min_shape *s)
{
    return 8 * ((uint64_t)s->active + (uint64_t)s->width * s->depth);
}

static size_t paired_count_min_lay_out(struct paired_count_min *m, void *block)
{
    const struct paired_count_min_shape *s = &m->shape;
    struct layout c = {block, 0};
    m->cell = layout_take(&c, 2 * (size_t)s->width * s->depth, 4);
    m->ratio = layout_take(&c, s->active, 4);
    m->heap = layout_take(&c, s->active, 4);
    m->heap_index = layout_take(&c, s->active, 4);
    m->members.id = layout_take(&c, s->active + 2, 4);
    m->members.next = layout_take(&c, s->active + 2, 4);
    m->members.head = layout_take(&c, id_slots_heads(s->active), 4);
    return c.used;
}

size_t paired_count_min_block_bytes(const struct paired_count_min_shape *shape)
{
    struct paired_count_min m = {.shape = *shape};
    return paired_count_min_lay_out(&m, NULL);
}

void paired_count_min_init(struct paired_count_min *m, const struct paired_count_min_shape *shape,
                           const struct paired_count_min_options *opt, void *block)
{
    assert(shape->active && shape->active <= PAIRED_COUNT_MIN_MAX_ACTIVE);
    assert(shape->depth && shape->depth <= PAIRED_COUNT_MIN_MAX_DEPTH);
    assert(shape->width && (uint64_t)shape->width * shape->depth <= PAIRED_COUNT_MIN_MAX_CELLS);
    *m = (struct paired_count_min){.shape = *shape, .opt = *opt};
    paired_count_min_lay_out(m, block);
    m->members.capacity = shape->active;
    m->members.seed = opt->seed;
    paired_count_min_rebuild(m);
}

/* ---- the sketches ---- */

/* Returns the cell of an item in row j of a stream's sketch. Both streams use the same hashes. */
static inline uint32_t *cell_of(const struct paired_count_min *m, int stream, uint32_t j,
                                uint32_t id)
{
    uint64_t h = id_slots_mix(m->opt.seed + j * 0xa0761d6478bd642fu, id);
    size_t row = (size_t)stream * m->shape.depth + j;
    uint32_t at = (uint32_t)((uint64_t)(uint32_t)h * m->shape.width >> 32); /* 0 .. width - 1 */
    return &m->cell[row * m->shape.width + at];
}

static uint32_t count_of(const struct paired_count_min *m, int stream, uint32_t id)
{
    uint32_t min = UINT32_MAX;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t c = *cell_of(m, stream, j, id);
        min = c < min ? c : min;
    }
    return min;
}

static void paired_count_min_count_up(struct paired_count_min *m, int stream, uint32_t id)
{
    uint32_t min = count_of(m, stream, id);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t *c = cell_of(m, stream, j, id);
        if (*c != UINT32_MAX && (!m->opt.conservative || *c == min)) ++*c;
    }
}

static double paired_count_min_log_ratio(const struct paired_count_min *m, uint32_t c1, uint32_t c0)
{
    return sgd_log_ratio(c1, c0, (double)m->records[1], (double)m->records[0], 1);
}

static double paired_count_min_estimate(const struct paired_count_min *m, uint32_t id)
{
    return paired_count_min_log_ratio(m, count_of(m, 1, id), count_of(m, 0, id));
}

void paired_count_min_counts(const struct paired_count_min *m, uint64_t id, uint32_t count[2])
{
    count[0] = count_of(m, 0, id_slots_fold(id));
    count[1] = count_of(m, 1, id_slots_fold(id));
}

double paired_count_min_ratio(const struct paired_count_min *m, uint64_t id)
{
    return paired_count_min_estimate(m, id_slots_fold(id));
}

double paired_count_min_prior(const struct paired_count_min *m)
{
    return loss_log(((double)m->records[1] + 0.5) / ((double)m->records[0] + 0.5));
}

/* ---- the heap ---- */

static inline bool lighter(const struct paired_count_min *m, uint32_t a, uint32_t b)
{
    float ra = fabsf(m->ratio[a]), rb = fabsf(m->ratio[b]);
    return ra != rb ? ra < rb : a < b;
}

static inline void heap_put(struct paired_count_min *m, uint32_t at, uint32_t slot)
{
    m->heap[at] = slot;
    m->heap_index[slot] = at;
}

static void sift_up(struct paired_count_min *m, uint32_t slot)
{
    uint32_t at = m->heap_index[slot];
    for (uint32_t up; at && lighter(m, slot, m->heap[up = (at - 1) / 2]); at = up)
        heap_put(m, at, m->heap[up]);
    heap_put(m, at, slot);
}

static void sift_down(struct paired_count_min *m, uint32_t slot)
{
    uint32_t at = m->heap_index[slot], n = m->members.n;
    for (uint32_t k; (k = 2 * at + 1) < n; at = k) {
        if (k + 1 < n && lighter(m, m->heap[k + 1], m->heap[k])) k++;
        if (!lighter(m, m->heap[k], slot)) break;
        heap_put(m, at, m->heap[k]);
    }
    heap_put(m, at, slot);
}

static void set_ratio(struct paired_count_min *m, uint32_t slot, double ratio)
{
    m->ratio[slot] = (float)ratio;
    sift_up(m, slot);
    sift_down(m, slot);
}

/* Rebuilds the index and the heap. The order within the heap may differ from before, but not the
 * lightest member, which depends only on ratios and slots. */
void paired_count_min_rebuild(struct paired_count_min *m)
{
    id_slots_rebuild(&m->members);
    for (uint32_t s = 0; s < m->members.n; s++)
        heap_put(m, s, s);
    for (uint32_t at = m->members.n / 2; at--;)
        sift_down(m, m->heap[at]);
}

/* ---- members ---- */

static uint32_t paired_count_min_find(const struct paired_count_min *m, uint32_t id)
{
    uint32_t slot = id_slots_seek(&m->members, id);
    return m->members.id[slot] == id ? slot : PAIRED_COUNT_MIN_NONE;
}

/* Gives a new item a free slot. If none is free, replaces the member with the smallest |ratio|,
 * provided that |ratio| of the new item is larger. Returns the slot, or PAIRED_COUNT_MIN_NONE. */
static uint32_t admit(struct paired_count_min *m, uint32_t id, double ratio)
{
    uint32_t slot = m->members.n;
    if (slot < m->shape.active) {
        m->members.n++;
        heap_put(m, slot, slot);
    } else {
        slot = m->heap[0];
        if (fabs(ratio) <= (double)fabsf(m->ratio[slot])) return PAIRED_COUNT_MIN_NONE;
        id_slots_unlink(&m->members, slot);
    }
    m->members.id[slot] = id;
    id_slots_link(&m->members, slot);
    set_ratio(m, slot, ratio);
    return slot;
}

static void refresh_next(struct paired_count_min *m)
{
    if (!m->members.n) return;
    if (m->cursor >= m->members.n) m->cursor = 0;
    set_ratio(m, m->cursor, paired_count_min_estimate(m, m->members.id[m->cursor]));
    m->cursor++;
}

uint32_t paired_count_min_add(struct paired_count_min *m, uint64_t wide, int stream)
{
    assert(stream == 0 || stream == 1);
    uint32_t id = id_slots_fold(wide), slot = paired_count_min_find(m, id);
    paired_count_min_count_up(m, stream, id);
    refresh_next(m);
    double ratio = paired_count_min_estimate(m, id);
    if (slot == PAIRED_COUNT_MIN_NONE) {
        slot = admit(m, id, ratio);
    } else {
        set_ratio(m, slot, ratio);
        slot = PAIRED_COUNT_MIN_NONE;
    }
#ifdef LEAT_CHECKS
    assert(!paired_count_min_check(m));
#endif
    return slot;
}

uint32_t paired_count_min_top(const struct paired_count_min *m, uint32_t k, uint32_t min_count,
                              float *ratio, uint32_t *count, uint32_t *slot)
{
    for (uint32_t s = 0; s < m->members.n; s++) {
        uint32_t *c = count + 2 * (size_t)s;
        c[0] = count_of(m, 0, m->members.id[s]);
        c[1] = count_of(m, 1, m->members.id[s]);
        ratio[s] = (float)paired_count_min_log_ratio(m, c[1], c[0]);
    }
    return rank_heaviest(m->members.n, ratio, count, min_count, k, slot);
}

const char *paired_count_min_check(const struct paired_count_min *m)
{
    for (uint32_t s = 0; s < m->members.n; s++) {
        uint32_t at = m->heap_index[s];
        if (at >= m->members.n || m->heap[at] != s) return "heap and heap_index differ";
        if (at && lighter(m, s, m->heap[(at - 1) / 2])) return "a child is lighter than its parent";
        if (!isfinite(m->ratio[s])) return "a ratio is not finite";
    }
    return id_slots_check(&m->members);
}

/* ---- copies and merges ---- */

struct paired_count_min_parts paired_count_min_parts(const struct paired_count_min *m)
{
    return (struct paired_count_min_parts){.records = {m->records[0], m->records[1]},
                                           .max_active = m->shape.active,
                                           .n_active = m->members.n,
                                           .cursor = m->cursor,
                                           .id = m->members.id,
                                           .ratio = m->ratio,
                                           .cells = 2ull * m->shape.width * m->shape.depth,
                                           .cell = m->cell};
}

const char *paired_count_min_load(struct paired_count_min *m,
                                  const struct paired_count_min_parts *p)
{
    assert(!m->members.n && p->n_active <= m->shape.active && p->cursor <= p->n_active);
    memcpy(m->members.id, p->id, p->n_active * sizeof *p->id);
    memcpy(m->ratio, p->ratio, p->n_active * sizeof *p->ratio);
    memcpy(m->cell, p->cell, p->cells * sizeof *m->cell);
    memcpy(m->records, p->records, sizeof m->records);
    m->cursor = p->cursor;
    m->members.n = p->n_active;
    paired_count_min_rebuild(m);
    return id_slots_check(&m->members) ? FEATURE_ID_TWICE : NULL;
}

/* ---- merging ---- */

void paired_count_min_merge(struct paired_count_min *m, const struct paired_count_min *a,
                            const struct paired_count_min *b, double count,
                            struct linear_origin *member)
{
    assert(a->shape.width == b->shape.width && a->shape.depth == b->shape.depth);
    assert(a->shape.width == m->shape.width && a->shape.depth == m->shape.depth);
    assert(!m->members.n && a->opt.seed == b->opt.seed);
    uint32_t n = linear_unite(&a->members, &b->members, member);
    assert(n <= m->shape.active);
    for (uint64_t i = 0, cells = paired_count_min_parts(m).cells; i < cells; i++)
        m->cell[i] = sgd_add_count(a->cell[i], b->cell[i], count);
    for (int y = 0; y < 2; y++)
        m->records[y] = count_add(a->records[y], b->records[y], count);
    for (uint32_t i = 0; i < n; i++) {
        member[i].weight = paired_count_min_ratio(m, member[i].id);
        member[i].key = fabs(member[i].weight);
    }
    linear_rank(member, n);
    for (uint32_t s = 0; s < n; s++) {
        m->members.id[s] = id_slots_fold(member[s].id);
        m->ratio[s] = (float)member[s].weight;
    }
    m->members.n = n;
    paired_count_min_rebuild(m);
}

void paired_count_min_settle(struct paired_count_min *m, uint32_t active)
{
    m->shape.active = active;
    if (m->members.n > active) m->members.n = active;
    paired_count_min_rebuild(m);
}
