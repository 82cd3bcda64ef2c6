/* factored.h -- shared parts of the stages of factorization machines.
 *
 * A stage has its parameters, a struct factored_method for its model, plan and open, and its struct
 * leat_stage with FACTORED_STAGE(). Plan and open call factored_plan() and factored_open() with the
 * method. The stage's configuration begins with struct factored_cfg and its instance with struct
 * factored, so the functions here take either.
 *
 * factored.c opens, learns and answers; factored_state.c writes, reads and merges.
 */
#ifndef LEAT_LEARNERS_FM_FACTORED_H
#define LEAT_LEARNERS_FM_FACTORED_H

#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/fm/fm.h"
#include "common/learners/growing.h"
#include "common/learners/learner.h"
#include "common/state/state_fields.h"

/* ---- parameters ---- */

struct factored_cfg {
    struct growing_cfg growing;
    double min, max;
    struct leat_interval half_life; /* 0: nothing fades */
    int32_t loss, top;
};

extern const char *const factored_losses[]; /* enum fm_loss */
extern const char *const factored_tops[];   /* contents of an answer */

#define FACTORED_PARAM(FIELD, TYPE)                                                                \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct factored_cfg, FIELD)

/* clang-format off */
#define FACTORED_OTHER_PARAMS                                                                      \
    {FACTORED_PARAM(loss, LEAT_CHOICE), .def = "squared", .choices = factored_losses,              \
     .doc = "squared: labels are numbers (ratings); logistic, hinge: labels are -1 (or 0) and 1"}, \
    {FACTORED_PARAM(min, LEAT_FLOAT), .def = "-1e10", .min = -1e10, .max = 1e10,                   \
     .doc = "squared loss: the least score (learning goes by the prediction itself)"},             \
    {FACTORED_PARAM(max, LEAT_FLOAT), .def = "1e10", .min = -1e10, .max = 1e10,                    \
     .doc = "squared loss: the largest score"}
/* MAX: see GROWING_PARAMS. */
#define FACTORED_PARAMS(MAX)                                                                       \
    FACTORED_OTHER_PARAMS, GROWING_PARAMS(offsetof(struct factored_cfg, growing), MAX)
#define FACTORED_TOP_PARAM                                                                         \
    {FACTORED_PARAM(top, LEAT_CHOICE), .def = "both", .choices = factored_tops,                    \
     .flags = LEAT_ADVANCED | LEAT_QUESTION,                                                       \
     .doc = "what a top shows: features (linear), pairs of features (pairs), or half of each "     \
            "(both)"}
/* clang-format on */

/* ---- a stage ---- */

struct factored {
    struct learner learner;
    const struct factored_method *method;
    const struct factored_cfg *cfg;
    struct growing g;
    uint32_t *feature; /* scratch for an example */
    double *x;         /* scratch for its values */
    uint32_t max_row;  /* most entries, with FM_ONE */
    uint64_t examples; /* number of examples learned */
};

/* Two instances of a stage to merge. Features of the result have the numbers of `a`; number[j] is
 * the result's number of b's feature j. An example of b counts `count` times. */
struct factored_merger {
    void *a, *b;
    const uint32_t *number;
    double count;
};

/* Functions of a model. `self` begins with struct factored, whose table exists before `open`. */
struct factored_method {
    size_t instance_size;
    uint32_t (*stride)(const void *cfg);
    bool (*one)(const void *cfg); /* True if examples get FM_ONE; may be NULL. */
    /* Return the bytes of the model for a table of so many features, without their rows, and the
     * bytes of its scratch. NULL: none. */
    uint64_t (*block)(const void *cfg, uint32_t features, uint32_t max_row);
    uint64_t (*scratch)(const void *cfg, uint32_t max_row);
    uint32_t (*rows)(const void *cfg); /* most rows of a model in factors; NULL for other models */
    int (*open)(struct leat_ctx *, void *self);
    void (*close)(struct leat_ctx *, void *self); /* NULL: nothing to free */
    /* Makes room in the model for all features of the table, and for an example of n of them. NULL:
     * there always is room. */
    int (*prepare)(struct leat_ctx *, void *self, uint32_t n);
    void (*at)(void *self, int64_t time); /* moves the clock to an event time; NULL: no clock */
    double (*learn)(void *self,
                    const struct fm_example *); /* returns the prediction before learning */
    double (*predict)(void *self, const struct fm_example *);

    void (*report)(struct leat_ctx *, void *self);  /* reports the model's figures */
    double (*weight)(void *self, uint32_t feature); /* returns the weight of a feature */
    int (*pairs)(struct leat_ctx *, void *self,
                 struct pairs *); /* offers pairs; NULL: it has none */

    /* State: parameters, which must be the same on both sides, and numbers of the model. They are
     * read into a fresh, prepared instance, which has the table of the saved one. */
    struct state_table params, fields;
    /* Write and read the rest of the model, except the features' rows. NULL: there is none. */
    int (*write)(const void *self, struct leat_writer *);
    int (*read)(struct leat_ctx *, void *self, struct leat_reader *);
    /* Returns the fault of a model that was read, or NULL. The function may be NULL. */
    const char *(*check)(const void *self);
    /* Turns a fresh, prepared instance, whose table has the features of both, into the merge of a
     * and b. NULL if there is no merge, for the reason `no_merge`. */
    int (*merge)(struct leat_ctx *, void *self, const struct factored_merger *);
    const char *no_merge;
};

/* ---- calls for a stage ---- */

int factored_plan(const struct factored_method *m, const void *cfg, const struct leat_schema *in,
                  struct leat_plan *p);
int factored_open(struct leat_ctx *ctx, const struct factored_method *m, void *self);
/* Calls the method's `prepare`, if it has one. */
int factored_prepare(struct leat_ctx *ctx, void *self, uint32_t n);

/* Reports model_bytes: the features' rows, and `others`. */
void factored_report_bytes(struct leat_ctx *ctx, const struct factored *f, size_t others);

static inline bool factored_is_one(const struct factored *f, uint32_t feature)
{
    return f->g.table.id[feature] == FM_ONE;
}

/* Offers pairs of a model in factors for its answer: the pairs among those FACTORED_CANDIDATES
 * features that have the longest columns. A feature has `rows` numbers, of which the first `plus`
 * count positive. */
enum { FACTORED_CANDIDATES = 1024 };
struct factored_view {
    uint32_t plus, rows;
    double scale;
    void (*column)(void *self, uint32_t feature, double *out);
};
int factored_offer_pairs(struct leat_ctx *ctx, void *self, const struct factored_view *v,
                         struct pairs *out);

/* ---- common to all stages ---- */

enum { FACTORED_STATE_VERSION = 1 };

int factored_validate(const void *cfg, struct leat_diag *d);
int factored_negotiate(const void *cfg, struct leat_negotiation *n);
int factored_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
const char *const *factored_columns(const void *cfg, uint32_t *n);

/* Calls of struct learner_method (factored_state.c). */
int factored_write(const void *self, struct leat_writer *w);
int factored_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r);
int factored_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count);

/* Members of struct leat_stage that all stages share. */
#define FACTORED_STAGE(INSTANCE)                                                                   \
    LEARNER_OF_LABELS, .negotiate = factored_negotiate, .process = factored_process,               \
                       LEARNER_STAGE(INSTANCE, factored_columns, FACTORED_STATE_VERSION)

#endif
