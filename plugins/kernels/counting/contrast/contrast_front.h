/* contrast_front.h -- cells in front of a model that count features and their pairs without a hash.
 *
 * Nothing but the counts and the signature of a member depends on its later occurrences until the
 * model looks at its key. So these occurrences may first be added up elsewhere:
 *
 *   cell       count 0 | count 1 | taken | signature               16 + 15 + 1 + 32 bits
 *   single     id | code of a feature; its cell has the same place     codes are 1, 2, ...
 *   pair       a cell for each two codes: a triangle               at b (b - 1) / 2 + a, a < b
 *   own        cells that the caller gives to features             for those that are known before
 *   link       the cell of each member, or its two codes; 0: none
 *   ladder     own cells of the sides of ascending edges          2 k: below edge k; 2 k + 1: above
 *   bin        a cell for each step of a ladder                    step j: above j edges
 *
 * The pair of two features thus has a cell that is found without a hash. A place of a single
 * belongs to the first feature that comes to it, and a pair cell to the pair of its two codes. A
 * cell is taken if its feature is a member of the model:
 *
 *   if a cell is taken: count += 1, signature += that of the record
 *   otherwise: contrast_add(); the cell is taken if the feature is a member then
 *
 * A feature without a code has code 0. Its pairs have no cells.
 *
 * A record is at one step of a ladder, which has one side of each edge. If all of these sides are
 * members, the bin of the step may be taken as well. It then counts for all of them.
 *
 * The sides of crossed edges have pairs, too. They have the first codes, and the steps between
 * crossed edges the next ones. The cell of a step and another code stands for the pairs of all
 * sides at this step. It may be taken if all of these pairs are members. Two steps stand for the
 * pairs of their sides. A ladder has one more code, for itself: with a step it stands for the
 * ranges of numbers that hold this step, above one edge and below a higher one.
 *
 *   codes      sides | steps and ladders | features
 *
 * The model adds the counts of a cell to the members (contrast_settle()) before it computes a key,
 * and frees the cell when a member leaves. contrast_flush() adds all of them, and must come before
 * anything reads the model. A model with a front then has the same bytes as one without.
 *
 * Example. Features 7 and 9 and their pair come in three records of kind 1. In the first record
 * they become members, and take the cells of code 1, of code 2, and the first one of the triangle.
 * Their members then have the counts { 0, 1 }, and their cells { 0, 0 }. After two more records
 * the cells have { 0, 2 }. After a flush the members have { 0, 3 }.
 *
 * Not for models that fade or have amounts.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_FRONT_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTRAST_FRONT_SINGLES 8192u /* places of features alone; a power of two */
#define CONTRAST_FRONT_CODES   2047u /* most codes: 16 MB of pairs, if all of them come */
#define CONTRAST_FRONT_PROBES  2u    /* places where a feature may be */
#define CONTRAST_FRONT_TAKEN   (UINT64_C(1) << 31)
#define CONTRAST_FRONT_PAIR    (UINT32_C(1) << 31) /* in a link: two codes of 11 bits */

struct contrast_front_single {
    uint64_t id; /* 0: the place is free */
    uint32_t code;
};

/* A ladder: its first own cell, and the number of its edges. Some of these may be crossed. The
 * codes are those of the first side, of the first step, and of the ladder; 0: it has none. */
struct contrast_front_ladder {
    uint32_t first, edges;
    uint32_t crossed, side, step, itself;
};

/* Numbers that determine the size of a front. */
struct contrast_front_size {
    uint32_t members; /* of the model */
    uint32_t owns;    /* number of cells that the caller gives */
    uint32_t sides;   /* number of sides of crossed edges */
    uint32_t steps;   /* number of steps between these, and of their ladders */
};

