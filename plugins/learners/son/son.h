/* son.h -- stages of the online Newton family: what all share, and what each adds.
 *
 * Only glue. A stage file has its parameters, a struct son_method and its struct leat_stage:
 *
 *   struct son_cfg     the first member of its configuration, or all of it
 *   struct son_stage   its instance; the kernel's model follows in the same block
 *   struct son_method  what its kernel adds; LEARNER_CALLS() and SON_STAGE() make a stage of it
 *
 * The block of a model is for all features that there may be, and touched as far as there are any.
 */
#ifndef LEAT_LEARNERS_SON_SON_H
#define LEAT_LEARNERS_SON_SON_H

#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/son/son.h"
#include "common/learners/examples.h"
#include "common/learners/growing.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"

/* ---- parameters ---- */

struct son_cfg {
    struct growing_cfg growing;
    double alpha0, clip;
    struct leat_interval half_life; /* 0: nothing fades */
    int64_t m;                      /* rows of the sketch; 0: there is none */
    int32_t loss;
    int32_t labels; /* enum son_labels */
};

enum son_labels { SON_CLASSES, SON_NUMBERS };
extern const char *const son_losses[], *const son_labels[];

/* clang-format off */
#define SON_PARAM(FIELD, TYPE)                                                                     \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct son_cfg, FIELD)
#define SON_PARAM_M(DOC)                                                                           \
    {SON_PARAM(m, LEAT_INT), .def = "10", .min = 1, .max = SON_MAX_M, .unit = "rows", .doc = DOC}
#define SON_PARAMS(ALPHA_DEF, ALPHA_MIN, ALPHA_DOC)                                                \
    {SON_PARAM(alpha0, LEAT_FLOAT), .def = ALPHA_DEF, .min = ALPHA_MIN, .max = 1e15,               \
     .doc = ALPHA_DOC},                                                                            \
    {SON_PARAM(loss, LEAT_CHOICE), .def = "squared", .choices = son_losses,                        \
     .doc = "what is minimised: (z-y)^2, log(1+e^-yz), max(0, 1-yz)^2"},                           \
    {SON_PARAM(labels, LEAT_CHOICE), .def = "classes", .choices = son_labels,                      \
     .doc = "classes: labels are -1 (or 0) and 1; numbers: any within -clip to clip, with the "     \
            "squared loss, and the score is an estimate of the label"},                            \
    {SON_PARAM(clip, LEAT_FLOAT), .def = "1", .min = 0.01, .max = SON_MAX_CLIP,                    \
     .doc = "C: weights are projected onto |w'x| <= C before each step; at most 30 for classes"}
/* clang-format on */

/* ---- the instance ---- */

struct son_stage {
    const struct son_method *method;
    struct growing growing;
    struct son_row row;        /* the example at hand                             */
    void *block;               /* memory of the model                             */
    uint32_t max_row;          /* entries of the longest example                  */
    uint64_t examples;         /* learned                                         */
    uint64_t overflows;        /* predicted only: too large a step; not in states */
    _Alignas(16) char model[]; /* method->model_size bytes                        */
};

#define SON_MAX_CLIP 1e9

struct son_options son_options(const struct son_cfg *c);
struct son_features son_features(const struct son_stage *st);

/* ---- what a kernel adds; cfg: the stage's configuration ---- */

/* How much of each of two learners goes into their merge. */
struct son_mix {
    double count;            /* weight of an example of b            */
    double share_a, share_b; /* of the weights                       */
    const uint32_t *number;  /* of b's features in the merged model  */
};

struct son_method {
    size_t model_size;
    uint32_t doubles; /* of a feature, unless `stride` says how many */
    uint32_t (*stride)(const void *cfg);
    bool plain; /* z is the log odds, and of struct son_cfg only `growing` is used */
    /* NULL: the model has no block. */
    size_t (*bytes)(const void *cfg, uint32_t features, uint32_t touched);
    void (*init)(struct leat_ctx *, void *model, uint32_t features, uint32_t touched, void *block);
    /* Examples whose features may be touched at the same time; NULL: the block has no such part. */
    uint32_t (*max_rows)(const void *cfg);
    /* Entries of the next row that the block has room for, NULL: any; and slots, free or not. */
    uint32_t (*free_slots)(const void *model);
    uint32_t (*slots)(const void *model);
    void (*free_all)(void *model, const struct son_features *); /* the slots; with free_slots */
    /* The clock goes to an event time; NULL: it has no half-life. newest: where it is. */
    void (*at)(void *model, const struct son_features *, int64_t time);
    uint64_t (*newest)(const void *model);
    enum son_result (*learn)(void *model, const struct son_features *, const struct son_row *,
                             double *z);
    /* NULL: it is the first of the feature's doubles. */
    double (*weight)(const void *model, const struct son_features *, uint32_t feature);
    /* NULL: nothing. */
    double (*bias)(const void *model); /* NULL: 0 */
    void (*report)(struct leat_ctx *, const void *model, const struct son_features *);

