/* sgd.h -- the clock of stochastic gradient descent, shared by all linear learners.
 *
 * At example t (from 0) with margin z, label y and importance weight c:
 *
 *   eta   = eta0 / (1 + eta0 lambda t) | eta0 / sqrt(t + 1) | eta0
 *   g     = c y l'(y z)                derivative of the loss by the margin
 *   alpha = alpha (1 - eta lambda)     L2: one scale for all weights; a model stores w / alpha
 *   w_i   = w_i - eta g x_i            for features with the shared rate
 *
 * alpha is a double. As a float, 1 - eta lambda would round to a multiple of 6e-8, and a lambda
 * below 3e-7 would have no effect. Long before alpha underflows, the learner folds it: multiplies
 * all stored weights by alpha and sets alpha to 1 (sgd_must_fold).
 *
 * Own rates. A feature that has an accumulator a of four bytes can have its own rate:
 *
 *   AdaGrad  a += (g x)^2,    step = rate g x / sqrt(a)
 *   Newton   a += c l'' x^2,  step = rate g x / (1 + a)
 *
 * If each example has a single feature, the shared rate leaves the weights of rare features far
 * below their log odds. In adaptive rates (sgd_adaptive.h) the cells of a sketch have accumulators
 * too.
 *
 * Bias. The bias is not regularised. SGD_BIAS_SGD: the bias is learned with the shared rate.
 * SGD_BIAS_PRIOR: the bias is log((N+ + 1/2) / (N- + 1/2)), the log odds of the weighted records so
 * far. Then the weight of a feature i that is alone in its examples tends to log(p(i|+) / p(i|-)).
 * A learned bias swings if each record yields many examples; this one does not.
 *
 * Fading. With a half-life of H records, each new record multiplies all learned and counted state
 * by f = 2^(-1/H), before that record is learned. This covers weights (through alpha), masses,
 * records, the age that sets the rate, accumulators and counts. A learned bias does not fade. The
 * arrays of accumulators and counts are not multiplied. Instead each record adds `grown` to them
 * where it would add 1, and `grown` is divided by f at each record. Readers divide by `grown` (G.
 * Cormode, V. Shkapenyuk, D. Srivastava, B. Xu, Forward Decay, ICDE 2009). Every few half-lives,
 * when `grown` is large, the learner renews: it divides all arrays and `grown` (sgd_must_renew).
 * Counts are integers in units of 1/unit; `unit` is chosen so that they fit in 2^31.
 *
 * Fading by event time (by_time). H is in nanoseconds. When sgd_at() advances the clock by d, state
 * fades by f = 2^(-d/H), whatever the number of records. For records at regular times this equals a
 * half-life in records. A record that is d earlier than the clock counts 2^(-d/H), its `recency`:
 * it adds so much to age, records and counts, and the caller multiplies its importance weight by it
 * (half_life.h). One call fades by 22 half-lives at most, which turn a count of four million into
 * one. The number of records in a half-life is unknown, so `unit` is 1. `grown` begins at
 * sgd_base(), which falls from 256 to 1 as records add up. Counts are integers, so the share of an
 * old record is rounded up or down at random, right in the mean. Before a merge, sgd_meet() moves
 * the clock of the older model to that of the newer one.
 *
 * Example. eta0 = 1/2, lambda = 0.1. The first example, of label +1, has the margin 0, so g = -1/2.
 * alpha becomes 0.95. A feature with x = 1 gets the weight 0.25, stored as 0.25 / 0.95 = 0.263. The
 * second example has eta = 0.5 / 1.05 = 0.476. With a half-life of 2 records, the first three
 * records add `grown` = 1.41, 2 and 2.83. A feature that was in all three then has the count (1.41
 * + 2 + 2.83) / 2.83 = 2.21, which is 1/2 + 0.707 + 1.
 *
 * Saturation. Steps, stored weights and bias are limited to +-SGD_LIMIT, so finite input of any
 * size keeps the state finite.
 */
#ifndef LEAT_KERNELS_LINEAR_SGD_H
#define LEAT_KERNELS_LINEAR_SGD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/half_life.h"
#include "kernels/base/loss.h"

#define SGD_LIMIT        1e30f
#define SGD_FOLD_BELOW   1e-9
#define SGD_FOLD_PENALTY 65536  /* examples between two foldings of the L1 penalty   */
#define SGD_MOST_GROWN   0x1p31 /* limit of `grown` between two renewals, if by_time */

enum sgd_schedule { SGD_INVERSE = 0, SGD_SQRT = 1, SGD_CONSTANT = 2 };
enum sgd_bias { SGD_BIAS_SGD = 0, SGD_BIAS_NONE = 1, SGD_BIAS_PRIOR = 2 };
enum sgd_rates { SGD_SHARED = 0, SGD_ADAGRAD = 1, SGD_NEWTON = 2, SGD_ADAPTIVE = 3 };

