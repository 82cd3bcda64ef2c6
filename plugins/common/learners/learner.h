/* learner.h -- members of struct leat_stage that learners share. */
#ifndef LEAT_COMMON_LEARNERS_LEARNER_H
#define LEAT_COMMON_LEARNERS_LEARNER_H

#include <leat/plugin.h>

/* What a learner of labelled examples takes and makes. */
#define LEARNER_OF_LABELS                                                                          \
    .kind = LEAT_LEARNER, LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE)

/* Defines plan and open of learn.NAME by those of its family, which take a method as well. METHOD:
 * an expression, which may use cfg. */
#define LEARNER_CALLS(NAME, FAMILY, METHOD)                                                        \
    static int NAME##_plan(const void *cfg, const struct leat_schema *in,                          \
                           const struct leat_schema *out, struct leat_plan *p)                     \
    {                                                                                              \
        return FAMILY##_plan(METHOD, cfg, in, p);                                                  \
    }                                                                                              \
    static int NAME##_open(struct leat_ctx *ctx, void *self)                                       \
    {                                                                                              \
        const void *cfg = ctx->cfg;                                                                \
        (void)cfg; /* a METHOD need not use it */                                                  \
        return FAMILY##_open(ctx, METHOD, self);                                                   \
    }

/* Gives the figures once a second, for those who watch the run, by the file's report(ctx, self). */
#define LEARNER_TICK                                                                               \
    static int learner_tick(struct leat_ctx *ctx, void *self, int64_t now)                         \
    {                                                                                              \
        report(ctx, self);                                                                         \
        return LEAT_OK;                                                                            \
    }

/* The functions and sizes of a learner that has a file of its own, where each function has the name
 * of its member (open and close: open_stage and close_stage). VERSION: of its state. */
#define LEARNER_OF_ONE_FILE(VERSION)                                                               \
    LEAT_PARAMS(params, struct cfg), LEAT_INSTANCE(struct stage, open_stage, close_stage),         \
        .plan = plan, .stop = stop, .tick = learner_tick, .process = process,                      \
        .learner = LEAT_ROLE(leat_learner, .query = query, .columns = columns),                    \
        .state = LEAT_ROLE(leat_state, .version = (VERSION), .snapshot = snapshot,                 \
                           .restore = restore, .merge = merge)

/* Defines snapshot, restore and merge of a learner whose model and names are one `struct KIND_held
 * held` of its struct stage, by KIND_write, KIND_read, KIND_read_merge and KIND_release. */
#define LEARNER_OF_ONE_MODEL(KIND, VERSION)                                                        \
    static int snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)                   \
    {                                                                                              \
        return KIND##_write(&((struct stage *)self)->held, w);                                     \
    }                                                                                              \
    static void replace(struct leat_ctx *ctx, struct stage *st, const struct KIND##_held *h)       \
    {                                                                                              \
        KIND##_release(ctx, &st->held);                                                            \
        st->held = *h;                                                                             \
    }                                                                                              \
    static int restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version)  \
    {                                                                                              \
        struct stage *st = self;                                                                   \
        struct KIND##_held h;                                                                      \
        int status = state_check_version(r, version, VERSION);                                     \
        if (status == LEAT_OK) status = KIND##_read(ctx, &st->held, r, &h);                        \
        if (status == LEAT_OK) replace(ctx, st, &h);                                               \
        return status;                                                                             \
    }                                                                                              \
    static int merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight)       \
    {                                                                                              \
        struct stage *st = self;                                                                   \
        struct KIND##_held h;                                                                      \
        bool changed;                                                                              \
        int status = KIND##_read_merge(ctx, &st->held, r, weight, &h, &changed);                   \
        if (changed) replace(ctx, st, &h);                                                         \
        return status;                                                                             \
    }                                                                                              \
    _Static_assert(VERSION > 0, "versions begin at 1")

#endif
