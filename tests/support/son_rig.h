/* son_rig.h -- any member of the online Newton family with its memory, for tests of kernels. */
#ifndef LEAT_TESTS_SUPPORT_SON_RIG_H
#define LEAT_TESTS_SUPPORT_SON_RIG_H

#include "kernels/son/adagrad.h"
#include "kernels/base/feature_table.h"
#include "kernels/son/full_on.h"
#include "kernels/son/column_son.h"
#include "kernels/son/rfd_son.h"
#include "oracle_son.h"

enum { RIG_ENTRIES = 64, RIG_TOUCHED = 4096 };

struct son_rig {
    enum naive_kind kind;
    const struct son_kernel *kernel;
    struct feature_table table;
    union {
        struct adagrad adagrad;
        struct full_on full;
        struct rfd_son rfd;
        struct column_son column;
    };
    void *table_block, *block;
    uint32_t feature[RIG_ENTRIES];
    double x[RIG_ENTRIES];
};

/* features: a power of two. */
void son_rig_open(struct son_rig *g, enum naive_kind kind, const struct son_options *opt,
                  uint32_t m, uint32_t buffer, uint32_t warm, uint32_t features);
void son_rig_close(struct son_rig *g);
/* Predicts, then learns, like the stages. */
struct son_features son_rig_features(const struct son_rig *g);
enum son_result son_rig_learn(struct son_rig *g, uint32_t n, const uint64_t *id, const double *x,
                              double y, double weight, double *z);
/* Returns w_j of a feature; 0 if it was never seen. */
double son_rig_weight(const struct son_rig *g, uint64_t id);

#endif
