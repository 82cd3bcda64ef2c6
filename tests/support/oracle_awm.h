/* oracle_awm.h -- Algorithm 2 of the AWM-Sketch paper, written plainly and slowly.
 *
 * It uses linear searches for members, the minimum, and the next candidate. With
 * plugins/kernels/linear/awm/awm.c it shares only the hash functions (awm_cell) and the functions
 * of loss.h. Ties are as in awm.h, and float operations in the order of the entries, so results
 * must be equal to the bit. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_AWM_H
#define LEAT_TESTS_SUPPORT_ORACLE_AWM_H

#include "kernels/linear/awm/awm.h"
#include "oracle_sgd.h"

enum { ORACLE_MAX_ROW = 64 };

struct oracle_awm {
    const struct awm *twin; /* source of hash functions, shape and options */
    struct oracle_sgd sgd;
    uint32_t n;             /* members */
    uint32_t *id;           /* active */
    float *w, *accumulator; /* active */
    float *l1_seen;         /* active: penalty applied to w so far */
    double l1_applied;
    uint32_t *count; /* active x 2 */
    float *cell;     /* depth x width */
    uint32_t evictions;
};

void oracle_awm_init(struct oracle_awm *o, const struct awm *twin);
void oracle_awm_fini(struct oracle_awm *o);
double oracle_awm_learn(struct oracle_awm *o, const struct linear_row *row);

#endif
