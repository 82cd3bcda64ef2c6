/* contrast_front.h -- counts features and their pairs in cells in front of a model.
 *
 * As long as a model has free slots, every feature is a member, and nothing but sums depends on
 * the order of its occurrences. So occurrences may first be added up elsewhere:
 *
 *   single     id | count[2] | signature | code                    24 bytes; codes are 1, 2, ...
 *   part       feature_id_part() of the feature of each code
 *   pair       count 0 | count 1 | taken | signature               16 + 15 + 1 + 32 bits
 *              for each two codes: a triangle                      at b (b - 1) / 2 + a, a < b
 *
 * The pair of two features thus has a cell that is found without a hash. A single cell belongs to
 * the first feature that comes to it, and a pair cell to the pair of its two codes:
 *
 *   if a cell is the feature's own: count += 1, signature ^= that of the record
 *   otherwise: contrast_add(); a free cell is taken
 *
 * A feature without a code has code 0. Its pairs have no cells.
 *
 * contrast_front_flush() adds all cells to their members, and must come before anything reads the
 * model. A model with a front then has the same bytes as one without.
 *
 * Example. Features 7 and 9 and their pair come in three records of kind 1. In the first record
 * they become members, and take the cells of code 1, of code 2, and the first one of the triangle.
 * Their members then have the counts { 0, 1 }, and their cells { 0, 0 }. After two more records
 * the cells have { 0, 2 }. After a flush the members have { 0, 3 }.
 *
 * Not for models that fade or have amounts. The front ends before a model is full.
 */
#ifndef LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_FRONT_H
#define LEAT_KERNELS_COUNTING_CONTRAST_CONTRAST_FRONT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "contrast.h"
#include "kernels/base/feature_id.h"

#define CONTRAST_FRONT_SINGLES 4096u /* cells of features alone; a power of two */
#define CONTRAST_FRONT_CODES   2047u /* most codes: 16 MB of pairs, if all of them come */
#define CONTRAST_FRONT_PROBES  2u    /* places where the cell of a feature may be */
#define CONTRAST_FRONT_RECORDS (UINT32_C(1) << 30) /* most records between two flushes */
#define CONTRAST_FRONT_TAKEN   (UINT64_C(1) << 31)

struct contrast_front_cell {
    uint64_t id; /* 0: the cell is free */
    uint32_t count[2], signature;
    uint32_t code; /* 0: none */
};

struct contrast_front {
    bool on;
    uint32_t codes, given;              /* number of codes: all, and given to features */
    uint32_t records;                   /* since the last flush */
    struct contrast_front_cell *single; /* [CONTRAST_FRONT_SINGLES] */
    uint64_t *part;                     /* [codes + 1] */
    uint64_t *pair;                     /* [codes (codes + 1) / 2 + 1] */
};

/* Bytes of the block for a model of this shape. */
size_t contrast_front_bytes(const struct contrast_shape *shape);
/* Makes an empty front for a new model. It is off if the model fades or has amounts. block: zeroed
 * bytes, aligned to 64. */
void contrast_front_init(struct contrast_front *f, const struct contrast *m, void *block);
/* Begins a record of at most n features, pairs included. Returns false if the front is
 * off, or has just ended, because the model may become full: then call contrast_add(). */
bool contrast_front_begin(struct contrast_front *f, const struct contrast *m, uint64_t n);
/* Adds all cells to their members. */
void contrast_front_flush(struct contrast_front *f, const struct contrast *m);
/* Flushes, and frees the cells for another model, which has the options of m. */
void contrast_front_restart(struct contrast_front *f, const struct contrast *m);

/* Adds the cell of two codes to its member. The cell is empty then. */
void contrast_front_flush_pair(struct contrast_front *f, const struct contrast *m, uint32_t a,
                               uint32_t b);

/* Returns the cell of a feature alone, or a free one; NULL if others have taken the places where it
 * may be. */
static inline struct contrast_front_cell *contrast_front_single(const struct contrast_front *f,
                                                                uint64_t id)
{
    uint32_t at = (uint32_t)(id ^ id >> 32) * UINT32_C(0x9e3779b1) >> 20;
    for (uint32_t i = 0; i < CONTRAST_FRONT_PROBES; i++, at++) {
        struct contrast_front_cell *cell = &f->single[at % CONTRAST_FRONT_SINGLES];
        if (cell->id == id || !cell->id) return id ? cell : NULL;
    }
    return NULL;
}

/* Counts a feature of the current record in its cell. Returns true; false if the cell is not its
 * own: then the caller calls contrast_add() and contrast_front_take(). */
static inline bool contrast_front_add(struct contrast_front_cell *cell, const struct contrast *m,
                                      uint64_t id, int kind)
{
    if (cell->id != id) return false;
    cell->count[kind]++;
    cell->signature ^= (uint32_t)m->signature;
    return true;
}

/* Gives a feature, which the caller counts in the model, a free cell, and a code if one is left. */
static inline void contrast_front_take(struct contrast_front *f, struct contrast_front_cell *cell,
                                       uint64_t id)
{
    cell->id = id;
    if (f->given == f->codes) return;
    cell->code = ++f->given;
    f->part[cell->code] = feature_id_part(id);
}

/* Returns the cell of the pair of two codes. If they are equal, or one is 0, no pair takes it. */
static inline uint64_t *contrast_front_pair(const struct contrast_front *f, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return &f->pair[high * (high - 1) / 2 + low];
}

/* Step by which the current record changes cells of pairs. */
struct contrast_front_one {
    uint64_t one, most; /* one occurrence; the largest count */
    uint64_t signature;
};

static inline struct contrast_front_one contrast_front_one(const struct contrast *m, int kind)
{
    return (struct contrast_front_one){.one = kind ? 0x10000 : 1,
                                       .most = kind ? 0x7fff0000 : 0xffff,
                                       .signature = m->signature << 32};
}

/* Counts a pair of the current record in its cell. Returns false if the cell is not taken or its
 * count is at its end: then the caller calls contrast_add() and contrast_front_take_pair(). */
static inline bool contrast_front_add_pair(uint64_t *cell, struct contrast_front_one o)
{
    uint64_t was = *cell;
    if (!(was & CONTRAST_FRONT_TAKEN) || (was & o.most) == o.most) return false;
    *cell = (was + o.one) ^ o.signature;
    return true;
}

/* Gives a pair, which the caller counts in the model, its cell. Empties the cell if it has it. */
static inline void contrast_front_take_pair(struct contrast_front *f, const struct contrast *m,
                                            uint32_t a, uint32_t b)
{
    uint64_t *cell = contrast_front_pair(f, a, b);
    if (!a || !b || a == b) return;
    if (*cell & CONTRAST_FRONT_TAKEN)
        contrast_front_flush_pair(f, m, a, b);
    else
        *cell = CONTRAST_FRONT_TAKEN;
}

#endif
