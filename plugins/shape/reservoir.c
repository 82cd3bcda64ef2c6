/* reservoir.c -- shape.reservoir: a sample of k records; all sets of k records are equally likely.
 *
 * Each record gets a random number, computed from the seed and the record's position in the input.
 * The stage keeps the k records with the largest numbers, so the sample depends only on the order
 * of the input. If the budget is too small for k records, it keeps those with the largest numbers
 * that fit. A record that was dropped once never comes back. */
#include <leat/plugin.h>

#include <stdio.h>

#include "core/mix64.h"
#include "kept_record.h"
#include "shape/docs.h"
#include "common/state/state_fields.h"

enum { STATE_VERSION = 1 };

struct reservoir_cfg {
    int64_t k, budget;
};

struct reservoir_stage {
    struct held held; /* records ordered by their random number */
    void *block;
    uint64_t k, budget, seed;
    uint64_t records;  /* number of records so far */
    uint64_t least;    /* largest number of a dropped record; records below it are dropped, too */
    uint64_t short_of; /* number of records dropped because the budget was too small */
    bool ending;
};

static const struct leat_param reservoir_params[] = {
    LEAT_PARAM(struct reservoir_cfg, k, LEAT_INT, .flags = LEAT_REQUIRED | LEAT_POSITIONAL,
               .min = 1, .max = 1e9, .unit = "records", .doc = "number of records to keep"),
    LEAT_PARAM(struct reservoir_cfg, budget, LEAT_SIZE, .def = "64MB", .min = 65536, .max = 1e12,
               .unit = "bytes", .doc = "memory for the records that are kept"),
};

static int reservoir_negotiate(const void *config, struct leat_negotiation *n)
{
    return kept_negotiate(n);
}

static int reservoir_plan(const void *config, const struct leat_schema *in,
                          const struct leat_schema *out, struct leat_plan *p)
{
    const struct reservoir_cfg *cfg = config;
    p->state_bytes = (uint64_t)cfg->budget;
    snprintf(p->note, sizeof p->note, "keeps at most %llu bytes of each of k records",
             (unsigned long long)(cfg->budget - cfg->budget / 16) / (unsigned long long)cfg->k);
    return LEAT_OK;
}

static int open_reservoir(struct leat_ctx *ctx, void *self)
{
    const struct reservoir_cfg *cfg = ctx->cfg;
    struct reservoir_stage *st = self;
    st->k = (uint64_t)cfg->k;
    st->budget = (uint64_t)cfg->budget;
    st->seed = ctx->host->seed(ctx);
    return kept_open(ctx, &st->held, &st->block, st->budget);
}

static void close_reservoir(struct leat_ctx *ctx, void *self)
{
    ctx->host->free(ctx, ((struct reservoir_stage *)self)->block);
}

static void reservoir_drop_least(struct reservoir_stage *st)
{
    while (st->held.n > st->k || held_is_over(&st->held)) {
        st->short_of += st->held.n <= st->k;
        st->least = held_key(&st->held);
        held_drop(&st->held);
    }
}

static int reservoir_expand(struct leat_ctx *ctx, void *self, struct leat_batch *in,
                            struct leat_batch *out)
{
    struct reservoir_stage *st = self;
    if (!st->ending)
        for (LEAT_EACH_RECORD(in, r)) {
            uint64_t drawn = mix64(st->seed + ++st->records * MIX64_GOLDEN);
            if (drawn <= st->least || !kept_take(ctx, &st->held, drawn, in, r, out)) continue;
            reservoir_drop_least(st);
        }
    if (in->kind != LEAT_BATCH_END) return LEAT_OK;
    if (!st->ending) held_by_arrival(&st->held);
    st->ending = true;
    while (st->held.n)
        if (!kept_give(ctx, &st->held, out)) return LEAT_AGAIN;
    st->ending = false;
    st->least = 0; /* after its end, a run may continue, with another sample */
    return LEAT_OK;
}

static void reservoir_finish(struct leat_ctx *ctx, void *const *self, uint32_t lanes)
{
    const struct reservoir_stage *st = self[0];
    if (st->short_of)
        ctx->host->log(ctx, LEAT_WARN,
                       "budget = %llu bytes does not hold k = %llu of these records, so the sample "
                       "is smaller: raise budget",
                       (unsigned long long)st->budget, (unsigned long long)st->k);
}

#define AT(member) STATE_MEMBER(struct reservoir_stage, member)
static const struct state_field reservoir_fields[] = {
    {"k", STATE_SAME, .at = AT(k)},
    {"budget", STATE_SAME, .at = AT(budget)},
    {"came", STATE_VALUE, .at = AT(records)},
    {"least", STATE_VALUE, .at = AT(least)},
    {"short_of", STATE_VALUE, .at = AT(short_of)},
};
#undef AT

static int reservoir_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    struct reservoir_stage *st = self;
    int status = state_write(w, STATE_TABLE(reservoir_fields), st);
    if (status == LEAT_OK) status = kept_save_columns(ctx, w);
    return status == LEAT_OK ? kept_save(&st->held, w) : status;
}

static int reservoir_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                             uint32_t version)
{
    struct reservoir_stage *st = self, read = *st;
    int status = state_check_version(r, version, STATE_VERSION);
    if (status == LEAT_OK) status = state_read(r, STATE_TABLE(reservoir_fields), &read);
    if (status == LEAT_OK) status = kept_check_columns(ctx, r);
    if (status == LEAT_OK) status = kept_restore(ctx, &read.held, r, st->k);
    if (status == LEAT_OK) *st = read;
    return status;
}

const struct leat_stage shape_reservoir = {
    .name = "shape.reservoir",
    .summary = "k records of the whole input, by chance",
    .doc = reservoir_doc,
    .example = "leat.shape.reservoir { k = 1000 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_STATEFUL,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(reservoir_params, struct reservoir_cfg),
    LEAT_INSTANCE(struct reservoir_stage, open_reservoir, close_reservoir),
    .negotiate = reservoir_negotiate,
    .plan = reservoir_plan,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = reservoir_snapshot,
                       .restore = reservoir_restore),
    .expand = reservoir_expand,
    .finish = reservoir_finish,
};
