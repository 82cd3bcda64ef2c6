/* factored.h -- code that all stages of factorization machines share.
 *
 * A stage has its parameters, a struct factored_method for its model, plan and open functions, and
 * a struct leat_stage made with FACTORED_STAGE(). The plan and open functions call factored_plan()
 * and factored_open() with the method. The stage's configuration begins with struct factored_cfg
 * and its instance with struct factored, so the functions here can take both as `void *`.
 *
 * factored.c opens, learns and answers queries; factored_state.c writes, reads and merges
 * states. */
#ifndef LEAT_LEARNERS_FM_FACTORED_H
#define LEAT_LEARNERS_FM_FACTORED_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/fm/fm.h"
#include "common/learners/averaged.h"
#include "common/learners/growing.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"

/* ---- parameters ---- */

struct factored_cfg {
    struct growing_cfg growing;
    double min, max;
    struct leat_interval half_life; /* 0: nothing decays */
    int32_t loss, top, averaged;
};

extern const char *const factored_losses[]; /* names of enum fm_loss */
extern const char *const factored_tops[];   /* choices of `top`: features, pairs or both */

#define FACTORED_PARAM(FIELD, TYPE)                                                                \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct factored_cfg, FIELD)

/* clang-format off */
#define FACTORED_OTHER_PARAMS                                                                      \
    {FACTORED_PARAM(loss, LEAT_CHOICE), .def = "squared", .choices = factored_losses,              \
     .doc = "squared: labels are numbers (ratings); logistic, hinge: labels are -1 (or 0) and 1"}, \
    {FACTORED_PARAM(min, LEAT_FLOAT), .def = "-1e10", .min = -1e10, .max = 1e10,                   \
     .doc = "squared loss: the smallest score (learning uses the prediction before this limit)"},  \
    {FACTORED_PARAM(max, LEAT_FLOAT), .def = "1e10", .min = -1e10, .max = 1e10,                    \
     .doc = "squared loss: the largest score"},                                                    \
    {FACTORED_PARAM(averaged, LEAT_BOOL), .def = "false", .doc = AVERAGED_DOC}
/* MAX is the default of max_features, as text (GROWING_PARAMS). */
#define FACTORED_PARAMS(MAX)                                                                       \
    FACTORED_OTHER_PARAMS, GROWING_PARAMS(offsetof(struct factored_cfg, growing), MAX)
#define FACTORED_TOP_PARAM                                                                         \
    {FACTORED_PARAM(top, LEAT_CHOICE), .def = "both", .choices = factored_tops,                    \
     .flags = LEAT_ADVANCED | LEAT_QUESTION,                                                       \
     .doc = "content of a top: features (linear), pairs of features (pairs), or half of each "     \
            "(both)"}
/* clang-format on */

/* ---- a stage ---- */

struct factored {
    struct learner learner;
    const struct factored_method *method;
    const struct factored_cfg *cfg;
    struct growing g;
    uint32_t *feature;        /* features of the current example */
    double *x;                /* values of the current example */
    uint32_t max_row;         /* largest number of entries of an example, including FM_ONE */
    uint64_t examples;        /* number of examples learned */
    struct averages averages; /* of the weights of the features */
};

/* Merge of two instances a and b. In the result, the features of `a` keep their numbers, and
 * feature j of b becomes feature number[j]. An example of b counts `count` times. */
struct factored_merger {
    void *a, *b;
    const uint32_t *number;
    double count;
};

/* Functions of a model. `self` begins with struct factored. Its feature table exists before `open`
 * is called. */
