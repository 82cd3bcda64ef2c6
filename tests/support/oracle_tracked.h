/* oracle_tracked.h -- learners of tracked features, written plainly and slowly by definition.
 *
 * It uses linear searches and sorting. It shares only the random draws, the cells of the Count-Min
 * sketch and the slope of the loss with plugins/kernels/linear/tracked/tracked.c. Ties are as in
 * the kernels, and float operations in the order of the entries, so results must be equal to the
 * bit. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_TRACKED_H
#define LEAT_TESTS_SUPPORT_ORACLE_TRACKED_H

#include "kernels/linear/tracked/tracked.h"
#include "oracle_sgd.h"

enum { ORACLE_TRACKED_ROW = 64 };

struct oracle_slot {
    uint32_t id, frequency, count[2];
    float w, accumulator;
    float l1_seen; /* penalty applied to w so far */
    double e;      /* SAMPLED: a factor of the key, rounded like the kernel's */
};

struct oracle_tracked {
    const struct tracked *twin; /* source of draws, cells, shape and options */
    struct oracle_sgd sgd;
    uint64_t replaced;
    uint32_t n;
    struct oracle_slot *slot;
    uint32_t *cell;
};

void oracle_tracked_init(struct oracle_tracked *o, const struct tracked *twin);
void oracle_tracked_fini(struct oracle_tracked *o);
double oracle_tracked_learn(struct oracle_tracked *o, const struct linear_row *row);

#endif
