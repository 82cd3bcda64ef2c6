/* null.c -- sink.null: an end for a branch whose records nobody wants; the host counts them. */
#include <leat/plugin.h>

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    (void)ctx;
    (void)self;
    (void)b;
    return LEAT_OK;
}

const struct leat_stage sink_null = {
    .name = "sink.null",
    .summary = "discards what arrives",
    .doc = "Takes every record and does nothing with it. For measuring what stands before it, and "
           "as the end of a branch of which only the counts matter.",
    .example = "leat.sink.null { }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    .process = process,
};
