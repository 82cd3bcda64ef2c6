/* linear.c -- what the stages of linear classifiers share; see linear.h. */
#include "linear.h"

#include <stdio.h>

#include "common/answers/answer.h"
#include "common/learners/examples.h"

const char *const linear_schedules[] = {"inverse", "sqrt", "constant", NULL};
const char *const linear_biases[] = {"sgd", "none", "prior", NULL};
const char *const linear_rates[] = {"shared", "adagrad", "newton", "adaptive", NULL};
const char *const linear_exact_rates[] = {"shared", "adagrad", "newton", NULL};
const char *const linear_losses[] = {"logistic", "smoothed_hinge", "squared", NULL};

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
        d->warn(
            d, "eta0",
            "only sets the pace of the penalties with rates = \"adaptive\": set rate for larger or "
            "smaller steps");
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
    if (c->eta0 * c->lambda < 1) return LEAT_OK;
    d->error(d, "lambda",
             "eta0 * lambda is %g and must be below 1: each step would turn the weights around",
             c->eta0 * c->lambda);
    return LEAT_EARG;
}

uint32_t linear_classes(const struct linear_cfg *c, const struct leat_schema *in)
{
    uint32_t n = c->classes ? (uint32_t)c->classes : in ? examples_named_classes(in) : 0;
    return n > 2 ? n : 0;
}

/* Negatives that are made up have no share of the records. */
static void warn_of_made_labels(const struct linear_cfg *c, struct leat_diag *d)
{
    if (c->bias == SGD_BIAS_PRIOR)
        d->warn(d, "bias",
                "\"prior\" counts labels, and feature.pairs makes the examples of label -1 up: set "
                "bias = \"none\"");
    if (c->counts)
        d->warn(
            d, "counts",
            "true shows relative risks, and feature.pairs makes the examples of label -1 up, so "
            "that risks say nothing: leave it out");
}

int linear_negotiate(const void *cfg, struct leat_negotiation *n)
{
    const struct linear_cfg *c = cfg;
    uint32_t named = examples_named_classes(n->in);
    n->out->has |= LEAT_HAS_SCORE;
    n->out->score = linear_classes(c, n->in) ? LEAT_SCORE_CLASS : LEAT_SCORE_MARGIN;
    if (c->classes && named && (uint32_t)c->classes != named)
        n->diag->error(n->diag, "classes", "is %lld, but the labels name %u classes: leave it out",
                       (long long)c->classes, named);
    else if (named > LINEAR_MAX_CLASSES)
        n->diag->error(n->diag, "classes", "the labels name %u classes; a learner takes at most %d",
                       named, LINEAR_MAX_CLASSES);
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
    return answer_names(((const struct linear_cfg *)cfg)->counts, n);
}
