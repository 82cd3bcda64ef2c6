/* mission.c -- learn.mission: gradient steps in a Count-Sketch of which the heaviest
 * features predict, as a stage.
 *
 * The algorithm is in plugins/kernels/linear/mission/mission.c; what all stages with slots do is in
 * slotted.c. The slots are those of the top.
 */
#include <stdio.h>

#include "learners/linear/docs.h"
#include "mission.h"

static const struct leat_param mission_params[] = {MISSION_PARAMS};

/* ---- shapes ---- */

struct mission_shape mission_shape_given(const struct mission_cfg *c)
{
    return (struct mission_shape){(uint32_t)c->active, (uint32_t)c->width, (uint32_t)c->depth, 0};
}

void mission_misfit(const struct mission_shape *s, const char *budget, char text[256])
{
    uint64_t cells = (uint64_t)s->width * s->depth;
    if (cells > MISSION_MAX_CELLS)
        snprintf(text, 256, "%u rows of %u cells are more than %u cells", s->depth, s->width,
                 MISSION_MAX_CELLS);
    else if (!cells)
        snprintf(text, 256, "no row of cells fits with %u features in %s", s->active, budget);
    else
        snprintf(text, 256, "%u features and %u rows of %u cells take %llu bytes, more than %s",
                 s->active, s->depth, s->width, (unsigned long long)mission_charged_bytes(s),
                 budget);
}

int mission_refuse_shape(const struct slotted_kind *kind, const void *pattern,
                         const struct mission_cfg *c, struct leat_diag *d)
{
    const char *param = c->width ? "width" : c->depth ? "depth" : c->active ? "active" : "budget";
    return slotted_refuse_shape(kind, pattern, &c->base, param, d);
}

static const struct slotted_kind mission_kind;

static bool fit(uint64_t bytes, void *pattern)
{
    return mission_shape_from_budget(bytes, &((struct mission *)pattern)->shape);
}

/* A model that is only shape and options. false: no shape fits the budget. */
static bool mission_pattern(int which, const void *cfg, const struct leat_schema *in,
                            struct mission *m)
{
    const struct mission_cfg *c = cfg;
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct mission){.shape = mission_shape_given(c),
                          .opt = {.sgd = linear_options(l),
                                  .counts = l->counts,
                                  .max_row = in ? linear_max_row(l, in) : 0}};
    m->shape.extra = mission_extra(&m->opt);
    return slotted_shape(&mission_kind, &c->base, in, fit, m);
}

/* ---- the kernel ---- */

SLOTTED_FACTS(mission, shape.active, set.n)
SLOTTED_CALLS(mission)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    mission_misfit(&((const struct mission *)pattern)->shape, budget, text);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct mission *)model)->set.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct mission, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
};
#undef AT

static const struct slotted_kind mission_kind = {SLOTTED_KIND(mission), .note_before = "",
                                                 .note_after = " features that predict"};

/* ---- the stage ---- */

static int mission_validate_as(int which, const void *cfg, struct leat_diag *d)
{
    const struct mission_cfg *c = cfg;
    struct mission m;
    int status = linear_validate(&c->base.linear, d);
    if (mission_pattern(which, c, NULL, &m)) return status;
    return mission_refuse_shape(&mission_kind, &m, c, d);
}

SLOTTED_ONE_OF(mission, mission, 0)

static const struct leat_figure mission_figures[] = {
    SLOTTED_FIGURES,
    FIGURE_ACTIVE,
};

const struct leat_stage learn_mission = {
    SLOTTED_STAGE(mission, struct mission_cfg),
    .summary = "linear classifier of the k heaviest features, its steps in a Count-Sketch",
    .example =
        "leat.learn.mission { budget = \"8KB\", lambda = 0, eta0 = 0.5, schedule = \"constant\" }",
};
