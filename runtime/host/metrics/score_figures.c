/* score_figures.c -- see score_figures.h. */
#include "score_figures.h"

#include "log_loss.h"

/* The probability of +1 that the scores of a bin mean. */
static double chance_of(const struct score_bin *bins, uint32_t i)
{
    double margin = score_bins_middle(bins, i);
    return chance(margin, exp_within(-capped(margin)));
}

static double positives_in(const struct score_bin *bins)
{
    double sum = 0;
    for (uint32_t i = 0; i < SCORE_BINS; i++)
        sum += bins[i].of[1];
    return sum;
}

/* ---- thresholds ---- */

/* Weights of what a threshold calls positive, rightly and wrongly. */
struct said {
    double tp, fp;
};

/* How far the precisions of the positives of a bin may be from that at its end. */
static double precision_doubt(const struct score_bin *b, struct said above)
{
    double tp = above.tp + b->of[1], all = above.tp + above.fp + b->of[0];
    double at_end = tp / (all + b->of[1]), highest = tp / (tp + above.fp);
    double lowest = all > 0 ? above.tp / all : 1;
    return fmax(highest - at_end, at_end - fmin(lowest, at_end));
}

static void add_precision(struct score_figures *f, const struct score_bin *b, struct said above)
{
    double tp = above.tp + b->of[1], fp = above.fp + b->of[0];
    if (!(b->of[1] > 0)) return;
    f->average_precision += b->of[1] * tp / (tp + fp); /* (recall - before) precision */
    if (b->mixed) f->average_precision_error += b->of[1] * precision_doubt(b, above);
}

/* From the highest score down. */
static void try_thresholds(struct score_figures *f, const struct score_bin *bins, double positives)
{
    struct said s = {0, 0};
    for (uint32_t i = SCORE_BINS; i-- > 0;) {
        const struct score_bin *b = &bins[i];
        if (!b->used) continue;
        add_precision(f, b, s);
        s.tp += b->of[1];
        s.fp += b->of[0];
        double all = s.tp + s.fp + positives; /* 2 TP + FP + FN */
        if (2 * s.tp <= f->f1 * all) continue;
        f->f1 = 2 * s.tp / all;
        f->f1_threshold = (double)score_bins_low(i);
    }
    f->average_precision /= positives;
    f->average_precision_error /= positives;
}

/* ---- probabilities ---- */

static void add_bin(struct score_figures *f, const struct score_bin *b, double p)
{
    uint32_t k = (uint32_t)(p * RELIABILITY_BINS);
    struct reliability *r = &f->reliability[k < RELIABILITY_BINS ? k : RELIABILITY_BINS - 1];
    double weight = b->of[0] + b->of[1];
    f->brier += b->of[1] * (1 - p) * (1 - p) + b->of[0] * p * p; /* w (p - y)^2 */
    r->weight += weight;
    r->predicted += weight * p;
    r->positives += b->of[1];
}

static void judge_probabilities(struct score_figures *f, const struct score_bin *bins)
{
    double apart = 0, weight = 0;
    for (uint32_t i = 0; i < SCORE_BINS; i++)
        if (bins[i].used) add_bin(f, &bins[i], chance_of(bins, i));
    for (int k = 0; k < RELIABILITY_BINS; k++) {
        const struct reliability *r = &f->reliability[k];
        apart += fabs(r->predicted - r->positives); /* w |predicted - observed| */
        weight += r->weight;
    }
    f->brier /= weight; /* 0 / 0: a NaN */
    f->calibration_error = apart / weight;
}

void score_figures_of(const struct score_bin *bins, struct score_figures *out)
{
    double positives = positives_in(bins);
    *out = (struct score_figures){.brier = 0};
    judge_probabilities(out, bins);
    if (positives > 0)
        try_thresholds(out, bins, positives);
    else
        out->average_precision = out->average_precision_error = out->f1 = out->f1_threshold =
            (double)NAN;
}
