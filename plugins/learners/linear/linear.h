/* linear.h -- what the stages of linear classifiers share: parameters, and which examples they
 * take.
 *
 * Only glue: struct linear_cfg is the first member of each stage's configuration.
 */
#ifndef LEAT_LEARNERS_LINEAR_LINEAR_H
#define LEAT_LEARNERS_LINEAR_LINEAR_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include <leat/plugin.h>

#include "kernels/linear/linear.h"

struct linear_cfg {
    double lambda, l1, eta0, rate;
    int32_t schedule, bias, rates, loss; /* as the enums of sgd.h and loss.h */
    int32_t counts;
    int32_t reserved;
    int64_t half_life, classes, name_bytes, max_entries;
};

enum { LINEAR_MAX_CLASSES = 100 }; /* states have room for the fields of as many */

static const char *const linear_schedules[] = {"inverse", "sqrt", "constant", NULL};
static const char *const linear_biases[] = {"sgd", "none", "prior", NULL};
static const char *const linear_rates[] = {"shared", "adagrad", "newton", NULL};
static const char *const linear_losses[] = {"logistic", "smoothed_hinge", "squared", NULL};

#define LINEAR_PARAM(FIELD, TYPE)                                                                  \
    .name = #FIELD, .type = TYPE, .offset = offsetof(struct linear_cfg, FIELD)

