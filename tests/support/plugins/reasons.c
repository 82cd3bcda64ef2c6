/* reasons.c -- keep.fresh: rejects records by two reasons of its plugin, and by any number.
 *
 * keep.dated has a reason of the same name. */
#include <leat/plugin.h>

struct cfg {
    int64_t stale, odd, other; /* rejects each such-numbered record for this reason; 0: never */
    int64_t reason;            /* number of the reason for `other` */
};

static const struct leat_param params[] = {
    LEAT_PARAM(struct cfg, stale, LEAT_INT, .def = "0", .doc = "every n-th record is stale"),
    LEAT_PARAM(struct cfg, odd, LEAT_INT, .def = "0", .doc = "every n-th record is odd"),
    LEAT_PARAM(struct cfg, other, LEAT_INT, .def = "0", .doc = "every n-th is rejected"),
    LEAT_PARAM(struct cfg, reason, LEAT_INT, .def = "1", .doc = "for this reason"),
};

enum { STALE, ODD };
static const struct leat_own_reason reasons[] = {
    {"stale", "The record is older than it may be."},
    {"odd", "The record is `odd`."},
};
static const struct leat_own_reason dated[] = {{"stale", "The record is as old as the hills."}};

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct cfg *cfg = ctx->cfg;
    uint64_t *n = self;
    for (LEAT_EACH_RECORD(b, r)) {
        ++*n;
        if (cfg->stale && *n % (uint64_t)cfg->stale == 0)
            ctx->host->reject(ctx, b, r, LEAT_R_OWN(STALE), "record %u of its batch", r);
        if (cfg->odd && *n % (uint64_t)cfg->odd == 0)
            ctx->host->reject(ctx, b, r, LEAT_R_OWN(ODD), "it is number %d", (int)*n);
        if (cfg->other && *n % (uint64_t)cfg->other == 0)
            ctx->host->reject(ctx, b, r, (int)cfg->reason, "told so");
    }
    return LEAT_OK;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return w->u64(w, "n", *(uint64_t *)self);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return r->u64(r, "n", self);
}

#define STAGE(NAME, REASONS)                                                                       \
    {                                                                                              \
        .name = NAME, .summary = "rejects records", .doc = "For tests.",                           \
        .example = "leat.stage(\"" NAME "\", {})", .kind = LEAT_TRANSFORM, .caps = LEAT_STATEFUL,  \
        LEAT_FLOW(LEAT_HAS_RECORDS, 0), LEAT_PARAMS(params, struct cfg), LEAT_REASONS(REASONS),    \
        .instance_size = sizeof(uint64_t), .process = process,                                     \
        .state = LEAT_ROLE(leat_state, .version = 1, .snapshot = snapshot, .restore = restore),    \
    }
static const struct leat_stage fresh = STAGE("keep.fresh", reasons);
static const struct leat_stage old = STAGE("keep.dated", dated);

LEAT_PLUGIN("reasons", "1.0", "Apache-2.0", "a fixture of the tests", &fresh, &old);
