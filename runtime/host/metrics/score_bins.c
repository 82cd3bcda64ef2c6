/* score_bins.c -- implementation of score_bins.h. */
#include "score_bins.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/bits.h"
#include "log_loss.h"

#define EXPONENT(e) ((uint32_t)(127 + (e)) << 23)
#define TAIL_SHIFT  19 /* 16 bins per octave below CORE_LOW and from CORE_HIGH on */
#define CORE_SHIFT  15 /* 256 bins per octave between CORE_LOW and CORE_HIGH      */
#define CORE_LOW    EXPONENT(-10)
#define CORE_HIGH   EXPONENT(6)
#define LOW_BINS    (CORE_LOW >> TAIL_SHIFT)
#define CORE_BINS   ((CORE_HIGH - CORE_LOW) >> CORE_SHIFT)
#define HIGH_BINS   ((EXPONENT(128) - CORE_HIGH) >> TAIL_SHIFT)
#define SIDE        (LOW_BINS + CORE_BINS + HIGH_BINS)
_Static_assert(SCORE_BINS == 2 * SIDE, "the header says how many");

/* Returns the bin for the bits of a positive float. As integers, such bits have the same order as
 * the floats. */
static uint32_t magnitude_bin(uint32_t bits)
{
    if (bits < CORE_LOW) return bits >> TAIL_SHIFT;
    if (bits < CORE_HIGH) return LOW_BINS + ((bits - CORE_LOW) >> CORE_SHIFT);
    return LOW_BINS + CORE_BINS + ((bits - CORE_HIGH) >> TAIL_SHIFT);
}

static uint32_t score_bins_place(float score)
{
    uint32_t bits = bits_of_float(score);
    uint32_t negative = 0u - (bits >> 31);
    /* with m = magnitude_bin(…): SIDE + m, or SIDE - 1 - m if the score is negative */
    return SIDE + (magnitude_bin(bits & 0x7fffffffu) ^ negative);
}

/* Returns the bits of the smallest positive float in the bin; for SIDE the bits of infinity. */
static uint32_t first_bits(uint32_t bin)
{
    if (bin < LOW_BINS) return bin << TAIL_SHIFT;
    if (bin < LOW_BINS + CORE_BINS) return CORE_LOW + ((bin - LOW_BINS) << CORE_SHIFT);
    return CORE_HIGH + ((bin - LOW_BINS - CORE_BINS) << TAIL_SHIFT);
}

float score_bins_low(uint32_t bin)
{
    return bin >= SIDE ? float_of_bits(first_bits(bin - SIDE))
                       : -float_of_bits(first_bits(SIDE - bin) - 1);
}

double score_bins_middle(const struct score_bin *bins, uint32_t bin)
{
    if (!bins[bin].mixed) return (double)bins[bin].score;
    uint32_t m = bin >= SIDE ? bin - SIDE : SIDE - 1 - bin;
    double low = (double)float_of_bits(first_bits(m)),
           high = (double)float_of_bits(first_bits(m + 1) - 1);
    return bin >= SIDE ? (low + high) / 2 : -(low + high) / 2;
}

void score_bins_add(struct score_bin *bins, float score, uint32_t positive, double w)
{
    struct score_bin *bin = &bins[score_bins_place(score)];
    if (!bin->used) {
        bin->used = 1;
        bin->score = score;
    }
    bin->mixed |= bin->score != score;
    bin->of[positive] += w;
}

void score_bins_merge(struct score_bin *bins, const struct score_bin *other)
{
    for (uint32_t i = 0; i < SCORE_BINS; i++) {
        struct score_bin *b = &bins[i];
        const struct score_bin *o = &other[i];
        if (!o->used) continue;
        int mixed = o->mixed || b->mixed || (b->used && b->score != o->score);
        if (!b->used) b->score = o->score;
        b->used = 1;
        b->mixed = (uint16_t)mixed;
        b->of[0] += o->of[0];
        b->of[1] += o->of[1];
    }
}

static bool is_possible(const struct score_bin *b, uint32_t i, double max)
{
    for (int k = 0; k < 2; k++)
        if (!(b->of[k] >= 0 && b->of[k] <= max)) return false;
    if (!b->used) return !b->mixed && b->of[0] == 0 && b->of[1] == 0;
    return b->used == 1 && b->mixed <= 1 && isfinite(b->score) && score_bins_place(b->score) == i;
}

uint32_t score_bins_check(const struct score_bin *bins, double max)
{
    uint32_t i = 0;
    while (i < SCORE_BINS && is_possible(&bins[i], i, max))
        i++;
    return i;
}

void score_bins_auc(const struct score_bin *bins, double *area, double *error)
{
    double below = 0.0, positives = 0.0, won = 0.0, open = 0.0;
    for (uint32_t i = 0; i < SCORE_BINS; i++) {
        const struct score_bin *b = &bins[i];
        double tied = 0.5 * b->of[1] * b->of[0];
        won += b->of[1] * below + tied;
        if (b->mixed) open += tied;
        below += b->of[0];
        positives += b->of[1];
    }
    double pairs = below * positives;
    *area = pairs > 0.0 ? won / pairs : (double)NAN;
    *error = pairs > 0.0 ? open / pairs : (double)NAN;
}

static void sum_classes(const struct score_bin *bins, double of[2])
{
    of[0] = of[1] = 0.0;
    for (uint32_t i = 0; i < SCORE_BINS; i++)
        for (int k = 0; k < 2; k++)
            of[k] += bins[i].of[k];
}

static bool score_bins_has_moved(const struct roc_point *to, const struct roc_point *from)
{
    return to->false_positives - from->false_positives >= 1.0 / ROC_STEPS ||
           to->true_positives - from->true_positives >= 1.0 / ROC_STEPS;
}

uint32_t score_bins_roc(const struct score_bin *bins, struct roc_point out[ROC_POINTS])
{
    double all[2], above[2] = {0.0, 0.0};
    struct roc_point p = {0.0, 0.0, (double)INFINITY};
    uint32_t n = 0;
    sum_classes(bins, all);
    if (!(all[0] > 0.0 && all[1] > 0.0)) return 0;
    out[n++] = p;
    for (uint32_t i = SCORE_BINS; i-- > 0;) {
        if (!bins[i].used) continue;
        above[0] += bins[i].of[0];
        above[1] += bins[i].of[1];
        p = (struct roc_point){above[0] / all[0], above[1] / all[1], (double)score_bins_low(i)};
        if (n + 1 < ROC_POINTS && score_bins_has_moved(&p, &out[n - 1])) out[n++] = p;
    }
    if (out[n - 1].threshold == p.threshold) n--;
    out[n++] =
        (struct roc_point){1.0, 1.0, p.threshold}; /* exactly (1, 1), whatever the sums round to */
    return n;
}

/* Probability of +1 that corresponds to the middle margin of a bin. */
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

/* ---- figures of thresholds: average precision and F1 ---- */

/* Weights of true and false positives at a threshold. */
struct said {
    double tp, fp;
};

/* Returns the largest possible difference between the precision at a positive within the bin and
 * the precision at the end of the bin. `above` counts the bins with higher scores. */
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
    /* (recall - recall at the next higher threshold) * precision */
    f->average_precision += b->of[1] * tp / (tp + fp);
    if (b->mixed) f->average_precision_error += b->of[1] * precision_doubt(b, above);
}

/* Tries each bin as threshold, from the highest score down. */
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

/* ---- figures of probabilities: Brier score and calibration ---- */

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
    f->brier /= weight; /* NaN if the weight is 0 */
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
