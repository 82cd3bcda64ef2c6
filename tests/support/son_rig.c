/* son_rig.c -- implementation of son_rig.h. */
#include "son_rig.h"
#include "zeroed.h"

#include <stdlib.h>
#include <string.h>

static struct rfd_son_options sketch(const struct son_rig *g, const struct son_options *opt,
                                     uint32_t m, uint32_t buffer, uint32_t warm)
{
    return (struct rfd_son_options){.son = *opt,
                                    .m = m,
                                    .buffer = g->kind == NAIVE_ROOT ? 1 : buffer,
                                    .warm = g->kind == NAIVE_ROOT ? 0 : warm,
                                    .root = g->kind == NAIVE_ROOT,
                                    .rate = 1,
                                    .robust = g->kind != NAIVE_FD,
                                    .floor = g->kind == NAIVE_PAPER ? 0 : RFD_SON_FLOOR,
                                    .eta = g->kind == NAIVE_PAPER,
                                    .shrink_first = g->kind == NAIVE_PAPER,
                                    .diagonal = g->kind == NAIVE_SCALED};
}

void son_rig_open(struct son_rig *g, enum naive_kind kind, const struct son_options *opt,
                  uint32_t m, uint32_t buffer, uint32_t warm, uint32_t features)
{
    memset(g, 0, sizeof *g);
    g->kind = kind;
    const struct rfd_son_options sketched = sketch(g, opt, m, buffer, warm);
    const struct column_son_options column = {*opt, m, 1};
    const struct adagrad adagrad = {*opt, 1};
    const struct {
        const struct son_kernel *kernel;
        const void *opt;
    } of[] = {
        [NAIVE_ADAGRAD] = {&adagrad_kernel, &adagrad}, [NAIVE_FULL] = {&full_on_kernel, opt},
        [NAIVE_FD] = {&rfd_son_kernel, &sketched},     [NAIVE_RFD] = {&rfd_son_kernel, &sketched},
        [NAIVE_SCALED] = {&rfd_son_kernel, &sketched}, [NAIVE_PAPER] = {&rfd_son_kernel, &sketched},
        [NAIVE_ROOT] = {&s_adagrad_kernel, &sketched}, [NAIVE_RP] = {&rp_son_kernel, &column},
        [NAIVE_OJA] = {&oja_son_kernel, &column}};
    const struct son_kernel *k = g->kernel = of[kind].kernel;
    if (k->bytes) g->block = zeroed(k->bytes(of[kind].opt, features, RIG_TOUCHED));
    k->init(&g->adagrad, of[kind].opt, features, RIG_TOUCHED, g->block);
    uint32_t stride = SON_MARK + k->stride(of[kind].opt);
    g->table_block = zeroed(feature_table_bytes(features, stride));
    feature_table_init(&g->table, features, features, stride, g->table_block);
}

void son_rig_close(struct son_rig *g)
{
    free(g->table_block);
    free(g->block);
}

struct son_features son_rig_features(const struct son_rig *g)
{
    return (struct son_features){g->table.row, g->table.stride, g->table.n};
}

enum son_result son_rig_learn(struct son_rig *g, uint32_t n, const uint64_t *id, const double *x,
                              double y, double weight, double *z)
{
    struct son_row r = {.feature = g->feature, .x = g->x, .y = y, .weight = weight};
    for (uint32_t i = 0; i < n; i++) {
        uint32_t feature = feature_table_enroll(&g->table, id[i]);
        struct son_features f = son_rig_features(g);
        son_row_add(&r, &f, feature, x[i]);
    }
    son_row_finish(&r);
    struct son_features f = son_rig_features(g);
    return g->kernel->learn(&g->adagrad, &f, &r, z);
}

double son_rig_weight(const struct son_rig *g, uint64_t id)
{
    struct son_features f = son_rig_features(g);
    uint32_t feature = feature_table_find(&g->table, id);
    if (feature == FEATURE_TABLE_NONE) return 0;
    return g->kernel->weight ? g->kernel->weight(&g->adagrad, &f, feature)
                             : *son_feature(&f, feature);
}
