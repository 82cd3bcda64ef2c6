/* contrast_front.c -- implementation of contrast_front.h. */
#include "contrast_front.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"

/* Returns the number of codes: the triangle has a few times as many cells as there are members. */
static uint32_t contrast_front_codes(const struct contrast_shape *s)
{
    double codes = ceil(sqrt(16.0 * s->members));
    return codes < CONTRAST_FRONT_CODES ? (uint32_t)codes : CONTRAST_FRONT_CODES;
}

/* Returns the number of cells of the pairs of this many codes, and of those that no pair takes. */
static size_t contrast_front_pairs(uint32_t codes) { return (size_t)codes * (codes + 1) / 2 + 1; }

static size_t contrast_front_lay_out(struct contrast_front *f, void *block)
{
    struct layout c = {block, 0};
    f->single = layout_take(&c, CONTRAST_FRONT_SINGLES, sizeof *f->single);
    f->part = layout_take(&c, f->codes + 1, sizeof *f->part);
    f->pair = layout_take(&c, contrast_front_pairs(f->codes), sizeof *f->pair);
    return c.used;
}

size_t contrast_front_bytes(const struct contrast_shape *shape)
{
    struct contrast_front f = {.codes = contrast_front_codes(shape)};
    return contrast_front_lay_out(&f, NULL);
}

static bool contrast_front_suits(const struct contrast *m)
{
    return m->opt.half_life <= 0 && !m->sums.member;
}

void contrast_front_init(struct contrast_front *f, const struct contrast *m, void *block)
{
    *f = (struct contrast_front){.on = contrast_front_suits(m),
                                 .codes = contrast_front_codes(&m->shape)};
    contrast_front_lay_out(f, block);
}

/* Adds the occurrences of a cell to the member that has the id. */
static void contrast_front_add_up(const struct contrast *m, uint64_t wide, const uint32_t count[2],
                                  uint32_t signature)
{
    uint32_t id = id_slots_fold(wide), slot = id_slots_seek(&m->index, id);
    assert(m->index.id[slot] == id && m->clock.one == 1);
    for (size_t y = 0; y < 2; y++) {
        uint32_t *to = &m->count[2 * (size_t)slot + y], n = count[y];
        *to = n < UINT32_MAX - *to ? *to + n : UINT32_MAX;
    }
    m->signatures[slot] ^= signature;
}

static void contrast_front_flush_singles(struct contrast_front *f, const struct contrast *m)
{
    for (size_t i = 0; i < CONTRAST_FRONT_SINGLES; i++) {
        struct contrast_front_cell *cell = &f->single[i];
        if (!cell->count[0] && !cell->count[1]) continue;
        contrast_front_add_up(m, cell->id, cell->count, cell->signature);
        *cell = (struct contrast_front_cell){.id = cell->id, .code = cell->code};
    }
}

void contrast_front_flush_pair(struct contrast_front *f, const struct contrast *m, uint32_t a,
                               uint32_t b)
{
    uint64_t *cell = contrast_front_pair(f, a, b);
    const uint32_t count[2] = {*cell & 0xffff, *cell >> 16 & 0x7fff};
    if (!count[0] && !count[1]) return;
    contrast_front_add_up(m, feature_id_and2(f->part[a], f->part[b]), count,
                          (uint32_t)(*cell >> 32));
    *cell = CONTRAST_FRONT_TAKEN;
}

void contrast_front_flush(struct contrast_front *f, const struct contrast *m)
{
    if (!f->records) return;
    contrast_front_flush_singles(f, m);
    for (uint32_t b = 2; b <= f->given; b++)
        for (uint32_t a = 1; a < b; a++)
            contrast_front_flush_pair(f, m, a, b);
    f->records = 0;
}

void contrast_front_restart(struct contrast_front *f, const struct contrast *m)
{
    contrast_front_flush(f, m);
    memset(f->single, 0, CONTRAST_FRONT_SINGLES * sizeof *f->single);
    memset(f->pair, 0, contrast_front_pairs(f->given) * sizeof *f->pair);
    f->given = 0;
    f->on = contrast_front_suits(m);
}

bool contrast_front_begin(struct contrast_front *f, const struct contrast *m, uint64_t n)
{
    bool room = m->shape.members - m->index.n > n;
    if (!f->on) return false;
    if (!room || f->records == CONTRAST_FRONT_RECORDS) contrast_front_flush(f, m);
    f->records++;
    return f->on = room;
}