struct contrast_front {
    struct contrast_front_size size;      /* sides and steps: 0 if there are too many for codes */
    uint32_t codes, given;                /* number of codes: all, and given so far */
    uint32_t sides, steps;                /* of these, given to ladders */
    struct contrast_front_single *single; /* [CONTRAST_FRONT_SINGLES] */
    uint64_t *cell;       /* one that nobody takes; then those of singles, own, and of pairs */
    uint64_t *own, *pair; /* where these begin */
    uint32_t *link;       /* [members]: index of a cell, or CONTRAST_FRONT_PAIR and two codes */
    struct contrast_front_ladder *ladder; /* [owns], of the own cell */
    uint64_t *bin;        /* [owns]: those of a ladder begin at its first own cell */
    uint32_t *owner;      /* [owns]: 1 + slot of the member; 0: it is not taken */
    uint32_t *coded;      /* [sides + steps + 1]: first own cell of the ladder with the code */
    uint32_t *pair_owner; /* [sides + 1][codes + 1]: of a side and a larger code */
};

/* Bytes of the block of a front. */
size_t contrast_front_bytes(const struct contrast_front_size *size);
/* Makes an empty front for a new model. block: zeroed bytes, aligned to 64. */
void contrast_front_init(struct contrast_front *f, const struct contrast_front_size *size,
                         void *block);
/* Makes own cells a ladder. The sides of its crossed edges, and the steps between them, get codes
 * if the size has them. */
void contrast_front_set_ladder(struct contrast_front *f, uint32_t first, uint32_t edges,
                               uint32_t crossed);
/* Frees all cells and the codes of features. Their counts are lost. */
void contrast_front_restart(struct contrast_front *f);

/* Returns the place of a feature alone, or a free one. Returns NULL if others have taken the places
 * where it may be. */
static inline struct contrast_front_single *contrast_front_single(const struct contrast_front *f,
                                                                  uint64_t id)
{
    uint32_t at = (uint32_t)(id ^ id >> 32) * UINT32_C(0x9e3779b1) >> 19;
    for (uint32_t i = 0; i < CONTRAST_FRONT_PROBES; i++, at++) {
        struct contrast_front_single *s = &f->single[at % CONTRAST_FRONT_SINGLES];
        if (s->id == id || !s->id) return id ? s : NULL;
    }
    return NULL;
}

/* Returns the cell of a feature alone, which is nobody's if the place is not the feature's own. */
static inline uint64_t *contrast_front_cell(const struct contrast_front *f,
                                            const struct contrast_front_single *s, uint64_t id)
{
    return s && s->id == id ? &f->cell[1 + (s - f->single)] : f->cell;
}

/* Gives a member a free place, and a code if one is left. */
static inline void contrast_front_own(struct contrast_front *f, struct contrast_front_single *s,
                                      uint64_t id)
{
    if (s->id) return;
    s->id = id;
    if (f->given < f->codes) s->code = ++f->given;
}

/* Returns the row of a code: the cells of its pairs with smaller codes, after one of nobody. */
static inline uint64_t *contrast_front_row(const struct contrast_front *f, uint32_t code)
{
    return f->pair + code * (code - 1) / 2;
}

/* Returns the cell of the pair of two codes with their rows. If the codes are equal, or one is 0,
 * no pair takes it. */
static inline uint64_t *contrast_front_pair(uint32_t a, uint64_t *row_a, uint32_t b,
                                            uint64_t *row_b)
{
    return b < a ? row_a + b : row_b + a;
}

/* Returns the same cell. */
static inline uint64_t *contrast_front_spot(const struct contrast_front *f, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return contrast_front_row(f, high) + low;
}

/* Returns the code of a ladder's side of a crossed edge at a step between these. */
static inline uint32_t contrast_front_side(const struct contrast_front_ladder *l, uint32_t edge,
                                           uint32_t step)
{
    return l->side ? l->side + 2 * edge + (edge < step) : 0;
}

/* Step by which the current record changes cells. */
struct contrast_front_one {
    uint64_t one, most; /* one occurrence and the signature; the largest count */
};

/* Counts a feature of the current record in its cell. Returns false if the cell is not taken or its
 * count is at its end: then the caller calls contrast_add() and contrast_take(). */
static inline bool contrast_front_add(uint64_t *cell, struct contrast_front_one o)
{
    uint64_t was = *cell;
    if (!(was & CONTRAST_FRONT_TAKEN) || (was & o.most) == o.most) return false;
    *cell = was + o.one;
    return true;
}

#endif