struct sgd_options {
    double lambda, eta0; /* eta0 * lambda < 1                                            */
    double rate;         /* `rate` in the formulas of own and adaptive rates; 0: default */
    enum sgd_schedule schedule;
    enum sgd_bias bias;
    enum sgd_rates rates;
    enum loss_kind loss;
    double l1;        /* L1 penalty (l1.h)                         */
    double half_life; /* in records, >= 1; 0: nothing fades        */
    bool by_time;     /* half_life is in nanoseconds of event time */
};

struct sgd {
    struct sgd_options opt;
    uint64_t t; /* examples learned */
    double alpha;
    double bias;
    uint64_t records[2]; /* records seen with label -1, +1                          */
    double mass[2];      /* total weight of records[], faded                        */
    double penalty;      /* L1: sum of eta l1 / alpha since the last folding (l1.h) */
    double l1_applied;   /* value of `penalty` up to which cells were shrunk (l1.h) */

    double age;      /* examples learned, faded */
    double faded[2]; /* records[], faded        */

    /* for adaptive rates (sgd_adaptive.h) */
    double size;     /* sum over the examples of sum_i u_i^2, faded          */
    double sized;    /* number of examples where sum_i u_i^2 is not 0, faded */
    double bias_sum; /* G, the accumulator of the bias                       */

    bool plain; /* true if there is neither an L1 penalty nor a half-life */
    /* for fading; without a half-life max_grown is infinite, and the others 1 */
    double fade;               /* f, the factor by which a record fades the state               */
    double grown;              /* amount that a new record adds where it would add 1            */
    double max_grown;          /* value of `grown` at which to renew; unused if by_time         */
    uint32_t unit;             /* a count of 1 is stored as unit * grown                        */
    uint32_t one;              /* unit * grown, rounded: amount that an example adds to a count */
    double recency;            /* by_time: 2^(-d/H) if the current record is d old; else 1      */
    struct half_life_clock at; /* by_time */
};

/* Effect of one example on every weight. */
struct sgd_step {
    double eta;       /* the shared rate                                                      */
    double g;         /* c y l', the slope of the loss                                        */
    double curvature; /* c l'', the curvature of the loss; only with SGD_NEWTON               */
    double alpha;     /* scale of the weights, after this example's decay                     */
    float u;          /* eta g / alpha; with the shared rate, the stored weight's step is u x */
    int y;            /* 0: label -1, 1: label +1                                             */
    double grown;     /* `grown` of struct sgd                                                */
    double share;     /* L1: eta l1 / alpha; the learner adds it to `penalty` afterwards      */
};

void sgd_init(struct sgd *s, const struct sgd_options *opt);
/* Advances the clock by an example and returns the example's step. Decays alpha, moves the bias and
 * counts the record. margin: the example's margin, bias included. y is -1 or +1; weight is
 * finite, >= 0. new_record: true if the example is the first of its record. */
struct sgd_step sgd_advance(struct sgd *s, double margin, int y, double weight, bool new_record);
/* Like sgd_advance(), but without the parts that need the margin. The bias does not move, and g,
 * curvature and u of the step are 0. */
struct sgd_step sgd_tick(struct sgd *s, int y, double weight, bool new_record);
/* Takes the event time of a record, in ns since 1970; below 0: none. Fades the state, and sets
 * s->recency. Requires by_time. The caller learns the record after this call. Returns the factor by
 * which the state faded. */
double sgd_at(struct sgd *s, int64_t time);
/* Moves the clock to that of another model, unless it is later. Returns the factor by which the
 * state faded; 1 unless by_time. */
double sgd_follow(struct sgd *s, const struct sgd *other);
/* Moves the clocks of a and b to the later time of the two. Without effect unless by_time. */
static inline void sgd_meet(struct sgd *a, struct sgd *b)
{
    sgd_follow(a, b);
    sgd_follow(b, a);
}
/* Counts a record of weight 1; for models that only count and do not learn. y: 0 or 1. */
void sgd_record(struct sgd *s, int y);
/* Adds an entry of value x to the accumulator *a of a weight that has its own rate. Returns the
 * step of the stored weight. */
float sgd_own_rate_step(const struct sgd_options *opt, const struct sgd_step *step, float x,
                        float *a);
/* True if the learner must test at the end of an example whether to fold, renew or apply a
 * penalty. */
static inline bool sgd_is_due(const struct sgd *s)
{
    return s->alpha < SGD_FOLD_BELOW || !s->plain;
}
static inline bool sgd_must_fold(const struct sgd *s)
{
    return s->alpha < SGD_FOLD_BELOW || (s->opt.l1 > 0 && s->t % SGD_FOLD_PENALTY == 0);
}
/* Resets alpha to 1 and the penalty to 0. Call it after applying both to all weights. */
static inline void sgd_folded(struct sgd *s)
{
    s->alpha = 1.0;
    s->penalty = s->l1_applied = 0;
}
/* Returns the value of `grown` after a renewal. Without by_time it is 1. With by_time it is up to
 * 256, but small enough that the counts of `age` faded records fit. */
