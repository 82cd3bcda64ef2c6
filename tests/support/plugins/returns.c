/* returns.c -- source.returns: a stage one of whose calls returns what it shall. */
#include <stdio.h>
#include <string.h>

#include <leat/plugin.h>

struct cfg {
    const char *call;
    int64_t value;
};
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, call, LEAT_STRING, .flags = LEAT_REQUIRED, .doc = "which call"),
    LEAT_PARAM(struct cfg, value, LEAT_INT, .flags = LEAT_REQUIRED, .max = 100, .doc = "what"),
};

static int answer(const struct leat_ctx *ctx, const char *call, int otherwise)
{
    const struct cfg *c = ctx->cfg;
    return strcmp(c->call, call) ? otherwise : (int)c->value;
}

static int open_it(struct leat_ctx *ctx, void *self) { return answer(ctx, "open", LEAT_OK); }
static int start(struct leat_ctx *ctx, void *self) { return answer(ctx, "start", LEAT_OK); }
static int stop(struct leat_ctx *ctx, void *self) { return answer(ctx, "stop", LEAT_OK); }
static int tick(struct leat_ctx *ctx, void *self, int64_t now)
{
    return answer(ctx, "tick", LEAT_OK);
}
static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return answer(ctx, "produce", LEAT_EOS);
}

static const struct leat_stage source_returns = {
    .name = "source.returns",
    .summary = "returns what it shall",
    .doc = "One of its calls returns what it shall.",
    .example = "leat.source.returns { call = \"open\", value = 7 }",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = 1,
    .open = open_it,
    .start = start,
    .stop = stop,
    .tick = tick,
    .source = LEAT_ROLE(leat_source, .produce = produce),
};
LEAT_PLUGIN("returns", "1.0", "Apache-2.0", "test: what calls return", &source_returns);
