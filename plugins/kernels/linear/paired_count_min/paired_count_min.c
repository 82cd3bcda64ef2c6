/* paired_count_min.c -- two Count-Min sketches and a heap of ratios; see paired_count_min.h.
 *
 * Invariants (paired_check): heap and place are inverse; no child of the heap is smaller than its
 * parent; every member is found by its id, and slots are in no other chain.
 */
#include "paired_count_min.h"

#include <assert.h>
#include <math.h>

#include "kernels/base/layout.h"
#include "kernels/base/loss.h"
#include "kernels/base/rank.h"
#include "base/mix64.h"

/* ---- shape and memory ---- */

bool paired_shape_from_budget(uint64_t bytes, struct paired_shape *s)
{
    uint64_t active = s->active, width = s->width;
    if (!s->depth) s->depth = PAIRED_DEPTH;
    uint64_t column = 8 * (uint64_t)s->depth; /* bytes of one more cell in every row of both */
    if (!active && !width) active = bytes / 2 / 8;
    if (!width) {
        width = bytes > 8 * active ? (bytes - 8 * active) / column : 0;
        if (width * s->depth > PAIRED_MAX_CELLS) width = PAIRED_MAX_CELLS / s->depth;
    } else if (!active) {
        active = bytes > width * column ? (bytes - width * column) / 8 : 0;
    }
    if (active > PAIRED_MAX_ACTIVE) active = PAIRED_MAX_ACTIVE;
    s->active = (uint32_t)active;
    s->width = (uint32_t)width;
    return active && width && s->depth <= PAIRED_MAX_DEPTH && width * s->depth <= PAIRED_MAX_CELLS;
}

uint64_t paired_charged_bytes(const struct paired_shape *s)
{
    return 8 * ((uint64_t)s->active + (uint64_t)s->width * s->depth);
}

static uint32_t heads(uint32_t active)
{
    uint32_t n = 2;
    while (n < 2 * (uint64_t)active)
        n *= 2;
    return n;
}

static size_t lay_out(struct paired *m, void *block)
{
    const struct paired_shape *s = &m->shape;
    struct layout c = {block, 0};
    m->cell = layout_take(&c, 2 * (size_t)s->width * s->depth, 4);
    m->id = layout_take(&c, s->active, 4);
    m->ratio = layout_take(&c, s->active, 4);
    m->heap = layout_take(&c, s->active, 4);
    m->place = layout_take(&c, s->active, 4);
    m->head = layout_take(&c, heads(s->active), 4);
    m->next = layout_take(&c, s->active, 4);
    return c.used;
}

size_t paired_block_bytes(const struct paired_shape *shape)
{
    struct paired m = {.shape = *shape};
    return lay_out(&m, NULL);
}

void paired_init(struct paired *m, const struct paired_shape *shape,
                 const struct paired_options *opt, void *block)
{
    assert(shape->active && shape->active <= PAIRED_MAX_ACTIVE);
    assert(shape->depth && shape->depth <= PAIRED_MAX_DEPTH);
    assert(shape->width && (uint64_t)shape->width * shape->depth <= PAIRED_MAX_CELLS);
    *m = (struct paired){.shape = *shape, .opt = *opt, .head_mask = heads(shape->active) - 1};
    lay_out(m, block);
}

/* ---- the sketches ---- */

static inline uint32_t fold(uint64_t id) { return (uint32_t)(id ^ (id >> 32)); }

static inline uint64_t mix(uint64_t seed, uint32_t id)
{
    uint64_t h = (seed ^ id) * MIX64_GOLDEN;
    h = (h ^ (h >> 32)) * 0xd6e8feb86659fd93u;
    return h ^ (h >> 32);
}

/* The cell of an item in row j of a stream's sketch. Both streams hash alike. */
static inline uint32_t *cell_of(const struct paired *m, int stream, uint32_t j, uint32_t id)
{
    uint64_t h = mix(m->opt.seed + j * 0xa0761d6478bd642fu, id);
    size_t row = (size_t)stream * m->shape.depth + j;
    uint32_t at = (uint32_t)((uint64_t)(uint32_t)h * m->shape.width >> 32); /* 0 .. width - 1 */
    return &m->cell[row * m->shape.width + at];
}

static uint32_t count_of(const struct paired *m, int stream, uint32_t id)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t c = *cell_of(m, stream, j, id);
        least = c < least ? c : least;
    }
    return least;
}

static void count_up(struct paired *m, int stream, uint32_t id)
{
    uint32_t least = count_of(m, stream, id);
    for (uint32_t j = 0; j < m->shape.depth; j++) {
        uint32_t *c = cell_of(m, stream, j, id);
        if (*c != UINT32_MAX && (!m->opt.conservative || *c == least)) ++*c;
    }
}

static double log_ratio(const struct paired *m, uint32_t c1, uint32_t c0)
{
    double p1 = (c1 + 0.5) / ((double)m->records[1] + 1.0);
    double p0 = (c0 + 0.5) / ((double)m->records[0] + 1.0);
    return loss_log(p1) - loss_log(p0);
}

static double estimate(const struct paired *m, uint32_t id)
{
    return log_ratio(m, count_of(m, 1, id), count_of(m, 0, id));
}

void paired_counts(const struct paired *m, uint64_t id, uint32_t count[2])
{
    count[0] = count_of(m, 0, fold(id));
    count[1] = count_of(m, 1, fold(id));
}

