/* elsewhere.c -- sinks that write to a place that no parameter names.
 *
 *   sink.elsewhere              the records, at the end of the file WHERE
 *   sink.elsewhere_of_examples  a line for each batch of examples */
#include <stdio.h>

#include <leat/plugin.h>

struct cfg {
    const char *where;
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, where, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the place"),
};

static int append(struct leat_ctx *ctx, const char *text, size_t n)
{
    FILE *f = fopen(((const struct cfg *)ctx->cfg)->where, "a");
    if (!f) return ctx->host->fail(ctx, LEAT_EIO, "it cannot be opened");
    fwrite(text, 1, n, f);
    fputc('\n', f);
    fclose(f);
    return LEAT_OK;
}

static int write_records(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    int status = LEAT_OK;
    for (LEAT_EACH_RECORD(b, r))
        if (status == LEAT_OK) status = append(ctx, leat_text(b, b->raw[r]), b->raw[r].len);
    return status;
}

static int write_batch(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return append(ctx, "batch", 5);
}

static const struct leat_stage elsewhere = {
    .name = "sink.elsewhere",
    .summary = "writes where no table says",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = 1,
    .process = write_records,
};

static const struct leat_stage of_examples = {
    .name = "sink.elsewhere_of_examples",
    .summary = "writes of examples where no table says",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_EXAMPLES,
    LEAT_PARAMS(params, struct cfg),
    .instance_size = 1,
    .process = write_batch,
};

LEAT_PLUGIN("elsewhere", "1.0", "Apache-2.0", "sinks of the tests", &elsewhere, &of_examples);
