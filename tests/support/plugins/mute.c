/* mute.c -- stages that fail or end without a message.
 *
 *   source.waits   has no header until the run must end, and then an empty one
 *   sink.mute      fails to open, with the status of a parameter */
#include <poll.h>

#include <leat/plugin.h>

struct cfg {
    int64_t status;
};

static const struct leat_param params[] = {LEAT_PARAM(struct cfg, status, LEAT_INT, .def = "-9",
                                                      .min = -100, .max = 0, .doc = "a status")};

static int header(struct leat_ctx *ctx, void *self, const char **text, uint32_t *len)
{
    struct pollfd stop = {.fd = ctx->host->stop_fd(ctx), .events = POLLIN};
    (void)self;
    poll(&stop, 1, -1);
    *text = "";
    *len = 0;
    return LEAT_OK;
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)ctx, (void)self, (void)b;
    return LEAT_EOS;
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)ctx, (void)self, (void)b;
    return LEAT_OK;
}

static int open_mute(struct leat_ctx *ctx, void *self)
{
    (void)self;
    return (int)((const struct cfg *)ctx->cfg)->status;
}

static const struct leat_stage waits = {
    .name = "source.waits",
    .summary = "for tests",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_TEXT, .header = header,
                        .produce = produce),
};
static const struct leat_stage mute = {.name = "sink.mute",
                                       .summary = "for tests",
                                       .kind = LEAT_SINK,
                                       .needs = LEAT_HAS_RECORDS,
                                       LEAT_PARAMS(params, struct cfg),
                                       .open = open_mute,
                                       .process = process};

LEAT_PLUGIN("mute", "1.0", "Apache-2.0", "for tests", &waits, &mute);