double paired_ratio(const struct paired *m, uint64_t id) { return estimate(m, fold(id)); }

double paired_prior(const struct paired *m)
{
    return loss_log(((double)m->records[1] + 0.5) / ((double)m->records[0] + 0.5));
}

/* ---- the heap ---- */

static inline bool lighter(const struct paired *m, uint32_t a, uint32_t b)
{
    float ra = fabsf(m->ratio[a]), rb = fabsf(m->ratio[b]);
    return ra != rb ? ra < rb : a < b;
}

static inline void put(struct paired *m, uint32_t at, uint32_t slot)
{
    m->heap[at] = slot;
    m->place[slot] = at;
}

static void sift_up(struct paired *m, uint32_t slot)
{
    uint32_t at = m->place[slot];
    for (uint32_t up; at && lighter(m, slot, m->heap[up = (at - 1) / 2]); at = up)
        put(m, at, m->heap[up]);
    put(m, at, slot);
}

static void sift_down(struct paired *m, uint32_t slot)
{
    uint32_t at = m->place[slot];
    for (uint32_t k; (k = 2 * at + 1) < m->n_active; at = k) {
        if (k + 1 < m->n_active && lighter(m, m->heap[k + 1], m->heap[k])) k++;
        if (!lighter(m, m->heap[k], slot)) break;
        put(m, at, m->heap[k]);
    }
    put(m, at, slot);
}

static void set_ratio(struct paired *m, uint32_t slot, double ratio)
{
    m->ratio[slot] = (float)ratio;
    sift_up(m, slot);
    sift_down(m, slot);
}

/* ---- members by id ---- */

static inline uint32_t *chain_of(const struct paired *m, uint32_t id)
{
    return &m->head[(uint32_t)(mix(m->opt.seed, id) >> 32) & m->head_mask];
}

static uint32_t find(const struct paired *m, uint32_t id)
{
    uint32_t s = *chain_of(m, id);
    while (s && m->id[s - 1] != id)
        s = m->next[s - 1];
    return s - 1; /* 0 - 1 is PAIRED_NONE */
}

static void unlink_slot(struct paired *m, uint32_t slot)
{
    uint32_t *at = chain_of(m, m->id[slot]);
    while (*at != slot + 1)
        at = &m->next[*at - 1];
    *at = m->next[slot];
}

static void link_slot(struct paired *m, uint32_t slot, uint32_t id)
{
    uint32_t *head = chain_of(m, id);
    m->id[slot] = id;
    m->next[slot] = *head;
    *head = slot + 1;
}

/* A slot for a newcomer: a free one, or that of the lightest member if the newcomer outweighs it.
 */
static uint32_t admit(struct paired *m, uint32_t id, double ratio)
{
    uint32_t slot = m->n_active;
    if (slot < m->shape.active) {
        m->n_active++;
        put(m, slot, slot);
    } else {
        slot = m->heap[0];
        if (fabs(ratio) <= (double)fabsf(m->ratio[slot])) return PAIRED_NONE;
        unlink_slot(m, slot);
    }
    link_slot(m, slot, id);
    set_ratio(m, slot, ratio);
    return slot;
}

bool paired_enrol(struct paired *m, uint32_t id, double ratio)
{
    if (m->n_active == m->shape.active || find(m, id) != PAIRED_NONE) return false;
    admit(m, id, ratio);
    return true;
}

static void refresh_next(struct paired *m)
{
    if (!m->n_active) return;
    if (m->cursor >= m->n_active) m->cursor = 0;
    set_ratio(m, m->cursor, estimate(m, m->id[m->cursor]));
    m->cursor++;
}

uint32_t paired_add(struct paired *m, uint64_t wide, int stream)
{
    uint32_t id = fold(wide), slot = find(m, id);
    count_up(m, stream, id);
    refresh_next(m);
    double ratio = estimate(m, id);
    if (slot == PAIRED_NONE) return admit(m, id, ratio);
    set_ratio(m, slot, ratio);
    return PAIRED_NONE;
}

uint32_t paired_top(const struct paired *m, uint32_t k, uint32_t min_count, float *ratio,
                    uint32_t *count, uint32_t *slot)
{
    for (uint32_t s = 0; s < m->n_active; s++) {
        uint32_t *c = count + 2 * (size_t)s;
        c[0] = count_of(m, 0, m->id[s]);
        c[1] = count_of(m, 1, m->id[s]);
        ratio[s] = (float)log_ratio(m, c[1], c[0]);
    }
    return rank_heaviest(m->n_active, ratio, count, min_count, k, slot);
}

const char *paired_check(const struct paired *m)
{
    uint32_t linked = 0;
    for (uint32_t s = 0; s < m->n_active; s++) {
        if (m->place[s] >= m->n_active || m->heap[m->place[s]] != s) return "heap and place differ";
        if (m->place[s] && lighter(m, s, m->heap[(m->place[s] - 1) / 2]))
            return "a child is lighter than its parent";
        if (find(m, m->id[s]) != s) return "a member is not found by its id";
        if (!isfinite(m->ratio[s])) return "a ratio is not finite";
    }
    for (uint32_t h = 0; h <= m->head_mask; h++)
        for (uint32_t s = m->head[h]; s && linked <= m->n_active; s = m->next[s - 1])
            linked++;
    return linked == m->n_active ? NULL : "chains hold other slots than the heap";
}
