/* learner.h -- members of struct leat_stage that learners share. */
#ifndef LEAT_SUPPORT_LEARNER_H
#define LEAT_SUPPORT_LEARNER_H

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

/* The functions and sizes of a learner that has a file of its own, where each function has the name
 * of its member (open and close: open_stage and close_stage). VERSION: of its state. */
#define LEARNER_OF_ONE_FILE(VERSION)                                                               \
    LEAT_PARAMS(params, struct cfg), LEAT_INSTANCE(struct stage, open_stage, close_stage),         \
        .plan = plan, .stop = stop, .process = process, .query = query,                            \
        LEAT_STATE(VERSION, snapshot, restore), .merge = merge

#endif