/* clang-format off */
#define LINEAR_PARAMS                                                                              \
    {LINEAR_PARAM(lambda, LEAT_FLOAT), .def = "1e-6", .min = 0, .max = 1,                          \
     .doc = "strength of the L2 penalty"},                                                         \
    {LINEAR_PARAM(l1, LEAT_FLOAT), .def = "0", .min = 0, .max = 1,                                 \
     .doc = "strength of the L1 penalty: weights of little use become 0"},                         \
    {LINEAR_PARAM(classes, LEAT_INT), .def = "0", .min = 0, .max = LINEAR_MAX_CLASSES,             \
     .unit = "classes",                                                                            \
     .doc = "classes that are told apart, labels 0, 1, …; 0: as many as label.class names, or two"}, \
    {LINEAR_PARAM(half_life, LEAT_INT), .def = "0", .min = 0, .max = 1e8, .unit = "records",       \
     .doc = "records after which what was learned and counted is worth half; 0: never"},           \
    {LINEAR_PARAM(eta0, LEAT_FLOAT), .def = "0.1", .min = 1e-9, .max = 1e3,                        \
     .doc = "learning rate at the start"},                                                         \
    {LINEAR_PARAM(bias, LEAT_CHOICE), .def = "sgd", .choices = linear_biases,                      \
     .doc = "sgd: learned; none: 0; prior: log odds of the records so far (for exploded records)"},\
    {LINEAR_PARAM(rates, LEAT_CHOICE), .def = "shared", .choices = linear_rates,                   \
     .doc = "own rates of features kept exactly: shared (none), adagrad, newton (for explanation)"}, \
    {LINEAR_PARAM(counts, LEAT_BOOL), .def = "false",                                              \
     .doc = "count features among outliers (+1) and inliers: relative risk and support in the top"}, \
    {LINEAR_PARAM(schedule, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "inverse",                \
     .choices = linear_schedules,                                                                  \
     .doc = "shared rate at example t: eta0/(1 + eta0 lambda t), eta0/sqrt(t + 1), eta0"},         \
    {LINEAR_PARAM(rate, LEAT_FLOAT), .flags = LEAT_ADVANCED, .def = "0", .min = 0, .max = 1e3,     \
     .doc = "factor of own rates; 0: 0.5 for adagrad, 1 for newton"},                              \
    {LINEAR_PARAM(loss, LEAT_CHOICE), .flags = LEAT_ADVANCED, .def = "logistic",                   \
     .choices = linear_losses,                                                                     \
     .doc = "what is minimised; only with logistic are margins log odds"},                         \
    {LINEAR_PARAM(name_bytes, LEAT_INT), .flags = LEAT_ADVANCED, .def = "120", .min = 8,           \
     .max = 65535, .unit = "bytes", .doc = "longest name kept; longer ones are cut and end with …"}, \
    {LINEAR_PARAM(max_entries, LEAT_INT), .flags = LEAT_ADVANCED, .def = "65536", .min = 1,        \
     .max = 16777216, .unit = "entries", .doc = "longest example learned; longer ones are rejected"}
/* clang-format on */

static inline struct sgd_options linear_options(const struct linear_cfg *c)
{
    return (struct sgd_options){.lambda = c->lambda,
                                .eta0 = c->eta0,
                                .rate = c->rate,
                                .schedule = (enum sgd_schedule)c->schedule,
                                .bias = (enum sgd_bias)c->bias,
                                .rates = (enum sgd_rates)c->rates,
                                .loss = (enum loss_kind)c->loss,
                                .l1 = c->l1,
                                .half_life = (double)c->half_life};
}

static inline int linear_validate(const struct linear_cfg *c, struct leat_diag *d)
{
    if (c->classes == 1) {
        d->error(d, "classes", "is 1, and there is nothing to tell apart: 0 means two");
        return LEAT_EARG;
    }
    if (c->eta0 * c->lambda < 1) return LEAT_OK;
    d->error(d, "lambda",
             "eta0 * lambda is %g and must stay below 1: each step would turn weights around",
             c->eta0 * c->lambda);
    return LEAT_EARG;
}

/* How many classes a stage before this one has named. (An older host knows of none.) */
static inline uint32_t linear_named_classes(const struct leat_schema *in)
{
    return in->size >= offsetof(struct leat_schema, classes) + sizeof in->classes ? in->n_classes
                                                                                  : 0;
}

/* Classes that are told apart by a model each; 0: two, by one model. in: NULL, not known yet. */
static inline uint32_t linear_classes(const struct linear_cfg *c, const struct leat_schema *in)
{
    uint32_t n = c->classes ? (uint32_t)c->classes : in ? linear_named_classes(in) : 0;
    return n > 2 ? n : 0;
}

static inline uint32_t linear_models(uint32_t classes) { return classes ? classes : 1; }

/* Of learners that tell two classes apart. */
static inline int linear_negotiate(const void *cfg, struct leat_negotiation *n)
{
    (void)cfg;
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = LEAT_SCORE_MARGIN;
    if (linear_named_classes(n->in) > 2)
        n->diag->error(n->diag, NULL, "labels name %u classes; this learner tells two apart",
                       linear_named_classes(n->in));
    return LEAT_OK;
}

/* Of those that tell apart any number. cfg begins with struct linear_cfg. */
static inline int linear_negotiate_classes(const void *cfg, struct leat_negotiation *n)
{
    const struct linear_cfg *c = cfg;
    uint32_t named = linear_named_classes(n->in);
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = linear_classes(c, n->in) ? LEAT_SCORE_CLASS : LEAT_SCORE_MARGIN;
    if (c->classes && named && (uint32_t)c->classes != named)
        n->diag->error(n->diag, "classes", "is %lld, but labels name %u classes",
                       (long long)c->classes, named);
    else if (named > LINEAR_MAX_CLASSES)
        n->diag->error(n->diag, "classes", "labels name %u classes; at most %d can be told apart",
                       named, LINEAR_MAX_CLASSES);
    return LEAT_OK;
}

/* Names that are only ids in decimal are short. */
static inline uint32_t linear_name_bytes(const struct linear_cfg *c, const struct leat_schema *in)
{
    return in->has & LEAT_HAS_NAMES ? (uint32_t)c->name_bytes : 20;
}

/* Entries of the longest example there will be: known where entries do not depend on the text. */
static inline uint32_t linear_max_row(const struct linear_cfg *c, const struct leat_schema *in)
{
    uint32_t most = (uint32_t)c->max_entries, known = in->entries_per_record;
    return !in->bytes_per_entry && known && known < most ? known : most;
}

/* Is the label none that the learner can take? Then the record is rejected. */
static inline bool linear_refuse_label(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                                       uint32_t classes)
{
    float y = b->ex_label[e];
    uint32_t r = b->ex_record[e];
    if (classes ? y >= 0 && y < (float)classes && y == (float)(uint32_t)y
                : y == 1 || y == -1 || y == 0)
        return false;
    if (classes)
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is no class: they are 0 to %u",
                          (double)y, classes - 1);
    else
        ctx->host->reject(ctx, b, r, LEAT_R_LABEL, "label %g is none of -1, 0 and 1", (double)y);
    return true;
}

