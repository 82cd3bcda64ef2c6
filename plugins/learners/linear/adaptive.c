/* adaptive.c -- what learners with adaptive rates share; see adaptive.h. */
#include "adaptive.h"

#include <stdio.h>

const char *const adaptive_precisions[] = {"compact", "full", NULL};

static bool fit(uint64_t bytes, void *pattern)
{
    struct adaptive *m = pattern;
    return adaptive_shape_for(bytes, &m->opt, &m->shape);
}

bool adaptive_pattern(const struct slotted_cfg *c, const struct leat_schema *in, uint32_t active,
                      uint32_t cells, struct adaptive *m)
{
    const struct linear_cfg *l = &c->linear;
    *m = (struct adaptive){.shape = {active, cells},
                           .opt = {.sgd = linear_options(l),
                                   .precision = (enum adaptive_precision)l->precision,
                                   .counts = l->counts,
                                   .max_row = in ? linear_max_row(l, in) : 0}};
    return slotted_shape(&adaptive_kind, c, in, fit, m); /* both kinds have the same facts */
}

/* ---- the kernel ---- */

static struct slotted_facts adaptive_facts(const void *model)
{
    const struct adaptive *m = model;
    struct adaptive_options bare = m->opt;
    bare.max_row = 0;
    size_t block = adaptive_block_bytes(&m->shape, &bare);
    return (struct slotted_facts){.sgd = &m->sgd,
                                  .slots = m->shape.active,
                                  .used = m->index.n,
                                  .width = m->shape.cells,
                                  .depth = 1,
                                  .max_row = m->opt.max_row,
                                  .counts = m->opt.counts,
                                  .count = m->count,
                                  .charged = adaptive_charged_bytes(&m->shape, &m->opt),
                                  .block = block,
                                  .scratch = adaptive_block_bytes(&m->shape, &m->opt) - block};
}

SLOTTED_CALLS(adaptive)
SLOTTED_FORGETS(adaptive)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    const struct adaptive *m = pattern;
    uint32_t member = adaptive_member_bytes(&m->opt);
    uint64_t cells = (uint64_t)m->shape.cells * adaptive_cell_bytes(&m->opt, m->shape.owned);
    if (cells)
        snprintf(text, 256, "no feature fits in %s: one takes %u, and %u cells take %llu", budget,
                 member, m->shape.cells, (unsigned long long)cells);
    else
        snprintf(text, 256, "no feature fits in %s: one takes %u", budget, member);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct adaptive *)model)->index.n);
}

static void report_tracked(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "tracked", (double)((const struct adaptive *)model)->index.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct adaptive, member)
#define SHARED_PARAMETERS                                                                          \
    {"precision", STATE_SAME, .at = AT(opt.precision), .choices = adaptive_precisions},            \
    {                                                                                              \
        "seed", STATE_SAME, .at = AT(opt.seed)                                                     \
    } /* cells mean nothing under another one */
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.cells)},
    SHARED_PARAMETERS,
};
static const struct state_field features[] = {
    {"features", STATE_SAME, .at = AT(shape.active)},
    SHARED_PARAMETERS,
};
#undef AT

const struct slotted_kind adaptive_kind = {SLOTTED_KIND(adaptive), .forget = adaptive_forgets,
                                           .note_before = "active ", .note_after = ""};

const struct slotted_kind adaptive_truncation_kind = {
    .model_bytes = sizeof(struct adaptive),
    .note_before = "",
    .note_after = " features",
    .misfit = misfit,
    .report = report_tracked,
    .forget = adaptive_forgets,
    .parameters = features,
    .n_parameters = sizeof features / sizeof *features,
    SLOTTED_KERNEL(adaptive),
};
