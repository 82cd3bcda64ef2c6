/* oracle_wm.h -- Algorithm 1 of the WM-Sketch paper, written plainly and slowly.
 *
 * It uses linear searches and full sorts. It shares only the hash functions (wm_cell) and the slope
 * of the loss with plugins/kernels/linear/wm/wm.c. Ties are as in wm.h, and float operations in the
 * order of the entries and rows, so results must be equal to the bit. */
#ifndef LEAT_TESTS_SUPPORT_ORACLE_WM_H
#define LEAT_TESTS_SUPPORT_ORACLE_WM_H

#include "kernels/linear/wm/wm.h"
#include "oracle_sgd.h"

enum { ORACLE_WM_MAX_ROW = 1000 };

struct oracle_wm {
    const struct wm *twin; /* source of hash functions, shape and options */
    struct oracle_sgd sgd;
    uint32_t n;      /* members */
    uint32_t *id;    /* active */
    float *w;        /* active */
    uint32_t *count; /* active x 2 */
    float *cell;     /* depth x width */
    double l1_applied;
    uint32_t replaced;
};

/* Returns the index of a feature's cell in row j of a model, and its sign. */
size_t oracle_wm_cell(const struct wm *m, uint32_t j, uint64_t id, float *sign);
void oracle_wm_init(struct oracle_wm *o, const struct wm *twin);
void oracle_wm_fini(struct oracle_wm *o);
double oracle_wm_learn(struct oracle_wm *o, const struct linear_row *row);
/* Returns the stored estimate of a feature. */
float oracle_wm_estimate(const struct oracle_wm *o, uint64_t id);

#endif
