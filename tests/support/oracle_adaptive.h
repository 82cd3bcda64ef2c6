/* oracle_adaptive.h -- the three steps of adaptive.h, written plainly and slowly, in full
 * precision.
 *
 * It uses linear searches only; cells and members are separate arrays. It shares with
 * plugins/kernels/linear/adaptive the hash (id_slots_mix, whose bits it takes as adaptive.h says),
 * clock and steps (sgd_adaptive.h, which has its own tests). Float operations are in the order of
 * the entries, so results must be equal to the bit. It decides a point that adaptive.h leaves open:
 * a member leaves before the feature that takes its slot halves its cell, even if both have the
 * same cell. An owned cell is free before that. */
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
    uint32_t owner; /* tag; 0 if it is free, or cells are shared */
};

struct oracle_adaptive {
    uint32_t active, cells;
    bool owned;
    uint64_t seed;
    struct sgd sgd;
    uint32_t n; /* members */
    struct oracle_adaptive_member *member;
    struct oracle_adaptive_cell *cell; /* the last one has zeros */
    uint32_t evictions, coarse;        /* coarse: evictions to or from a column of large numbers */
    /* held: weights limited by their scale; lessened: weights reduced at large values */
    uint32_t held, lessened;
    uint32_t taken, defended; /* contests for owned cells: won, and lost by the challenger */
};

void oracle_adaptive_init(struct oracle_adaptive *o, const struct adaptive *twin);
void oracle_adaptive_fini(struct oracle_adaptive *o);
/* Returns the margin. */
double oracle_adaptive_learn(struct oracle_adaptive *o, const struct linear_row *row);
/* Returns the cell of a folded id; *sign is 1 or -1. */
uint32_t oracle_adaptive_cell(uint64_t seed, uint32_t cells, uint32_t id, float *sign);

#endif
