/* progressive_inside.h -- what is inside struct progressive; for progressive*.c alone. */
#ifndef LEAT_HOST_METRICS_PROGRESSIVE_INSIDE_H
#define LEAT_HOST_METRICS_PROGRESSIVE_INSIDE_H

#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "compare.h"
#include "label_errors.h"
#include "last_fifth.h"
#include "progressive.h"
#include "score_bins.h"

/* Classes whose weights are known, for the best constant. */
enum { CLASSES = 1024, CLASS_SUMS = 3 };

struct progressive {
    const char *learner;
    const struct progressive_table *table;
    enum leat_score kind;

    uint64_t examples, features, records;
    uint64_t continued;    /* examples of earlier processes, whose features are not known */
    uint64_t nonfinite;    /* examples of this process whose score is no finite number */
    struct sums sum, held; /* held: of examples held out, each counts 1 */

    double of[2], expected;     /* margin, decision: w of each class; margin: w * P(+1);
                                   value: w that `mean` predicted, none in older states */
    double first_label, d1, d2; /* value: w(y - y0), w(y - y0)^2; margin, d1: what the running
                                   share has lost, from the first weight on that is not 1 */
    struct running_mean *mean;  /* value                              */
    double *of_class; /* class: w of each; w that was predicted so; w of which that was right
                         (the last two of this process, as by_label is) */

    uint64_t next_row; /* examples at which the next row is due */
    double row_weight, row_loss;
    uint64_t start;
    struct score_bin *bins, *held_bins;
    struct last_fifth last;
    struct label_order order;     /* margin, class */
    struct label_errors by_label; /* value; of other kinds only whether it was given up */
    struct compare compare;       /* where there are several learners */
    _Atomic double shown;         /* average loss after the last batch, for other threads */
};

/* Are scores margins of label +1, log odds or not? They have an order, and so an AUC. */
static inline bool is_margin(enum leat_score kind)
{
    return kind == LEAT_SCORE_MARGIN || kind == LEAT_SCORE_DECISION;
}

static inline double mean(const struct progressive *p, double sum)
{
    return p->sum.weight > 0.0 ? sum / p->sum.weight : (double)NAN;
}

static inline double calibration(const struct progressive *p)
{
    return p->of[1] > 0.0 ? p->expected / p->of[1] : (double)NAN;
}

/* The averages over the last fifth; returns how many examples it has. */
static inline uint64_t last_means(const struct progressive *p, double *loss, double *second)
{
    uint64_t n = p->examples;
    struct sums s = last_fifth_sums(&p->last, &p->sum, &n);
    *loss = s.weight > 0.0 ? s.loss / s.weight : (double)NAN;
    *second = s.weight > 0.0 ? s.second / s.weight : (double)NAN;
    return n;
}

/* In progressive_constant.c: the constant prediction that would have lost least,
 * and its average loss. */
void progressive_best_constant(const struct progressive *p, double *constant, double *loss);

/* In progressive_constant.c: the share of labels so far is charged for an example of log odds,
 * before that is counted; and for both of two streams, before they are one. */
void progressive_lose_share(struct progressive *p, uint32_t label, double w);
void progressive_join_shares(struct progressive *p, const struct progressive *other);

/* In progressive_table.c: the table's clock; a row for the example just added. */
uint64_t progressive_now(const struct progressive_table *t);
void progressive_row(struct progressive *p, double label, double score, uint32_t features);

#endif
