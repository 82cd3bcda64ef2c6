/* awm.c -- learn.awm: the Active-Set Weight-Median Sketch as a stage.
 *
 * The algorithm is in plugins/kernels/linear/awm/awm.c; what all stages with slots do is in
 * slotted.c. The slots are those of the active set.
 */
#include <stdio.h>

#include "adaptive.h"
#include "kernels/linear/awm/awm.h"
#include "learners/linear/docs.h"
#include "slotted.h"

struct cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
};

static const struct leat_param awm_params[] = {
    SLOTTED_PARAMS(64),
    ADAPTIVE_PARAMS,
    LEAT_PARAM(
        struct cfg, active, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .max = AWM_MAX_ACTIVE,
        .unit = "features",
        .doc =
            "number of features kept exactly and by name; 0: what the sketch leaves of the budget"),
    LEAT_PARAM(
        struct cfg, width, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0", .max = AWM_MAX_CELLS,
        .unit = "cells",
        .doc =
            "cells in a row of the sketch; 0: half the budget. With shared rates a power of two"),
    LEAT_PARAM(struct cfg, depth, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1", .min = 0,
               .max = AWM_MAX_DEPTH, .unit = "rows", .doc = "rows of the sketch; 0 and 1: one"),
};

/* A model that is only shape and options. false: no shape fits the budget. */
static const struct slotted_kind kind;

static bool fit(uint64_t bytes, void *pattern)
{
    struct awm *m = pattern;
    return awm_shape_for(bytes, &m->opt, &m->shape);
}

static bool pattern_of(const struct cfg *c, const struct leat_schema *in, struct awm *m)
{
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct awm){.shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
                      .opt = {.sgd = linear_options(l),
                              .counts = l->counts,
                              .max_row = in ? linear_max_row(l, in) : 0}};
    return slotted_shape(&kind, &c->base, in, fit, m);
}

/* ---- the kernel ---- */

SLOTTED_FACTS(awm, shape.active, index.n)
SLOTTED_CALLS(awm)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    const struct awm_shape *s = &((const struct awm *)pattern)->shape;
    snprintf(text, 256, "no feature fits with %u rows of %u cells in %s", s->depth, s->width,
             budget);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct awm *)model)->index.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct awm, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
};
#undef AT

static const struct slotted_kind kind = {SLOTTED_KIND(awm), .note_before = "active ",
                                         .note_after = ""};

/* ---- the stage ---- */

static bool adaptive_awm(const struct cfg *c, const struct leat_schema *in, struct adaptive *m)
{
    return adaptive_pattern(&c->base, in, c->active ? (uint32_t)c->active : ADAPTIVE_CHOOSE,
                            c->width ? (uint32_t)c->width : ADAPTIVE_CHOOSE, m);
}

/* What the shape is due to. */
static const char *guilty(const struct cfg *c)
{
    return c->width ? "width" : c->depth > 1 ? "depth" : c->active ? "active" : "budget";
}

static int validate_adaptive(const struct cfg *c, struct leat_diag *d)
{
    struct adaptive m;
    int status = linear_validate(&c->base.linear, d);
    if (c->depth > 1) {
        d->error(d, "depth",
                 "a sketch of %lld rows needs rates = \"shared\": set that, or leave depth out",
                 (long long)c->depth);
        return LEAT_EARG;
    }
    if (adaptive_awm(c, NULL, &m)) {
        int fits = slotted_check_charge(&adaptive_kind, &m, &c->base, "active", c->active, d);
        return status == LEAT_OK ? fits : status;
    }
    return slotted_refuse_shape(&adaptive_kind, &m, &c->base, guilty(c), d);
}

static int awm_validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    struct awm m;
    if (adaptive_is_meant(&c->base)) return validate_adaptive(c, d);
    int status = linear_validate(&c->base.linear, d);
    if (slotted_check_width(c->width, d) != LEAT_OK) return LEAT_EARG;
    if (pattern_of(c, NULL, &m)) {
        int fits = slotted_check_charge(&kind, &m, &c->base, "active", c->active, d);
        return status == LEAT_OK ? fits : status;
    }
    return slotted_refuse_shape(&kind, &m, &c->base, guilty(c), d);
}

static int awm_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                    struct leat_plan *p)
{
    const struct cfg *c = cfg;
    struct awm m;
    struct adaptive a;
    if (adaptive_is_meant(&c->base))
        return slotted_plan(&adaptive_kind, &a, adaptive_awm(c, in, &a), cfg, in, p);
    return slotted_plan(&kind, &m, pattern_of(c, in, &m), cfg, in, p);
}

static int open_adaptive(struct leat_ctx *ctx, void *self)
{
    struct adaptive m;
    bool fits = adaptive_awm(ctx->cfg, ctx->in, &m);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &adaptive_kind, &m, fits);
}

static int awm_open(struct leat_ctx *ctx, void *self)
{
    const struct cfg *c = ctx->cfg;
    struct awm m;
    if (adaptive_is_meant(&c->base)) return open_adaptive(ctx, self);
    bool fits = pattern_of(ctx->cfg, ctx->in, &m);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &kind, &m, fits);
}

static const struct leat_figure awm_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_awm = {
    SLOTTED_STAGE(awm, struct cfg),
    .summary = "linear classifier in a few kilobytes whose heaviest features are known by name",
    .example = "leat.learn.awm { budget = \"32KB\", lambda = 1e-6 }",
};