/* The same of all else about the example. */
static inline bool linear_refuse_other(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                                       uint32_t most)
{
    float weight = b->ex_weight[e];
    uint32_t r = b->ex_record[e], n = b->ex_start[e + 1] - b->ex_start[e];
    if (!(weight >= 0 && isfinite(weight))) {
        ctx->host->reject(ctx, b, r, LEAT_R_NONFINITE, "importance weight %g", (double)weight);
        return true;
    }
    if (n > most) {
        ctx->host->reject(ctx, b, r, LEAT_R_TOO_LARGE, "%u entries, max_entries is %u", n, most);
        return true;
    }
    return false;
}

/* The record of an example that cannot be learned from is rejected here: true. */
static inline bool linear_refuse(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e,
                                 uint32_t most)
{
    return linear_refuse_label(ctx, b, e, 0) || linear_refuse_other(ctx, b, e, most);
}

static inline void linear_reject_values(struct leat_ctx *ctx, struct leat_batch *b, uint32_t e)
{
    uint32_t i = b->ex_start[e];
    while (i + 1 < b->ex_start[e + 1] && isfinite(b->value[i]))
        i++;
    ctx->host->reject(ctx, b, b->ex_record[e], LEAT_R_NONFINITE, "value %u of feature %llu is %g",
                      i - b->ex_start[e] + 1, (unsigned long long)b->id[i], (double)b->value[i]);
}

static inline float linear_score(double margin)
{
    return (float)(margin > 3e38 ? 3e38 : margin < -3e38 ? -3e38 : margin);
}

/* ---- examples ---- */

struct linear_example {
    struct linear_row row;
    float label;    /* as it is: the class         */
    uint32_t start; /* of its entries in the batch */
};

/* Predict (the margin, or the class), then learn. false: a value is not finite, and nothing has
 * changed. */
typedef bool linear_learn(struct leat_ctx *ctx, void *self, const struct leat_batch *b,
                          const struct linear_example *ex, double *score);

/* The margin of a row by the model of class c (0, where there is one model), which stays as it is;
 * not finite when a value is not. */
typedef double linear_margin(void *self, uint32_t c, const struct linear_row *row);

/* An example of weight 0 is held out: predicted, and not learned from. */
static inline bool linear_predict(void *self, uint32_t classes, linear_margin *margin,
                                  const struct linear_row *row, double *score)
{
    double most = margin(self, 0, row);
    if (!isfinite(most)) return false;
    *score = classes ? 0 : most;
    for (uint32_t c = 1; c < classes; c++) {
        double z = margin(self, c, row);
        if (z <= most) continue;
        most = z;
        *score = c;
    }
    return true;
}

/* Written into its callers, so that on streams of single features no call stands between this loop
 * and a kernel: there the glue would be a third of the time. */
#define LINEAR_INLINE static inline __attribute__((always_inline))

/* Learn from a batch; examples of more than `most` entries are rejected. */
LINEAR_INLINE int linear_process(struct leat_ctx *ctx, void *self, struct leat_batch *b,
                                 uint32_t most, uint32_t classes, linear_learn *learn,
                                 linear_margin *margin)
{
    uint32_t record = UINT32_MAX, refused = UINT32_MAX;
    for (LEAT_EACH_EXAMPLE(b, e)) {
        uint32_t r = b->ex_record[e], start = b->ex_start[e];
        if (r == refused) continue; /* its other examples */
        double score = 0;
        struct linear_example ex = {.row = {.id = b->id + start,
                                            .x = b->value + start,
                                            .n = b->ex_start[e + 1] - start,
                                            .y = b->ex_label[e] > 0 ? 1 : -1,
                                            .weight = b->ex_weight[e],
                                            .new_record = r != record},
                                    .label = b->ex_label[e],
                                    .start = start};
        if (linear_refuse_label(ctx, b, e, classes) || linear_refuse_other(ctx, b, e, most)) {
            refused = r;
        } else if (ex.row.weight > 0 ? !learn(ctx, self, b, &ex, &score)
                                     : !linear_predict(self, classes, margin, &ex.row, &score)) {
            linear_reject_values(ctx, b, e);
            refused = r;
        } else {
            b->score[e] = linear_score(score);
            record = r;
        }
    }
    return LEAT_OK;
}

