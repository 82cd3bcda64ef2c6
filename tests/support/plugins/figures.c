/* figures.c -- sink.figures: reports figures of both kinds, and wrong ones by parameter. */
#include <leat/plugin.h>

struct cfg {
    int32_t undeclared, falls;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, undeclared, LEAT_BOOL, .def = "false", .doc = "a name of no figure"),
    LEAT_PARAM(struct cfg, falls, LEAT_BOOL, .def = "false", .doc = "a counter that falls"),
};

static const struct leat_figure figures[] = {
    {"seen", "records", "records that have come", LEAT_COUNTER},
    {"batch", "records", "those of the last batch", LEAT_GAUGE},
    {"share", "ratio", "of the last batch in all", LEAT_GAUGE},
    {"held_bytes", "bytes", "never given", LEAT_GAUGE},
    {"level", "1", "a plain number", LEAT_GAUGE},
};

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    double *seen = self;
    *seen += b->n_sel;
    ctx->host->metric(ctx, "seen", cfg->falls ? -*seen : *seen);
    ctx->host->metric(ctx, "batch", b->n_sel);
    ctx->host->metric(ctx, "share", *seen > 0 ? b->n_sel / *seen : (double)NAN);
    ctx->host->metric(ctx, "level", 3);
    if (cfg->undeclared) ctx->host->metric(ctx, "sene", *seen);
    return LEAT_OK;
}

static const struct leat_stage stage = {
    .name = "sink.figures",
    .summary = "gives figures",
    .doc = "For tests.",
    .example = "leat.sink.figures {}",
    .kind = LEAT_SINK,
    LEAT_PARAMS(params, struct cfg),
    LEAT_FIGURES(figures),
    .instance_size = sizeof(double),
    .process = process,
};

LEAT_PLUGIN("figures", "1.0", "Apache-2.0", "a fixture of the tests", &stage);
