/* contrast_cells.c -- implementation of contrast_cells.h.
 *
 * A cell that several members share is a bin of a ladder, or that of a step and another code
 * (contrast_front.h). The members of such a cell are found by their owners. */
#include "contrast_cells.h"

#include <string.h>

/* Returns a + b, or the largest count if that is less. */
static inline uint32_t contrast_sum_counts(uint32_t a, uint32_t b)
{
    return b < UINT32_MAX - a ? a + b : UINT32_MAX;
}

/* Adds the occurrences in a cell to a member. */
static inline void contrast_add_cell(const struct contrast *m, uint32_t slot, uint64_t cell)
{
    uint32_t *count = m->count + 2 * (size_t)slot;
    count[0] = contrast_sum_counts(count[0], cell & 0xffff);
    count[1] = contrast_sum_counts(count[1], cell >> 16 & 0x7fff);
    m->signatures[slot] += (uint32_t)(cell >> 32);
}

/* ---- bins of ladders ---- */

/* Adds the occurrences in a ladder's bins to its members. The bins stay taken, and are empty. */
static void contrast_settle_ladder(const struct contrast *m, const struct contrast_front_ladder *of)
{
    const struct contrast_front *f = m->front;
    for (uint32_t step = 0; step <= of->edges; step++) {
        uint64_t *bin = &f->bin[of->first + step];
        if (!(*bin & ~CONTRAST_FRONT_TAKEN)) continue;
        for (uint32_t k = 0; k < of->edges; k++)
            contrast_add_cell(m, f->owner[of->first + 2 * k + (k < step)] - 1, *bin);
        *bin = CONTRAST_FRONT_TAKEN;
    }
}

/* Returns the ladder of an own cell; NULL if a link is another one's. */
static inline const struct contrast_front_ladder *contrast_ladder(const struct contrast_front *f,
                                                                  uint32_t link)
{
    uint64_t own = link - (uint64_t)(f->own - f->cell); /* large if it is none */
    return own < f->size.owns && f->ladder[own].edges ? &f->ladder[own] : NULL;
}

void contrast_take_step(const struct contrast *m, uint32_t first, uint32_t step)
{
    const struct contrast_front *f = m->front;
    const struct contrast_front_ladder *of = &f->ladder[first];
    bool taken = true;
    for (uint32_t k = 0; k < of->edges; k++)
        taken &= f->owner[first + 2 * k + (k < step)] != 0;
    if (f->bin[first + step]) contrast_settle_ladder(m, of);
    f->bin[first + step] = taken ? CONTRAST_FRONT_TAKEN : 0;
}

/* ---- pairs of ladders ---- */

/* Features that a code stands for: a side of each crossed edge from one to another, or itself. */
struct contrast_spot {
    const struct contrast_front_ladder *ladder; /* NULL: itself */
    uint32_t code, step, from, to;
};

static struct contrast_spot contrast_spot(const struct contrast_front *f, uint32_t code)
{
    struct contrast_spot s = {.code = code, .to = 1};
    if (code <= f->size.sides || code > f->size.sides + f->size.steps) return s;
    s.ladder = &f->ladder[f->coded[code]];
    s.step = code - s.ladder->step;
    s.to = s.ladder->crossed;
    return s;
}

static inline uint32_t contrast_spot_side(const struct contrast_spot *s, uint32_t k)
{
    return s->ladder ? contrast_front_side(s->ladder, k, s->step) : s->code;
}

/* Two codes with a cell. The ladder itself, with a step, is the edges above the step. */
struct contrast_spots {
    struct contrast_spot a, b;
    uint64_t *cell;
};

static struct contrast_spots contrast_spots(const struct contrast_front *f, uint32_t a, uint32_t b)
{
    struct contrast_spots s = {
        contrast_spot(f, a), contrast_spot(f, b),
        contrast_front_pair(a, contrast_front_row(f, a), b, contrast_front_row(f, b))};
    if (s.a.ladder && s.a.ladder == s.b.ladder) {
        uint32_t step = s.a.step < s.b.step ? s.a.step : s.b.step;
        s.a.step = s.b.step = s.a.to = s.b.from = step;
        s.b.to = s.b.ladder->crossed;
    }
    return s;
}

static inline uint32_t *contrast_pair_owner(const struct contrast_front *f, uint32_t a, uint32_t b)
{
    uint32_t x = a < b ? a : b, y = a < b ? b : a;
    return &f->pair_owner[(size_t)x * (f->codes + 1) + y];
}

/* Adds the occurrences in the cell of two spots to the members. It stays taken, and is empty. */
static void contrast_settle_spots(const struct contrast *m, const struct contrast_spots *s)
{
    if (!(*s->cell & ~CONTRAST_FRONT_TAKEN)) return;
    for (uint32_t i = s->a.from; i < s->a.to; i++)
        for (uint32_t j = s->b.from; j < s->b.to; j++) {
            uint32_t a = contrast_spot_side(&s->a, i), b = contrast_spot_side(&s->b, j);
            contrast_add_cell(m, *contrast_pair_owner(m->front, a, b) - 1, *s->cell);
        }
    *s->cell = CONTRAST_FRONT_TAKEN;
}

void contrast_take_spots(const struct contrast *m, uint32_t a, uint32_t b)
{
    const struct contrast_front *f = m->front;
    if (!a || !b) return;
    const struct contrast_spots s = contrast_spots(f, a, b);
    bool taken = true;
    for (uint32_t i = s.a.from; i < s.a.to; i++)
        for (uint32_t j = s.b.from; j < s.b.to; j++) {
            uint32_t x = contrast_spot_side(&s.a, i), y = contrast_spot_side(&s.b, j);
            taken &= *contrast_pair_owner(f, x, y) != 0;
        }
    contrast_settle_spots(m, &s);
    *s.cell = taken ? CONTRAST_FRONT_TAKEN : 0;
}

