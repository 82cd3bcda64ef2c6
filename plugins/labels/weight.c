/* weight.c -- label.weight: sets how much each record counts, by a column and by its class.
 *
 * The weight in the column and the weight of the class multiply the record's weight. With classes =
 * "balanced", the weight of class c is W / (K W_c). W is the sum of all weights so far, including
 * this record's. W_c is the sum for class c. K is the number of classes so far. In a random order
 * of records, each class gets the same total weight: the k-th record of a class with fraction p
 * comes at position k / p on average, so W / W_c is 1 / p on average. */
#include <leat/plugin.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/text/decimal.h"
#include "label.h"
#include "labels/docs.h"
#include "common/cells/cell.h"
#include "common/cells/columns.h"
#include "common/learners/examples.h"
#include "common/state/state_fields.h"

enum { CLASSES = 1024 }; /* most classes; labels -1 and 0 are class 0, label 1 is class 1, … */

struct weight_label_cfg {
    struct label_cfg label; /* label.column is NULL if no column has weights */
    struct leat_strings classes;
    double max;
};

struct weights {
    uint32_t column, n; /* n: number of weights in the parameter */
    bool balanced;
    double weight[CLASSES];
    /* For balanced classes: sum of the weights of all records, sums by class, and number of classes
     * seen. */
    double all, sum[CLASSES];
    double seen;
    uint32_t highest; /* largest class seen so far */
    bool restored;    /* true after a restore: earlier runs may have seen larger classes */
};

static const struct leat_param weight_label_params[] = {
    LEAT_PARAM(struct label_cfg, column, LEAT_STRING, .flags = LEAT_POSITIONAL,
               .doc =
                   "the column with the weight of each record: 0, or a number from 1e-30 to 1e15"),
    LEAT_PARAM(struct weight_label_cfg, classes, LEAT_STRINGS,
               .doc = "one number: the weight of label +1, while -1 has 1; several: the weights of "
                      "-1 and +1, or of class 0, 1, 2, …; balanced: each class has the same sum"),
    LEAT_PARAM(struct weight_label_cfg, max, LEAT_FLOAT, .def = "100", .min = 1, .max = 1e9,
               .doc = "with classes = \"balanced\": the largest weight of a class"),
    LEAT_PARAM(struct label_cfg, missing, LEAT_CHOICE, .def = "reject",
               .choices = label_missing_names,
               .doc = "what to do with a record without a weight: reject it as bad, or filter it"),
};

/* ---- before the run ---- */

static bool weight_label_is_balanced(const struct weight_label_cfg *c)
{
    return c->classes.n == 1 && !strcmp(c->classes.v[0], "balanced");
}

/* Returns the weight that `text`, an element of the parameter, specifies; NaN if it is invalid. */
static double weight_given(const char *text)
{
    double x;
    bool number = decimal_whole(text, text + strlen(text), &x) == DECIMAL_OK;
    return number && weights_possible(x) ? x : (double)NAN;
}

static int weight_label_validate(const void *cfg, struct leat_diag *d)
{
    const struct weight_label_cfg *c = cfg;
    if (!c->label.column && !c->classes.n)
        d->error(d, NULL, "this stage weighs nothing: set `column` or `classes`");
    if (c->classes.n > CLASSES)
        d->error(d, "classes", "has %u weights: at most %d are possible", c->classes.n, CLASSES);
    for (uint32_t i = 0; i < c->classes.n && !weight_label_is_balanced(c); i++)
        if (isnan(weight_given(c->classes.v[i])))
            d->error(d, "classes",
                     "'%s' is not a weight: give 0, numbers from %g to %g, or balanced",
                     c->classes.v[i], WEIGHTS_MIN, WEIGHTS_MAX);
    return LEAT_OK;
}

static void weight_label_check_classes(const struct weight_label_cfg *c, struct leat_negotiation *n)
{
    uint32_t named = examples_named_classes(n->in), given = c->classes.n;
    if (!(n->in->has & LEAT_HAS_LABEL))
        n->diag->error(n->diag, "classes",
                       "no stage before this one makes labels: put this stage after the labels");
    if (named && !weight_label_is_balanced(c) && given != named)
        n->diag->error(n->diag, "classes",
                       given == 1 ? "there is %u weight, and the labels have %u classes: give a "
                                    "weight for each, or balanced"
                                  : "there are %u weights, and the labels have %u classes: give a "
                                    "weight for each, or balanced",
                       given, named);
}

static int weight_label_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct weight_label_cfg *c = cfg;
    uint32_t column;
    if (examples_have_made_labels(n->in))
        n->diag->error(n->diag, NULL,
                       "an earlier stage makes examples with weights: put this stage before it");
    if (c->classes.n) weight_label_check_classes(c, n);
    if (n->out->size >= offsetof(struct leat_schema, weighted) + sizeof n->out->weighted)
        n->out->weighted = 1;
    int status =
        c->label.column ? n->column(n, "column", c->label.column, CELL_TAKES, &column) : LEAT_OK;
    return status < 0 ? status : LEAT_OK;
}

static int open_weights(struct leat_ctx *ctx, void *self)
{
    const struct weight_label_cfg *c = ctx->cfg;
    struct weights *st = self;
    *st =
        (struct weights){.balanced = weight_label_is_balanced(c), .n = c->classes.n, .weight = {1}};
    if (c->label.column) st->column = columns_known(ctx, c->label.column, CELL_TAKES);
    for (uint32_t i = 0; i < st->n && !st->balanced; i++)
        st->weight[i + (st->n == 1)] = weight_given(c->classes.v[i]);
    st->n += st->n == 1;
    return LEAT_OK;
}

/* ---- a record ---- */

