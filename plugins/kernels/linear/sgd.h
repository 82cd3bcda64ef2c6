/* sgd.h -- what every linear learner here shares: the clock of stochastic gradient descent.
 *
 * At example t (from 0) with margin z, label y and importance weight c:
 *
 *   eta   = eta0 / (1 + eta0 lambda t) | eta0 / sqrt(t + 1) | eta0
 *   g     = c y l'(y z)                derivative of the loss by the margin
 *   alpha = alpha (1 - eta lambda)     L2: one scale for all weights; stored is w / alpha
 *   w_i   = w_i - eta g x_i            for features with the shared rate
 *
 * alpha is a double: in float 1 - eta lambda rounds to a multiple of 6e-8, so that lambda < 3e-7
 * would vanish. The learner folds alpha into its weights (sgd_must_fold) long before it underflows.
 *
 * Own rates. A feature with a four-byte accumulator a may have a rate of its own:
 *
 *   AdaGrad  a += (g x)^2,    step = rate g x / sqrt(a)
 *   Newton   a += c l'' x^2,  step = rate g x / (1 + a)
 *
 * On streams of single features the shared rate leaves rare features far below their log odds.
 * Adaptive rates, where every weight has an accumulator however it is stored, are in
 * sgd_adaptive.h.
 *
 * Bias. It is not regularised. SGD: it is learned with the shared rate. PRIOR: it is pinned to
 * log(N+ / N-), the log odds of the records so far (weighted, half a record added to each); then
 * the weight of a lone feature i tends to log(p(i|+) / p(i|-)), and records that are exploded into
 * many examples do not make it swing.
 *
 * Fading. With a half-life of H records everything that was learned or counted fades by
 * f = 2^(-1/H) at each new record, before that record is learned: weights (alpha takes f, too),
 * masses, records, the age that the schedule of the rate goes by, accumulators and counts. The
 * arrays by feature are not touched: instead each record adds more to them, `grown` = f^-1 times
 * what the record before it added, and readers divide by `grown` (G. Cormode, V. Shkapenyuk, D.
 * Srivastava, B. Xu, Forward Decay, ICDE 2009). When `grown` is large, every few half-lives, the
 * learner divides all of them (sgd_must_renew). Counts stay integers, of 1/unit, so that 2^31 is
 * enough for what H records can add up to. The learned bias does not fade.
 *
 * By event time. Then H is in nanoseconds, and what was learned fades by f = 2^(-d/H) as the clock
 * goes forward by d (sgd_at), whatever the number of records: for records at regular times it is
 * the above. It never goes back. A step fades by no more than 22 half-lives, after which a count of
 * four million is one. How many records a half-life has is not known, so the unit is 1, and `grown`
 * begins at sgd_base(): 256, and less as records add up, down to 1. Before models are merged the
 * older one goes to the time of the other.
 *
 * Saturation. Steps, stored weights and bias are held within SGD_LIMIT, so finite input of any size
 * keeps a finite state.
 */
#ifndef LEAT_KERNELS_LINEAR_SGD_H
#define LEAT_KERNELS_LINEAR_SGD_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/base/loss.h"

#define SGD_LIMIT        1e30f
#define SGD_FOLD_BELOW   1e-9
#define SGD_FOLD_PENALTY 65536  /* examples */
#define SGD_MOST_GROWN   0x1p31 /* by event time, between renewals */

enum sgd_schedule { SGD_INVERSE = 0, SGD_SQRT = 1, SGD_CONSTANT = 2 };
enum sgd_bias { SGD_BIAS_SGD = 0, SGD_BIAS_NONE = 1, SGD_BIAS_PRIOR = 2 };
enum sgd_rates { SGD_SHARED = 0, SGD_ADAGRAD = 1, SGD_NEWTON = 2, SGD_ADAPTIVE = 3 };

struct sgd_options {
    double lambda, eta0; /* eta0 * lambda < 1                                    */
    double rate;         /* of own rates; 0: what is good                        */
    enum sgd_schedule schedule;
    enum sgd_bias bias;
    enum sgd_rates rates;
    enum loss_kind loss;
    double l1;        /* L1 penalty (l1.h)                                  */
    double half_life; /* in records, >= 1; 0: nothing fades                    */
    bool by_time;     /* half_life is in nanoseconds of event time             */
};

