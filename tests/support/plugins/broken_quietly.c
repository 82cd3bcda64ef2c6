/* broken_quietly.c -- transforms with mostly right columns; each breaks one law of `leat plugin
 * test`.
 *
 * whole.digit breaks none; it tells whether a text ends with a digit. tests/system/plugin_test.sh
 * names each law. */
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <leat/plugin.h>

struct cfg {
    int64_t first;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, first, LEAT_INT, .def = "0", .doc = "a number"),
};

struct self {
    uint64_t batches;
};

static int negotiate(const void *cfg, struct leat_negotiation *n)
{
    uint32_t index;
    int status = n->column(n, NULL, "alpha", LEAT_TAKES_TEXT, &index);
    return status < 0 ? status : n->add_column(n, "digit", 5, LEAT_NUMBER, NULL);
}

/* Looks at the byte `behind` bytes after the last one. */
static int look_at(struct leat_ctx *ctx, struct leat_batch *b, uint32_t behind)
{
    uint32_t c;
    if (ctx->host->column(ctx, "alpha", LEAT_TAKES_TEXT, &c) < 0) return LEAT_EARG;
    for (LEAT_EACH_RECORD(b, r)) {
        const struct leat_str s = b->column[c].text[r];
        const bool has = s.len != LEAT_NULL && s.len;
        const char last = has ? leat_text(b, s)[s.len - 1 + behind] : 0;
        b->column[ctx->in->n_columns].number[r] = last >= '0' && last <= '9';
    }
    return LEAT_OK;
}

static int digit(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ((struct self *)self)->batches++;
    return look_at(ctx, b, 0);
}

static int reads_behind(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return look_at(ctx, b, 1);
}

static int sets_cfg(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    ((struct cfg *)(uintptr_t)ctx->cfg)->first = 1;
    return digit(ctx, self, b);
}

static int leaks_little(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    *(volatile char *)malloc(8) = 1;
    return digit(ctx, self, b);
}

static int sleeps(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    if (((struct self *)self)->batches == 2) sleep(100);
    return digit(ctx, self, b);
}

#define TRANSFORM(ID, NAME)                                                                        \
    static const struct leat_stage s_##ID = {                                                      \
        .name = NAME,                                                                              \
        .summary = "a stage for tests",                                                            \
        .doc = "It says whether a text ends with a digit.",                                        \
        .example = "leat.stage(\"" NAME "\", {})",                                                 \
        .kind = LEAT_TRANSFORM,                                                                    \
        .instance_size = sizeof(struct self),                                                      \
        LEAT_PARAMS(params, struct cfg),                                                           \
        LEAT_FLOW(LEAT_HAS_COLUMNS, LEAT_HAS_COLUMNS),                                             \
        .negotiate = negotiate,                                                                    \
        .process = ID,                                                                             \
    }
TRANSFORM(digit, "whole.digit");
TRANSFORM(reads_behind, "broken.reads_behind");
TRANSFORM(sets_cfg, "broken.sets_cfg");
TRANSFORM(leaks_little, "broken.leaks_little");
TRANSFORM(sleeps, "broken.sleeps");

LEAT_PLUGIN("broken_quietly", "1.0", "Apache-2.0", "transforms that break laws", &s_digit,
            &s_reads_behind, &s_sets_cfg, &s_leaks_little, &s_sleeps);
