/* elsewhere.c -- stages whose places no parameter names as files.
 *
 *   source.elsewhere            a topic of servers: 100 records of JSON, 25 with the topic's name
 *   sink.elsewhere              the records, at the end of the file WHERE
 *   sink.elsewhere_of_examples  a line for each batch of examples */
#include <stdio.h>

#include <leat/plugin.h>

struct cfg {
    const char *where, *log;
};

struct source_cfg {
    const char *channel, *hosts, *ca;
};

/* The log and the certificate are files, but not the place where the records go or come from. */
static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, where, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .doc = "the place"),
    LEAT_PARAM(struct cfg, log, LEAT_PATH, .flags = LEAT_WRITES_FILE, .def = "-", .doc = "a log"),
};
static const struct leat_param source_params[] = {
    LEAT_PARAM(struct source_cfg, channel, LEAT_STRING,
               .flags = LEAT_REQUIRED | LEAT_POSITIONAL | LEAT_STREAM, .doc = "the topic"),
    LEAT_PARAM(struct source_cfg, hosts, LEAT_STRING, .flags = LEAT_REQUIRED | LEAT_SERVERS,
               .doc = "the servers"),
    LEAT_PARAM(struct source_cfg, ca, LEAT_PATH, .flags = LEAT_READS_FILE, .doc = "a certificate"),
};

/* ---- the source ---- */

struct source {
    int next;
};

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct source_cfg *cfg = ctx->cfg;
    struct source *st = self;
    char text[100];
    if (st->next == 100 || ctx->host->stopping(ctx)) return LEAT_EOS;
    uint32_t n = (uint32_t)snprintf(text, sizeof text, "{\"of\":\"%.40s\",\"n\":%d}",
                                    st->next % 20 < 5 ? cfg->channel : "another", st->next % 20);
    uint32_t at = leat_add_bytes(b, n);
    for (uint32_t i = 0; i < n; i++)
        b->bytes[at + i] = text[i];
    b->extent[b->n_extents++] = (struct leat_extent){.n = 1, .offset = (uint64_t)st->next++};
    return leat_add_record(b, at, n) < 0 ? LEAT_EFULL : LEAT_OK;
}

static const struct leat_stage source = {
    .name = "source.elsewhere",
    .summary = "reads a topic of servers",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    LEAT_PARAMS(source_params, struct source_cfg),
    LEAT_INSTANCE(struct source, NULL, NULL),
    .source = LEAT_ROLE(leat_source, .produce = produce, .framings = LEAT_FRAMINGS_OF_MESSAGES),
};

/* ---- the sinks ---- */

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

LEAT_PLUGIN("elsewhere", "1.0", "Apache-2.0", "stages of the tests", &source, &elsewhere,
            &of_examples);
