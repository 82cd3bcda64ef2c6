/* contrast_front.c -- implementation of contrast_front.h. */
#include "contrast_front.h"

#include <math.h>
#include <string.h>

#include "kernels/base/layout.h"

/* Returns the number of codes: the triangle has a few times as many cells as there are members. */
static uint32_t contrast_front_codes(uint32_t members)
{
    double codes = ceil(sqrt(16.0 * members));
    return codes < CONTRAST_FRONT_CODES ? (uint32_t)codes : CONTRAST_FRONT_CODES;
}

/* Returns the number of cells for this many codes. */
static size_t contrast_front_cells(const struct contrast_front *f, uint32_t codes)
{
    return 2 + CONTRAST_FRONT_SINGLES + f->owns + (size_t)codes * (codes + 1) / 2;
}

static size_t contrast_front_lay_out(struct contrast_front *f, void *block)
{
    struct layout c = {block, 0};
    f->single = layout_take(&c, CONTRAST_FRONT_SINGLES, sizeof *f->single);
    f->cell = layout_take(&c, contrast_front_cells(f, f->codes), sizeof *f->cell);
    f->link = layout_take(&c, f->members, sizeof *f->link);
    f->ladder = layout_take(&c, f->owns, sizeof *f->ladder);
    f->bin = layout_take(&c, f->owns, sizeof *f->bin);
    f->owner = layout_take(&c, f->owns, sizeof *f->owner);
    return c.used;
}

size_t contrast_front_bytes(uint32_t members, uint32_t owns)
{
    struct contrast_front f = {
        .members = members, .owns = owns, .codes = contrast_front_codes(members)};
    return contrast_front_lay_out(&f, NULL);
}

void contrast_front_init(struct contrast_front *f, uint32_t members, uint32_t owns, void *block)
{
    *f = (struct contrast_front){
        .members = members, .owns = owns, .codes = contrast_front_codes(members)};
    contrast_front_lay_out(f, block);
    f->own = f->cell + 1 + CONTRAST_FRONT_SINGLES;
    f->pair = f->own + owns;
}

void contrast_front_restart(struct contrast_front *f)
{
    memset(f->single, 0, CONTRAST_FRONT_SINGLES * sizeof *f->single);
    memset(f->cell, 0, contrast_front_cells(f, f->given) * sizeof *f->cell);
    memset(f->link, 0, f->members * sizeof *f->link);
    memset(f->bin, 0, f->owns * sizeof *f->bin);
    memset(f->owner, 0, f->owns * sizeof *f->owner);
    f->given = 0;
}
