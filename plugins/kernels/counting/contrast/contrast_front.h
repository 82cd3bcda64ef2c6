/* contrast_front.h -- counts features in cells in front of a model, which need no look-up.
 *
 * As long as a model has free slots, every feature is a member, and nothing but sums depends on
 * the order of its occurrences. So occurrences may first be added up elsewhere:
 *
 *   cell       id | count[2] | signature                          16 bytes, one line of the cache
 *   single     table of cells by id, for features alone; each cell has a code: 1, 2, ...
 *   pair       a cell for each two codes: a triangle               at b (b - 1) / 2 + a, a < b
 *
 * The pair of two features thus has a cell that is found without a hash. A cell belongs to the
 * first feature that comes to it, and counts only this feature, which it knows by its id. All
 * others go to the model at once:
 *
 *   if the cell has the id: count += 1, signature ^= that of the record
 *   otherwise: contrast_add(); a free cell takes the id
 *
 * A feature without a code has code 0, and its pairs have cells that others take as well.
 *
 * contrast_front_flush() adds all cells to their members, and must come before anything reads the
 * model. A model with a front then has the same bytes as one without.
 *
 * Example. Features 7 and 9 and their pair 50 come in three records of kind 1. In the first record
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

#define CONTRAST_FRONT_SINGLES 4096u /* cells of features alone; a power of two */
#define CONTRAST_FRONT_CODES   1023u /* most codes: 8 MB of pairs, if all of them come */
#define CONTRAST_FRONT_PROBES  2u    /* places where the cell of a feature may be */
#define CONTRAST_FRONT_RECORDS (UINT32_C(1) << 30) /* most records between two flushes */

struct contrast_front_cell {
    uint32_t id; /* folded; 0: the cell is free */
    uint32_t count[2], signature;
};

struct contrast_front {
    bool on;
    uint32_t codes, given;              /* number of codes: all, and given to features */
    uint32_t records;                   /* since the last flush */
    struct contrast_front_cell *single; /* [CONTRAST_FRONT_SINGLES] */
    uint16_t *code;                     /* [CONTRAST_FRONT_SINGLES] */
    struct contrast_front_cell *pair;   /* [codes (codes + 1) / 2 + 1] */
};

/* Bytes of the block for a model of this shape. */
size_t contrast_front_bytes(const struct contrast_shape *shape);
/* Makes an empty front for a new model. It is off if the model fades or has amounts. block: zeroed
 * bytes, aligned to 64. */
void contrast_front_init(struct contrast_front *f, const struct contrast *m, void *block);
/* Begins a record of at most n features, before contrast_front_add(). Returns false if the front is
 * off, or has just ended, because the model may become full: then call contrast_add(). */
bool contrast_front_begin(struct contrast_front *f, const struct contrast *m, uint32_t n);
/* Adds all cells to their members. */
void contrast_front_flush(struct contrast_front *f, const struct contrast *m);
/* Flushes, and frees the cells for another model, which has the options of m. */
void contrast_front_restart(struct contrast_front *f, const struct contrast *m);

/* Returns the number of the cell of a feature alone, or of a free one; CONTRAST_NONE if others have
 * taken the places where it may be. */
static inline uint32_t contrast_front_single(const struct contrast_front *f, uint32_t id)
{
    uint32_t at = id * UINT32_C(0x9e3779b1) >> 20;
    for (uint32_t i = 0; i < CONTRAST_FRONT_PROBES; i++, at++) {
        uint32_t cell = at % CONTRAST_FRONT_SINGLES;
        if (f->single[cell].id == id || !f->single[cell].id) return cell;
    }
    return CONTRAST_NONE;
}

/* Returns the cell of the pair of two codes. */
static inline struct contrast_front_cell *contrast_front_pair(const struct contrast_front *f,
                                                              uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return &f->pair[high * (high - 1) / 2 + low];
}

/* Counts a feature of the current record in its cell. Returns true; false if the cell is not its
 * own: then the caller calls contrast_add() and contrast_front_take(). */
static inline bool contrast_front_add(struct contrast_front_cell *cell, const struct contrast *m,
                                      uint32_t id, int kind)
{
    if (cell->id != id || !id) return false;
    cell->count[kind]++;
    cell->signature ^= (uint32_t)m->signature;
    return true;
}

/* Gives a feature, which the caller counts in the model, a cell if it is free. */
static inline void contrast_front_take(struct contrast_front_cell *cell, uint32_t id)
{
    if (!cell->id) cell->id = id;
}
/* Returns the code of the feature that has a cell of `single`; 0 if none is left. */
static inline uint16_t contrast_front_code(struct contrast_front *f, uint32_t cell)
{
    if (!f->code[cell] && f->given < f->codes) f->code[cell] = (uint16_t)++f->given;
    return f->code[cell];
}

#endif