struct sgd {
    struct sgd_options opt;
    uint64_t t; /* examples learned                    */
    double alpha;
    double bias;
    uint64_t records[2]; /* records seen with label -1, +1      */
    double mass[2];      /* the same, by weight                 */
    double penalty;      /* sum of eta l1 / alpha since the last folding */
    double l1_applied;   /* what of it cells have had (l1.h)             */

    double age;      /* examples learned, faded             */
    double faded[2]; /* records, faded                      */

    /* of adaptive rates (sgd_adaptive.h) */
    double size;     /* of all examples, faded                 */
    double sized;    /* how many examples have one, faded      */
    double bias_sum; /* accumulator of the bias, G             */

    bool plain; /* neither penalty nor half-life */
    /* of fading; without a half-life these are 1 and max_grown is infinite */
    double fade;      /* share that is left after a record          */
    double grown;     /* what a record counts now                   */
    double max_grown; /* where it is time to renew                  */
    uint32_t unit;    /* a count of 1 is unit * grown               */
    uint32_t one;     /* the same, rounded: what an example adds    */
    uint64_t newest;  /* by_time: the latest event time, ns; 0: none yet */
};

/* What one example does to every weight. */
struct sgd_step {
    double eta;       /* the shared rate  */
    double g;         /* c y l'           */
    double curvature; /* c l''            */
    double alpha;     /* after the decay  */
    float u;      /* eta g / alpha: step of a stored weight with the shared rate, per unit of x */
    int y;        /* 0: label -1, 1: label +1 */
    double grown; /* of the clock */
    double share; /* eta l1 / alpha: add it to the penalty once the example is learned */
};

void sgd_init(struct sgd *s, const struct sgd_options *opt);
/* After an example with this margin (bias included): decay, move the bias, count. Returns the step.
 * y is -1 or +1; weight finite, >= 0; new_record: not the same record as the example before. */
struct sgd_step sgd_advance(struct sgd *s, double margin, int y, double weight, bool new_record);
/* All of that but what depends on the margin: no g, no u, and the bias stays. */
struct sgd_step sgd_tick(struct sgd *s, int y, double weight, bool new_record);
/* The clock goes to an event time, in ns since 1970, before a record of that time is learned: what
 * was learned fades. Returns the share that is left: 1 if the time is not later than all before, or
 * is negative (the record has none). Only by_time. */
double sgd_at(struct sgd *s, int64_t time);
/* Both go to the later one's time. */
static inline void sgd_meet(struct sgd *a, struct sgd *b)
{
    sgd_at(a, (int64_t)b->newest);
    sgd_at(b, (int64_t)a->newest);
}
/* For a model that counts and learns nothing else: a record of weight 1 (y: 0 or 1). */
void sgd_record(struct sgd *s, int y);
/* Step of a stored weight with its own rate; updates the accumulator a. */
float sgd_own_rate_step(const struct sgd_options *opt, const struct sgd_step *step, float x,
                        float *a);
/* At the end of an example: may a penalty, a folding or a renewal be due? */
static inline bool sgd_is_due(const struct sgd *s)
{
    return s->alpha < SGD_FOLD_BELOW || !s->plain;
}
static inline bool sgd_must_fold(const struct sgd *s)
{
    return s->alpha < SGD_FOLD_BELOW || (s->opt.l1 > 0 && s->t % SGD_FOLD_PENALTY == 0);
}
/* alpha has been multiplied into all weights, and the penalty taken from them. */
static inline void sgd_folded(struct sgd *s)
{
    s->alpha = 1.0;
    s->penalty = s->l1_applied = 0;
}
/* What a record counts after a renewal: 1; by_time up to 256, so that the counts of `age` records,
 * faded, have room. */
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
/* What a renewal multiplies by. */
static inline double sgd_renewal(const struct sgd *s) { return sgd_base(s) / s->grown; }
/* n other counts go with those of sgd_renew, which comes after. */
void sgd_renew_counts(const struct sgd *s, uint32_t *count, uint64_t n);
/* Multiply the accumulators (or NULL) and counts (or NULL) of n features, and that of the bias, by
 * sgd_renewal(); `grown` becomes sgd_base(). */
