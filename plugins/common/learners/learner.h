/* learner.h -- functions of struct leat_stage that all learners share, over a table of methods.
 *
 *   struct learner         first member of each learner's instance
 *   struct learner_method  functions in which one learner differs from the others
 *   learner_query, ...     members of struct leat_stage that call the methods: LEARNER_STAGE()
 *
 * A learner has its table of parameters, its method and these lines:
 *
 *   static int mine_open(struct leat_ctx *ctx, void *self)
 *   {
 *       return learner_open(ctx, self, &mine_method);
 *   }
 *   const struct leat_stage learn_mine = {
 *       .name = "learn.mine", ..., LEARNER_OF_LABELS, LEARNER_STAGE(struct mine, MINE_VERSION),
 *       .plan = mine_plan, .open = mine_open, .process = mine_process,
 *   };
 */
#ifndef LEAT_COMMON_LEARNERS_LEARNER_H
#define LEAT_COMMON_LEARNERS_LEARNER_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/base/names.h"
#include "units.h"

/* Functions of a model that is one struct (with its names and memory). A restored or merged state
 * replaces the struct as a whole. */
struct learner_held {
    size_t at, bytes; /* offset and size of the struct in the instance; set by LEARNER_HELD() */
    void (*release)(struct leat_ctx *, void *held);
    int (*write)(const void *held, struct leat_writer *);
    /* Reads a saved model into `fresh`, with the shape and parameters of `live`. Sets `fresh` only
     * if it returns LEAT_OK. */
    int (*read)(struct leat_ctx *, const void *live, struct leat_reader *, void *fresh);
    bool (*is_empty)(const void *held); /* True if the model has learned nothing. */
    /* Merges two models into `fresh`. Each example of `other` counts `weight` times. Sets `fresh`
     * only if it returns LEAT_OK. */
    int (*join)(struct leat_ctx *, const void *live, const void *other, double weight, void *fresh);
    /* In place of `join`: adds `other` to the live model, which it changes only if it returns
     * LEAT_OK. It may change `other`. */
    int (*add)(struct leat_ctx *, void *live, void *other, double weight);
};
/* Sets `at` and `bytes` of a struct learner_held. A model larger than LEARNER_MAX_HELD does not
 * compile. */
enum { LEARNER_MAX_HELD = 8192 };
#define LEARNER_HELD(INSTANCE, MEMBER)                                                             \
    .at = offsetof(INSTANCE, MEMBER),                                                              \
    .bytes = sizeof(((INSTANCE *)0)->MEMBER) +                                                     \
             0 * sizeof(char[sizeof(((INSTANCE *)0)->MEMBER) <= LEARNER_MAX_HELD ? 1 : -1])

struct learner_method {
    /* Allocates the model. If this fails, `close` is still called. */
    int (*open)(struct leat_ctx *, void *self);
    /* Frees all that `open` has allocated, even if `open` failed halfway. */
    void (*close)(struct leat_ctx *, void *self);
    void (*report)(struct leat_ctx *, void *self); /* reports the figures */
    /* Gives the rows of an answer to LEAT_QUERY_TOP. The figures have been reported before. */
    int (*answer)(struct leat_ctx *, void *self, const struct leat_query *, struct leat_result *);
    void (*finish)(struct leat_ctx *, void *self); /* logs at the end of the run; may be NULL */

    /* State: `held` if the model is one struct, else the three functions below. These change
     * nothing unless they return LEAT_OK. The caller has checked the version of the state and the
     * weight of the merge. */
    const struct learner_held *held;
    /* Returns how the learner uses units (enum units_use). NULL: it has none. */
    unsigned (*units)(const void *cfg);
    int (*write)(const void *self, struct leat_writer *);
    int (*restore)(struct leat_ctx *, void *self, struct leat_reader *);
    int (*merge)(struct leat_ctx *, void *self, struct leat_reader *, double weight);
    uint32_t version;
};

struct learner {
    const struct learner_method *method;
    char *text;          /* buffer for a name, by learner_text() */
    struct units *units; /* NULL if the method has none, or the input has no numbers */
    /* While merge() runs: units of the other model, and of both together. They may be NULL. */
    const struct units *other_units, *joint_units;
};

/* ---- calls for a learner ---- */