/* Steps of a code that include it: those of its ladder if it is a side, or the code itself. */
struct contrast_steps {
    uint32_t from, to;
};

static struct contrast_steps contrast_steps_with(const struct contrast_front *f, uint32_t code)
{
    if (code > f->size.sides) return (struct contrast_steps){code, code + 1};
    const struct contrast_front_ladder *l = &f->ladder[f->coded[code]];
    uint32_t edge = (code - l->side) / 2, above = (code - l->side) % 2, split = l->step + edge + 1;
    return above ? (struct contrast_steps){split, l->itself}
                 : (struct contrast_steps){l->step, split};
}

/* Adds the occurrences in the cells that a pair shares to the members. Frees them if it leaves. */
static void contrast_settle_pair(const struct contrast *m, uint32_t a, uint32_t b, bool leaves)
{
    const struct contrast_front *f = m->front;
    struct contrast_steps x = contrast_steps_with(f, a), y = contrast_steps_with(f, b);
    if (a > f->size.sides) return; /* a < b: none of them is a side */
    if (b <= f->size.sides && f->coded[a] == f->coded[b]) {
        uint32_t itself = f->ladder[f->coded[a]].itself;
        x.from = x.from > y.from ? x.from : y.from;
        x.to = x.to < y.to ? x.to : y.to;
        y = (struct contrast_steps){itself, itself + 1};
    }
    for (uint32_t i = x.from; i < x.to; i++)
        for (uint32_t j = y.from; j < y.to; j++) {
            const struct contrast_spots s = contrast_spots(f, i, j);
            contrast_settle_spots(m, &s);
            if (leaves) *s.cell = 0;
        }
    if (leaves) *contrast_pair_owner(f, a, b) = 0;
}

/* ---- members ---- */

/* Codes of a link of a pair, a < b. */
static inline uint32_t contrast_link_a(uint32_t link) { return link & CONTRAST_FRONT_CODES; }
static inline uint32_t contrast_link_b(uint32_t link) { return link >> 11 & CONTRAST_FRONT_CODES; }

static inline uint64_t *contrast_link_cell(const struct contrast_front *f, uint32_t link)
{
    if (!(link & CONTRAST_FRONT_PAIR)) return &f->cell[link];
    return contrast_front_row(f, contrast_link_b(link)) + contrast_link_a(link);
}

void contrast_settle_cells(const struct contrast *m, uint32_t slot)
{
    const uint32_t link = m->front->link[slot];
    uint64_t *cell = contrast_link_cell(m->front, link);
    if (link & CONTRAST_FRONT_PAIR)
        contrast_settle_pair(m, contrast_link_a(link), contrast_link_b(link), false);
    else if (contrast_ladder(m->front, link))
        contrast_settle_ladder(m, contrast_ladder(m->front, link));
    contrast_add_cell(m, slot, *cell);
    *cell = CONTRAST_FRONT_TAKEN;
}

void contrast_flush(const struct contrast *m)
{
    for (uint32_t s = 0; m->front && s < m->index.n; s++)
        contrast_settle(m, s);
}

/* Gives the member in a slot a link to a cell that nobody has. Returns false if it has this link,
 * or if one of the two is taken. */
static bool contrast_link(const struct contrast *m, uint32_t link, uint64_t *cell, uint32_t slot)
{
    uint32_t *of = &m->front->link[slot];
    if (*of == link) contrast_settle_cells(m, slot);
    if (*of || (*cell & CONTRAST_FRONT_TAKEN)) return false;
    *of = link;
    *cell = CONTRAST_FRONT_TAKEN;
    return true;
}

void contrast_take(const struct contrast *m, uint64_t *cell, uint32_t slot)
{
    struct contrast_front *f = m->front;
    if (cell == f->cell || !contrast_link(m, (uint32_t)(cell - f->cell), cell, slot)) return;
    if (contrast_ladder(f, f->link[slot])) f->owner[cell - f->own] = slot + 1;
}

void contrast_take_pair(const struct contrast *m, uint32_t a, uint32_t b, uint32_t slot)
{
    const struct contrast_front *f = m->front;
    uint32_t x = a < b ? a : b, y = a < b ? b : a;
    if (!x || x == y) return;
    if (!contrast_link(m, CONTRAST_FRONT_PAIR | y << 11 | x, contrast_front_row(f, y) + x, slot))
        return;
    if (x <= f->size.sides) *contrast_pair_owner(f, x, y) = slot + 1;
}

void contrast_give_up(const struct contrast *m, uint32_t slot)
{
    struct contrast_front *f = m->front;
    if (!f || !f->link[slot]) return;
    contrast_settle_cells(m, slot);
    const uint32_t link = f->link[slot];
    const struct contrast_front_ladder *ladder = contrast_ladder(f, link);
    if (link & CONTRAST_FRONT_PAIR) {
        contrast_settle_pair(m, contrast_link_a(link), contrast_link_b(link), true);
    } else if (ladder) {
        memset(f->bin + ladder->first, 0, (ladder->edges + 1) * sizeof *f->bin);
        f->owner[link - (f->own - f->cell)] = 0;
    }
    *contrast_link_cell(f, link) = 0;
    f->link[slot] = 0;
}
