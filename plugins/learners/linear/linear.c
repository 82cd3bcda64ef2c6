/* linear.c -- implementation of linear.h: parameters, classes, and common states. */
#include "linear.h"

#include <stdio.h>

#include "common/answers/answer.h"
#include "common/learners/examples.h"
#include "common/learners/units.h"

const char *const linear_schedules[] = {"inverse", "sqrt", "constant", NULL};
const char *const linear_biases[] = {"sgd", "none", "prior", NULL};
const char *const linear_rates[] = {"shared", "adagrad", "newton", "adaptive", NULL};
const char *const linear_exact_rates[] = {"shared", "adagrad", "newton", NULL};
const char *const linear_losses[] = {"logistic", "smoothed_hinge", "squared", NULL};

unsigned linear_units(const void *cfg)
{
    return ((const struct linear_cfg *)cfg)->rates == SGD_ADAPTIVE ? UNITS_USED
                                                                   : UNITS_USED | UNITS_SCALED;
}

struct sgd_options linear_options(const struct linear_cfg *c)
{
    return (struct sgd_options){.lambda = c->lambda,
                                .eta0 = c->eta0,
                                .rate = c->rate,
                                .schedule = (enum sgd_schedule)c->schedule,
                                .bias = (enum sgd_bias)c->bias,
                                .rates = (enum sgd_rates)c->rates,
                                .loss = (enum loss_kind)c->loss,
                                .l1 = c->l1,
                                .half_life = examples_half_life(&c->half_life),
                                .by_time = c->half_life.ns > 0};
}

int linear_validate(const struct linear_cfg *c, struct leat_diag *d)
{
    if (c->rate > 0 && c->rates == SGD_SHARED)
        d->warn(d, "rate", "has no effect with rates = \"shared\": leave it out");
    if (c->rates == SGD_ADAPTIVE && c->eta0 != LINEAR_ETA0)
        d->warn(d, "eta0",
                "with rates = \"adaptive\", it sets only the pace of the penalties: to change the "
                "size of the steps, set rate");
    if (c->precision && c->rates != SGD_ADAPTIVE)
        d->warn(d, "precision", "has no effect with rates = \"%s\": leave it out",
                linear_rates[c->rates]);
    if (c->on_drift && c->rates != SGD_ADAPTIVE) {
        d->error(d, "on_drift", "needs rates = \"adaptive\": set that, or leave on_drift out");
        return LEAT_EARG;
    }
    if (c->classes == 1) {
        d->error(
            d, "classes",
            "one class leaves nothing to learn: give at least 2, or 0 for labels of -1 and +1");
        return LEAT_EARG;
    }
    if (averaged_validate(c->averaged, &c->half_life, d) != LEAT_OK) return LEAT_EARG;
    if (c->eta0 * c->lambda < 1) return LEAT_OK;
    d->error(d, "lambda",
             "eta0 * lambda is %g and must be below 1, or each step would reverse the weights: "
             "lower one of them",
             c->eta0 * c->lambda);
    return LEAT_EARG;
}

uint32_t linear_classes(const struct linear_cfg *c, const struct leat_schema *in)
{
    uint32_t n = c->classes ? (uint32_t)c->classes : in ? examples_named_classes(in) : 0;
    return n > 2 ? n : 0;
}

/* Warns of parameters that count labels, if an earlier stage makes the examples of label -1 at
 * random. */
static void warn_of_made_labels(const struct linear_cfg *c, struct leat_diag *d)
{
    if (c->bias == SGD_BIAS_PRIOR)
        d->warn(d, "bias",
                "\"prior\" counts labels, but feature.pairs makes the examples of label -1 at "
                "random: set bias = \"none\"");
    if (c->counts)
        d->warn(d, "counts",
                "true shows relative risks, which mean nothing here, because feature.pairs makes "
                "the examples of label -1 at random: leave it out");
}

int linear_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct linear_cfg *c = cfg;
    uint32_t named = examples_named_classes(n->in);
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = linear_classes(c, n->in) ? LEAT_SCORE_CLASS : LEAT_SCORE_MARGIN;
    if (c->classes && named && (uint32_t)c->classes != named)
        n->diag->error(n->diag, "classes", "is %lld, but the labels have %u classes: leave it out",
                       (long long)c->classes, named);
    else if (named > LINEAR_MAX_CLASSES)
        n->diag->error(n->diag, "classes",
                       "the labels have %u classes, but a learner takes at most %d", named,
                       LINEAR_MAX_CLASSES);
    if (examples_have_made_labels(n->in)) warn_of_made_labels(c, n->diag);
    examples_need_time(n, &c->half_life);
    return LEAT_OK;
}

