/* null.c -- sink.null: ends a branch whose records are not needed. The host still counts them. */
#include "sinks/docs.h"
#include <leat/plugin.h>

static int sink_null_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    return LEAT_OK;
}

const struct leat_stage sink_null = {
    .name = "sink.null",
    .summary = "discards what arrives",
    .doc = null_doc,
    .example = "leat.sink.null { }",
    .kind = LEAT_SINK,
    .needs = LEAT_HAS_RECORDS,
    .process = sink_null_process,
};
