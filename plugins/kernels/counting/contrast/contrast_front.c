/* contrast_front.c -- implementation of contrast_front.h. */
#include "contrast_front.h"

#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"

/* Sets the number of codes: the triangle of those of features has a few times as many cells as
 * there are members. Ladders have codes if these leave at least half of all for features. */
static void contrast_front_set_codes(struct contrast_front *f)
{
    struct contrast_front_size *s = &f->size;
    double features = ceil(sqrt(16.0 * s->members)), codes = (double)s->sides + s->steps + features;
    if (s->sides + s->steps > CONTRAST_FRONT_CODES / 2) {
        s->sides = s->steps = 0;
        codes = features;
    }
    f->codes = codes < CONTRAST_FRONT_CODES ? (uint32_t)codes : CONTRAST_FRONT_CODES;
    f->given = s->sides + s->steps;
}

/* Returns the number of cells for this many codes. */
static size_t contrast_front_cells(const struct contrast_front *f, uint32_t codes)
{
    return 2 + CONTRAST_FRONT_SINGLES + f->size.owns + (size_t)codes * (codes + 1) / 2;
}

static size_t contrast_front_owners(const struct contrast_front *f)
{
    return f->size.sides ? (f->size.sides + 1) * ((size_t)f->codes + 1) : 0;
}

static size_t contrast_front_lay_out(struct contrast_front *f, void *block)
{
    struct layout c = {block, 0};
    f->single = layout_take(&c, CONTRAST_FRONT_SINGLES, sizeof *f->single);
    f->cell = layout_take(&c, contrast_front_cells(f, f->codes), sizeof *f->cell);
    f->link = layout_take(&c, f->size.members, sizeof *f->link);
    f->ladder = layout_take(&c, f->size.owns, sizeof *f->ladder);
    f->bin = layout_take(&c, f->size.owns, sizeof *f->bin);
    f->owner = layout_take(&c, f->size.owns, sizeof *f->owner);
    f->coded = layout_take(&c, f->size.sides + f->size.steps + 1, sizeof *f->coded);
    f->pair_owner = layout_take(&c, contrast_front_owners(f), sizeof *f->pair_owner);
    return c.used;
}

size_t contrast_front_bytes(const struct contrast_front_size *size)
{
    struct contrast_front f = {.size = *size};
    contrast_front_set_codes(&f);
    return contrast_front_lay_out(&f, NULL);
}

void contrast_front_init(struct contrast_front *f, const struct contrast_front_size *size,
                         void *block)
{
    *f = (struct contrast_front){.size = *size};
    contrast_front_set_codes(f);
    contrast_front_lay_out(f, block);
    f->own = f->cell + 1 + CONTRAST_FRONT_SINGLES;
    f->pair = f->own + f->size.owns;
}

/* Gives a crossed ladder its codes, if there are any. */
static void contrast_front_code(struct contrast_front *f, struct contrast_front_ladder *l)
{
    const uint32_t sides = 2 * l->crossed, steps = l->crossed + 2;
    if (f->size.sides - f->sides < sides || f->size.steps - f->steps < steps) return;
    l->side = f->sides + 1;
    l->step = f->size.sides + f->steps + 1;
    l->itself = l->step + l->crossed + 1;
    for (uint32_t i = 0; i < sides; i++)
        f->coded[l->side + i] = l->first;
    for (uint32_t i = 0; i < steps; i++)
        f->coded[l->step + i] = l->first;
    f->sides += sides;
    f->steps += steps;
}

void contrast_front_set_ladder(struct contrast_front *f, uint32_t first, uint32_t edges,
                               uint32_t crossed)
{
    struct contrast_front_ladder l = {.first = first, .edges = edges, .crossed = crossed};
    if (crossed) contrast_front_code(f, &l);
    for (uint32_t i = 0; i < 2 * edges; i++)
        f->ladder[first + i] = l;
}

void contrast_front_restart(struct contrast_front *f)
{
    memset(f->single, 0, CONTRAST_FRONT_SINGLES * sizeof *f->single);
    memset(f->cell, 0, contrast_front_cells(f, f->given) * sizeof *f->cell);
    memset(f->link, 0, f->size.members * sizeof *f->link);
    memset(f->bin, 0, f->size.owns * sizeof *f->bin);
    memset(f->owner, 0, f->size.owns * sizeof *f->owner);
    memset(f->pair_owner, 0, contrast_front_owners(f) * sizeof *f->pair_owner);
    f->given = f->size.sides + f->size.steps;
}