    /* State: fields of the model's struct. `params` must be the same; `fields` are read into a
     * model just initialised. */
    struct state_table params, fields;
    /* What is not a field of that struct; NULL: nothing. */
    int (*write)(struct leat_ctx *, const void *model, struct leat_writer *);
    int (*read)(void *model, const struct son_features *, struct leat_reader *);
    /* NULL, or what is wrong with a model that was read; NULL: always right. */
    const char *(*check)(const void *model, const struct son_features *);
    /* Make st, just initialised and with the features of both, the merge of two. NULL: */
    int (*merge)(struct leat_ctx *, struct son_stage *st, const struct son_stage *a,
                 const struct son_stage *b, const struct son_mix *);
    const char *no_merge; /* why two cannot be merged */
};

/* Defines the calls that only turn `void *` into the model of kernel K, whose functions are named
 * and given as those of rfd_son.h: to learn, and to read a weight that is implicit. */
#define SON_LEARN(K)                                                                               \
    static enum son_result K##_learn_row(void *model, const struct son_features *f,                \
                                         const struct son_row *row, double *z)                     \
    {                                                                                              \
        return K##_learn(model, f, row, z);                                                        \
    }
#define SON_WEIGH(K)                                                                               \
    static double K##_weigh(const void *model, const struct son_features *f, uint32_t feature)     \
    {                                                                                              \
        return K##_weight(model, f, feature);                                                      \
    }

/* The first of them and the kernel's size, as members of a struct son_method; and both. */
#define SON_METHOD(K)          .model_size = sizeof(struct K), .learn = K##_learn_row
#define SON_IMPLICIT_METHOD(K) SON_METHOD(K), .stride = stride, .weight = K##_weigh

/* Features that may have slots of a sketch between two shrinks, when there may be `features`. */
uint32_t son_slots(const struct son_method *m, const void *cfg, uint32_t features, uint32_t row);
/* Bytes of a model's block for `features` features, in examples of `row` entries. */
size_t son_block_bytes(const struct son_method *m, const void *cfg, uint32_t features,
                       uint32_t row);

/* ---- the calls of a stage ---- */

/* The configuration: LEAT_OK, or LEAT_EARG after a problem. */
int son_validate(const void *cfg, struct leat_diag *d);
int son_negotiate(const void *cfg, struct leat_negotiation *n);
int son_plan(const struct son_method *m, const void *cfg, const struct leat_schema *in,
             struct leat_plan *p);
int son_open(struct leat_ctx *ctx, const struct son_method *m, void *self);
void son_close(struct leat_ctx *ctx, void *self);
int son_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
const char *const *son_columns(const void *cfg, uint32_t *n);
int son_query(struct leat_ctx *ctx, void *self, const struct leat_query *q,
              struct leat_result *out);
int son_stop(struct leat_ctx *ctx, void *self);
/* The figures, once a second. */
int son_tick(struct leat_ctx *ctx, void *self, int64_t now);

/* son_state.c */
enum { SON_STATE_VERSION = 2 };
int son_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w);
int son_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r, uint32_t version);
int son_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double weight);

/* Those of all; NAME_figures has them, and what the method reports. */
#define SON_FIGURES                                                                                \
    FIGURE_MODEL_BYTES, GROWING_FIGURES,                                                           \
    {                                                                                              \
        "overflows", "1", "steps that were left out: they were not finite", LEAT_COUNTER           \
    }

/* Members of the struct leat_stage of learn.NAME, besides summary and example. */
#define SON_STAGE(NAME, PARAMS, CFG, MODEL, VALIDATE)                                              \
    .name = "learn." #NAME, .doc = NAME##_doc, LEARNER_OF_LABELS, LEAT_PARAMS(PARAMS, CFG),        \
    LEAT_FIGURES(NAME##_figures), .instance_size = sizeof(struct son_stage) + sizeof(MODEL),       \
    .validate = VALIDATE, .negotiate = son_negotiate, .plan = NAME##_plan, .open = NAME##_open,    \
    .close = son_close, .stop = son_stop, .tick = son_tick, .process = son_process,                \
    .learner = LEAT_ROLE(leat_learner, .query = son_query, .columns = son_columns),                \
    .state = LEAT_ROLE(leat_state, .version = SON_STATE_VERSION, .snapshot = son_snapshot,         \
                       .restore = son_restore, .merge = son_merge)

#endif