/* Returns the class of a label; CLASSES if the label is no class. */
static uint32_t weight_label_class_of(float label)
{
    if (label <= 0) return 0;
    return label < CLASSES && label == (float)(uint32_t)label ? (uint32_t)label : CLASSES;
}

static double weight_label_balance(struct weights *st, uint32_t class, double weight, double max)
{
    if (!(weight > 0)) return 1;
    st->seen += st->sum[class] == 0;
    st->sum[class] += weight;
    st->all += weight;
    return fmin(st->all / (st->seen * st->sum[class]), max); /* W / (K W_c): see the head */
}

/* Fails because the parameter has weights for more than two classes, but the labels have only
 * two. */
static int weight_label_refuse_two(struct leat_ctx *ctx, const struct weights *st)
{
    return ctx->host->fail(ctx, LEAT_EARG,
                           "classes has %u weights, and the labels have two classes: give the "
                           "weight of label +1, or the weights of -1 and +1",
                           st->n);
}

static double class_weight(struct weights *st, const struct weight_label_cfg *c, float label,
                           double weight)
{
    uint32_t class = weight_label_class_of(label);
    if (!st->n || class == CLASSES) return 1;
    if (class > st->highest) st->highest = class;
    if (st->balanced) return weight_label_balance(st, class, weight, c->max);
    return class < st->n ? st->weight[class] : 1;
}

/* Reads the weight from the column into *x; 1 if there is no column. If record r has no valid
 * weight, rejects or filters it and returns false. */
static bool read_weight(struct leat_ctx *ctx, const struct weights *st, struct leat_batch *b,
                        uint32_t r, double *x)
{
    const struct weight_label_cfg *c = ctx->cfg;
    *x = 1;
    if (!c->label.column) return true;
    enum cell cell = cell_number(ctx, b, r, st->column, x);
    if (cell == CELL_MISSING) label_missing(ctx, b, r, LEAT_R_NUMBER);
    if (cell != CELL_NUMBER) return false;
    if (weights_possible(*x)) return true;
    ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                      "column '%s': %g is not a weight: weights are 0, or %g to %g",
                      c->label.column, *x, WEIGHTS_MIN, WEIGHTS_MAX);
    return false;
}

static void weight_label_weigh(struct leat_ctx *ctx, struct weights *st, struct leat_batch *b,
                               uint32_t r)
{
    double x;
    if (!read_weight(ctx, st, b, r, &x)) return;
    x *= (double)b->weight[r];
    x *= class_weight(st, ctx->cfg, b->label[r], x);
    if (weights_possible(x))
        b->weight[r] = (float)x;
    else
        ctx->host->reject(ctx, b, r, LEAT_R_NUMBER,
                          "the weights of the record and its class multiply to %g, which is not a "
                          "weight: weights are 0, or %g to %g",
                          x, WEIGHTS_MIN, WEIGHTS_MAX);
}

static int weight_label_process(struct leat_ctx *ctx, void *self, struct leat_batch *b)
{
    const struct weights *st = self;
    for (LEAT_EACH_RECORD(b, r)) {
        if (st->n > 2 && b->label[r] < 0) return weight_label_refuse_two(ctx, st);
        weight_label_weigh(ctx, self, b, r);
    }
    for (LEAT_EACH_EXAMPLE(b, e))
        b->ex_weight[e] = b->weight[b->ex_record[e]];
    return LEAT_OK;
}

/* At the end of the run, fails if only the labels 0 and 1 have occurred, but the parameter has more
 * weights. During the run, larger classes may still follow. */
static int weight_label_stop(struct leat_ctx *ctx, void *self)
{
    const struct weights *st = self;
    return st->n > 2 && st->highest == 1 && !st->restored ? weight_label_refuse_two(ctx, st)
                                                          : LEAT_OK;
}

/* ---- state ---- */

enum { STATE_VERSION = 1 };

static const struct state_field weight_label_state_fields[] = {
    {"all", STATE_VALUE, .at = STATE_MEMBER(struct weights, all), .max = 1e140},
    {"seen", STATE_VALUE, .at = STATE_MEMBER(struct weights, seen), .max = CLASSES},
    {"sums", STATE_INSIDE, .at = STATE_MEMBER(struct weights, sum[0]), .each = CLASSES,
     .max = 1e140},
};

static int weight_label_snapshot(struct leat_ctx *ctx, void *self, struct leat_writer *w)
{
    return state_write(w, STATE_TABLE(weight_label_state_fields), self);
}

static int weight_label_restore(struct leat_ctx *ctx, void *self, struct leat_reader *r,
                                uint32_t version)
{
    struct weights *st = self, read = *st;
    int status = state_read(r, STATE_TABLE(weight_label_state_fields), &read);
    if (status != LEAT_OK) return status;
    *st = read;
    st->restored = true;
    return LEAT_OK;
}

const struct leat_stage label_weight = {
    .name = "label.weight",
    .summary = "weighs records: by a column, by their class",
    .doc = weight_doc,
    .example = "leat.label.weight { column = \"copies\", classes = \"balanced\" }",
    .kind = LEAT_TRANSFORM,
    .caps = LEAT_REWRITES | LEAT_STATEFUL | LEAT_LEARNS,
    .needs = LEAT_HAS_RECORDS,
    LEAT_PARAMS(weight_label_params, struct weight_label_cfg),
    LEAT_INSTANCE(struct weights, open_weights, NULL),
    .validate = weight_label_validate,
    .negotiate = weight_label_negotiate,
    .process = weight_label_process,
    .stop = weight_label_stop,
    .state = LEAT_ROLE(leat_state, .version = STATE_VERSION, .snapshot = weight_label_snapshot,
                       .restore = weight_label_restore),
};
