/* dense.h -- what the learners share that keep a number for every pair of features: triangles,
 * their pairs, their state.
 *
 * A stage's instance begins with struct dense, which begins with struct factored; its configuration
 * with struct factored_cfg. A model has one or two triangles (kernels/fm/triangle.h) for all
 * features that there may be, of which only what is filled is touched.
 */
#ifndef LEAT_LEARNERS_FM_DENSE_H
#define LEAT_LEARNERS_FM_DENSE_H

#include "factored.h"
#include "kernels/fm/triangle.h"

enum { DENSE_MAX_PARTS = 2 };

/* clang-format off */
#define DENSE_PARAMS                                                                               \
    {.name = "max_features", .type = LEAT_INT, .def = "4096", .min = 2, .max = 65536,              \
     .offset = offsetof(struct factored_cfg, growing.max_features), .unit = "features",            \
     .doc = GROWING_DOC "; memory is 4 max_features^2 bytes a matrix"},                            \
    FACTORED_OTHER_PARAMS, GROWING_OTHER_PARAMS(offsetof(struct factored_cfg, growing)),           \
    FACTORED_TOP_PARAM
/* clang-format on */

struct dense {
    struct factored common;
    double *part[DENSE_MAX_PARTS]; /* triangles */
    uint32_t n_parts;
};

/* Members of a struct factored_method, with the tables of its parameters and fields. */
#define DENSE_MEMBERS(PARAMS, FIELDS)                                                              \
    .stride = dense_stride, .one = dense_one, .block = block, .params = {STATE_TABLE(PARAMS)},     \
    .fields = {STATE_TABLE(FIELDS)}, .write = dense_write, .read = dense_read,                     \
    .no_merge = "matrices of all pairs are not merged: learn.sftrl is, within its error bounds"
uint32_t dense_stride(const void *cfg);
bool dense_one(const void *cfg);

/* vectors: of doubles, one a feature. */
uint64_t dense_bytes(uint32_t features, uint32_t n_parts, uint32_t vectors);
int dense_open(struct leat_ctx *ctx, struct dense *d, uint32_t n_parts);
void dense_close(struct leat_ctx *ctx, void *self);
void dense_report(struct leat_ctx *ctx, const struct dense *d);

/* ---- answers: of scale times a triangle ---- */

double dense_weight(const struct dense *d, const double *triangle, uint32_t feature);
void dense_pairs(const struct dense *d, const double *triangle, double scale, struct pairs *out);

/* ---- state ---- */

/* The triangles; `self` is prepared. */
int dense_write(const void *self, struct leat_writer *w);
int dense_read(struct leat_ctx *ctx, void *self, struct leat_reader *r);

#endif
