/* adaptive.c -- implementation of adaptive.h: kernels with adaptive rates, and their states. */
#include "adaptive.h"

#include <stdio.h>

#include "kernels/linear/adaptive/adaptive.h"
#include "kernels/linear/wm_adaptive/wm_adaptive.h"

const char *const adaptive_precisions[] = {"compact", "full", NULL};
const char *const wm_recoveries[] = {"median", "mean", NULL};
const char *const wm_shown[] = {"tracked", "estimate", NULL};

static void adaptive_misfit(const struct linear_shape *s, const struct linear_options *opt,
                            const char *budget, char text[256])
{
    uint32_t slot = adaptive_kernel.slot_bytes(opt);
    uint64_t cells = linear_cells(s) * adaptive_kernel.cell_bytes(opt, s);
    if (cells)
        snprintf(text, 256,
                 "no feature fits in %s: one feature takes %u bytes, and %u cells take %llu",
                 budget, slot, s->width, (unsigned long long)cells);
    else
        snprintf(text, 256, "no feature fits in %s: one feature takes %u bytes", budget, slot);
}

static void adaptive_report_tracked(struct leat_ctx *ctx, const struct store *s)
{
    ctx->host->metric(ctx, "tracked", (double)s->set.n);
}

static void wm_adaptive_misfit(const struct linear_shape *s, const struct linear_options *opt,
                               const char *budget, char text[256])
{
    slotted_misfit_rows(&wm_adaptive_kernel, s, opt, budget, text);
}

/* ---- state ---- */

#define AT(member) STATE_MEMBER(struct store, member)
#define PRECISION                                                                                  \
    {                                                                                              \
        "precision", STATE_SAME, .at = AT(opt.precision), .choices = adaptive_precisions           \
    }
#define SEED                                                                                       \
    {                                                                                              \
        "seed", STATE_SAME, .at = AT(opt.seed)                                                     \
    } /* the seed determines the cells of each feature */
static const struct state_field adaptive_fields[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    PRECISION,
    SEED,
};
static const struct state_field truncation_fields[] = {
    {"features", STATE_SAME, .at = AT(shape.active)},
    PRECISION,
    SEED,
};
static const struct state_field wm_adaptive_fields[] = {
    {"active", STATE_SAME, .at = AT(shape.active)},
    {"width", STATE_SAME, .at = AT(shape.width)},
    {"depth", STATE_SAME, .at = AT(shape.depth)},
    PRECISION,
    SEED,
    {"recovery", STATE_SAME, .at = AT(opt.mean), .choices = wm_recoveries},
    {"shown", STATE_SAME, .at = AT(opt.estimates), .choices = wm_shown},
};
#undef AT

const struct slotted_kind adaptive_kind = {
    .kernel = &adaptive_kernel,
    .note_before = "active ",
    .note_after = "",
    .misfit = adaptive_misfit,
    .report = slotted_report_active,
    .parameters = {STATE_TABLE(adaptive_fields)},
};

const struct slotted_kind adaptive_truncation_kind = {
    .kernel = &adaptive_kernel,
    .note_before = "",
    .note_after = " features",
    .misfit = adaptive_misfit,
    .report = adaptive_report_tracked,
    .parameters = {STATE_TABLE(truncation_fields)},
};

const struct slotted_kind wm_adaptive_kind = {
    .kernel = &wm_adaptive_kernel,
    .note_before = "",
    .note_after = " features by name",
    .misfit = wm_adaptive_misfit,
    .report = slotted_report_active,
    .parameters = {STATE_TABLE(wm_adaptive_fields)},
};
