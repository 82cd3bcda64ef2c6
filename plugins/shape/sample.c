/* sample.c -- shape.sample: a fraction of the records, chosen by a hash of position or columns. */
#include <leat/plugin.h>

#include "core/mix64.h"
#include "key.h"
#include "shape/docs.h"
#include "common/cells/columns.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 1 };

struct sample_cfg {
    double rate;
    struct leat_strings by;
};

struct sample {
    struct key key;
    uint64_t seed, records; /* `records`: number of records so far */
    double rate;
};

static const struct leat_param sample_params[] = {
    LEAT_PARAM(struct sample_cfg, rate, LEAT_FLOAT, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .min = 1e-9, .max = 1,
               .doc = "share of the records, or of the values of `by`, that stay"),
    LEAT_PARAM(struct sample_cfg, by, LEAT_STRINGS,
               .doc = "columns: all records with the same values stay, or none does"),
};

static int sample_negotiate(const void *config, struct leat_negotiation *n)
{
    return key_negotiate(n, &((const struct sample_cfg *)config)->by);
}

static int sample_plan(const void *cfg, const struct leat_schema *in, const struct leat_schema *out,
                       struct leat_plan *p)
{
    p->work_bytes = ((const struct sample_cfg *)cfg)->by.n * sizeof(uint32_t);
    return LEAT_OK;
}

static int open_sample(struct leat_ctx *ctx, void *self)
{
    const struct sample_cfg *cfg = ctx->cfg;
    struct sample *st = self;
    st->seed = ctx->host->seed(ctx);
    st->rate = cfg->rate;
    return key_open(ctx, &st->key, &cfg->by);
}

static void close_sample(struct leat_ctx *ctx, void *self)
{
    key_close(ctx, &((struct sample *)self)->key);
}

static int sample_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct sample *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        bool keyed = st->key.n && key_missing(ctx, &st->key, b, r) == st->key.n;
        uint64_t h = keyed ? key_of(ctx, &st->key, b, r, st->seed).low
                           : mix64(st->seed + ++st->records * MIX64_GOLDEN);
        if ((double)(h >> 11) * 0x1p-53 >= st->rate) leat_filter(b, r);
    }
    return LEAT_OK;
}

static const struct state_field sample_state_fields[] = {
    {"records", STATE_VALUE, .at = STATE_MEMBER(struct sample, records)},
};

static int sample_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(sample_state_fields), self);
}

static int sample_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    return state_read(r, STATE_TABLE(sample_state_fields), self);
}

const struct leat_stage shape_sample = {
    .name = "shape.sample",
    .summary = "keeps a share of the records, by chance",
    .doc = sample_doc,
    .example = "leat.shape.sample { rate = 0.1, by = { \"user\" } }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(sample_params, struct sample_cfg),
    LEAT_INSTANCE(struct sample, open_sample, close_sample),
    .negotiate = sample_negotiate,
    .plan = sample_plan,
    .process = sample_process,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = sample_snapshot,
                       .restore = sample_restore),
};
