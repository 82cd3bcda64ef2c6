/* progressive_constant.c -- losses of predictions without any feature.
 *
 * A learner with a larger loss has learned something wrong.
 *
 * For margins and classes, the loss follows from sums of labels that exist anyway, so it costs
 * nothing and is the same for merged streams. Only the log loss of examples with unequal weights is
 * summed example by example. For values the loss depends on the order of the labels: their running
 * mean predicts alongside the learner (last_fifth.h). */
#include <stdio.h>

#include "core/log_gamma.h"
#include "progressive_inside.h"

/* A learner counts as worse than a constant if its loss is more than WORSE times as large, after at
 * least FEWEST_EXAMPLES examples. A smaller difference may be chance. */
enum { FEWEST_EXAMPLES = 100 };
#define WORSE 1.05

static void best_class(const struct progressive *p, double *constant, double *loss)
{
    uint32_t best = 0;
    for (uint32_t c = 1; c < CLASSES; c++)
        if (p->of_class[c] > p->of_class[best]) best = c;
    *constant = best;
    *loss = 1.0 - mean(p, p->of_class[best]);
}

void progressive_best_constant(const struct progressive *p, double *constant, double *loss)
{
    if (p->kind == LEAT_SCORE_VALUE) {
        double shift = mean(p, p->d1);
        *constant = p->first_label + shift;
        *loss = fmax(0.0, mean(p, p->d2) - shift * shift);
        return;
    }
    if (p->kind == LEAT_SCORE_CLASS) {
        best_class(p, constant, loss);
        return;
    }
    if (p->kind == LEAT_SCORE_DECISION) {
        *constant = p->of[1] >= p->of[0] ? 1.0 : -1.0;
        *loss = progressive_constant_error(p);
        return;
    }
    *constant = exp_log_all(p->of[1] / p->of[0]);
    *loss = 0.0; /* stays 0 if there is one class: an infinite margin has no loss */
    for (int c = 0; c < 2; c++)
        if (p->of[c] > 0.0) *loss -= mean(p, p->of[c]) * exp_log(mean(p, p->of[c]));
}

/* Total loss of predicting the share of each label so far, with half an example of each label
 * added: sum of -log (n_y + 1/2) / (n + 1). If all weights are 1, this depends only on the final
 * counts (Krichevsky and Trofimov 1981). Otherwise p->d1 has the sum, in which the loss of each
 * example is multiplied by its weight. */
static double share_loss(const struct progressive *p)
{
    double a = p->of[0], b = p->of[1];
    if (p->d1 > 0) return p->d1;
    return exp_log(LOG_GAMMA_PI) + log_gamma(a + b + 1) - log_gamma(a + 0.5) - log_gamma(b + 0.5);
}

void progressive_lose_share(struct progressive *p, uint32_t label, double w)
{
    double share = (p->of[label] + 0.5) / (p->of[0] + p->of[1] + 1);
    p->d1 = share_loss(p) - w * exp_log(share);
}

void progressive_join_shares(struct progressive *p, const struct progressive *other)
{
    bool weighted = p->d1 > 0 || other->d1 > 0;
    p->d1 = weighted ? share_loss(p) + share_loss(other) : 0;
}

double progressive_constant_loss(const struct progressive *p)
{
    double constant, loss;
    if (!(p->sum.weight > 0) || p->kind == LEAT_SCORE_NONE) return (double)NAN;
    if (p->kind == LEAT_SCORE_MARGIN) return mean(p, share_loss(p));
    if (p->kind == LEAT_SCORE_VALUE) {
        double rmse = running_mean_errors(p->mean).rmse;
        return rmse * rmse;
    }
    progressive_best_constant(p, &constant, &loss);
    return loss;
}

double progressive_constant_error(const struct progressive *p)
{
    if (p->kind == LEAT_SCORE_CLASS) return progressive_constant_loss(p);
    return is_margin(p->kind) ? mean(p, fmin(p->of[0], p->of[1])) : (double)NAN;
}

/* ---- messages about a learner that is worse than a constant ---- */

static const char *name_of_loss(const struct progressive *p)
{
    return p->kind == LEAT_SCORE_MARGIN  ? "log loss"
           : p->kind == LEAT_SCORE_VALUE ? "squared loss"
                                         : "error rate";
}

const char *progressive_loss_fault(const struct progressive *p, const char *remedy, char *text,
                                   size_t n)
{
    double loss = mean(p, p->sum.loss), constant = progressive_constant_loss(p);
    if (p->nonfinite)
        snprintf(
            text, n,
            "the weights are too large: the prediction of %llu of %llu examples is not a finite "
            "number, and the figures leave these out: %s",
            (unsigned long long)p->nonfinite, (unsigned long long)(p->nonfinite + p->examples),
            remedy);
    else if (p->examples >= FEWEST_EXAMPLES && loss > WORSE * constant)
        snprintf(text, n,
                 "its %s is %.4g, and a constant has %.4g: it predicts worse than without any "
                 "feature: %s",
                 name_of_loss(p), loss, constant, remedy);
    else
        return NULL;
    return text;
}
