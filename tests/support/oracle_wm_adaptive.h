/* oracle_wm_adaptive.h -- the three steps of wm_adaptive.h, written plainly and slowly, in full
 * precision.
 *
 * It uses linear searches and full sorts. A cell and its accumulator are one struct; members'
 * weights are next to their ids. It shares with plugins/kernels/linear/wm_adaptive the hash
 * functions (count_sketch.h), clock and steps (sgd_adaptive.h), which have their own tests. Float
 * operations are in the order of the entries and rows, so results must be equal to the bit. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_WM_ADAPTIVE_H
#define LEAT_TESTS_SUPPORT_ORACLE_WM_ADAPTIVE_H

#include "kernels/linear/wm_adaptive/wm_adaptive.h"

struct oracle_wm_adaptive_member {
    uint32_t id;
    float w;
    uint32_t count[2];
};

struct oracle_wm_adaptive_cell {
    float w, a;
};

struct oracle_wm_adaptive {
    const struct wm_adaptive *twin; /* source of hash functions, shape and options */
    struct sgd sgd;
    uint32_t n; /* members */
    struct oracle_wm_adaptive_member *member;
    struct oracle_wm_adaptive_cell *cell; /* depth x width */
    /* held: weights limited by their scale; lessened: weights reduced at large values */
    uint32_t replaced, held, lessened;
};

void oracle_wm_adaptive_init(struct oracle_wm_adaptive *o, const struct wm_adaptive *twin);
void oracle_wm_adaptive_fini(struct oracle_wm_adaptive *o);
/* Returns the margin. */
double oracle_wm_adaptive_learn(struct oracle_wm_adaptive *o, const struct linear_row *row);
/* Returns the estimate of a feature's weight from its cells, without scale and bias. */
float oracle_wm_adaptive_estimate(const struct oracle_wm_adaptive *o, uint64_t id);

#endif
