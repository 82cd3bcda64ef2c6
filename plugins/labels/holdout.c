/* holdout.c -- label.holdout: records that are predicted and not learned from.
 *
 * Importance 0 says so: learners take no step from such an example, and progressive validation
 * measures it apart. Where the examples are there already, theirs is set as well. */
#include <leat/plugin.h>

struct cfg {
    int64_t after, period;
};

enum { STATE_VERSION = 1 };

struct holdout {
    uint64_t n; /* records so far */
};

static const struct leat_param params[] = {
    {.name = "after",
     .type = LEAT_INT,
     .flags = LEAT_POSITIONAL,
     .offset = offsetof(struct cfg, after),
     .def = "0",
     .min = 0,
     .max = 1e15,
     .unit = "records",
     .doc = "hold out all that come after so many; 0: none for that"},
    {.name = "period",
     .type = LEAT_INT,
     .offset = offsetof(struct cfg, period),
     .def = "0",
     .min = 0,
     .max = 1e9,
     .unit = "records",
     .doc = "hold out one of so many, the last of each; 0: none for that"},
};

static int validate(const void *cfg, struct leat_diag *d)
{
    const struct cfg *c = cfg;
    if (!c->after && !c->period) d->error(d, NULL, "holds out nothing: give `after` or `period`");
    if (c->period == 1) d->error(d, "period", "1 holds out every record: nothing would be learned");
    return LEAT_OK;
}

static int is_held(const struct cfg *c, uint64_t n)
{
    return (c->after && n > (uint64_t)c->after) || (c->period && n % (uint64_t)c->period == 0);
}

static int process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    struct holdout *st = self;
    for (LEAT_EACH_RECORD(b, r))
        if (is_held(ctx->cfg, ++st->n)) b->weight[r] = 0;
    for (LEAT_EACH_EXAMPLE(b, e))
        if (b->weight[b->ex_record[e]] == 0) b->ex_weight[e] = 0;
    return LEAT_OK;
}

static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    (void)ctx;
    return w->u64(w, "records", ((const struct holdout *)self)->n);
}

static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)
{
    (void)ctx;
    (void)version;
    return r->u64(r, "records", &((struct holdout *)self)->n);
}

const struct leat_stage label_holdout = {
    .name = "label.holdout",
    .summary = "holds records out: they are predicted, and not learned from",
    .doc =
        "The importance weight of the records held out becomes 0: from record after + 1 on, or "
        "every period-th, or both; counted are the records that arrive here. A learner that "
        "knows of importance predicts them with the model as it is and takes no step; their "
        "figures stand in the summary apart (rmse_held_out, error_rate_held_out, …), and none of "
        "the others counts them. Figures of progressive validation need no records held out; "
        "these are for comparison with programs that train first and test then.",
    .example = "leat.label.holdout { after = 80000 }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_REWRITES,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(params),
    .cfg_size = sizeof(struct cfg),
    .instance_size = sizeof(struct holdout),
    .validate = validate,
    .process = process,
    .state_version = STATE_VERSION,
    .snapshot = snapshot,
    .restore = restore,
};