struct factored_method {
    size_t instance_size;
    uint32_t (*stride)(const void *cfg);
    bool (*one)(const void *cfg); /* True if FM_ONE is added to each example. NULL: never. */
    /* block() returns the bytes of the model for `features` features, without their rows in the
     * feature table. scratch() returns the bytes of the model's scratch memory. NULL: 0 bytes. */
    uint64_t (*block)(const void *cfg, uint32_t features, uint32_t max_row);
    uint64_t (*scratch)(const void *cfg, uint32_t max_row);
    /* Returns the number of factors of each feature. NULL: the model does not consist of
     * factors. */
    uint32_t (*rows)(const void *cfg);
    int (*open)(struct leat_ctx *, void *self);
    void (*close)(struct leat_ctx *, void *self); /* NULL: there is nothing to free */
    /* Makes room in the model for all features of the table, and for an example of n features.
     * NULL: there is always room. */
    int (*prepare)(struct leat_ctx *, void *self, uint32_t n);
    /* Takes the event time of an example, and returns its weight; NULL: no clock. */
    double (*at)(void *self, int64_t time);
    /* Predicts the example, then learns it. Returns the prediction. */
    double (*learn)(void *self, const struct fm_example *);
    double (*predict)(void *self, const struct fm_example *);

    void (*report)(struct leat_ctx *, void *self);  /* reports the model's figures */
    double (*weight)(void *self, uint32_t feature); /* returns the feature's weight */
    /* Adds the model's pairs to the answer. NULL: it has none. */
    int (*pairs)(struct leat_ctx *, void *self, struct pairs *);

    /* State of the model. It is read into a new, prepared instance, whose feature table is already
     * read. `params` must be equal in the saved state and here; `fields` are numbers to read. */
    struct state_table params, fields;
    /* Write and read the parts of the model that are neither in `fields` nor in the features' rows.
     * NULL: there are none. */
    int (*write)(const void *self, struct leat_writer *);
    int (*read)(struct leat_ctx *, void *self, struct leat_reader *);
    /* Returns the fault of a model that was read; NULL if there is none. The function may be
     * NULL. */
    const char *(*check)(const void *self);
    /* Sets self to the merge of m->a and m->b. self is new and prepared, and its table has the
     * features of both. NULL: models cannot be merged; no_merge is the reason. */
    int (*merge)(struct leat_ctx *, void *self, const struct factored_merger *);
    const char *no_merge;
};

/* ---- functions for the files of stages ---- */

int factored_plan(const struct factored_method *m, const void *cfg, const struct leat_schema *in,
                  struct leat_plan *p);
int factored_open(struct leat_ctx *ctx, const struct factored_method *m, void *self);
/* Calls the method's `prepare` unless that is NULL. */
int factored_prepare(struct leat_ctx *ctx, void *self, uint32_t n);

/* Reports the figure model_bytes: the features' rows, plus `others`. */
void factored_report_bytes(struct leat_ctx *ctx, const struct factored *f, size_t others);

static inline bool factored_is_one(const struct factored *f, uint32_t feature)
{
    return f->g.table.id[feature] == FM_ONE;
}

/* Adds pairs to the answer of a model that consists of factors. A feature has a column of `rows`
 * numbers, its factors. In the product of two columns, the first `plus` terms are added and the
 * others subtracted. Only the FACTORED_CANDIDATES features with the longest columns are paired. */
enum { FACTORED_CANDIDATES = 1024 };
struct factored_view {
    uint32_t plus, rows;
    double scale;
    void (*column)(void *self, uint32_t feature, double *out);
};
int factored_offer_pairs(struct leat_ctx *ctx, void *self, const struct factored_view *v,
                         struct pairs *out);

/* ---- functions of struct leat_stage, the same in all stages ---- */

enum { FACTORED_STATE_VERSION = 2 };

int factored_validate(const void *cfg, struct leat_diag *d);
int factored_negotiate(const void *cfg, struct leat_negotiation *n);
int factored_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
const char *const *factored_columns(const void *cfg, uint32_t *n);

/* Functions of struct learner_method (factored_state.c). */
int factored_write(const void *self, struct leat_writer *w);
int factored_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r);
int factored_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count);

/* Members of struct leat_stage that all these stages have. */
#define FACTORED_STAGE(INSTANCE)                                                                   \
    LEARNER_OF_LABELS, .negotiate = factored_negotiate, .process = factored_process,               \
                       LEARNER_STAGE(INSTANCE, factored_columns, FACTORED_STATE_VERSION)

#endif
