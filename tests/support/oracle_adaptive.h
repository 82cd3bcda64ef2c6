/* oracle_adaptive.h -- the three steps of adaptive.h, as plain and slow as they read, in full
 * precision.
 *
 * Linear searches for everything; cells and members in arrays of their own. Shared with
 * plugins/kernels/linear/adaptive are the hash (id_slots_mix, whose bits are taken here as
 * adaptive.h says), clock and steps (sgd_adaptive.h, with tests of their own); float
 * operations are in the order of the entries, so results must be equal to the bit. Where adaptive.h
 * leaves it open: a member that leaves does so before the feature that takes its slot halves its
 * cell, even where both have the same cell; an owned cell is free before that.
 */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_ADAPTIVE_H
#define LEAT_TESTS_SUPPORT_ORACLE_ADAPTIVE_H

#include "kernels/linear/adaptive/adaptive.h"

struct oracle_adaptive_member {
    uint32_t id;
    float w, a;
    uint32_t count[2];
};

struct oracle_adaptive_cell {
    float w, a;
    uint32_t owner; /* tag; 0: it is free, or cells are shared */
};

struct oracle_adaptive {
    uint32_t active, cells;
    bool owned;
    uint64_t seed;
    struct sgd sgd;
    uint32_t n; /* members */
    struct oracle_adaptive_member *member;
    struct oracle_adaptive_cell *cell; /* and one of zeros, after the last */
    uint32_t evictions, coarse;        /* coarse: those to or of a column of large numbers */
    uint32_t held, lessened;           /* weights, by their scale and at large values        */
    uint32_t taken, defended; /* owned cells that had an owner, when others asked for them  */
};

void oracle_adaptive_init(struct oracle_adaptive *o, const struct adaptive *twin);
void oracle_adaptive_fini(struct oracle_adaptive *o);
/* Returns the margin. */
double oracle_adaptive_learn(struct oracle_adaptive *o, const struct linear_row *row);
/* The cell of a folded id; *sign is 1 or -1. */
uint32_t oracle_adaptive_cell(uint64_t seed, uint32_t cells, uint32_t id, float *sign);

#endif
