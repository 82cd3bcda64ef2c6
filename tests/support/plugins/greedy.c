/* greedy.c -- keep.greedy: a transform that takes memory, and passes records on.
 *
 * It plans `planned` bytes. It takes `takes` in open, filled with `fills`, and `more` with its
 * first batch. It frees nothing. With `fails` its open fails once it has the memory. */
#include <string.h>

#include <leat/plugin.h>

struct cfg {
    int64_t planned, takes, more;
    int32_t fails, fills;
};

struct greedy {
    char *memory;
    int32_t asked, reserved;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, planned, LEAT_SIZE, .def = "0"),
    LEAT_PARAM(struct cfg, takes, LEAT_SIZE, .def = "0"),
    LEAT_PARAM(struct cfg, more, LEAT_SIZE, .def = "0"),
    LEAT_PARAM(struct cfg, fails, LEAT_BOOL, .def = "false"),
    LEAT_PARAM(struct cfg, fills, LEAT_BOOL, .def = "false"),
};

static int plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                struct leat_plan *p)
{
    (void)in, (void)out;
    p->state_bytes = (uint64_t)((const struct cfg *)cfg)->planned;
    return LEAT_OK;
}

static int open_greedy(struct leat_ctx *ctx, void *self)
{
    const struct cfg *cfg = ctx->cfg;
    struct greedy *g = self;
    g->memory = ctx->host->alloc(ctx, (size_t)cfg->takes);
    if (g->memory && cfg->fills) memset(g->memory, 1, (size_t)cfg->takes);
    ctx->host->free(ctx, ctx->host->alloc(ctx, 1));
    ctx->host->alloc(ctx, 1);
    return cfg->fails ? ctx->host->fail(ctx, LEAT_EIO, "it shall not be opened") : LEAT_OK;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    struct greedy *g = self;
    (void)b;
    if (!g->asked++ && cfg->more) ctx->host->alloc(ctx, (size_t)cfg->more);
    return LEAT_OK;
}

static const struct leat_stage greedy = {
    .name = "keep.greedy",
    .summary = "takes memory",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_PARALLEL,
    LEAT_FLOW(LEAT_HAS_RECORDS, 0),
    LEAT_PARAMS(params, struct cfg),
    LEAT_INSTANCE(struct greedy, open_greedy, NULL),
    .plan = plan,
    .process = process,
};

LEAT_PLUGIN("greedy", "1.0", "Apache-2.0", "a fixture of the tests", &greedy);