void sgd_renew(struct sgd *s, float *accumulator, uint32_t *count, uint64_t n);
/* Take over the clock of a model that was read or merged: all but its options, which become opt. */
void sgd_take(struct sgd *s, const struct sgd *from, const struct sgd_options *opt);

/* Count an example. */
static inline void sgd_count(const struct sgd *s, uint32_t *count)
{
    *count = *count > UINT32_MAX - s->one ? UINT32_MAX : *count + s->one;
}
/* How many examples a count stands for; and the count that stands for n. */
static inline double sgd_counted(const struct sgd *s, uint32_t count)
{
    return s->opt.half_life > 0 ? count / (s->unit * s->grown) : (double)count;
}
uint32_t sgd_count_of(const struct sgd *s, uint32_t n);
static inline double sgd_records(const struct sgd *s, int y)
{
    return s->opt.half_life > 0 ? s->faded[y] : (double)s->records[y];
}
/* Examples that the model stands for. */
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

/* A prior of `strength` > 0 examples of the common odds e^bias: strength q positive and strength
 * (1 - q) negative ones, q = 1 / (1 + e^-bias). A bias beyond +-30 counts as +-30. */
struct sgd_prior {
    double bias, positive, negative;
};
struct sgd_prior sgd_prior(double bias, double strength);
/* Log odds of the label +1 minus the common ones, for a feature in n1 positive and n0 negative
 * examples, after the examples of the prior: log((n1 + positive) / (n0 + negative)) - bias. */
double sgd_log_odds_ratio(double n1, double n0, const struct sgd_prior *p);

/* Relative risk of the label +1 for a feature in n11 positive and n10 negative records, of N1 and
 * N0: p(+|x) / p(+|not x), with a half added to all four counts when one of them is below a
 * half (0, unless they fade). */
double sgd_relative_risk(double n11, double n10, double N1, double N0);

/* ---- two clocks become one ----
 *
 * Two linear learners become one: their clocks, and what a mean of them is.
 *
 * Parameter mixing (Mann, McDonald et al., Efficient Large-Scale Distributed Training of
 * Conditional Maximum Entropy Models, NIPS 2009): weights of models that learned from different
 * data are averaged, here by the examples that each has learned:
 *
 *   w = (n_a w_a + c n_b w_b) / (n_a + c n_b)        n = t, c = how often b counts
 *
 * and so is a bias that was learned. What is counted adds up: examples, records, masses,
 * accumulators of own rates, counts of features. A prior bias follows from the masses. Scales are
 * folded in: the merged model has alpha 1.
 *
 * Mixing is commutative, and associative up to rounding. The mean is not the model that one learner
 * would have become on all the data: each of the two took its steps without those of the other.
 */

/* How often b may count: 0 .. SGD_MAX_SHARE. */
#define SGD_MAX_SHARE 1e9

/* Shares of a and b in the mean. With no example in either, a has all of it. */
struct sgd_shares {
    double a, b;
};
struct sgd_shares sgd_share(const struct sgd *a, const struct sgd *b, double count);

/* The clock of the merged model; the options are a's. By event time a and b have met. */
struct sgd sgd_merge(const struct sgd *a, const struct sgd *b, double count);
/* a + count b for what is counted in 32 bits (held at the largest), and for accumulators. */
uint32_t sgd_add_count(uint32_t a, uint32_t b, double count);
float sgd_add_accumulator(float a, float b, double count);
/* `grown` of the merged clock: 1, but by event time. */
double sgd_merged_grown(const struct sgd *a, const struct sgd *b, double count);
/* What the learner with the merged clock, that of `grown`, has of a count, or an accumulator, that
 * is in_a under clock a and in_b under clock b. */
uint32_t sgd_mix_count(double grown, const struct sgd *a, uint32_t in_a, const struct sgd *b,
                       uint32_t in_b, double count);
float sgd_mix_accumulator(double grown, const struct sgd *a, float in_a, const struct sgd *b,
                          float in_b, double count);

#endif