uint32_t linear_name_bytes(const struct linear_cfg *c, const struct leat_schema *in)
{
    return examples_name_bytes(c->name_bytes, in);
}

uint32_t linear_max_row(const struct linear_cfg *c, const struct leat_schema *in)
{
    return examples_max_entries(c->max_entries, in);
}

const char *linear_class_name(const struct leat_schema *in, uint32_t c, char text[16])
{
    if (c < examples_named_classes(in)) return in->classes[c];
    snprintf(text, 16, "%u", c);
    return text;
}

const char *const *linear_columns(const void *cfg, uint32_t *n)
{
    const struct linear_cfg *c = cfg;
    return answer_names(c->counts, c->averaged, n);
}

/* ---- states ---- */

/* Limit on sums. 2^64 records with the largest float as weight have a sum of 6e57. */
#define MAX_SUM 1e100

#define AT(member) STATE_MEMBER(struct linear_state, member)
static const struct state_field fields[] = {
    {"lambda", STATE_SAME, .at = AT(parts.sgd.opt.lambda)},
    {"eta0", STATE_SAME, .at = AT(parts.sgd.opt.eta0)},
    {"schedule", STATE_SAME, .at = AT(parts.sgd.opt.schedule), .choices = linear_schedules},
    {"bias", STATE_SAME, .at = AT(parts.sgd.opt.bias), .choices = linear_biases},
    {"rates", STATE_SAME, .at = AT(parts.sgd.opt.rates), .choices = linear_rates},
    {"loss", STATE_SAME, .at = AT(parts.sgd.opt.loss), .choices = linear_losses},
    {"l1", STATE_SAME, .at = AT(parts.sgd.opt.l1)},
    {"half_life", STATE_SAME, .at = AT(parts.sgd.opt.half_life)},
    {"rate", STATE_SAME, .at = AT(parts.sgd.opt.rate)}, /* its default depends on the others */
    {"counts", STATE_SAME, .at = AT(counts), .choices = state_false_true},

    {"examples", STATE_VALUE, .at = AT(parts.sgd.t), .max = COUNT_MAX},
    {"alpha", STATE_VALUE, .at = AT(parts.sgd.alpha), .min = SGD_FOLD_BELOW / SGD_MOST_GROWN,
     .max = 1},
    {"bias_weight", STATE_VALUE, .at = AT(parts.sgd.bias), .min = -(double)SGD_LIMIT,
     .max = (double)SGD_LIMIT},
    {"penalty", STATE_VALUE, .at = AT(parts.sgd.penalty), .max = MAX_SUM},
    {"l1_applied", STATE_VALUE, .at = AT(parts.sgd.l1_applied), .limit = AT(parts.sgd.penalty)},
    {"grown", STATE_VALUE, .at = AT(parts.sgd.grown), .min = 1, .max = 0x1p32},
    {"age", STATE_VALUE, .at = AT(parts.sgd.age), .max = MAX_SUM},
    {"size", STATE_VALUE, .at = AT(parts.sgd.size), .max = MAX_SUM},
    {"sized", STATE_VALUE, .at = AT(parts.sgd.sized), .max = MAX_SUM},
    {"bias_accumulator", STATE_VALUE, .at = AT(parts.sgd.bias_sum), .max = MAX_SUM},
    {"faded", STATE_INSIDE, .at = AT(parts.sgd.faded), .each = 2, .max = MAX_SUM},
    {"records", STATE_INSIDE, .at = AT(parts.sgd.records), .each = 2, .max = COUNT_MAX},
    {"mass", STATE_INSIDE, .at = AT(parts.sgd.mass), .each = 2, .max = MAX_SUM},

    {"ids", STATE_LENT, .at = AT(parts.id), .count = {AT(parts.n)}, .sets_count = true,
     .limit = AT(max_features), .optional = true},
    {"ids", STATE_LENT, .at = AT(parts.wide_id), .count = {AT(parts.n)}, .sets_count = true,
     .limit = AT(max_features), .optional = true},
    {"weights", STATE_LENT, .at = AT(parts.weight), .count = {AT(parts.n)},
     .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT, .optional = true},
    {"half_weights", STATE_LENT, .at = AT(parts.half_weight), .each = 2, .count = {AT(parts.n)},
     .optional = true, .turn = linear_turn_halves},
    {"accumulator_codes", STATE_LENT, .at = AT(parts.code), .count = {AT(parts.n)},
     .optional = true},
    {"accumulators", STATE_LENT, .at = AT(parts.accumulator), .count = {AT(parts.n)},
     .max = (double)SGD_LIMIT, .optional = true},
    {"counted", STATE_LENT, .at = AT(parts.count), .each = 2, .count = {AT(parts.n)},
     .optional = true},
    {"l1_seen", STATE_LENT, .at = AT(parts.l1_seen), .count = {AT(parts.n)}, .max = MAX_SUM,
     .optional = true},
    {"cells", STATE_LENT, .at = AT(parts.cell), .count = {AT(parts.cells)},
     .min = -(double)SGD_LIMIT, .max = (double)SGD_LIMIT, .optional = true},
    {"cell_accumulators", STATE_LENT, .at = AT(parts.cell_accumulator), .count = {AT(parts.cells)},
     .max = (double)SGD_LIMIT, .optional = true},
    {"half_cells", STATE_LENT, .at = AT(parts.half_cell), .each = 2, .count = {AT(parts.cells)},
     .optional = true, .turn = linear_turn_halves},
    {"cell_owners", STATE_LENT, .at = AT(parts.cell_owner), .count = {AT(parts.cells)},
     .optional = true},
    {"cell_accumulator_codes", STATE_LENT, .at = AT(parts.cell_code), .count = {AT(parts.cells)},
     .optional = true},
};

