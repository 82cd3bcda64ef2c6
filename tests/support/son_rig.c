/* son_rig.c -- see son_rig.h. */
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
    uint32_t stride = SON_MARK;
    memset(g, 0, sizeof *g);
    g->kind = kind;
    struct rfd_son_options o = sketch(g, opt, m, buffer, warm);
    switch (kind) {
    case NAIVE_ADAGRAD:
        g->adagrad = (struct adagrad){*opt, 1};
        stride += ADAGRAD_STRIDE;
        break;
    case NAIVE_FULL:
        full_on_init(&g->full, opt, features, g->block = zeroed(full_on_bytes(features)));
        stride += FULL_ON_STRIDE;
        break;
    case NAIVE_RP:
        rp_son_init(&g->rp, opt, m, 1, g->block = zeroed(rp_son_bytes(m)));
        stride += son_column_stride(m);
        break;
    case NAIVE_OJA:
        oja_son_init(&g->oja, opt, m, g->block = zeroed(oja_son_bytes(m)));
        stride += son_column_stride(m);
        break;
    default:
        rfd_son_init(&g->rfd, &o, features, RIG_TOUCHED,
                     g->block = zeroed(rfd_son_bytes(&o, features, RIG_TOUCHED)));
        stride += rfd_son_stride(&o);
    }
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
    switch (g->kind) {
    case NAIVE_ADAGRAD:
        return adagrad_learn(&g->adagrad, &f, &r, z);
    case NAIVE_FULL:
        return full_on_learn(&g->full, &f, &r, z);
    case NAIVE_RP:
        return rp_son_learn(&g->rp, &f, &r, z);
    case NAIVE_OJA:
        return oja_son_learn(&g->oja, &f, &r, z);
    case NAIVE_ROOT:
        return s_adagrad_learn(&g->rfd, &f, &r, z);
    default:
        return rfd_son_learn(&g->rfd, &f, &r, z);
    }
}

double son_rig_weight(const struct son_rig *g, uint64_t id)
{
    struct son_features f = son_rig_features(g);
    uint32_t feature = feature_table_find(&g->table, id);
    if (feature == FEATURE_TABLE_NONE) return 0;
    switch (g->kind) {
    case NAIVE_ADAGRAD:
    case NAIVE_FULL:
        return son_column_weight(&f, feature, 0, NULL);
    case NAIVE_RP:
        return rp_son_weight(&g->rp, &f, feature);
    case NAIVE_OJA:
        return oja_son_weight(&g->oja, &f, feature);
    default:
        return rfd_son_weight(&g->rfd, &f, feature);
    }
}
