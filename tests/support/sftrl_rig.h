/* sftrl_rig.h -- an SFTRL model with its memory, which learns examples by ids. */
#ifndef LEAT_TESTS_SUPPORT_SFTRL_RIG_H
#define LEAT_TESTS_SUPPORT_SFTRL_RIG_H

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/fm/sftrl.h"
#include "zeroed.h"

enum { RIG_ROW = 4096, RIG_FEATURES = 8192, RIG_TOUCHED = 8192 };

struct rig {
    struct sftrl m;
    struct feature_table t;
    void *block, *table_block, *scratch;
    double weight; /* of the next examples; 1 at first */
};

/* Makes a rig. first, features: room of the table at first, and at most. */
static inline struct rig *rig_new(struct sftrl_options opt, uint32_t first, uint32_t features)
{
    struct rig *g = calloc(1, sizeof *g);
    g->weight = 1;
    uint32_t stride = sftrl_stride(&opt), touched = features < RIG_TOUCHED ? features : RIG_TOUCHED;
    g->table_block = zeroed(feature_table_bytes(features, stride));
    g->block = zeroed(sftrl_block_bytes(&opt, features, touched));
    g->scratch = zeroed(sftrl_scratch_bytes(&opt, RIG_ROW));
    feature_table_init(&g->t, first, features, stride, g->table_block);
    sftrl_init(&g->m, &opt, features, touched, g->block, RIG_ROW, g->scratch);
    return g;
}

static inline void rig_free(struct rig *g)
{
    free(g->table_block);
    free(g->block);
    free(g->scratch);
    free(g);
}

static inline void rig_make_room(struct rig *g, uint32_t n)
{
    while (feature_table_free_slots(&g->t) < n)
        feature_table_grow(&g->t, 2 * g->t.capacity);
    assert(sftrl_free_slots(&g->m) >= n);
}

/* Returns the example in the model's form; feature and x have n + 1 places. */
static inline struct fm_example rig_example(struct rig *g, uint32_t n, const uint64_t *id,
                                            const double *value, double y, uint32_t *feature,
                                            double *x)
{
    uint32_t all = 0;
    rig_make_room(g, n + 1);
    if (g->m.opt.linear == SFTRL_INSIDE) {
        feature[all] = feature_table_enroll(&g->t, FM_ONE);
        x[all++] = 1;
    }
    for (uint32_t i = 0; i < n; i++, all++) {
        feature[all] = feature_table_enroll(&g->t, id[i]);
        x[all] = value[i];
    }
    all = fm_gather(&g->t, all, feature, x);
    return (struct fm_example){feature, x, all, fm_square(all, x), y, g->weight};
}

static inline double rig_learn(struct rig *g, uint32_t n, const uint64_t *id, const double *value,
                               double y)
{
    uint32_t feature[RIG_ROW];
    double x[RIG_ROW];
    struct fm_example e = rig_example(g, n, id, value, y, feature, x);
    return sftrl_learn(&g->m, &g->t, &e);
}

static inline double rig_predict(struct rig *g, uint32_t n, const uint64_t *id, const double *value)
{
    uint32_t feature[RIG_ROW];
    double x[RIG_ROW];
    struct fm_example e = rig_example(g, n, id, value, 0, feature, x);
    return sftrl_predict(&g->m, &g->t, &e);
}

#endif
