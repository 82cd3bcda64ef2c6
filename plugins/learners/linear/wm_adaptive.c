/* wm_adaptive.c -- learn.wm and learn.hash with adaptive rates; see wm_adaptive.h. */
#include "wm_adaptive.h"

#include <stdio.h>

#include "adaptive.h"

const char *const wm_recoveries[] = {"median", "mean", NULL};
const char *const wm_shown[] = {"tracked", "estimate", NULL};

static bool fit(uint64_t bytes, void *pattern)
{
    struct wm_adaptive *m = pattern;
    return wm_adaptive_shape_for(bytes, &m->opt, &m->shape);
}

bool wm_adaptive_pattern(const struct slotted_cfg *c, const struct leat_schema *in,
                         struct wm_adaptive_shape shape, bool mean, bool estimates,
                         struct wm_adaptive *m)
{
    const struct linear_cfg *l = &c->linear;
    *m = (struct wm_adaptive){.shape = shape,
                              .opt = {.sgd = linear_options(l),
                                      .precision = (enum adaptive_precision)l->precision,
                                      .counts = l->counts,
                                      .mean = mean,
                                      .estimates = estimates,
                                      .max_row = in ? linear_max_row(l, in) : 0}};
    return slotted_shape(&wm_adaptive_kind, c, in, fit, m);
}

/* ---- the kernel ---- */

static struct slotted_facts wm_adaptive_facts(const void *model)
{
    const struct wm_adaptive *m = model;
    struct wm_adaptive_options bare = m->opt;
    bare.max_row = 0;
    size_t block = wm_adaptive_block_bytes(&m->shape, &bare);
    return (struct slotted_facts){.sgd = &m->sgd,
                                  .slots = m->shape.active,
                                  .used = m->set.n,
                                  .width = m->shape.width,
                                  .depth = m->shape.depth,
                                  .max_row = m->opt.max_row,
                                  .counts = m->opt.counts,
                                  .count = m->count,
                                  .charged = wm_adaptive_charged_bytes(&m->shape, &m->opt),
                                  .block = block,
                                  .scratch = wm_adaptive_block_bytes(&m->shape, &m->opt) - block};
}

SLOTTED_CALLS(wm_adaptive)
SLOTTED_FORGETS(wm_adaptive)

static void misfit(const void *pattern, const char *budget, char text[256])
{
    const struct wm_adaptive *m = pattern;
    const struct wm_adaptive_shape *s = &m->shape;
    uint64_t cells = (uint64_t)s->width * s->depth;
    if (cells > WM_ADAPTIVE_MAX_CELLS)
        snprintf(text, 256, "%u rows of %u cells are more than %u cells", s->depth, s->width,
                 WM_ADAPTIVE_MAX_CELLS);
    else if (!cells)
        snprintf(text, 256, "no row of %s fits with %u features in %s",
                 s->width ? "that width" : "cells", s->active, budget);
    else
        snprintf(text, 256, "%u features and %u rows of %u cells take %llu bytes, more than %s",
                 s->active, s->depth, s->width,
                 (unsigned long long)wm_adaptive_charged_bytes(s, &m->opt), budget);
}

static void report(struct leat_ctx *ctx, const void *model)
{
    ctx->host->metric(ctx, "active", (double)((const struct wm_adaptive *)model)->set.n);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct wm_adaptive, member)
static const struct state_field parameters[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    {"precision", STATE_SAME, .at = AT(opt.precision), .choices = adaptive_precisions},
    {"seed", STATE_SAME, .at = AT(opt.seed)}, /* cells mean nothing under another one */
    {"recovery", STATE_SAME, .at = AT(opt.mean), .choices = wm_recoveries},
    {"shown", STATE_SAME, .at = AT(opt.estimates), .choices = wm_shown},
};
#undef AT

const struct slotted_kind wm_adaptive_kind = {SLOTTED_KIND(wm_adaptive),
                                              .forget = wm_adaptive_forgets, .note_before = "",
                                              .note_after = " features by name"};
