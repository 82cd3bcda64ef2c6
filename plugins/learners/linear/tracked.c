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

static bool fit(uint64_t bytes, void *pattern)
{
    struct tracked *m = pattern;
    return tracked_shape_from_budget(bytes, m->opt.rule, &m->shape);
}

bool tracked_pattern(enum tracked_rule rule, const void *cfg, const struct leat_schema *in,
                     struct tracked *m)
{
    const struct tracked_cfg *c = cfg;
    const struct linear_cfg *l = &c->base.linear;
    *m = (struct tracked){.shape = {.slots = (uint32_t)c->features,
                                    .width = (uint32_t)c->width,
                                    .depth = (uint32_t)c->depth},
                          .opt = {.sgd = linear_options(l),
                                  .rule = rule,
                                  .counts = l->counts,
                                  .product = c->key,
                                  .churn_one = c->churn,
                                  .conservative = c->conservative,
                                  .max_row = in ? linear_max_row(l, in) : 0}};
    m->shape.extra = tracked_extra(&m->opt);
    return slotted_shape(&tracked_kind, &c->base, in, fit, m);
}

/* ---- the kernel ---- */

SLOTTED_FACTS(tracked, shape.slots, slots.n)
SLOTTED_CALLS(tracked)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    const struct tracked_shape *s = &((const struct tracked *)pattern)->shape;
    unsigned long long cells = 4ull * s->width * s->depth;
    if (cells)
        snprintf(text, 256,
                 "no feature fits in %s: one takes %u, and %u rows of %u cells take %llu", budget,
                 8 + 4 * s->extra, s->depth, s->width, cells);
    else
        snprintf(text, 256, "no feature fits in %s: one takes %u", budget, 8 + 4 * s->extra);
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

const struct slotted_kind tracked_kind = {SLOTTED_KIND(tracked), .note_before = "",
                                          .note_after = " features", .values = values,
                                          .n_values = sizeof values / sizeof *values};

int tracked_validate_as(enum tracked_rule rule, const void *cfg, struct leat_diag *d)
{
    const struct tracked_cfg *c = cfg;
    struct tracked m;
    int status = linear_validate(&c->base.linear, d);
    if (slotted_check_width(c->width, d) != LEAT_OK) return LEAT_EARG;
    if (tracked_pattern(rule, c, NULL, &m)) {
        int fits = slotted_check_charge(&tracked_kind, &m, &c->base, "features", m.shape.slots, d);
        return status == LEAT_OK ? fits : status;
    }
    const char *param = c->width ? "width" : c->features ? "features" : "budget";
    return slotted_refuse_shape(&tracked_kind, &m, &c->base, param, d);
}
