/* holdout.c -- label.holdout: records that are predicted but not learned.
 *
 * These records get importance weight 0. Learners do not learn an example with weight 0, and
 * progressive validation measures it separately. If earlier stages have made examples from a
 * record, these examples get weight 0, too. */
#include <stdbool.h>

#include <leat/plugin.h>

#include "labels/docs.h"
#include "common/state/state_fields.h"

struct holdout_label_cfg {
    int64_t after, period;
};

enum { STATE_VERSION = 1 };

struct holdout {
    uint64_t records; /* number of records so far */
};

static const struct leat_param holdout_label_params[] = {
    LEAT_PARAM(struct holdout_label_cfg, after, LEAT_INT, .flags = LEAT_POSITIONAL, .def = "0",
               .min = 0, .max = 1e15, .unit = "records",
               .doc = "hold out all records after the first N; 0: none for that"),
    LEAT_PARAM(struct holdout_label_cfg, period, LEAT_INT, .def = "0", .min = 0, .max = 1e9,
               .unit = "records", .doc = "hold out every N-th record; 0: none for that"),
};

static int holdout_label_validate(const void *cfg, struct leat_diag *d)
{
    const struct holdout_label_cfg *c = cfg;
    if (!c->after && !c->period)
        d->error(d, NULL, "this stage holds out nothing: set `after` or `period`");
    if (c->period == 1)
        d->error(d, "period",
                 "1 holds out every record, so nothing is learned: set period to 2 or more");
    return LEAT_OK;
}

static bool holdout_label_is_held(const struct holdout_label_cfg *c, uint64_t n)
{
    return (c->after && n > (uint64_t)c->after) || (c->period && n % (uint64_t)c->period == 0);
}

static int holdout_label_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct holdout *st = self;
    for (LEAT_EACH_RECORD(b, r))
        if (holdout_label_is_held(ctx->cfg, ++st->records)) b->weight[r] = 0;
    for (LEAT_EACH_EXAMPLE(b, e))
        if (b->weight[b->ex_record[e]] == 0) b->ex_weight[e] = 0;
    return LEAT_OK;
}

static const struct state_field holdout_label_state_fields[] = {
    {"records", STATE_VALUE, .at = STATE_MEMBER(struct holdout, records)},
};

static int holdout_label_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(holdout_label_state_fields), self);
}

static int holdout_label_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                 uint32_t version)
{
    return state_read(r, STATE_TABLE(holdout_label_state_fields), self);
}

const struct leat_stage label_holdout = {
    .name = "label.holdout",
    .summary = "holds records out: learners predict them and do not learn from them",
    .doc = holdout_doc,
    .example = "leat.label.holdout { after = 80000 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_REWRITES | LEAT_LEARNS,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(holdout_label_params, struct holdout_label_cfg),
    .instance_size = sizeof(struct holdout),
    .validate = holdout_label_validate,
    .process = holdout_label_process,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = holdout_label_snapshot,
                       .restore = holdout_label_restore),
};
