/* awm.c -- stage learn.awm: the Active-Set Weight-Median Sketch.
 *
 * The algorithm is in plugins/kernels/linear/awm; with adaptive rates, in
 * plugins/kernels/linear/adaptive. slotted.c has the code for stages with slots. Here a slot is a
 * place in the active set. */
#include <stdio.h>

#include "adaptive.h"
#include "kernels/linear/adaptive/adaptive.h"
#include "kernels/linear/awm/awm.h"
#include "learners/linear/docs.h"
#include "slotted.h"

struct awm_cfg {
    struct slotted_cfg base;
    int64_t active, width, depth;
};

static const struct leat_param awm_params[] = {
    SLOTTED_PARAMS(64),
    ADAPTIVE_PARAMS,
    LEAT_PARAM(struct awm_cfg, active, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
               .max = LINEAR_MAX_ACTIVE, .unit = "features",
               .doc = "number of features kept exactly and by name; 0: as many as fit in the rest "
                      "of the budget"),
    LEAT_PARAM(
        struct awm_cfg, width, LEAT_INT, .flags = LEAT_ADVANCED, .def = "0",
        .max = LINEAR_MAX_CELLS, .unit = "cells",
        .doc =
            "cells in a row of the sketch; 0: half the budget. With shared rates a power of two"),
    LEAT_PARAM(struct awm_cfg, depth, LEAT_INT, .flags = LEAT_ADVANCED, .def = "1", .min = 0,
               .max = AWM_MAX_DEPTH, .unit = "rows", .doc = "rows of the sketch; 0 and 1: one"),
};

static void awm_misfit(const struct linear_shape *s, const struct linear_options *opt,
                       const char *budget, char text[256])
{
    snprintf(text, 256, "no feature fits with %u rows of %u cells in %s", s->depth, s->width,
             budget);
}

#define AT(member) STATE_MEMBER(struct store, member)
static const struct state_field awm_fields[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* the seed determines the cells of each feature */
};
#undef AT

static const struct slotted_kind awm_kind = {
    .kernel = &awm_kernel,
    .note_before = "active ",
    .note_after = "",
    .misfit = awm_misfit,
    .report = slotted_report_active,
    .parameters = {STATE_TABLE(awm_fields)},
};

/* ---- the stage ---- */

static struct slotted_ask awm_ask(const void *cfg, const struct leat_schema *in)
{
    const struct awm_cfg *c = cfg;
    struct slotted_ask ask = {
        .kind = &awm_kind,
        .shape = {(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0},
        .opt = slotted_options(&c->base, in),
        .param = c->width       ? "width"
                 : c->depth > 1 ? "depth"
                 : c->active    ? "active"
                                : "budget",
        .slots_param = "active"};
    if (!adaptive_is_meant(&c->base)) return ask;
    ask.kind = &adaptive_kind;
    ask.shape = (struct linear_shape){.active = c->active ? (uint32_t)c->active : ADAPTIVE_CHOOSE,
                                      .width = c->width ? (uint32_t)c->width : ADAPTIVE_CHOOSE};
    return ask;
}

static int awm_check(const void *cfg, struct leat_diag *d)
{
    const struct awm_cfg *c = cfg;
    if (!adaptive_is_meant(&c->base)) return slotted_check_width(c->width, d);
    if (c->depth <= 1) return LEAT_OK;
    d->error(d, "depth",
             "a sketch of %lld rows needs rates = \"shared\": set that, or leave depth out",
             (long long)c->depth);
    return LEAT_EARG;
}

static const struct slotted_learner awm_learner = {.ask = awm_ask, .validate = awm_check};

static int awm_validate(const void *cfg, struct leat_diag *d)
{
    return slotted_validate(&awm_learner, cfg, d);
}

static int awm_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                    struct leat_plan *p)
{
    return slotted_plan(&awm_learner, cfg, in, p);
}

static int awm_open(struct leat_ctx *ctx, void *self)
{
    return slotted_open(ctx, self, &awm_learner);
}

static const struct leat_figure awm_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_awm = {
    .name = "learn.awm",
    .summary = "linear classifier in a few kilobytes whose heaviest features are known by name",
    .doc = awm_doc,
    .example = "leat.learn.awm { budget = \"32KB\", lambda = 1e-6 }",
    SLOTTED_STAGE,
    LEAT_PARAMS(awm_params, struct awm_cfg),
    LEAT_FIGURES(awm_figures),
    .validate = awm_validate,
    .plan = awm_plan,
    .open = awm_open,
};