/* Fields that a state has only if the half-life is in event time. */
static const struct state_field times[] = {
    STATE_HALF_LIFE(AT(parts.sgd.at.newest), AT(parts.sgd.at.least), AT(parts.sgd.at.ahead),
                    AT(parts.sgd.at.seen)),
};

static const struct state_field rates[] = {
    {"rates", STATE_SAME, .at = AT(parts.sgd.opt.rates), .choices = linear_rates},
};
#undef AT

int linear_state_same_rates(struct leat_reader *r, struct linear_state *s)
{
    return state_read(r, STATE_TABLE(rates), s);
}

int linear_state_write(struct leat_writer *w, const struct linear_state *s)
{
    int status = state_write(w, STATE_TABLE(fields), s);
    if (status != LEAT_OK || !s->parts.sgd.opt.by_time) return status;
    return state_write(w, STATE_TABLE(times), s);
}

int linear_state_read(struct leat_reader *r, struct linear_state *s)
{
    if (state_read(r, STATE_TABLE(fields), s) != LEAT_OK) return LEAT_EDATA;
    if (s->parts.sgd.opt.by_time && state_read(r, STATE_TABLE(times), s) != LEAT_OK)
        return LEAT_EDATA;
    s->parts.saved = true;
    const struct linear_parts *p = &s->parts;
    for (uint32_t i = 0; p->l1_seen && i < p->n; i++)
        if (p->l1_seen[i] > (float)p->sgd.penalty)
            return r->refuse(r, "l1_seen[%u] is %g, more than the penalty of %g", i,
                             (double)p->l1_seen[i], p->sgd.penalty);
    return LEAT_OK;
}

struct leat_writer *linear_class_writer(struct state_prefix_writer *p, struct leat_writer *w,
                                        uint32_t c)
{
    char prefix[STATE_PREFIX_MAX];
    snprintf(prefix, sizeof prefix, "%u.", c);
    return state_prefix_writer(p, w, prefix);
}

struct leat_reader *linear_class_reader(struct state_prefix_reader *p, struct leat_reader *r,
                                        uint32_t c)
{
    char prefix[STATE_PREFIX_MAX], model[STATE_PREFIX_MAX];
    snprintf(prefix, sizeof prefix, "%u.", c);
    snprintf(model, sizeof model, "class %u", c);
    return state_prefix_reader(p, r, prefix, model);
}

enum linear_merge linear_how_to_merge(const struct sgd *live, const struct sgd *other,
                                      double weight)
{
    if (!(weight > 0) || !other->t) return LINEAR_KEEP_LIVE;
    return weight == 1 && !live->t ? LINEAR_TAKE_OTHER : LINEAR_JOIN;
}