/* Opens a learner by its method; closes it again if that fails. */
int learner_open(struct leat_ctx *ctx, void *self, const struct learner_method *method);
/* Allocates l->text, one byte longer than the longest name kept. Returns LEAT_OK or LEAT_ENOMEM. */
int learner_text(struct leat_ctx *ctx, struct learner *l, uint32_t name_bytes);
/* Stores the name of entry i of the batch as the name of slot `slot`. */
void learner_take_name(struct learner *l, struct names *names, uint32_t slot,
                       const struct leat_batch *b, uint32_t i);

/* ---- members of struct leat_stage ---- */

void learner_close(struct leat_ctx *ctx, void *self);
/* Reports the figures once a second, for viewers of the run. */
int learner_tick(struct leat_ctx *ctx, void *self, int64_t now);
int learner_stop(struct leat_ctx *ctx, void *self);
int learner_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
                  struct leat_result *out);
int learner_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int learner_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);
int learner_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight);

/* Sets the members declared above. COLUMNS: the function for the columns of answers. */
#define LEARNER_STAGE(INSTANCE, COLUMNS, VERSION)                                                  \
    .instance_size = sizeof(INSTANCE), .close = learner_close, .stop = learner_stop,               \
    .tick = learner_tick,                                                                          \
    .learner = LEAT_ROLE(leat_learner, .query = learner_query, .columns = (COLUMNS)),              \
    .state = LEAT_ROLE(leat_state, .version = (VERSION), .snapshot = learner_snapshot,             \
                       .restore = learner_restore, .merge = learner_merge)

/* Kind and flow of a learner of labelled examples. */
#define LEARNER_OF_LABELS                                                                          \
    .kind = LEAT_LEARNER, LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, LEAT_HAS_SCORE)

/* Kind and flow of a learner of labelled examples that predicts nothing. */
#define LEARNER_OF_COUNTS .kind = LEAT_LEARNER, LEAT_FLOW(LEAT_HAS_EXAMPLES | LEAT_HAS_LABEL, 0)

/* ---- figures, in the same words for all learners ---- */

/* clang-format off */
#define FIGURE_MODEL_BYTES  {"model_bytes", "bytes", "the model", LEAT_GAUGE}
#define FIGURE_BUDGET_BYTES \
    {"budget_bytes", "bytes", "most bytes that the model may take", LEAT_GAUGE}
#define FIGURE_TABLE_BYTES  \
    {"table_bytes", "bytes", "indexes and padding, which the budget does not count", LEAT_GAUGE}
#define FIGURE_NAMES_BYTES  \
    {"names_bytes", "bytes", "names of features, which the budget does not count", LEAT_GAUGE}
#define FIGURE_USED_BYTES \
    {"used_bytes", "bytes", "bytes of the budget that the model has used so far", LEAT_GAUGE}
#define FIGURE_FEATURES     {"features", "features", "features in the model", LEAT_GAUGE}
#define FIGURE_ACTIVE       {"active", "features", "features kept by name", LEAT_GAUGE}
#define FIGURE_IGNORED \
    {"ignored_entries", "entries", "entries of features that came after " \
     "max_features was reached", LEAT_COUNTER}
#define FIGURE_UNNAMED \
    {"unnamed_features", "features", "features that came after the room for " \
     "names was full", LEAT_COUNTER}
#define FIGURE_BIAS         {"bias", "1", "the weight of the constant feature", LEAT_GAUGE}
#define FIGURE_DRIFTS \
    {"drifts", "1", "times that drift was found, whether it changed " \
     "the model or was only logged", LEAT_COUNTER}

/* Figures reported by growing_report() (growing.h). */
#define GROWING_FIGURES FIGURE_FEATURES, FIGURE_IGNORED, FIGURE_NAMES_BYTES, FIGURE_UNNAMED
/* clang-format on */

/* Defines plan and open of learn.NAME. They call FAMILY_plan and FAMILY_open, which take a method
 * as well. METHOD: an expression, which may use cfg. */
#define LEARNER_CALLS(NAME, FAMILY, METHOD)                                                        \
    static int NAME##_plan(const void *cfg, const struct leat_schema *in,                          \
                           const struct leat_schema *out, struct leat_plan *p)                     \
    {                                                                                              \
        return FAMILY##_plan(METHOD, cfg, in, p);                                                  \
    }                                                                                              \
    static int NAME##_open(struct leat_ctx *ctx, void *self)                                       \
    {                                                                                              \
        const void *cfg = ctx->cfg;                                                                \
        (void)cfg; /* METHOD may not use it */                                                     \
        return FAMILY##_open(ctx, METHOD, self);                                                   \
    }

#endif
