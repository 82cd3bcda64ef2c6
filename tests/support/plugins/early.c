/* early.c -- source.early: three records; it rejects the second before it has reported their place.
 *
 * They are messages 40, 41 and 42. */
#include <string.h>

#include <leat/plugin.h>

static int open_source(struct leat_ctx *ctx, void *self)
{
    *(int *)self = 0;
    return ctx->host->name_input(ctx, 0, "early");
}

static int produce(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    int *ended = self;
    if (*ended) return LEAT_EOS;
    for (uint32_t r = 0; r < 3; r++) {
        uint32_t off = leat_add_bytes(b, 1);
        b->bytes[off] = (char)('a' + r);
        leat_add_record(b, off, 1);
        if (r == 1) ctx->host->reject(ctx, b, r, LEAT_R_INPUT, "it is too early");
    }
    b->extent[b->n_extents++] = (struct leat_extent){.n = 3, .offset = 40};
    *ended = 1;
    return LEAT_OK;
}

static const struct leat_stage early = {
    .name = "source.early",
    .summary = "rejects a record before its place is known",
    .kind = LEAT_SOURCE,
    .makes = LEAT_HAS_RECORDS,
    .instance_size = sizeof(int),
    .open = open_source,
    .source = LEAT_ROLE(leat_source, .framings = LEAT_FRAMINGS_OF_MESSAGES, .produce = produce),
};

LEAT_PLUGIN("early", "1.0", "Apache-2.0", "a fixture of the tests", &early);