static inline double sgd_base_of(bool by_time, double age)
{
    double base = by_time ? 256 : 1;
    while (base > 1 && age * base > 0x1p30)
        base *= 0.5;
    return base;
}
static inline double sgd_base(const struct sgd *s) { return sgd_base_of(s->opt.by_time, s->age); }
static inline bool sgd_must_renew(const struct sgd *s)
{
    if (!s->opt.by_time) return s->grown >= s->max_grown;
    double base = sgd_base(s);
    return s->grown >= 2 * base || s->grown < base;
}
/* Factor by which a renewal multiplies accumulators and counts. */
static inline double sgd_renewal(const struct sgd *s) { return sgd_base(s) / s->grown; }
/* Renews n counts that are not in the array passed to sgd_renew(). Call it before sgd_renew(). */
void sgd_renew_counts(const struct sgd *s, uint32_t *count, uint64_t n);
/* Multiplies the accumulators and counts of n features, and the accumulator of the bias, by
 * sgd_renewal(). accumulator and count may be NULL. `grown` becomes sgd_base(). */
void sgd_renew(struct sgd *s, float *accumulator, uint32_t *count, uint64_t n);
/* Copies the clock of a loaded or merged model to *s, but with the options `opt`. */
void sgd_take(struct sgd *s, const struct sgd *from, const struct sgd_options *opt);

/* Adds an example to a count. */
static inline void sgd_count(const struct sgd *s, uint32_t *count)
{
    *count = *count > UINT32_MAX - s->one ? UINT32_MAX : *count + s->one;
}
/* Converts a stored count to a number of examples, faded. */
static inline double sgd_counted(const struct sgd *s, uint32_t count)
{
    return s->opt.half_life > 0 ? count / (s->unit * s->grown) : (double)count;
}
/* Returns the stored count of n examples, the inverse of sgd_counted(). */
uint32_t sgd_count_of(const struct sgd *s, uint32_t n);
static inline double sgd_records(const struct sgd *s, int y)
{
    return s->opt.half_life > 0 ? s->faded[y] : (double)s->records[y];
}
/* Number of examples learned, faded if there is a half-life. */
static inline double sgd_age(const struct sgd *s)
{
    return s->opt.half_life > 0 ? s->age : (double)s->t;
}

static inline float sgd_within(float w, float limit)
{
    w = w < limit ? w : limit;
    return w > -limit ? w : -limit;
}
static inline float sgd_clamp(float w) { return sgd_within(w, SGD_LIMIT); }

/* Prior of `strength` > 0 examples with the odds e^bias: strength q positive and strength (1 - q)
 * negative examples, where q = 1 / (1 + e^-bias). The bias is limited to -30 .. 30. */
struct sgd_prior {
    double bias, positive, negative;
};
struct sgd_prior sgd_prior(double bias, double strength);
/* Log odds of the label +1 for a feature, minus the log odds `bias` of all examples. The feature
 * was in n1 positive and n0 negative examples. With the prior the result is log((n1 + positive) /
 * (n0 + negative)) - bias. */
double sgd_log_odds_ratio(double n1, double n0, const struct sgd_prior *p);
/* Returns log p(x|+) / p(x|-) for a feature x in n1 of N1 positive and n0 of N0 negative examples,
 * after `strength` > 0 examples at the common odds. 0 if there are no examples of a label. */
double sgd_log_ratio(double n1, double n0, double N1, double N0, double strength);

/* ---- merging two clocks ----
 *
 * For models that count. Examples, records and masses add up, where b counts `count` times, and a
 * learned bias is averaged by examples. Models with weights add sums (sums.h). */

/* Largest `count`, the factor of b in a merge; the smallest is 0. */
#define SGD_MAX_SHARE 1e9

/* Shares of models a and b in the mean; they add up to 1. If neither has learned an example, a's
 * share is 1. */
struct sgd_shares {
    double a, b;
};
struct sgd_shares sgd_share(const struct sgd *a, const struct sgd *b, double count);

/* Returns the clock of the merged model, with a's options. If by_time, call sgd_meet() before. */
struct sgd sgd_merge(const struct sgd *a, const struct sgd *b, double count);
/* Returns a + count * b, limited to UINT32_MAX. */
uint32_t sgd_add_count(uint32_t a, uint32_t b, double count);
/* Returns `grown` of the merged clock: 1, or sgd_base_of() if by_time. */
double sgd_merged_grown(const struct sgd *a, const struct sgd *b, double count);
/* Returns the merged count in_a + count * in_b. in_a is stored under clock a, in_b under clock b,
 * and the result under a merged clock with this `grown`. */
uint32_t sgd_mix_count(double grown, const struct sgd *a, uint32_t in_a, const struct sgd *b,
                       uint32_t in_b, double count);

#endif