/* ---- the answer to LEAT_QUERY_TOP ---- */

static const char *const linear_columns[] = {"weight", "relative_risk", "support_outliers",
                                             "support_inliers", "count"};

static inline int linear_answer_columns(struct leat_result *out, bool counts)
{
    return out->columns(out, linear_columns, counts ? 5 : 1);
}

/* count: { inliers, outliers } of the feature, or NULL. */
static inline int linear_answer_row(struct leat_result *out, const struct sgd *s, const char *name,
                                    size_t len, double weight, const uint32_t *count)
{
    double v[5] = {weight};
    if (count) {
        double N1 = sgd_records(s, 1), N0 = sgd_records(s, 0);
        double n1 = sgd_counted(s, count[1]), n0 = sgd_counted(s, count[0]);
        v[1] = sgd_relative_risk(n1, n0, N1, N0);
        /* a record may name a feature twice, and estimates of counts may be too high */
        v[2] = N1 > 0 ? fmin(1, n1 / N1) : (double)NAN;
        v[3] = N0 > 0 ? fmin(1, n0 / N0) : (double)NAN;
        v[4] = n1 + n0;
    }
    return out->row(out, name, len, v);
}

#define LINEAR_DOC                                                                                 \
    "\n\nThe bias is not penalised. `bias = \"prior\"` pins it to log(N+/N-) over the records so " \
    "far; "                                                                                        \
    "where a record is exploded into examples of one feature, the weight of feature i then tends " \
    "to "                                                                                          \
    "log(p(i|+)/p(i|-)), and a run of examples with one label does not make the bias swing. "      \
    "`rates` gives each exactly kept feature a rate of its own: adagrad 0.5 g x / sqrt(sum (g "    \
    "x)^2), "                                                                                      \
    "newton g x / (1 + sum p(1-p) x^2); on such streams a shared rate leaves rare features far "   \
    "below their log odds.\n\n"                                                                    \
    "`l1` moves every weight by eta l1 towards 0 after each example, where it stops (Langford, "   \
    "Li, "                                                                                         \
    "Zhang: Sparse Online Learning via Truncated Gradient, JMLR 2009), at the shared rate "        \
    "whatever "                                                                                    \
    "`rates` says. Weights kept exactly have it lazily, when their feature next comes, at 4 "      \
    "bytes a "                                                                                     \
    "feature; it is as if all had it at once. Cells that features share are shrunk together "      \
    "every "                                                                                       \
    "so often, at the cost of 64 cells an example: there it is a penalty on the cells.\n\n"        \
    "With `half_life = H` all that is known fades by 2^(-1/H) with each record: weights (as an "   \
    "L2 "                                                                                          \
    "penalty of eta lambda = 1 - 2^(-1/H) more would), the prior bias, the rates' accumulators, "  \
    "the "                                                                                         \
    "examples that the schedule of the shared rate goes by, and counts, which the answer then "    \
    "shows "                                                                                       \
    "faded, to within a hundredth (a tenth at the longest half-lives). A learned bias does not "   \
    "fade. Nothing is swept for it but once in a few half-lives.\n\n"                              \
    "With `counts` the top also shows, from exact counts of each feature among records labelled "  \
    "+1 "                                                                                          \
    "(outliers) and -1: relative_risk = p(+|x)/p(+|not x), with a half added to all four counts "  \
    "when one is 0; support_outliers and support_inliers, its share of the records of each kind; " \
    "and count.\n\n"                                                                               \
    "Labels are -1 and +1, and 0 counts as -1; or those of `classes`. A record with another "      \
    "label or a value that is not "                                                                \
    "finite is rejected and changes nothing; one of importance 0 is predicted and changes "        \
    "nothing." CLASSES_DOC

#endif
