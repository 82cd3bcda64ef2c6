/* tracked.c -- stages of learners that keep weights only for tracked features; see tracked.h.
 *
 * In a snapshot the seed is a field because cells mean nothing under another one, and random
 * choices continue from it.
 */
#include "tracked.h"

#include <stdio.h>

const char *const tracked_keys[] = {"ratio", "product", NULL};
const char *const tracked_churns[] = {"all", "one", NULL};

/* ---- configuration ---- */

/* A model that is only shape and options. false: no shape fits the budget. */
static bool pattern_of(enum tracked_rule rule, const struct tracked_cfg *c,
                       const struct leat_schema *in, struct tracked *m)
{
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct tracked){.shape = {.slots = (uint32_t)c->features,
                                    .width = (uint32_t)c->width,
                                    .depth = (uint32_t)c->depth},
                          .opt = {.sgd = linear_options(l),
                                  .rule = rule,
                                  .counts = l->counts,
                                  .product = c->key,
                                  .churn_one = c->churn,
                                  .conservative = c->conservative}};
    m->shape.extra = tracked_extra(&m->opt);
    return tracked_shape_from_budget(slotted_budget(&c->base, in), rule, &m->shape);
}

/* Why the model's shape does not fit. */
static const char *misfit(const struct tracked_cfg *c, const struct leat_schema *in,
                          const struct tracked_shape *s, char text[256])
{
    char budget[96];
    unsigned long long cells = 4ull * s->width * s->depth;
    slotted_budget_text(&c->base, in, budget);
    if (cells)
        snprintf(text, 256,
                 "no feature fits in %s: one takes %u, and %u rows of %u cells take %llu", budget,
                 8 + 4 * s->extra, s->depth, s->width, cells);
    else
        snprintf(text, 256, "no feature fits in %s: one takes %u", budget, 8 + 4 * s->extra);
    return text;
}

int tracked_validate(enum tracked_rule rule, const void *cfg, struct leat_diag *d)
{
    const struct tracked_cfg *c = cfg;
    struct tracked m;
    char why[256];
    int status = linear_validate(&c->base.linear, d);
    if (c->width & (c->width - 1)) {
        d->error(d, "width", "%lld is not a power of two", (long long)c->width);
        return LEAT_EARG;
    }
    if (pattern_of(rule, c, NULL, &m)) return status;
    d->error(d, c->width ? "width" : "budget", "%s", misfit(c, NULL, &m.shape, why));
    return LEAT_EARG;
}

/* ---- the kernel ---- */

SLOTTED_CALLS(tracked, shape.slots, slots.n)

static uint32_t rank(const void *model, uint32_t k, uint32_t min_count, float *weight,
                     uint32_t *top)
{
    return tracked_top(model, k, min_count, weight, top);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    const struct tracked *m = model;
    ctx->host->metric(ctx, "tracked", (double)m->slots.n);
    ctx->host->metric(ctx, "replaced", (double)m->replaced);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct tracked, member)
static const struct state_field parameters[] = {
    {"rule", STATE_SAME, .at = AT(opt.rule)},
    {"features", STATE_SAME, .at = AT(shape.slots)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"key", STATE_SAME, .at = AT(opt.product), .choices = tracked_keys},
    {"churn", STATE_SAME, .at = AT(opt.churn_one), .choices = tracked_churns},
    {"conservative", STATE_SAME, .at = AT(opt.conservative), .choices = state_false_true},
    {"seed", STATE_SAME, .at = AT(opt.seed)},
};
#undef AT
#define AT(member) STATE_MEMBER(struct linear_state, parts.member)
static const struct state_field values[] = {
    {"replaced", STATE_VALUE, .at = AT(dropped)},
    {"priorities", STATE_LENT, .at = AT(priority), .count = {AT(n)}, .max = TRACKED_MAX_PRIORITY,
     .optional = true},
    {"frequencies", STATE_LENT, .at = AT(frequency), .count = {AT(n)}, .max = INT32_MAX,
     .optional = true},
    {"cells", STATE_LENT, .at = AT(counter), .count = {AT(cells)}, .max = INT32_MAX,
     .optional = true},
};
#undef AT

static const struct slotted_kind kind = {
    SLOTTED_KIND(tracked), SLOTTED_PARAMETERS(parameters),
    .values = values,      .n_values = sizeof values / sizeof *values,
    .rank = rank,          .sure = tracked_weigh,
    .report = report};

/* ---- plan and open ---- */

int tracked_plan(enum tracked_rule rule, const void *cfg, const struct leat_schema *in,
                 struct leat_plan *p)
{
    const struct tracked_cfg *c = cfg;
    struct tracked m;
    if (!pattern_of(rule, c, in, &m)) return LEAT_EARG;
    m.opt.max_row = linear_max_row(&c->base.linear, in);
    slotted_plan(&kind, &m, c, in, p);
    unsigned long long charged = tracked_charged_bytes(&m.shape);
    if (m.shape.width)
        snprintf(p->note, sizeof p->note, "%u features, sketch %u x %u, charged %llu bytes",
                 m.shape.slots, m.shape.depth, m.shape.width, charged);
    else
        snprintf(p->note, sizeof p->note, "%u features, charged %llu bytes", m.shape.slots,
                 charged);
    slotted_note_classes(c, in, p);
    return LEAT_OK;
}

int tracked_open(enum tracked_rule rule, struct leat_ctx *ctx, void *self)
{
    const struct tracked_cfg *c = ctx->cfg;
    struct tracked m;
    char why[256];
    if (!pattern_of(rule, c, ctx->in, &m))
        return ctx->host->fail(ctx, LEAT_EARG, "%s", misfit(c, ctx->in, &m.shape, why));
    m.opt.max_row = linear_max_row(&c->base.linear, ctx->in);
    m.opt.seed = ctx->host->seed(ctx);
    return slotted_open(ctx, self, &kind, &m);
}
