/* factored.h -- what the stages of factorization machines share: parameters, which examples they
 * take, learning and predicting, answers, states.
 *
 * A stage is its parameters, a struct factored_method (what its model does), plan and open, which
 * call factored_plan() and factored_open() with that method, and its struct leat_stage with
 * FACTORED_STAGE(). Its configuration begins with struct factored_cfg and its instance with struct
 * factored, so that the functions here take either.
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
extern const char *const factored_tops[];   /* what a top shows */

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
    uint32_t *feature; /* scratch: an example       */
    double *x;         /* scratch: its values       */
    uint32_t max_row;  /* entries, FM_ONE among */
    uint64_t examples; /* learned                   */
};

/* Two instances of a stage. Features of the merged one have a's numbers; number[j] is that of b's
 * feature j. b counts `count` times. */
struct factored_merger {
    void *a, *b;
    const uint32_t *number;
    double count;
};

/* What a model does. `self` begins with struct factored, whose table is there before `open`. */
struct factored_method {
    size_t instance_size;
    uint32_t (*stride)(const void *cfg);
    bool (*one)(const void *cfg); /* do examples get FM_ONE? NULL: no */
    /* Bytes of the model besides the features' rows, for a table of so many features. And its
     * scratch. NULL: none. */
    uint64_t (*block)(const void *cfg, uint32_t features, uint32_t max_row);
    uint64_t (*scratch)(const void *cfg, uint32_t max_row);
    uint32_t (*rows)(const void *cfg); /* of a model in factors, at most; NULL: it is none */
    int (*open)(struct leat_ctx *, void *self);
    void (*close)(struct leat_ctx *, void *self); /* NULL: nothing to free */
    /* Room in the model for all features of the table, and an example of n of them. NULL: there
     * always is. */
    int (*prepare)(struct leat_ctx *, void *self, uint32_t n);
    void (*at)(void *self, int64_t time); /* the clock goes to an event time; NULL: it has none */
    double (*learn)(void *self, const struct fm_example *); /* returns what it predicted */
    double (*predict)(void *self, const struct fm_example *);

    void (*report)(struct leat_ctx *, void *self);  /* figures of the model            */
    double (*weight)(void *self, uint32_t feature); /* of one feature                  */
    int (*pairs)(struct leat_ctx *, void *self, struct pairs *); /* offer them; NULL: it has none */

    /* Members of the instance: parameters, which both sides of a state must share, and numbers of
     * the model. They are read into a fresh, prepared instance whose table is that
     * of the writer. */
    struct state_table params, fields;
    /* The rest of the model, besides the features' rows; NULL: nothing. */
    int (*write)(const void *self, struct leat_writer *);
    int (*read)(struct leat_ctx *, void *self, struct leat_reader *);
    /* NULL, or what is wrong with a model that was read; NULL: always right. */
    const char *(*check)(const void *self);
    /* Make a fresh, prepared instance, whose table has the features of both, the merger of a and b;
     * NULL, and why there is none. */
    int (*merge)(struct leat_ctx *, void *self, const struct factored_merger *);
    const char *no_merge;
};

/* ---- what a stage calls ---- */

int factored_plan(const struct factored_method *m, const void *cfg, const struct leat_schema *in,
                  struct leat_plan *p);
int factored_open(struct leat_ctx *ctx, const struct factored_method *m, void *self);
/* Calls the method's `prepare`, if it has one. */
int factored_prepare(struct leat_ctx *ctx, void *self, uint32_t n);

/* The metric model_bytes: the features' rows, and `others`. */
void factored_report_bytes(struct leat_ctx *ctx, const struct factored *f, size_t others);

static inline bool factored_is_one(const struct factored *f, uint32_t feature)
{
    return f->g.table.id[feature] == FM_ONE;
}

/* Pairs of a model in factors, offered for its answer: those among FACTORED_CANDIDATES features,
 * the ones with the longest columns. `rows` numbers a feature, the first `plus` of which count
 * positive. */
enum { FACTORED_CANDIDATES = 1024 };
struct factored_view {
    uint32_t plus, rows;
    double scale;
    void (*column)(void *self, uint32_t feature, double *out);
};
int factored_offer_pairs(struct leat_ctx *ctx, void *self, const struct factored_view *v,
                         struct pairs *out);

/* ---- what all stages have in common ---- */

enum { FACTORED_STATE_VERSION = 1 };

int factored_validate(const void *cfg, struct leat_diag *d);
int factored_negotiate(const void *cfg, struct leat_negotiation *n);
int factored_process(struct leat_ctx *ctx, void *self, struct leat_batch *b);
const char *const *factored_columns(const void *cfg, uint32_t *n);

/* Calls of struct learner_method (factored_state.c). */
int factored_write(const void *self, struct leat_writer *w);
int factored_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r);
int factored_merge(struct leat_ctx *ctx, void *self, struct leat_reader *r, double count);

/* Members of struct leat_stage that all have. */
#define FACTORED_STAGE(INSTANCE)                                                                   \
    LEARNER_OF_LABELS, .negotiate = factored_negotiate, .process = factored_process,               \
                       LEARNER_STAGE(INSTANCE, factored_columns, FACTORED_STATE_VERSION)

#endif
